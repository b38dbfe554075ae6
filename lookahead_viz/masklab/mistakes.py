"""The classic mistakes, each as a rule over a packed step: what it gives instead of the mask.

A rule takes a ``Scene`` and returns the wrong ``Masks``, for any size and any layout. Names and
the first thirteen are UX, appendix A; the others are mistakes of the same family that engines or
public threads have shown. Rules are written as the change that makes the mistake.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lookahead_viz.masklab.scene import Masks, Scene
from lookahead_viz.visibility import BoolMatrix

Rule = Callable[[Scene], "Masks | None"]
"""None: the mistake cannot be made here (without committed columns, say)."""


@dataclass(frozen=True)
class Mistake:
    """A known mistake; the sentences are plain text."""

    name: str  # stable, for programs
    title: str  # completes "Your mask is ‘...’"
    fix: str  # what to change
    rule: Rule


MISTAKES: dict[str, Mistake] = {}
"""Every mistake without a parameter, by name."""


def _mistake(name: str, title: str, fix: str) -> Callable[[Callable[[Scene], BoolMatrix]], Rule]:
    """Register a rule that changes packed cells only."""

    def register(change: Callable[[Scene], BoolMatrix]) -> Rule:
        def rule(scene: Scene) -> Masks:
            return Masks(scene.in_window(change(scene)), scene.right_prefix)

        MISTAKES[name] = Mistake(name, title, fix, rule)
        return rule

    return register


def _whole_mistake(name: str, title: str, fix: str) -> Callable[[Rule], Rule]:
    """Register a rule that gives the committed columns too."""

    def register(rule: Rule) -> Rule:
        MISTAKES[name] = Mistake(name, title, fix, rule)
        return rule

    return register


# --- the whole matrix


@_mistake(
    "causal",
    "plain causal",
    "The window's columns and the candidates branch off: give each row its own path instead of "
    "everything packed before it.",
)
def _(scene: Scene) -> BoolMatrix:
    return np.tri(scene.size, dtype=bool)


@_mistake(
    "transposed",
    "transposed",
    "Swap the axes: rows are who reads, columns what is read.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right.T


@_whole_mistake(
    "inverted",
    "inverted",
    "Flip it: True (or 0 in an additive mask) means may attend; in torch's nn.MultiheadAttention "
    "it is the other way round.",
)
def _(scene: Scene) -> Masks:
    right = scene.masks
    if right.prefix is None and scene.committed:
        return Masks(~right.packed, np.zeros((scene.size, scene.committed), dtype=bool))
    return Masks(~right.packed, None if right.prefix is None else ~right.prefix)


@_mistake(
    "all-visible",
    "no mask at all",
    "Every cell is visible: check that the mask reaches the attention, and that it is not added "
    "as 0 and 1.",
)
def _(scene: Scene) -> BoolMatrix:
    return np.ones_like(scene.right)


@_mistake("self-missing", "self missing", "Let every token see itself: set the diagonal.")
def _(scene: Scene) -> BoolMatrix:
    return scene.right & ~scene.itself


@_mistake(
    "current-missing",
    "the current token hidden from all",
    "Let every row see slot 0, the current token: it is committed text that is not cached yet.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right & ~scene.is_current[None, :] | scene.itself


@_mistake(
    "current-reads-all",
    "the current token reads everything",
    "Slot 0 is committed text: it reads the prefix and itself, no guess.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right | scene.is_current[:, None]


# --- the window


@_mistake(
    "same-row",
    "same-row attention",
    "Slots of row 1 and below must read their own column, not their own row.",
)
def _(scene: Scene) -> BoolMatrix:
    """The reading of LADE issue 28: the row's earlier cells in place of the column's."""
    return scene.right & ~scene.above | scene.above & scene.same_row & scene.earlier


@_mistake(
    "same-row-too",
    "own row besides the own column",
    "Remove the own row: a neighbour's guess of the same step is no left context.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right | scene.above & scene.same_row & scene.earlier


@_mistake(
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


@_mistake(
    "column-above-missing",
    "column above missing",
    "Slots of row 2 and below must see rows 1 and below of their own column: together they are "
    "the n-gram.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right & ~scene.above


@_mistake(
    "one-row-above",
    "only the row just above",
    "A slot sees all rows above it in its own column, not just the nearest.",
)
def _(scene: Scene) -> BoolMatrix:
    nearest = scene.row[None, :] == scene.row[:, None] - 1
    return scene.right & ~(scene.above & ~nearest)


@_mistake(
    "column-left",
    "the column to the left",
    "Rows above must be read in the own column, not in the one to the left of it.",
)
def _(scene: Scene) -> BoolMatrix:
    left = scene.col[None, :] == np.maximum(scene.col - 1, 0)[:, None]
    older = scene.row[None, :] < scene.row[:, None]
    return scene.right & ~scene.above | scene.above & left & older


@_mistake(
    "older-rows-whole",
    "older rows read along all columns",
    "Of the rows above, a slot sees its own column only: other columns are other n-grams.",
)
def _(scene: Scene) -> BoolMatrix:
    older = scene.row[None, :] < scene.row[:, None]
    return scene.right | scene.above & older & scene.earlier


@_mistake(
    "prefix-short",
    "row-0 prefix off by one",
    "Row 0 must be visible up to and including the own column: the n-gram's key stands there.",
)
def _(scene: Scene) -> BoolMatrix:
    own_key = scene.base & (scene.col[None, :] == scene.col[:, None]) & ~scene.is_current[None, :]
    return scene.right & ~own_key


@_mistake(
    "prefix-long",
    "row-0 prefix one too long",
    "Row 0 must be visible up to the own column, not one further.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right | scene.base & (scene.col[None, :] == scene.col[:, None] + 1)


@_mistake(
    "prefix-not-shortened",
    "row-0 prefix not shortened",
    "Row 0 is left context up to the own column only; behind it the own column takes over.",
)
def _(scene: Scene) -> BoolMatrix:
    """Every row-0 token of an earlier position, as in ordinary text."""
    return scene.right | scene.base & scene.earlier


@_mistake(
    "prefix-missing",
    "no row-0 prefix",
    "Rows below row 0 must see row 0 to the left of their column: the n-gram's left context.",
)
def _(scene: Scene) -> BoolMatrix:
    left = scene.base & (scene.col[None, :] < scene.col[:, None]) & ~scene.is_current[None, :]
    return scene.right & ~left


@_mistake(
    "row-zero-missing",
    "row 0 hidden from the rows below",
    "Rows below row 0 must see row 0 up to and including their own column.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right & ~(scene.base & ~scene.is_current[None, :])


@_mistake(
    "row-zero-not-causal",
    "row 0 sees all of row 0",
    "Row 0 is ordinary left-to-right text: hide what is to the right.",
)
def _(scene: Scene) -> BoolMatrix:
    row_zero = scene.window & (scene.row == 0)
    return scene.right | (row_zero & ~scene.is_current)[:, None] & row_zero[None, :]


@_mistake(
    "window-causal",
    "window plain causal in packed order",
    "Window slots see row 0 up to their column and their own column, not all packed before.",
)
def _(scene: Scene) -> BoolMatrix:
    inside = scene.window[:, None] & scene.window[None, :]
    return scene.right | inside & (scene.index[None, :] < scene.index[:, None])


@_mistake(
    "window-causal-positions",
    "full causal window",
    "Window slots see row 0 up to their column and their own column, not every earlier position.",
)
def _(scene: Scene) -> BoolMatrix:
    inside = scene.window[:, None] & scene.window[None, :]
    return scene.right | inside & scene.earlier


# --- the candidates


@_mistake(
    "candidates-see-each-other",
    "candidates see each other",
    "Hide the other candidates: only the own candidate's earlier tokens are visible to a guess.",
)
def _(scene: Scene) -> BoolMatrix:
    """One causal block over all guesses instead of one block each."""
    return scene.right | scene.candidates & (scene.index[None, :] < scene.index[:, None])


@_mistake(
    "candidates-share-sequence",
    "candidates in one sequence",
    "Give every candidate a sequence id (or block) of its own: positions alone do not part them.",
)
def _(scene: Scene) -> BoolMatrix:
    """One sequence id for all candidates: whatever stands no later is visible."""
    later = scene.position[None, :] > scene.position[:, None]
    return scene.right | scene.candidates & ~later


@_mistake(
    "candidates-see-window",
    "candidates see the window",
    "Hide the window from the candidates: they are checked as if they followed the text.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right | scene.guess[:, None] & scene.window[None, :]


@_mistake(
    "candidates-see-row-zero",
    "candidates see row 0",
    "Of row 0 a candidate sees slot 0 only: the rest are guesses of the window.",
)
def _(scene: Scene) -> BoolMatrix:
    row_zero = scene.window & (scene.row == 0)
    return scene.right | scene.guess[:, None] & row_zero[None, :] & scene.earlier


@_mistake(
    "window-sees-candidates",
    "window sees candidates",
    "Hide the candidates from the window: it guesses on its own.",
)
def _(scene: Scene) -> BoolMatrix:
    window = scene.window & ~scene.is_current
    return scene.right | window[:, None] & scene.guess[None, :]


@_mistake(
    "candidates-miss-current",
    "candidates miss the current token",
    "Let every guess see slot 0, the current token it follows.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right & ~(scene.guess[:, None] & scene.is_current[None, :])


@_mistake(
    "candidate-not-causal",
    "candidate not causal inside",
    "Inside a candidate hide the later guesses: the answer would be read off.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right | scene.candidates & scene.same_row


@_mistake(
    "candidate-only-previous",
    "guess sees only the one before",
    "A guess sees all earlier tokens of its candidate, not just the one before it.",
)
def _(scene: Scene) -> BoolMatrix:
    near = scene.col[None, :] == scene.col[:, None] - 1
    return scene.right & ~(scene.candidates & ~near)


@_mistake(
    "candidate-blocks-of-n",
    "candidates cut into blocks of N",
    "A candidate has N - 1 tokens (the key is slot 0): cut the blocks every N - 1 tokens.",
)
def _(scene: Scene) -> BoolMatrix:
    flat = scene.row * (scene.grid.guesses) + scene.col
    block = flat // (scene.grid.guesses + 1)
    inside = block[:, None] == block[None, :]
    before = flat[None, :] < flat[:, None]
    return scene.right & ~scene.candidates | scene.candidates & inside & before


# --- the committed columns


@_whole_mistake(
    "prefix-hidden",
    "committed columns hidden",
    "Every row sees every committed column: fill the part in front of the packed tokens.",
)
def _(scene: Scene) -> Masks | None:
    if not scene.committed:
        return None
    return Masks(scene.right, np.zeros((scene.size, scene.committed), dtype=bool))


@_whole_mistake(
    "prefix-top-left",
    "causal from the top left corner",
    "Shift the triangle by the number of committed columns: row 0 of the mask is token P, not 0.",
)
def _(scene: Scene) -> Masks | None:
    if not scene.committed:
        return None
    whole = np.tri(scene.size, scene.committed + scene.size, dtype=bool)
    return Masks(whole[:, scene.committed :], whole[:, : scene.committed])


@_whole_mistake(
    "prefix-candidates-only",
    "committed columns hidden from the window",
    "The window reads the committed columns as well as the candidates do.",
)
def _(scene: Scene) -> Masks | None:
    if not scene.committed:
        return None
    sees = ~scene.window | scene.is_current
    return Masks(scene.right, np.repeat(sees[:, None], scene.committed, axis=1))
