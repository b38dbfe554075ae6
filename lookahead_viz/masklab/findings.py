"""What a check of a mask found: cells in words, one finding per check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lookahead_viz import visibility
from lookahead_viz.explain import RULE_NAMES, why_cells
from lookahead_viz.masklab.layouts import PackedLayout
from lookahead_viz.tokens import printable_text
from lookahead_viz.visibility import BoolMatrix
from lookahead_viz.words import count, quoted

CELLS_LISTED = 40
"""Cells of one finding that get their sentence; all of them are counted."""

State = Literal["leak", "blind"]
BEYOND_WINDOW = "SW"
"""The rule of a cell that only the model's sliding window hides."""
STATE_WORDS: dict[State, str] = {
    "leak": "is seen and must be hidden",
    "blind": "is hidden and must be seen",
}
RULE_WORDS = {**RULE_NAMES, BEYOND_WINDOW: "beyond the sliding window"}


@dataclass(frozen=True)
class Cell:
    """One wrong cell. A leak sees what it must not, a blind one misses what it must see.

    ``row`` is a packed index; so is ``column``, which is negative for committed columns (-1 is
    the last one in front of the packed tokens).
    """

    row: int
    column: int
    state: State
    row_name: str
    column_name: str
    rule: str  # R0 .. R5 (why it is to be visible), X1 .. X8 or SW (why hidden)
    sentence: str
    row_place: str = ""  # "row 1, column 2 of the window", "candidate 1, guess 2"
    column_place: str = ""

    def __str__(self) -> str:
        reader = ", ".join(filter(None, (self.row_name, self.row_place)))
        read = ", ".join(filter(None, (self.column_name, self.column_place)))
        return (
            f"line {self.row} ({reader}), column {self.column} ({read}), {self.state} "
            f"({STATE_WORDS[self.state]}): {self.sentence}"
        )

    @property
    def rule_words(self) -> str:
        """The rule and what it stands for: "X2: same row, other n-gram"."""
        return f"{self.rule}: {RULE_WORDS[self.rule]}"


@dataclass(frozen=True)
class Finding:
    """The answer of one check; ``passed`` is None where it could not be made."""

    check: str  # stable, for programs
    question: str
    passed: bool | None
    message: str
    rows: tuple[int, ...] = ()  # packed indexes
    cells: tuple[Cell, ...] = ()  # the first ones
    cell_count: int = 0

    def __str__(self) -> str:
        mark = {True: "ok", False: "WRONG", None: "-"}[self.passed]
        return f"{mark:<6}{self.question} {self.message}"


