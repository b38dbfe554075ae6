"""A mask as block-sparse kernels see it: full, partial and empty tiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.visibility import BoolMatrix
from lookahead_viz.words import count

EMPTY, PARTIAL, FULL = 0, 1, 2
SIZES = (16, 64, 128)


@dataclass(frozen=True, eq=False)
class Tiles:
    """The tiles of one size. An empty one is skipped, a full one needs no mask."""

    size: int  # a tile is size x size cells
    states: NDArray[np.uint8]  # [rows, columns]: EMPTY, PARTIAL or FULL

    @property
    def empty(self) -> int:
        return int((self.states == EMPTY).sum())

    @property
    def partial(self) -> int:
        return int((self.states == PARTIAL).sum())

    @property
    def full(self) -> int:
        return int((self.states == FULL).sum())

    @property
    def sentence(self) -> str:
        return (
            f"{count(self.states.size, 'tile')} of {self.size}×{self.size}: {self.full} full, "
            f"{self.partial} partial, {self.empty} empty."
        )


def tiles(mask: BoolMatrix, size: int) -> Tiles:
    """The tiles of ``mask`` [T, K], committed columns included.

    Rows and columns are filled up with hidden cells to whole tiles, as FlexAttention's
    ``create_block_mask`` does, so a tile over the edge is never full.
    """
    if size < 1:
        raise ValueError(f"size is {size}; a tile has at least one cell.")
    rows, columns = (-(-side // size) for side in mask.shape)
    padded = np.zeros((rows * size, columns * size), dtype=bool)
    padded[: mask.shape[0], : mask.shape[1]] = mask
    blocks = padded.reshape(rows, size, columns, size)
    states = np.where(blocks.all(axis=(1, 3)), FULL, blocks.any(axis=(1, 3)) * PARTIAL)
    return Tiles(size, states.astype(np.uint8))
