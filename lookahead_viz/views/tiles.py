"""The mask as an attention kernel sees it: in square tiles, whole, partly or not at all visible.

A block-sparse kernel (flex_attention) skips the empty tiles and asks no question in the full ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from lookahead_viz import visibility
from lookahead_viz.explain import cached_count
from lookahead_viz.records import Run
from lookahead_viz.replay import step_at
from lookahead_viz.views.common import place
from lookahead_viz.words import count

TILE_SIZES = (16, 64, 128)

KERNELS = {
    "sdpa": "PyTorch's scaled_dot_product_attention with a boolean mask: it computes every cell "
    "and hides some; no kernel without a mask (FlashAttention) could run this pass",
    "eager": "plain matrix products with a mask that is added to the scores: it computes every "
    "cell and hides some",
    "flex_attention": "flex_attention with a BlockMask of 128 x 128 tiles: it skips the empty "
    "tiles and asks for single cells in the partial ones only",
}

FLEX_ON_CPU = (
    "flex_attention with a BlockMask, uncompiled as always on a CPU: it computes every cell and "
    "hides some; compiled on a GPU it would skip the empty tiles"
)


@dataclass(frozen=True)
class Tiles:
    """How many tiles of ``size`` x ``size`` are full, partial and empty."""

    size: int
    full: int
    partial: int
    empty: int

    @property
    def total(self) -> int:
        return self.full + self.partial + self.empty


def tiles(visible: visibility.BoolMatrix, cached: int, size: int) -> Tiles:
    """Cut [S, cached + S] into tiles from the top left; a tile that sticks out is never full.

    ``visible`` is bool [S, S]; the ``cached`` columns before it are visible to every slot.
    """
    slots = len(visible)
    rows, columns = -(-slots // size), -(-(cached + slots) // size)
    whole = np.zeros((rows * size, columns * size), dtype=bool)
    whole[:slots, :cached] = True
    whole[:slots, cached : cached + slots] = visible
    cells = whole.reshape(rows, size, columns, size).sum(axis=(1, 3))  # visible ones in a tile
    full, empty = int((cells == size * size).sum()), int((cells == 0).sum())
    return Tiles(size, full, rows * columns - full - empty, empty)


def tile_table(run: Run, index: int) -> pd.DataFrame:
    """One line for each tile size: how the mask of step ``index`` falls into tiles."""
    lines = []
    if run.steps:
        step, index = step_at(run, index), place(run, index)
        for size in TILE_SIZES:
            found = tiles(visibility.mask(step.layout), cached_count(run, index), size)
            lines.append((f"{size} x {size}", found.full, found.partial, found.empty, found.total))
    return pd.DataFrame(lines, columns=["tile", "full", "partial", "empty", "tiles"])


def kernel_sentence(run: Run, index: int) -> str:
    """Which attention kernel ran this pass, and on how many cells of the mask."""
    if not run.steps:
        return ""
    step, index = step_at(run, index), place(run, index)
    slots, cached = step.layout.slots, cached_count(run, index)
    name = run.model.attention
    kernel = KERNELS.get(name, f"{name}")
    if name == "flex_attention" and run.model.device.startswith("cpu"):
        kernel = FLEX_ON_CPU
    if slots == 1:
        return f"This pass has one slot and needed no mask; attention: {name}."
    shown = int(visibility.mask(step.layout).sum()) + slots * cached
    return (
        f"This pass ran on {kernel}. Of {count(slots * (cached + slots), 'cell')} "
        f"{shown / (slots * (cached + slots)):.0%} are visible."
    )