class Names:
    """Tokens in words: their texts where given, else where they stand (L12, V01)."""

    def __init__(
        self,
        layout: PackedLayout,
        tokens: Sequence[str] | None = None,
        sliding_window: int | None = None,
    ) -> None:
        self.layout = layout
        self.sliding_window = sliding_window
        self.places = layout.names
        texts = self.places if tokens is None else tokens
        self._texts: Mapping[int, str] = {
            slot: text for text, group in zip(texts, layout.merged, strict=True) for slot in group
        }
        self._given = tokens

    def token(self, slot: int) -> str:
        """ "L12", or "L12 ‘text’" where texts are given; ``slot`` is a packed index."""
        if slot < 0:
            return "committed"
        if self._given is None:
            return self.places[slot]
        text = printable_text({0: self._given[slot]}, [0])
        place = self.places[slot]
        return place if text == place else f"{place} {quoted(text)}"

    def place(self, slot: int) -> str:
        """Where a packed token is, in words; candidates and guesses count from 1."""
        if slot < 0:
            return ""
        who = self.layout.who[slot]
        if who.branch == "window":
            return f"row {who.row}, column {who.col} of the window"
        if who.branch == "guess":
            return f"candidate {who.row + 1}, guess {who.col + 1}"
        return "the current token" if who.branch == "current" else "committed, fed again"

    def rows(self, rows: Sequence[int], most: int = 8) -> str:
        """ "L10, L11, L12 and 4 more"."""
        names = ", ".join(self.token(row) for row in rows[:most])
        more = len(rows) - most
        return f"{names} and {more} more" if more > 0 else names

    def cells(self, wrong: BoolMatrix, seen: BoolMatrix) -> tuple[Cell, ...]:
        """The first wrong cells in words; both are bool [T, P + T], ``seen`` the mask itself."""
        committed = wrong.shape[1] - wrong.shape[0]
        rows = np.flatnonzero(wrong.any(axis=1))[:CELLS_LISTED]
        pairs = np.argwhere(wrong[rows])[:CELLS_LISTED]
        chosen = [(int(rows[i]), int(column) - committed) for i, column in pairs]
        slots = [self._canonical(row, column) for row, column in chosen]
        inside = [pair for pair in slots if pair is not None]
        reasons = iter(why_cells(self.layout.step, inside, self._texts))
        found = []
        for (row, column), pair in zip(chosen, slots, strict=True):
            rule, sentence = self._committed(row, column) if pair is None else next(reasons)
            if rule.startswith("R") and self._beyond(row, column):
                rule, sentence = BEYOND_WINDOW, self._beyond_sentence(row, column)
            state: State = "leak" if seen[row, column + committed] else "blind"
            names = self.token(row), self.token(column)
            places = self.place(row), self.place(column)
            found.append(Cell(row, column, state, *names, rule, sentence, *places))
        return tuple(found)

    def _canonical(self, row: int, column: int) -> tuple[int, int] | None:
        """Canonical slots of a cell; None where committed text takes part.

        Of a merged token the slot that the row's first slot sees, if it sees any.
        """
        merged = self.layout.merged
        if column < 0 or not merged[row] or not merged[column]:
            return None
        reader = merged[row][0]
        mask = visibility.mask(self.layout.step)
        seen = [slot for slot in merged[column] if mask[reader, slot]]
        return reader, (seen or merged[column])[0]

    def _position(self, slot: int) -> int:
        """Relative to p; committed columns stand in front of what is fed again."""
        return self.layout.positions[slot] if slot >= 0 else slot - self.layout.refed

    def _beyond(self, row: int, column: int) -> bool:
        """Does the model's sliding window hide this cell?"""
        back = self._position(row) - self._position(column)
        return self.sliding_window is not None and back >= self.sliding_window

    def _beyond_sentence(self, row: int, column: int) -> str:
        return (
            f"Beyond the sliding window: position {self._position(column):+d} is "
            f"{self._position(row) - self._position(column)} back from {self._position(row):+d}, "
            f"and a token sees the last {count(self.sliding_window or 0, 'position')} only, "
            "its own included."
        )

    def _committed(self, row: int, column: int) -> tuple[str, str]:
        if column < 0 or not self.layout.merged[column]:
            if column <= row:
                if self.sliding_window is not None:
                    return "R1", (
                        "Committed text within the sliding window: this line may read it."
                    )
                return "R1", "Committed text: every line behind it may read all of it."
            return "X1", "Later committed text: the future is hidden."
        return "X6", "Committed text that is fed again reads what stands before it, no guess."


def finding(
    check: str,
    question: str,
    names: Names,
    wrong: BoolMatrix,
    seen: BoolMatrix,
    wrong_message: str,
    right_message: str = "Yes.",
) -> Finding:
    """A finding about the cells where ``wrong`` holds, [T, T] or [T, P + T] as ``seen``.

    It passes where there are none. The messages may use {rows}, {names} and {cells}.
    """
    cells = int(np.count_nonzero(wrong))
    if not cells:
        return Finding(check, question, True, right_message)
    rows = np.flatnonzero(wrong.any(axis=1)).tolist()
    message = wrong_message.format(
        rows=count(len(rows), "line"), names=names.rows(rows), cells=count(cells, "cell")
    )
    return Finding(check, question, False, message, tuple(rows), names.cells(wrong, seen), cells)
