"""Which known mistake is this mask? Exactly one, several that look alike here, a mixture, none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from lookahead_viz.masklab.fits import fitting
from lookahead_viz.masklab.layouts import LAYOUTS, PackedLayout, packed
from lookahead_viz.masklab.lint import whole
from lookahead_viz.masklab.mistake_kinds import Mistake
from lookahead_viz.masklab.positions import PositionMistake, name_positions
from lookahead_viz.masklab.scene import Masks, Scene
from lookahead_viz.masklab.suspects import CUT, suspects
from lookahead_viz.visibility import BoolMatrix
from lookahead_viz.words import count, quoted

Size = tuple[int, int, int]
"""(W, N, G')"""

_RETRY_SIZES: tuple[Size, ...] = tuple(
    sorted(
        (
            (window, ngram, candidates)
            for window in range(2, 8)
            for ngram in range(3, 7)
            for candidates in range(1, 4)
        ),
        key=lambda size: (size[1] - 1) * (size[0] + size[2]),
    )
)
_RETRY_COMMITTED = 8
_MOST_PARTS = 12
_NEAR = 0.75
"""The nearest known mistake leaves at most this share of the wrong cells unexplained."""
_TITLES = 6


@dataclass(frozen=True)
class Diagnosis:
    """What is wrong, as far as it is known.

    ``exact``: every known mistake that gives exactly this mask. ``together``: mistakes that only
    together do. ``nearest``: the known mistake with the fewest differing cells, ``differing`` of
    them. ``fits``: the other layout or size that this is the right mask of. ``unseen``: mistakes
    that change nothing at this size, so that a right mask does not rule them out. ``retry``: the
    (W, N, G') at which what looks alike here differs.
    """

    exact: tuple[Mistake, ...] = ()
    together: tuple[Mistake, ...] = ()
    nearest: Mistake | None = None
    differing: int = 0
    fits: PackedLayout | None = None
    unseen: tuple[Mistake, ...] = ()
    retry: Size | None = None
    positions: tuple[PositionMistake, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What it is: exact mistakes, or those that it is together, and those of positions.

        "another-step" is the right mask of another size or layout, as ``fits`` tells.
        """
        found = [one.name for one in self.exact or self.together]
        if not found and self.fits is not None:
            found = ["another-step"]
        return tuple(found + [one.name for one in self.positions])


def diagnose(
    masks: Masks,
    scene: Scene,
    layout: PackedLayout,
    positions: Sequence[int] | None = None,
    shift: int = 0,
) -> Diagnosis:
    """``masks`` has the size of ``scene``; ``positions`` [T] relative to the current token's.

    ``shift``: how far the current token itself stands from its place.
    """
    placed = () if positions is None else tuple(name_positions(scene, positions, shift))
    right = whole(scene.masks, scene.committed)
    wrong = whole(masks, scene.committed) != right
    compared = _Compared(scene, masks, right, wrong)
    if not compared.wrong_cells:
        retry = separating_size(compared.unseen, layout, scene.sliding_window)
        return Diagnosis(unseen=tuple(compared.unseen), retry=retry, positions=placed)
    fits = None
    if _prefix_is_right(masks, scene):
        fits = fitting(masks.packed, layout, scene.sliding_window)
    if fits is not None:  # a whole mask of another size is simpler than one that was cut
        compared.exact = [one for one in compared.exact if not one.name.startswith(CUT)]
    if compared.exact:
        exact = tuple(compared.exact)
        several = exact if len(exact) > 1 else ()
        retry = separating_size(several, layout, scene.sliding_window)
        return Diagnosis(exact=exact, fits=fits, retry=retry, positions=placed)
    return Diagnosis(
        together=() if fits else _together(wrong, compared.parts),
        nearest=compared.nearest,
        differing=compared.differing,
        fits=fits,
        positions=placed,
    )


class _Compared:
    """Every known mistake beside the mask; one of them in memory at a time."""

    def __init__(self, scene: Scene, masks: Masks, right: BoolMatrix, wrong: BoolMatrix) -> None:
        self.wrong_cells = int(np.count_nonzero(wrong))
        self.exact: list[Mistake] = []
        self.unseen: list[Mistake] = []
        self.parts: list[tuple[Mistake, BoolMatrix]] = []  # whose wrong cells are among these
        self.nearest: Mistake | None = None
        self.differing = int(_NEAR * self.wrong_cells) + 1  # nearer than the right mask, clearly
        for mistake in suspects(scene, masks):
            given = mistake.rule(scene)
            if given is None:
                continue
            cells = given.differing(masks)
            changes = given.differing(scene.masks)
            if not changes:
                self.unseen.append(mistake)
            elif not cells:
                self.exact.append(mistake)
            elif cells < self.differing:
                self.nearest, self.differing = mistake, cells
            if changes and changes + cells == self.wrong_cells and len(self.parts) < _MOST_PARTS:
                self.parts.append((mistake, whole(given, scene.committed) != right))


def _prefix_is_right(masks: Masks, scene: Scene) -> bool:
    return not Masks(scene.right, masks.prefix).differing(scene.masks)


def _together(
    wrong: BoolMatrix, parts: Sequence[tuple[Mistake, BoolMatrix]]
) -> tuple[Mistake, ...]:
    """The fewest (at most three) mistakes whose wrong cells together are these."""
    for size in (2, 3):
        for group in combinations(parts, size):
            if np.array_equal(np.logical_or.reduce([cells for _, cells in group]), wrong):
                return tuple(mistake for mistake, _ in group)
    return ()


# --- sizes that tell mistakes apart


def separating_size(
    mistakes: Iterable[Mistake], layout: PackedLayout, sliding_window: int | None = None
) -> Size | None:
    """The smallest (W, N, G') at which all ``mistakes`` differ from each other and from right.

    Sizes at least as large as the layout's come first. None where no size tries out.
    """
    wanted = tuple(mistakes)
    if not wanted:
        return None
    own = (layout.window_size, layout.ngram_size, layout.candidates)
    larger = [size for size in _RETRY_SIZES if all(a >= b for a, b in zip(size, own, strict=True))]
    name = layout.name if LAYOUTS[layout.name].steady else "lade"
    for size in (*larger, *_RETRY_SIZES):
        if size != own and _separated(wanted, name, size, sliding_window):
            return size
    return None


def _separated(
    mistakes: tuple[Mistake, ...], name: str, size: Size, sliding_window: int | None
) -> bool:
    scene = _retry_scene(name, size, sliding_window)
    given = [mistake.rule(scene) for mistake in mistakes]
    masks = [one for one in given if one is not None]
    if len(masks) < len(given):
        return False
    return not any(one.equals(other) for one, other in combinations([*masks, scene.masks], 2))


@lru_cache(maxsize=128)
def _retry_scene(name: str, size: Size, sliding_window: int | None) -> Scene:
    return Scene.of(packed(name, *size), _RETRY_COMMITTED, sliding_window)


# --- in words


def sentences(diagnosis: Diagnosis, layout: PackedLayout, cells: int, wrong: int) -> list[str]:
    """The diagnosis in plain sentences; ``cells`` are compared, ``wrong`` of them differ."""
    said: list[str] = []
    here = _size((layout.window_size, layout.ngram_size, layout.candidates))
    if diagnosis.exact:
        first, others = diagnosis.exact[0], diagnosis.exact[1:]
        said.append(f"Your mask is {quoted(first.title)} in all {cells:,} cells. {first.fix}")
        if others:
            said.append(
                f"At {here}, it cannot be told from {_names(others)}; {_retry(diagnosis.retry)}"
            )
    elif diagnosis.together:
        names = " and ".join(quoted(one.title) for one in diagnosis.together)
        said.append(f"Your mask is {names} together, in all {cells:,} cells.")
        said += [one.fix for one in diagnosis.together]
    if diagnosis.fits is not None and not _says_the_same(diagnosis):
        said.append(
            f"It is the right mask of {diagnosis.fits.title} with {diagnosis.fits.settings}."
        )
    if wrong and not (diagnosis.exact or diagnosis.together or diagnosis.fits):
        said.append(_nearest_sentence(diagnosis, wrong))
    for position in diagnosis.positions[:1]:
        said.append(f"The positions are {position.title}. {position.fix}")
    if len(diagnosis.positions) > 1:
        names = ", ".join(quoted(one.title) for one in diagnosis.positions[1:])
        said.append(f"At this size they could also be {names}.")
    if diagnosis.unseen:
        known = count(len(diagnosis.unseen), "known mistake")
        said.append(
            f"At {here}, {known} would change nothing and cannot be seen: "
            f"{_names(diagnosis.unseen)}. {_rule_out(diagnosis)}"
        )
    return said


def _says_the_same(diagnosis: Diagnosis) -> bool:
    """Does the name of the mistake already tell which layout it is the right mask of?"""
    return any(one.name == "causal" or one.name.startswith("order-") for one in diagnosis.exact)


def _nearest_sentence(diagnosis: Diagnosis, wrong: int) -> str:
    if diagnosis.nearest is None:
        verb = "differs" if wrong == 1 else "differ"
        return f"No known mistake is nearer than the right mask ({count(wrong, 'cell')} {verb})."
    return (
        f"No known mistake gives exactly this mask; the nearest is "
        f"{quoted(diagnosis.nearest.title)}, {count(diagnosis.differing, 'cell')} away (the right "
        f"mask is {wrong} away). {diagnosis.nearest.fix}"
    )


def _names(mistakes: Sequence[Mistake]) -> str:
    """The first titles, and how many more there are."""
    names = ", ".join(quoted(one.title) for one in mistakes[:_TITLES])
    more = len(mistakes) - _TITLES
    return f"{names} and {more} more" if more > 0 else names


def _retry(size: Size | None) -> str:
    if size is None:
        return "no other size was found that tells them apart."
    return f"to tell them apart retry with {_size(size)}."


def _rule_out(diagnosis: Diagnosis) -> str:
    them = "it" if len(diagnosis.unseen) == 1 else "them"
    if diagnosis.retry is None:
        return f"No size was found that shows {them}."
    return f"To rule {them} out, also check a full pass with {_size(diagnosis.retry)}."


def _size(size: Size) -> str:
    return f"W={size[0]}, N={size[1]}, G={size[2]}"
