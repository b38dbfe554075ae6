"""Position ids: how they are read, and the classic mistakes about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.masklab.normalise import UnreadableMask
from lookahead_viz.masklab.scene import Scene
from lookahead_viz.masklab.suspects import ORDERS

Places = NDArray[np.int64]


@dataclass(frozen=True)
class PositionMistake:
    """A known mistake; ``rule`` gives the wrong positions [T], relative to the current token's."""

    name: str
    title: str
    fix: str
    rule: Callable[[Scene], Places | None]


def read_positions(positions: Any, size: int) -> tuple[int, ...]:
    """``positions`` as ints; [T] or with leading dimensions of 1. ``UnreadableMask`` otherwise."""
    try:
        if hasattr(positions, "detach"):
            positions = positions.detach().cpu().numpy()
        array = np.asarray(positions)
    except Exception:  # whatever an object says about itself
        raise UnreadableMask("positions must be one whole number per packed token.") from None
    if array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.round(array)).all():
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise UnreadableMask("positions must be one whole number per packed token.")
    if array.ndim < 1 or max(array.shape[:-1], default=1) != 1 or array.size != size:
        shape = "[" + ", ".join(str(length) for length in array.shape) + "]"
        raise UnreadableMask(
            f"positions has shape {shape}; it must hold one number for each of the {size} packed "
            "tokens."
        )
    found = [int(value) for value in array.reshape(-1).tolist()]
    if max(map(abs, found)) > 2**31:
        raise UnreadableMask("positions must be below 2^31.")
    return tuple(found)


def shift_of(start: int, committed: int, refed: int) -> int:
    """How far the current token at position ``start`` stands from its place behind the cache.

    0 where nothing is cached, or where the positions are relative (``start`` is 0).
    """
    due = committed + refed
    return start - due if committed and start not in (0, due) else 0


def _of(change: Callable[[Scene, Places], Places]) -> Callable[[Scene], Places]:
    return lambda scene: change(scene, scene.position.astype(np.int64))


POSITION_MISTAKES: dict[str, PositionMistake] = {
    mistake.name: mistake
    for mistake in (
        PositionMistake(
            "positions-arange",
            "counted through (arange)",
            "Positions repeat: a window cell stands at p + row + column, a guess at p + 1 + j; "
            "the packed index is no position.",
            _of(lambda scene, right: np.arange(scene.size) - scene.current),
        ),
        PositionMistake(
            "positions-rows-short",
            "one too small in the rows below row 0",
            "Add 1 there: window cell (row, column) stands at p + row + column.",
            _of(lambda scene, right: right - scene.lower),
        ),
        PositionMistake(
            "positions-rows-long",
            "one too large in the rows below row 0",
            "Subtract 1 there: window cell (row, column) stands at p + row + column.",
            _of(lambda scene, right: right + scene.lower),
        ),
        PositionMistake(
            "positions-rows-ignored",
            "the same in every row of the window",
            "Each row stands one further than the row above: p + row + column.",
            _of(lambda scene, right: np.where(scene.lower, scene.col, right)),
        ),
        PositionMistake(
            "positions-columns-ignored",
            "the same in every column of the window",
            "Each column stands one further than the one before: p + row + column.",
            _of(lambda scene, right: np.where(scene.window, scene.row, right)),
        ),
        PositionMistake(
            "positions-guesses-from-zero",
            "counted from p for the guesses",
            "The first guess follows the current token: guess j stands at p + 1 + j.",
            _of(lambda scene, right: right - scene.guess),
        ),
        PositionMistake(
            "positions-guesses-late",
            "one too large for the guesses",
            "Guess j stands at p + 1 + j, right behind the current token.",
            _of(lambda scene, right: right + scene.guess),
        ),
        PositionMistake(
            "positions-guesses-in-a-row",
            "counted through over all candidates",
            "Every candidate starts again at p + 1.",
            _of(
                lambda scene, right: np.where(
                    scene.guess, 1 + scene.row * scene.grid.guesses + scene.col, right
                )
            ),
        ),
        PositionMistake(
            "positions-constant",
            "the same for every token",
            "Hand over one position per token: p + row + column, and p + 1 + j for guesses.",
            _of(lambda scene, right: np.zeros(scene.size, dtype=np.int64)),
        ),
    )
}


def position_suspects(scene: Scene) -> Iterator[PositionMistake]:
    """The library, then the positions of other token orders."""
    yield from POSITION_MISTAKES.values()
    for name, (title, order) in ORDERS.items():
        if tuple(order(scene.grid)) != scene.order:
            yield PositionMistake(
                f"positions-of-{name}",
                f"those of the order of {title}",
                f"Permute the positions as the tokens are: these belong to tokens packed as "
                f"{title} packs them.",
                _in_order(order),
            )


def _in_order(order: Callable[[Any], list[int]]) -> Callable[[Scene], Places | None]:
    def rule(scene: Scene) -> Places | None:
        size = scene.grid.slots
        if scene.size != size or len(set(scene.order)) != size:
            return None
        canonical = np.empty(size, dtype=np.int64)
        canonical[list(scene.order)] = scene.position
        return canonical[order(scene.grid)]

    return rule


def shifted(shift: int) -> PositionMistake:
    """All positions moved alike: they agree among themselves, not with those of the cache."""
    return PositionMistake(
        f"positions-shifted{shift:+d}",
        f"all {abs(shift)} too {'large' if shift > 0 else 'small'}",
        "The current token stands right behind the committed ones: its position is their number.",
        _of(lambda scene, right: right + shift),
    )


def name_positions(scene: Scene, relative: Sequence[int], shift: int = 0) -> list[PositionMistake]:
    """Every known mistake that gives exactly these positions; none where they are right.

    ``relative`` to the current token's, which itself is ``shift`` from its place.
    """
    given = np.asarray(relative, dtype=np.int64)
    found: list[PositionMistake] = []
    if (given == scene.position).all():
        return [shifted(shift)] if shift else found
    for mistake in position_suspects(scene):
        places = mistake.rule(scene)
        if places is not None and (places == given).all():
            found.append(mistake)
    return found
