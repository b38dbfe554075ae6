"""Five questions that people ask about the published mask, answered on the mask at hand."""

from __future__ import annotations

from dataclasses import dataclass

from lookahead_viz.explain import why_cells
from lookahead_viz.masklab.layouts import PackedLayout, Who
from lookahead_viz.masklab.report import Report
from lookahead_viz.people_ask import FINAL, ITERATIONS, KEPT, LAST_GUESS, OWN_COLUMN, ROW_ZERO


@dataclass(frozen=True)
class Answer:
    """One question and its answer; ``cells`` says how the mask at hand has the cells named."""

    question: str
    sentences: tuple[str, ...]
    cells: tuple[str, ...] = ()


def five_answers(report: Report) -> tuple[Answer, ...]:
    """The answers, with the tokens of the report's layout and the cells of its mask."""
    look = _Look(report)
    return (_ngrams(look), _own_column(look), _row_zero(look), _iterations(look), _final(look))


class _Look:
    """Tokens of one layout by where they are, and what the mask has between two of them."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.layout: PackedLayout = report.layout
        self.window = {
            (one.row, one.col): one
            for one in self.layout.who
            if one.branch in ("window", "current")
        }
        self.guesses = {
            (one.row, one.col): one for one in self.layout.who if one.branch == "guess"
        }
        self.rows = 1 + max(row for row, _ in self.window)
        self.last_column = max(col for _, col in self.window)

    def cell(self, reader: Who | None, read: Who | None) -> tuple[str, ...]:
        """One sentence about a cell: how it is, how it must be, and why."""
        if reader is None or read is None:
            return ()
        q, k = self.layout.merged[reader.slot][0], self.layout.merged[read.slot][0]
        names = {
            slot: one.name for one in self.layout.who for slot in self.layout.merged[one.slot]
        }
        ((rule, why),) = why_cells(self.layout.step, [(q, k)], names)
        wanted = "on" if rule[0] == "R" else "off"
        return (
            f"Line {reader.name}, column {read.name} {self._state(reader, read, wanted)}: {why}",
        )

    def _state(self, reader: Who, read: Who, wanted: str) -> str:
        if self.report.expected is None:
            return f"must be {wanted}"
        column = self.report.read.committed + read.slot
        given = "on" if self.report.given[reader.slot, column] else "off"
        if given == wanted:
            return f"is {given}, as it must be"
        return f"is {given} in your mask and must be {wanted}"


def _ngrams(look: _Look) -> Answer:
    column = [one.name for (_, col), one in sorted(look.window.items()) if col == 1]
    if len(look.window) > 1 and not column:
        column = [one.name for (_, col), one in sorted(look.window.items()) if col == 0]
    shown = " ".join(column) or "I"
    return Answer(
        "How are n-grams generated, which are kept and which discarded?",
        (
            f"One per column: {shown}, read downwards, and the model's prediction after the last "
            "of them make an n-gram, whose key is the row-0 token.",
            KEPT.answer,
        ),
    )


def _own_column(look: _Look) -> Answer:
    last = look.last_column
    reader = look.window.get((look.rows - 1, last)) if look.rows > 2 else None
    above = look.window.get((look.rows - 2, last))
    left = look.window.get((look.rows - 1, last - 1))
    return Answer(
        "Why does red 6 read green 5 and not red 5?",
        (OWN_COLUMN.answer,),
        look.cell(reader, above) + look.cell(reader, left),
    )


def _row_zero(look: _Look) -> Answer:
    last = look.last_column
    reader = look.window.get((look.rows - 1, last)) if look.rows > 1 else None
    guess = look.guesses.get(max(look.guesses, default=(0, 0)))
    neighbour, key = look.window.get((0, last - 1)), look.window.get((0, last))
    return Answer(
        "May yellow see orange 1–4? Is the last guess accepted when all match?",
        (
            f"Yes. {ROW_ZERO.answer} A candidate's guess sees the current token only, as if it "
            "followed the text.",
            LAST_GUESS.answer,
        ),
        look.cell(reader, neighbour) + look.cell(reader, key) + look.cell(guess, key),
    )


def _iterations(look: _Look) -> Answer:
    reader = look.window.get((1, 1))
    own = look.window.get((1, 0))
    key = look.window.get((0, 1))
    return Answer(
        "Why depend on tokens of other iterations? What if not?",
        (
            ITERATIONS.answer,
            "Try it below: “same-iteration attention” over several prompts.",
        ),
        look.cell(reader, key) + look.cell(reader, own),
    )


def _final(look: _Look) -> Answer:
    reader = look.window.get((1, 0))
    current = look.window.get((0, 0))
    return Answer(
        "Green 1 is conditioned on the final token, so is it final too?",
        (FINAL.answer, "It may also come back as a candidate and be verified then."),
        look.cell(reader, current),
    )
