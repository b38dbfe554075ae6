"""The 2-D lookahead window of one pass: which guess stands where, how old it is, what it became.

Cell (r, c) stands at offset r + c from the current token, so the rows are staggered and an n-gram
(one column read downwards) runs diagonally; ``straighten`` shows the columns upright instead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from lookahead_viz.config import LookaheadConfig
from lookahead_viz.explain import Phase, phase, step_sentence
from lookahead_viz.records import LookaheadStep, Run
from lookahead_viz.tokens import printable, printable_text, quoted_token
from lookahead_viz.views.common import NothingToDraw, place, step_of
from lookahead_viz.words import count, quoted

Colour = Literal["age", "probability", "changed", "final"]
COLOURS: tuple[Colour, ...] = ("age", "probability", "changed", "final")


@dataclass(frozen=True)
class WindowCell:
    """One guessed token. ``row`` R is the row of predictions that is about to enter."""

    row: int
    col: int
    x: int  # where it is drawn: its offset, or its column when straightened
    slot: int | None  # None for a prediction that is about to enter
    token: int
    text: str  # visible, whole
    position: int  # absolute
    offset: int  # position minus the current token's
    made_at: int  # the pass that predicted it; -1 = start fill
    age: int  # passes since then
    current: bool  # cell (0, 0)
    fill: bool  # nobody predicted it: it comes from window_fill
    previous: int | None  # what row ``row`` held for this position one pass ago
    changed: bool
    final: bool | None  # equals the final text there; None = beyond the text
    probability: float | None  # with which it was predicted, where recorded
    hover: str


@dataclass(frozen=True)
class WindowNgram:
    """One column read downwards and its prediction: the n-gram that enters the pool."""

    col: int
    xs: tuple[int, ...]  # [R + 1]
    rows: tuple[int, ...]  # [R + 1]
    key: str
    text: str

    @property
    def hover(self) -> str:
        return f"n-gram of column {self.col}: {quoted(self.text)}, key {quoted(self.key)}"


@dataclass(frozen=True)
class WindowView:
    """Everything the window picture shows; no cells when there is nothing to draw."""

    sentence: str
    colour: Colour = "age"
    straighten: bool = False
    phase: Phase = "full"
    rows: int = 0  # R
    cols: int = 0  # C
    cells: tuple[WindowCell, ...] = ()  # row-major, without the entering row
    entering: tuple[WindowCell, ...] = ()  # [C]
    row_labels: tuple[tuple[str, str], ...] = ()  # [R + 1] (row, its age), the entering last
    ticks: tuple[int, ...] = ()
    tick_labels: tuple[tuple[str, str], ...] = ()  # offset or column, small absolute position
    ngrams: tuple[WindowNgram, ...] = ()  # [C]; empty in warm-up, when none enters

    def hover(self, cell: WindowCell) -> str:
        """What a cell is, and the n-gram that it belongs to."""
        return f"{cell.hover}\n{self.ngrams[cell.col].hover}" if self.ngrams else cell.hover


def window_view(
    run: Run, index: int, colour: Colour = "age", straighten: bool = False
) -> WindowView:
    """The window of step ``index``, coloured by ``colour`` (one of ``COLOURS``)."""
    if colour not in COLOURS:
        raise ValueError(f"colour is {colour!r}; it must be one of {', '.join(COLOURS)}.")
    try:
        step = step_of(run, index, LookaheadStep, "window")
    except NothingToDraw as nothing:
        return WindowView(str(nothing), colour, straighten)
    index = place(run, index)
    history = _History(run, index)
    rows, cols = len(step.window), len(step.window[0])
    now = phase(run, index)
    cells = tuple(
        history.cell(r, c, straighten=straighten) for r in range(rows) for c in range(cols)
    )
    entering: tuple[WindowCell, ...] = ()
    if now != "alone":
        entering = tuple(history.cell(rows, c, straighten=straighten) for c in range(cols))
    ticks, tick_labels = _ticks(step, rows, cols, straighten)
    return WindowView(
        sentence=step_sentence(run, index),
        colour=colour,
        straighten=straighten,
        phase=now,
        rows=rows,
        cols=cols,
        cells=cells,
        entering=entering,
        row_labels=tuple(history.row_label(r) for r in range(rows))
        + ((("predictions", "enter now"),) if entering else ()),
        ticks=ticks,
        tick_labels=tick_labels,
        ngrams=_ngrams(run, step, cells + entering, cols) if now == "full" else (),
    )


class _History:
    """Where the cells of one pass's window come from, by the passes before it."""

    def __init__(self, run: Run, index: int) -> None:
        self.run, self.index = run, index
        self.step, self.config = self._step(index), run.config
        assert isinstance(self.config, LookaheadConfig)
        self.rows, self.cols = len(self.step.window), len(self.step.window[0])
        self.slides = self.config.shift == "slide"
        self.makers = _row_makers(run, index) if self.config.shift == "level" else None
        self.text = run.prompt_ids + run.token_ids

    def _step(self, index: int) -> LookaheadStep:
        step = self.run.steps[index]
        assert isinstance(step, LookaheadStep)
        return step

    def made_at(self, row: int) -> int:
        """The pass whose predictions became this row; -1 = start fill."""
        if self.makers is not None:
            return (*self.makers, self.index)[row]
        return max(self.index - self.rows + row, -1)

    def slid_columns(self, row: int) -> int:
        """How many columns were refilled at the right of this row since it was predicted."""
        if not self.slides:
            return 0
        # the first row was never predicted; it is refilled all the same
        later = range(max(self.made_at(row), 0), self.index)
        return sum(min(len(self._step(i).accepted) - 1, self.cols) for i in later)

    def is_fill(self, row: int, col: int) -> bool:
        return self.made_at(row) < 0 or col >= self.cols - self.slid_columns(row)

    def probability(self, row: int, col: int, token: int) -> float | None:
        """The recorded probability of the prediction that this cell holds."""
        if self.is_fill(row, col):
            return None
        made_at = self.made_at(row)
        maker = self._step(made_at)
        # every warm-up pass dropped one left column, a slide drops several
        dropped = len(maker.window[0]) - self.cols if row < self.rows else 0
        slot = maker.first_of_last_row + col + dropped + self.slid_columns(row)
        for entry in maker.top_k:
            if entry.slot == slot and token in entry.ids:
                return entry.probabilities[entry.ids.index(token)]
        return None

    def previous(self, row: int, position: int) -> int | None:
        """What the same row held for the same absolute position one pass ago."""
        if self.index == 0 or row >= self.rows:
            return None
        before = self._step(self.index - 1)
        col = position - before.layout.positions[0] - row
        if (
            row >= len(before.window)
            or not 0 <= col < len(before.window[0])
            or (row, col) == (0, 0)
        ):
            return None
        return before.window[row][col]

    def row_label(self, row: int) -> tuple[str, str]:
        made_at = self.made_at(row)
        if made_at < 0:
            return f"row {row}", "start fill"
        newest = " (newest)" if row == self.rows - 1 else ""
        age = count(self.index - made_at, "pass", "passes")
        return f"row {row}{newest}", f"guessed {age} ago"

    def cell(self, row: int, col: int, *, straighten: bool) -> WindowCell:
        entering = row == self.rows
        if entering:
            predicted = self.step.last_row_predictions[col]
            assert predicted is not None
            token = predicted
        else:
            token = self.step.window[row][col]
        current = (row, col) == (0, 0)
        position = self.step.layout.positions[0] + row + col
        previous = None if current else self.previous(row, position)
        made_at = self.made_at(row)
        cell = WindowCell(
            row=row,
            col=col,
            x=col if straighten else row + col,
            slot=None if entering else row * self.cols + col,
            token=token,
            text=printable(self.run.token_text, token),
            position=position,
            offset=row + col,
            made_at=made_at,
            age=self.index - made_at,
            current=current,
            fill=not current and not entering and self.is_fill(row, col),
            previous=previous,
            changed=previous is not None and previous != token,
            final=self.text[position] == token if position < len(self.text) else None,
            probability=None if current else self.probability(row, col, token),
            hover="",
        )
        return _with_hover(self.run, cell)


