"""The mask as packed words, as TensorRT-LLM keeps it. (``reading_lists`` reads these forms.)"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.visibility import BoolMatrix

WORD_BITS = 32


def pack_words(mask: BoolMatrix) -> NDArray[np.int32]:
    """The mask as int32 [T, ceil(T / 32)]: bit j of word w is column 32 w + j.

    Bit 31 makes a word negative. Source: TensorRT-LLM's packed mask (bit 0 = first column).
    """
    rows, columns = mask.shape
    words = -(-columns // WORD_BITS)
    padded = np.zeros((rows, words * WORD_BITS), dtype=np.uint8)
    padded[:, :columns] = mask
    packed = np.packbits(padded, axis=1, bitorder="little")
    return np.ascontiguousarray(packed).view("<i4").astype(np.int32).reshape(rows, words)
