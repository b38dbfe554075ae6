"""Packing: the window and the candidates of one pass laid out as one list of slots (DESIGN 2.3).

Canonical order: window row-major (slot 0 = the current token), then one candidate after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from lookahead_viz.records import Role, StepLayout


class _Grid(NamedTuple):
    """The part of a layout that depends on its size alone; every field is [S]."""

    offsets: tuple[int, ...]
    roles: tuple[Role, ...]
    rows: tuple[int, ...]
    cols: tuple[int, ...]


@lru_cache(maxsize=256)
def _grid(rows: int, cols: int, candidates: int, guesses: int) -> _Grid:
    window = [(r, c) for r in range(rows) for c in range(cols)]
    branch = [(g, j) for g in range(candidates) for j in range(guesses)]
    return _Grid(
        # cell (r, c) stands at offset r + c, guess j at offset 1 + j
        offsets=tuple(r + c for r, c in window) + tuple(1 + j for _, j in branch),
        roles=(Role.CURRENT,) + (Role.WINDOW,) * (len(window) - 1) + (Role.GUESS,) * len(branch),
        rows=tuple(r for r, _ in window) + tuple(g for g, _ in branch),
        cols=tuple(c for _, c in window) + tuple(j for _, j in branch),
    )


def pack(
    window: Sequence[Sequence[int]],
    candidates: Sequence[Sequence[int]] = (),
    *,
    position: int,
) -> StepLayout:
    """The layout of one pass.

    ``window`` is [R][C] with the current token in cell (0, 0), which stands at ``position``;
    ``candidates`` is [G'][N - 1]. The layout has R * C + G' * (N - 1) slots.
    """
    grid = _grid(
        len(window), len(window[0]), len(candidates), len(candidates[0]) if candidates else 0
    )
    tokens = [token for row in window for token in row]
    tokens += [token for candidate in candidates for token in candidate]
    return StepLayout(
        token_ids=tuple(tokens),
        positions=tuple(position + offset for offset in grid.offsets),
        roles=grid.roles,
        rows=grid.rows,
        cols=grid.cols,
    )


def guess_slot(candidate: int, guess: int, *, window_slots: int, guesses: int) -> int:
    """Slot of guess ``guess`` of candidate number ``candidate``."""
    return window_slots + candidate * guesses + guess
