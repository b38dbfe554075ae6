"""Mistakes about the verification branch: candidates, and what they have to do with the window."""

from __future__ import annotations

from lookahead_viz.masklab.mistake_kinds import Library, mistake
from lookahead_viz.masklab.scene import Scene
from lookahead_viz.visibility import BoolMatrix

CANDIDATES: Library = {}


@mistake(
    CANDIDATES,
    "candidates-see-each-other",
    "candidates see each other",
    "Hide the other candidates: only the own candidate's earlier tokens are visible to a guess.",
)
def _(scene: Scene) -> BoolMatrix:
    """One causal block over all guesses instead of one block each."""
    return scene.right | scene.candidates & (scene.index[None, :] < scene.index[:, None])


@mistake(
    CANDIDATES,
    "candidates-share-sequence",
    "candidates in one sequence",
    "Give every candidate a sequence id (or block) of its own: positions alone do not part them.",
)
def _(scene: Scene) -> BoolMatrix:
    """One sequence id for all candidates: whatever stands no later is visible."""
    later = scene.position[None, :] > scene.position[:, None]
    return scene.right | scene.candidates & ~later


@mistake(
    CANDIDATES,
    "candidates-see-window",
    "candidates see the window",
    "Hide the window from the candidates: they are checked as if they followed the text.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right | scene.guess[:, None] & scene.window[None, :]


@mistake(
    CANDIDATES,
    "candidates-see-row-zero",
    "candidates see row 0",
    "Of row 0 a candidate sees slot 0 only: the rest are guesses of the window.",
)
def _(scene: Scene) -> BoolMatrix:
    row_zero = scene.window & (scene.row == 0)
    return scene.right | scene.guess[:, None] & row_zero[None, :] & scene.earlier


@mistake(
    CANDIDATES,
    "window-sees-candidates",
    "window sees candidates",
    "Hide the candidates from the window: it guesses on its own.",
)
def _(scene: Scene) -> BoolMatrix:
    window = scene.window & ~scene.is_current
    return scene.right | window[:, None] & scene.guess[None, :]


@mistake(
    CANDIDATES,
    "candidates-miss-current",
    "candidates miss the current token",
    "Let every guess see slot 0, the current token it follows.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right & ~(scene.guess[:, None] & scene.is_current[None, :])


@mistake(
    CANDIDATES,
    "candidate-not-causal",
    "candidate not causal inside",
    "Inside a candidate hide the later guesses: the answer would be read off.",
)
def _(scene: Scene) -> BoolMatrix:
    return scene.right | scene.candidates & scene.same_row


@mistake(
    CANDIDATES,
    "candidate-only-previous",
    "guess sees only the one before",
    "A guess sees all earlier tokens of its candidate, not just the one before it.",
)
def _(scene: Scene) -> BoolMatrix:
    near = scene.col[None, :] == scene.col[:, None] - 1
    return scene.right & ~(scene.candidates & ~near)


@mistake(
    CANDIDATES,
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
