"""What an upload may hold, how large it may be, and the one sentence when it is refused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.masklab.normalise import MOST_CELLS, MOST_ROWS, UnreadableMask

MAX_SIDE = MOST_ROWS
MAX_UPLOAD_MB = 80
MAX_UPLOAD_BYTES = MAX_UPLOAD_MB * 2**20
MAX_ARRAY_BYTES = 2 * MAX_UPLOAD_BYTES  # a float64 mask of the largest size, unpacked
MAX_TEXT_BYTES = 40 * 2**20  # numbers as Python objects take several times their text
MAX_MEMBERS = 64  # arrays in one file

Array = NDArray[Any]
Kind = Literal["mask", "parents", "positions", "words", "sequences"]
KINDS: tuple[Kind, ...] = ("mask", "parents", "positions", "words", "sequences")


@dataclass(frozen=True)
class Sequences:
    """Sequence ids per token, as llama.cpp's batches have them, with the positions."""

    sets: tuple[frozenset[int], ...]  # [T]
    firsts: tuple[int, ...]  # [T], the first id of each: the sequence the token attends in
    positions: tuple[int, ...]  # [T]


Value = Array | Sequences | tuple[str, ...]
"""An array of numbers, sequence ids, or the texts of tokens."""
Contents = dict[str, Value]
"""Everything found in one file by name; the name is empty where the file has none."""


def check_shape(shape: Sequence[int], itemsize: int, name: str) -> None:
    """Refuse an array by its header, before anything is allocated for it."""
    said = "×".join(str(side) for side in shape) or "a single number"
    what = f"“{name}”" if name else "The array"
    if not shape or 0 in shape:
        raise UnreadableMask(
            f"{what} is {said if not shape else f'empty ({said})'}; a mask needs at least "
            "one line and one column."
        )
    if len(shape) > 4:
        raise UnreadableMask(
            f"{what} has {len(shape)} dimensions ({said}); a mask has two: lines and columns, "
            "with at most a batch and a head before them."
        )
    rows = shape[-2] if len(shape) > 1 else 1
    if rows > MAX_SIDE or rows * shape[-1] > MOST_CELLS:
        raise UnreadableMask(
            f"{what} is {said}; at most {MAX_SIDE:,}×{MAX_SIDE:,} can be checked: cut out the "
            "lines and columns of one pass."
        )
    if math.prod(shape) * itemsize > MAX_ARRAY_BYTES:
        raise UnreadableMask(
            f"{what} ({said}) takes {math.prod(shape) * itemsize / 2**20:,.0f} MB; at most "
            f"{MAX_ARRAY_BYTES // 2**20} MB are allowed: save one head of one pass, as bool."
        )


def check_dtype(dtype: np.dtype[Any], name: str) -> None:
    """Refuse everything but booleans and real numbers."""
    what = f"“{name}”" if name else "The array"
    if dtype.hasobject:
        raise UnreadableMask(
            f"{what} holds Python objects, which could run code when opened; save plain "
            "numbers or booleans."
        )
    if dtype.kind not in "biuf":
        raise UnreadableMask(f"{what} holds {dtype}; save booleans, integers or floats.")


def plain(array: Array) -> Array:
    """The array in this machine's byte order, without subclasses."""
    native = array.dtype.newbyteorder("=")
    return np.asarray(array).astype(native, copy=False)
