"""Small masks as files of every kind, for the tests of the mask lab."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save

from lookahead_viz import visibility
from lookahead_viz.layout import pack

BoolMatrix = NDArray[np.bool_]

EXAMPLES: dict[str, str] = {
    "lade": """
tok I L01 L02 L03 L04 L10 L11 L12 L13 L14 L20 L21 L22 L23 L24 V00 V01 V02 V10 V11 V12
pos [0,1,2,3,4, 1,2,3,4,5, 2,3,4,5,6, 1,2,3, 1,2,3]
 0 I   100000000000000000000      11 L21 110000100001000000000
 1 L01 110000000000000000000      12 L22 111000010000100000000
 2 L02 111000000000000000000      13 L23 111100001000010000000
 3 L03 111100000000000000000      14 L24 111110000100001000000
 4 L04 111110000000000000000      15 V00 100000000000000100000
 5 L10 100001000000000000000      16 V01 100000000000000110000
 6 L11 110000100000000000000      17 V02 100000000000000111000
 7 L12 111000010000000000000      18 V10 100000000000000000100
 8 L13 111100001000000000000      19 V11 100000000000000000110
 9 L14 111110000100000000000      20 V12 100000000000000000111
10 L20 100001000010000000000
""",
    "llama.cpp": """
tok I V00 V10 V01 V11 V02 V12 L01 L02 L03 L04 L10 L11 L12 L13 L14 L20 L21 L22 L23 L24
pos [0, 1,1, 2,2, 3,3, 1,2,3,4, 1,2,3,4,5, 2,3,4,5,6]
seq I:{0..7} V0*:{6} V1*:{7} L01:{2,3,4,5} L02:{3,4,5} L03:{4,5} L04:{5} Lr0:{1} Lr1:{2} """
    """Lr2:{3} Lr3:{4} Lr4:{5}
 0 I   100000000000000000000      11 L10 100000000001000000000
 1 V00 110000000000000000000      12 L11 100000010000100000000
 2 V10 101000000000000000000      13 L12 100000011000010000000
 3 V01 110100000000000000000      14 L13 100000011100001000000
 4 V11 101010000000000000000      15 L14 100000011110000100000
 5 V02 110101000000000000000      16 L20 100000000001000010000
 6 V12 101010100000000000000      17 L21 100000010000100001000
 7 L01 100000010000000000000      18 L22 100000011000010000100
 8 L02 100000011000000000000      19 L23 100000011100001000010
 9 L03 100000011100000000000      20 L24 100000011110000100001
10 L04 100000011110000000000
""",
    "trt": """
tok I L10 L20 L01 L11 L21 L02 L12 L22 L03 L13 L23 L04 L14 L24 V00 V01 V02 V10 V11 V12
pos [0, 1,2, 1,2,3, 2,3,4, 3,4,5, 4,5,6, 1,2,3, 1,2,3]
 0 I   100000000000000000000      11 L23 100100100111000000000
 1 L10 110000000000000000000      12 L04 100100100100100000000
 2 L20 111000000000000000000      13 L14 100100100100110000000
 3 L01 100100000000000000000      14 L24 100100100100111000000
 4 L11 100110000000000000000      15 V00 100000000000000100000
 5 L21 100111000000000000000      16 V01 100000000000000110000
 6 L02 100100100000000000000      17 V02 100000000000000111000
 7 L12 100100110000000000000      18 V10 100000000000000000100
 8 L22 100100111000000000000      19 V11 100000000000000000110
 9 L03 100100100100000000000      20 V12 100000000000000000111
10 L13 100100100110000000000
""",
}
"""W = 5, N = 4, two candidates, as people write a mask down."""

TRT_WORDS = [1, 3, 7, 9, 25, 57, 73, 201, 457, 585, 1609, 3657, 4681, 12873, 29257, 32769, 98305]
TRT_WORDS += [229377, 262145, 786433, 1835009]


@cache
def right_mask(window_size: int = 5, ngram_size: int = 4, candidates: int = 2) -> BoolMatrix:
    """The mask of a full window in canonical order, [T, T], read-only."""
    guesses = [[0] * (ngram_size - 1)] * candidates
    window = [[0] * window_size] * (ngram_size - 1)
    return visibility.mask(pack(window, guesses, position=0))


def npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def npz(arrays: Mapping[str, Any], packed: bool = False) -> bytes:
    stream = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(stream, allow_pickle=False, **dict(arrays))
    return stream.getvalue()


def pt(value: Any) -> bytes:
    stream = io.BytesIO()
    torch.save(value, stream)
    return stream.getvalue()


def tensors(arrays: Mapping[str, NDArray[Any]], dtype: str | None = None) -> bytes:
    """A .safetensors file; ``dtype`` "bfloat16" takes 16-bit patterns for such numbers."""
    made = {}
    for name, array in arrays.items():
        tensor = torch.from_numpy(np.ascontiguousarray(array).copy())
        made[name] = tensor.view(getattr(torch, dtype)) if dtype else tensor
    return bytes(save(made))


def lines(mask: NDArray[Any], between: str = "") -> str:
    return "\n".join(between.join(str(int(cell)) for cell in row) for row in mask)


def small_files() -> dict[str, bytes]:
    """A file of every kind, small enough to be damaged byte by byte."""
    mask = right_mask(2, 3, 1)
    tensor = torch.from_numpy(mask.copy())
    floats = np.where(mask, 0, np.finfo(np.float32).min).astype(np.float32)
    positions = np.array([0, 1, 1, 2, 1, 2])
    return {
        "a.npy": npy(mask),
        "b.npy": npy(floats),
        "c.npz": npz({"mask": mask, "positions": positions}),
        "d.npz": npz({"mask": floats, "tokens": np.array(list("abcdef"))}, packed=True),
        "e.pt": pt({"mask": tensor, "positions": torch.from_numpy(positions)}),
        "f.pt": pt(tensor.to(torch.bfloat16)[None, None]),
        "g.safetensors": tensors({"mask": mask}),
        "h.json": json.dumps({"mask": mask.tolist(), "positions": positions.tolist()}).encode(),
        "i.json": json.dumps({"sequences": [[0, 1], [1], [0]], "positions": [0, 1, 1]}).encode(),
        "j.csv": lines(mask, ",").encode(),
        "k.txt": lines(mask).encode(),
        "l.txt": EXAMPLES["llama.cpp"].encode(),
        "m.txt": str(TRT_WORDS).encode(),
        "n.txt": repr(floats).encode(),
        "o.txt": b"parents: [-1, 0, 0, 1]\n",
        "p.c": b"static const uint8_t mask[2][2] = {{1, 0}, {1, 1}};",
        "q.csv": b"index,token,position,sequence ids,logits\n0,I,0,0 1 2,1\n1,L01,1,2,0\n",
    }
