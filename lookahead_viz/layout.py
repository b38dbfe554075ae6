"""Packing: the window and the candidates of one pass laid out as one list of slots (DESIGN 2.3).

Canonical order: window row-major (slot 0 = the current token), then one candidate after another;
of merged candidates each one's guesses that no candidate before it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from lookahead_viz import visibility
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
    merge: bool = False,
) -> StepLayout:
    """The layout of one pass.

    ``window`` is [R][C] with the current token in cell (0, 0), which stands at ``position``;
    ``candidates`` is [G'][N - 1]. The layout has R * C + G' * (N - 1) slots; with ``merge``
    equal prefixes of candidates are one slot each, and the layout has ``parents``.
    """
    if merge:
        return _merged(pack(window, position=position), candidates)
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
    """Slot of guess ``guess`` of candidate number ``candidate``, where nothing is merged."""
    return window_slots + candidate * guesses + guess


def guess_slots(
    candidates: Sequence[Sequence[int]], window_slots: int, *, merge: bool = False
) -> tuple[tuple[int, ...], ...]:
    """The slot of every guess of every candidate, [G'][N - 1]; ``merge``: equal prefixes share."""
    if not merge:
        ends = list(accumulate(map(len, candidates), initial=window_slots))
        return tuple(tuple(range(start, end)) for start, end in pairwise(ends))
    known: dict[tuple[int, ...], int] = {}
    return tuple(
        tuple(
            known.setdefault(tuple(candidate[: j + 1]), window_slots + len(known))
            for j in range(len(candidate))
        )
        for candidate in candidates
    )


def _merged(window: StepLayout, candidates: Sequence[Sequence[int]]) -> StepLayout:
    """A layout of the window alone, and behind it the trie of the candidates."""
    table = {slot: parent for slot, parent in enumerate(visibility.parents(window))}
    tokens, rows, cols = list(window.token_ids), list(window.rows), list(window.cols)
    for number, slots in enumerate(guess_slots(candidates, window.slots, merge=True)):
        for j, slot in enumerate(slots):
            if slot in table:
                continue
            table[slot] = slots[j - 1] if j else 0
            tokens.append(candidates[number][j])
            rows.append(number)
            cols.append(j)
    added = len(tokens) - window.slots
    return StepLayout(
        token_ids=tuple(tokens),
        positions=window.positions
        + tuple(window.positions[0] + 1 + col for col in cols[window.slots :]),
        roles=window.roles + (Role.GUESS,) * added,
        rows=tuple(rows),
        cols=tuple(cols),
        parents=tuple(table.values()),
    )


def window_paths(window: Sequence[Sequence[int]], most: int) -> tuple[tuple[int, ...], ...]:
    """The slots of the texts that the window [R][C] holds behind the current token, each once.

    Text c runs along row 0 to column c and then down that column, cut off after ``most`` slots.
    """
    cols = len(window[0])
    found = []
    for col in range(cols):
        down = [row * cols + col for row in range(1, len(window))]
        found.append((*range(1, col + 1), *down)[:most])
    return tuple(path for path in dict.fromkeys(found) if path)