def _row_makers(run: Run, index: int) -> list[int]:
    """The pass that predicted each row of window ``index`` where levels are rolled up (-1: none).

    A pass rolls once by its predictions, and once more by a copy of row 0 per further token.
    """
    makers: list[int] = []
    for number in range(index):
        step = run.steps[number]
        assert isinstance(step, LookaheadStep)
        rows = len(step.window)
        makers = [-1] * (rows - len(makers)) + makers + [number]
        following = run.steps[number + 1]
        assert isinstance(following, LookaheadStep)
        makers = makers[len(makers) - len(following.window) :]
        if rows == len(following.window):
            for _ in step.accepted[1:]:
                makers = [*makers[1:], makers[min(1, len(makers) - 1)]]
    step = run.steps[index]
    assert isinstance(step, LookaheadStep)
    return [-1] * (len(step.window) - len(makers)) + makers


def _with_hover(run: Run, cell: WindowCell) -> WindowCell:
    return replace(cell, hover="\n".join(_hover_lines(run, cell)))


def _hover_lines(run: Run, cell: WindowCell) -> list[str]:
    lines = [f"{quoted(cell.text)} · row {cell.row}, column {cell.col}"]
    if cell.current:
        place = f"the current token, position {cell.position}: accepted, not yet in the cache"
        return [*lines, place]
    lines.append(f"offset +{cell.offset} from the current token, position {cell.position}")
    if cell.fill:
        lines.append("start fill: no model predicted it")
    elif cell.age == 0:
        lines.append("predicted by this pass; enters as the newest row")
    else:
        lines.append(f"predicted at step {cell.made_at}, {count(cell.age, 'pass', 'passes')} ago")
    if cell.probability is not None:
        lines.append(f"probability {cell.probability:.3g}")
    if cell.changed and cell.previous is not None:
        previous = quoted_token(run.token_text, cell.previous)
        lines.append(f"one pass ago this row had {previous} for this position")
    if cell.final is not None:
        lines.append("equals the final text" if cell.final else "not the final token here")
    return lines


def _ngrams(
    run: Run, step: LookaheadStep, cells: tuple[WindowCell, ...], cols: int
) -> tuple[WindowNgram, ...]:
    found = []
    for col in range(cols):
        column = [cell for cell in cells if cell.col == col]
        found.append(
            WindowNgram(
                col=col,
                xs=tuple(cell.x for cell in column),
                rows=tuple(cell.row for cell in column),
                key=printable(run.token_text, step.column_keys[col]),
                text=printable_text(
                    run.token_text, (step.column_keys[col], *(cell.token for cell in column[1:]))
                ),
            )
        )
    return tuple(found)


def _ticks(
    step: LookaheadStep, rows: int, cols: int, straighten: bool
) -> tuple[tuple[int, ...], tuple[tuple[str, str], ...]]:
    position = step.layout.positions[0]
    if straighten:
        return tuple(range(cols)), tuple((f"column {c}", f"from +{c}") for c in range(cols))
    offsets = range(rows + cols)
    labels = tuple((f"+{x}" if x else "current", str(position + x)) for x in offsets)
    return tuple(offsets), labels
