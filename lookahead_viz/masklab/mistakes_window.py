"""Mistakes about the lookahead branch: row 0, the own column, the own row."""

from __future__ import annotations

import numpy as np

from lookahead_viz.masklab.mistake_kinds import Library, mistake
from lookahead_viz.masklab.scene import Scene
from lookahead_viz.visibility import BoolMatrix

WINDOW: Library = {}


@mistake(
    WINDOW,
    "same-row",
    "same-row attention",
    "This is the reading of LADE's issue 28. Slots of row 1 and below must read their own column, "
    "not their own row.",
)
def _(scene: Scene) -> BoolMatrix:
    """The reading of LADE issue 28: the row's earlier cells in place of the column's."""
    return scene.right & ~scene.above | scene.above & scene.same_row & scene.earlier


@mistake(
    WINDOW,
    "same-row-too",
    "own row besides the own column",
    "Remove the own row: a neighbour's guess of the same pass is no left context.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right | scene.above & scene.same_row & scene.earlier


@mistake(
    WINDOW,
    "same-iteration",
    "same-iteration attention",
    "Row 0 goes up to the own column, then the own column follows; no row below row 0 is read "
    "along itself.",
)
def _(scene: Scene) -> BoolMatrix:
    """As in pure Jacobi: the own row back to its first cell, row 0 before that position."""
    before_row = scene.base & (scene.col[None, :] < scene.row[:, None])
    own_row = scene.above & scene.same_row & scene.earlier
    return scene.right & ~(scene.base | scene.above) | before_row | own_row


@mistake(
    WINDOW,
    "column-above-missing",
    "column above missing",
    "Slots of row 2 and below must see rows 1 and below of their own column: together they are "
    "the n-gram.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right & ~scene.above


@mistake(
    WINDOW,
    "one-row-above",
    "only the row just above",
    "A slot sees all rows above it in its own column, not just the nearest.",
)
def _(scene: Scene) -> BoolMatrix:
    nearest = scene.row[None, :] == scene.row[:, None] - 1
    return scene.right & ~(scene.above & ~nearest)


@mistake(
    WINDOW,
    "column-left",
    "the column to the left",
    "Rows above must be read in the own column, not in the one to the left of it.",
)
def _(scene: Scene) -> BoolMatrix:
    left = scene.col[None, :] == np.maximum(scene.col - 1, 0)[:, None]
    older = scene.row[None, :] < scene.row[:, None]
    return scene.right & ~scene.above | scene.above & left & older


@mistake(
    WINDOW,
    "older-rows-whole",
    "older rows read along all columns",
    "Of the rows above, a slot sees its own column only: other columns are other n-grams.",
)
def _(scene: Scene) -> BoolMatrix:
    older = scene.row[None, :] < scene.row[:, None]
    return scene.right | scene.above & older & scene.earlier


@mistake(
    WINDOW,
    "prefix-short",
    "row-0 prefix off by one",
    "Row 0 must be visible up to and including the own column: the n-gram's key stands there.",
)
def _(scene: Scene) -> BoolMatrix:
    own_key = scene.base & (scene.col[None, :] == scene.col[:, None]) & ~scene.is_current[None, :]
    return scene.right & ~own_key


@mistake(
    WINDOW,
    "prefix-long",
    "row-0 prefix one too long",
    "Row 0 must be visible up to the own column, not one further.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right | scene.base & (scene.col[None, :] == scene.col[:, None] + 1)


@mistake(
    WINDOW,
    "prefix-not-shortened",
    "row-0 prefix not shortened",
    "Row 0 is left context up to the own column only; behind it the own column takes over.",
)
def _(scene: Scene) -> BoolMatrix:
    """Every row-0 token of an earlier position, as in ordinary text."""
    return scene.right | scene.base & scene.earlier


@mistake(
    WINDOW,
    "prefix-missing",
    "no row-0 prefix",
    "Rows below row 0 must see row 0 to the left of their column: the n-gram's left context.",
)
def _(scene: Scene) -> BoolMatrix:
    left = scene.base & (scene.col[None, :] < scene.col[:, None]) & ~scene.is_current[None, :]
    return scene.right & ~left


@mistake(
    WINDOW,
    "row-zero-missing",
    "row 0 hidden from the rows below",
    "Rows below row 0 must see row 0 up to and including their own column.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right & ~(scene.base & ~scene.is_current[None, :])


@mistake(
    WINDOW,
    "row-zero-not-causal",
    "row 0 sees all of row 0",
    "Row 0 is ordinary left-to-right text: hide what is to the right.",
)
def _(scene: Scene) -> BoolMatrix:
    row_zero = scene.window & (scene.row == 0)
    return scene.right | (row_zero & ~scene.is_current)[:, None] & row_zero[None, :]


@mistake(
    WINDOW,
    "window-causal",
    "window plain causal in packed order",
    "Window slots see row 0 up to their column and their own column, not all packed before.",
)
def _(scene: Scene) -> BoolMatrix:
    inside = scene.window[:, None] & scene.window[None, :]
    return scene.right | inside & (scene.index[None, :] < scene.index[:, None])


@mistake(
    WINDOW,
    "window-causal-positions",
    "full causal window",
    "Window slots see row 0 up to their column and their own column, not every earlier position.",
)
def _(scene: Scene) -> BoolMatrix:
    inside = scene.window[:, None] & scene.window[None, :]
    return scene.right | inside & scene.earlier
