"""The 2-D lookahead window: a rectangle of guessed tokens that Jacobi passes fill.

Cell (r, c) stands at position p + r + c, where p is the position of the current token in cell
(0, 0). Read downwards, column c and the prediction after its last cell are an n-gram
(Fu et al. 2024, section 3.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lookahead_viz.engine.fill import Filler

Rows = tuple[tuple[int, ...], ...]


class Ngram(NamedTuple):
    """N consecutive tokens: the key and the N - 1 after it."""

    key: int
    tail: tuple[int, ...]


@dataclass(frozen=True)
class Window:
    """A window of R rows and C columns; ``full`` means R = N - 1 and C = W.

    ``covered`` is the window's own token of cell (0, 0), where the current one stands.
    """

    rows: Rows  # [R][C]
    full: bool
    covered: int | None = None

    @property
    def current(self) -> int:
        return self.rows[0][0]

    @property
    def slots(self) -> int:
        """R * C."""
        return len(self.rows) * len(self.rows[0])

    @property
    def first_of_last_row(self) -> int:
        """Slot of the first cell of the newest row."""
        return (len(self.rows) - 1) * len(self.rows[0])

    def ngrams(self, predictions: Sequence[int], first_key: int | None = None) -> list[Ngram]:
        """The n-gram of every column; ``predictions`` [C] follow the last row.

        ``first_key`` replaces the key of column 0, which is the current token.
        """
        columns = zip(*self.rows, predictions, strict=True)
        found = [Ngram(key, tuple(tail)) for key, *tail in columns]
        return found if first_key is None else [found[0]._replace(key=first_key), *found[1:]]

    def grown(self, predictions: Sequence[int], *, ngram_size: int) -> Window:
        """Warm-up: the predictions become a new row, then the left column is dropped."""
        rows = tuple(row[1:] for row in (*self.rows, tuple(predictions)))
        return Window(rows, full=len(rows) == ngram_size - 1)

    def rolled(self, predictions: Sequence[int]) -> Window:
        """The oldest row leaves at the top, the predictions enter as the newest row."""
        return Window((*self.rows[1:], tuple(predictions)), full=True)

    def leveled(self, levels: int) -> Window:
        """Roll up ``levels`` more times, each time with a copy of the new row 0 as the newest."""
        rows = self.rows
        for _ in range(levels):
            rows = (*rows[1:], rows[min(1, len(rows) - 1)])
        return Window(rows, full=True)

    def slid(self, columns: int, filler: Filler) -> Window:
        """Drop ``columns`` left columns and refill every row at the right, row by row."""
        columns = min(columns, len(self.rows[0]))
        return Window(
            tuple(row[columns:] + filler.tokens(columns) for row in self.rows), full=self.full
        )

    def standing_at(self, current: int) -> Window:
        """The same window with ``current`` as its cell (0, 0)."""
        first, *others = self.rows
        return Window(
            ((current, *first[1:]), *others), full=self.full, covered=next(iter(first), None)
        )


def first_window(current: int, fill: Sequence[int], *, ngram_size: int) -> Window:
    """Row 0 alone: the current token and W + N - 3 fill tokens. N = 2 needs no warm-up."""
    return Window(((current, *fill),), full=ngram_size == 2)


def filled_window(current: int, filler: Filler, *, window_size: int, ngram_size: int) -> Window:
    """No warm-up: all N - 1 rows of W tokens are fill, row by row."""
    rows = tuple(filler.tokens(window_size) for _ in range(ngram_size - 1))
    return Window(rows, full=True).standing_at(current)


def lone_window(current: int) -> Window:
    """No window at all: near the position limit the current token is fed alone."""
    return Window(((current,),), full=False)
