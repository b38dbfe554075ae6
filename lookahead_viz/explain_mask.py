"""Why a mask cell is on or off, what a line reads: the mask in sentences.

Slots are called by row and column, counted from 0 as in the records; candidates and their guesses
are named "candidate 1, guess 1".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from lookahead_viz import visibility
from lookahead_viz.records import Role, Run, StepLayout, TokenText
from lookahead_viz.replay import step_at
from lookahead_viz.tokens import printable_text, quoted_token
from lookahead_viz.words import count, quoted

RULE_NAMES: dict[str, str] = {
    "R0": "the token itself",
    "R1": "committed text",
    "R2": "row 0, left to right",
    "R3": "row 0 as left context",
    "R4": "own column",
    "R5": "own candidate",
    "X1": "later position",
    "X2": "same row, other n-gram",
    "X3": "older row, other column",
    "X4": "another candidate",
    "X5": "the other branch",
    "X6": "slot 0 reads no guess",
    "X7": "newer row",
    "X8": "row 0, right of the own column",
}
"""Every reason a mask cell can have, R* visible and X* hidden, in a few words."""


def rule_id(layout: StepLayout, q: int, k: int) -> str:
    """The reason of mask cell (line ``q``, column ``k``): "R0" to "R5" or "X1" to "X8"."""
    return rule_ids(layout)[q][k]


@lru_cache(maxsize=64)
def rule_ids(layout: StepLayout) -> tuple[tuple[str, ...], ...]:
    """The reason of every mask cell, [S][S]."""
    return tuple(
        tuple(_rule_id(layout, q, k, reason) for k, reason in enumerate(line))
        for q, line in enumerate(visibility.reasons(layout))
    )


def why(run: Run, index: int, q: int, k: int) -> str:
    """Why slot ``q`` of step ``index`` may or may not read slot ``k``, in one sentence."""
    layout = step_at(run, index).layout
    return _SENTENCES[rule_id(layout, q, k)](_Cell(run.token_text, layout, q, k))


def why_cells(
    layout: StepLayout, cells: Sequence[tuple[int, int]], token_text: Mapping[int, TokenText]
) -> tuple[tuple[str, str], ...]:
    """(rule id, sentence) of each cell (line, column); without the whole table of reasons."""
    if not cells:
        return ()
    q, k = np.array(cells).T
    ids = [
        _rule_id(layout, row, column, reason)
        for (row, column), reason in zip(cells, visibility.reasons_at(layout, q, k), strict=True)
    ]
    return tuple(
        (rule, _SENTENCES[rule](_Cell(token_text, layout, *cell)))
        for rule, cell in zip(ids, cells, strict=True)
    )


def why_committed(run: Run, index: int) -> str:
    """Why every line reads the cached prefix."""
    cached = cached_count(run, index)
    if not cached:
        return "The prefix is empty: the current token is the first one of the text."
    return (
        f"Committed text ({count(cached, 'token')} in the cache): every line may read all of it."
    )


def cached_count(run: Run, index: int) -> int:
    """How many tokens are in the cache when step ``index`` starts: the position of slot 0."""
    return step_at(run, index).layout.positions[0]


def slot_name(layout: StepLayout, slot: int) -> str:
    """Where a slot is: "current token", "row 1, column 2", "candidate 1, guess 3"."""
    if layout.roles[slot] is Role.CURRENT:
        return "current token"
    if layout.roles[slot] is Role.WINDOW:
        return f"row {layout.rows[slot]}, column {layout.cols[slot]}"
    return f"candidate {layout.rows[slot] + 1}, guess {layout.cols[slot] + 1}"


def read_row(run: Run, index: int, q: int) -> str:
    """The exact context slot ``q`` of step ``index`` sees, in order of position."""
    layout = step_at(run, index).layout
    ids = rule_ids(layout)[q]
    parts = [f"[in the cache: {count(cached_count(run, index), 'token')}]"]
    for rule, name in (
        ("R1", "current token"),
        ("R2", "row 0"),
        ("R3", "row 0"),
        ("R4", "its own column"),
        ("R5", "its own candidate"),
    ):
        slots = [slot for slot in range(layout.slots) if ids[slot] == rule]
        if slots:
            tokens = (quoted_token(run.token_text, layout.token_ids[slot]) for slot in slots)
            parts.append(f"{name} {' '.join(tokens)}")
    token = quoted_token(run.token_text, layout.token_ids[q])
    return f"{token} ({slot_name(layout, q)}) reads: {' + '.join(parts)} + itself."


class _Cell:
    """One mask cell with the texts its sentence needs. ``q`` is who reads, ``k`` what is read."""

    def __init__(
        self, token_text: Mapping[int, TokenText], layout: StepLayout, q: int, k: int
    ) -> None:
        self.token_text, self.layout, self.q, self.k = token_text, layout, q, k

    @property
    def read(self) -> str:
        """The token that is (not) read, in quotes."""
        return quoted_token(self.token_text, self.layout.token_ids[self.k])

    def offset(self, slot: int) -> str:
        return f"+{self.layout.positions[slot] - self.layout.positions[0]}"

    @property
    def read_offset(self) -> str:
        return self.offset(self.k)

    @property
    def own_offset(self) -> str:
        return self.offset(self.q)

    @property
    def column(self) -> int:
        return self.layout.cols[self.q]

    @property
    def rows_between(self) -> int:
        return self.layout.rows[self.q] - self.layout.rows[self.k]

    @property
    def column_text(self) -> str:
        """The tokens of the own column from the one read to the one that reads."""
        width = visibility.window_columns(self.layout)
        slots = range(self.k, self.q + 1, width)
        return printable_text(self.token_text, (self.layout.token_ids[s] for s in slots))


def _r3(cell: _Cell) -> str:
    if cell.layout.cols[cell.k] == cell.column:
        return f"{cell.read} is the key of this n-gram, its first token (column {cell.column})."
    return (
        f"This n-gram starts at offset +{cell.column}: {cell.read} and all of row 0 up to there "
        "are its left context."
    )


def _r5(cell: _Cell) -> str:
    own, other = cell.layout.rows[cell.q] + 1, cell.layout.rows[cell.k] + 1
    shared = "" if own == other else f", shared with candidate {other}"
    return f"Earlier token of the same candidate {own}{shared}: {cell.read}."


_SENTENCES: dict[str, Callable[[_Cell], str]] = {
    "R0": lambda cell: "Every token sees itself.",
    "R1": lambda cell: (
        f"{cell.read} is the current token, committed text: every line may read it."
    ),
    "R2": lambda cell: (
        f"Row 0 is ordinary left-to-right text: offset {cell.read_offset} comes before "
        f"{cell.own_offset}."
    ),
    "R3": _r3,
    "R4": lambda cell: (
        f"Same n-gram, {count(cell.rows_between, 'token')} earlier: {cell.read}. "
        f"Together they are {quoted(cell.column_text)}."
    ),
    "R5": _r5,
    "X1": lambda cell: (
        f"Later position ({cell.read_offset} comes after {cell.own_offset}): the future is hidden."
    ),
    "X2": lambda cell: (
        f"Same row, other n-gram: {cell.read} ({cell.read_offset}) was guessed in the same pass "
        "by a neighbour; it never was the left context of this token. Many people expect it to be "
        "on."
    ),
    "X3": lambda cell: (
        f"Older row, other column: {cell.read} (column {cell.layout.cols[cell.k]}) is not part of "
        f"this n-gram (column {cell.column})."
    ),
    "X4": lambda cell: (
        f"Another candidate ({cell.layout.rows[cell.k] + 1}): candidates must not influence each "
        "other's verdict."
    ),
    "X5": lambda cell: (
        "Window and candidates are separate branches: one guesses, the other is verified."
    ),
    "X6": lambda cell: (
        "Committed text never reads guesses: that is why this line's output is exactly the greedy "
        "token, and every pass accepts at least one."
    ),
    "X7": lambda cell: "Newer row: it continues other n-grams, never this one's past.",
    "X8": lambda cell: (
        f"Row 0, right of column {cell.column}: at offset {cell.read_offset} this line reads its "
        "own column instead."
    ),
}


def _rule_id(layout: StepLayout, q: int, k: int, reason: str) -> str:
    """UX's short name of a reason of ``visibility``, which has one rule for three of them."""
    if reason == "base_row":
        if layout.roles[k] is Role.CURRENT:
            return "R1"
        return "R2" if layout.rows[q] == 0 else "R3"
    fixed = {"self": "R0", "same_column": "R4", "guess_sees_current": "R1", "guess_causal": "R5"}
    return fixed.get(reason, reason)
