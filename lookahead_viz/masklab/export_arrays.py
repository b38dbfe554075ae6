"""Masks as files of arrays: .npy, and .safetensors for what numpy has no type for."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import safetensors
from numpy.typing import NDArray

from lookahead_viz.visibility import BoolMatrix

BFLOAT16_MINIMUM = 0xFF7F
"""The bits of bfloat16's minimum, -3.39e38."""


def npy(array: NDArray[Any]) -> bytes:
    """A .npy file."""
    stream = io.BytesIO()
    np.save(stream, np.ascontiguousarray(array), allow_pickle=False)
    return stream.getvalue()


def npz(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """A compressed .npz file."""
    stream = io.BytesIO()
    np.savez_compressed(stream, allow_pickle=False, **dict(arrays))
    return stream.getvalue()


def additive(mask: BoolMatrix, dtype: str) -> bytes:
    """[1, 1, T, K]: 0 where visible, the lowest number of ``dtype`` where hidden."""
    if dtype == "bfloat16":
        return _bfloat16(np.where(mask, 0, BFLOAT16_MINIMUM).astype("<u2")[None, None])
    kind = np.dtype(dtype)
    return npy(np.where(mask, 0, np.finfo(kind).min).astype(kind)[None, None])


def _bfloat16(bits: NDArray[Any]) -> bytes:
    spec = safetensors.TensorSpec(
        dtype="bfloat16", shape=bits.shape, data_ptr=bits.ctypes.data, data_len=bits.nbytes
    )
    return bytes(safetensors.serialize({"mask": spec}))
