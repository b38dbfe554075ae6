"""Mistakes about the whole matrix, the current token, and the committed columns."""

from __future__ import annotations

import numpy as np

from lookahead_viz.masklab.mistake_kinds import Library, mistake, whole_mistake
from lookahead_viz.masklab.scene import Masks, Scene
from lookahead_viz.visibility import BoolMatrix

WHOLE: Library = {}


@mistake(
    WHOLE,
    "causal",
    "plain causal",
    "The window's columns and the candidates branch off: give each line its own path instead of "
    "everything packed before it.",
)
def _(scene: Scene) -> BoolMatrix:
    return np.tri(scene.size, dtype=bool)


@mistake(
    WHOLE,
    "transposed",
    "transposed",
    "Swap the axes: lines are who reads, columns what is read.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right.T


@whole_mistake(
    WHOLE,
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


@mistake(
    WHOLE,
    "all-visible",
    "no mask at all",
    "Every cell is visible: check that the mask reaches the attention, and that it is not added "
    "as 0 and 1.",
)
def _(scene: Scene) -> BoolMatrix:
    return np.ones_like(scene.right)


@whole_mistake(
    WHOLE,
    "nothing-visible",
    "hides everything",
    "No cell is visible: check that the mask was filled at all, and with which value.",
)
def _(scene: Scene) -> Masks:
    return Masks(np.zeros_like(scene.right), np.zeros((scene.size, scene.committed), dtype=bool))


@mistake(WHOLE, "self-missing", "self missing", "Let every token see itself: set the diagonal.")
def _(scene: Scene) -> BoolMatrix:
    return scene.right & ~scene.itself


@mistake(
    WHOLE,
    "current-self-missing",
    "the current token not seeing itself",
    "Set the first cell: slot 0 sees itself (ExecuTorch clears it before it fills the mask, which "
    "shows with W = 0).",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right & ~(scene.itself & scene.is_current[:, None])


@mistake(
    WHOLE,
    "current-missing",
    "the current token hidden from all",
    "Let every line see slot 0, the current token: it is committed text that is not cached yet.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right & ~scene.is_current[None, :] | scene.itself


@mistake(
    WHOLE,
    "current-reads-all",
    "the current token reads everything",
    "Slot 0 is committed text: it reads the prefix and itself, no guess.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right | scene.is_current[:, None]


@whole_mistake(
    WHOLE,
    "prefix-hidden",
    "committed columns hidden",
    "Every line sees every committed column: fill the part in front of the packed tokens.",
)
def _(scene: Scene) -> Masks | None:
    if not scene.committed:
        return None
    return Masks(scene.right, np.zeros((scene.size, scene.committed), dtype=bool))


@whole_mistake(
    WHOLE,
    "prefix-top-left",
    "causal from the top left corner",
    "Shift the triangle by the number of committed columns: line 0 of the mask is token P, not 0.",
)
def _(scene: Scene) -> Masks | None:
    if not scene.committed:
        return None
    whole = np.tri(scene.size, scene.committed + scene.size, dtype=bool)
    return Masks(whole[:, scene.committed :], whole[:, : scene.committed])


@whole_mistake(
    WHOLE,
    "prefix-candidates-only",
    "committed columns hidden from the window",
    "The window reads the committed columns as well as the candidates do.",
)
def _(scene: Scene) -> Masks | None:
    if not scene.committed:
        return None
    sees = ~scene.window | scene.is_current
    return Masks(scene.right, np.repeat(sees[:, None], scene.committed, axis=1))
