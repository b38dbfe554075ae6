"""The mask lab: a mask beside the right one, what was found, where else it is right or wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lookahead_viz.masklab.findings import Names
from lookahead_viz.masklab.layouts import PackedLayout
from lookahead_viz.masklab.report import Report
from lookahead_viz.masklab.tiles import SIZES, tiles
from lookahead_viz.tokens import printable_text
from lookahead_viz.visibility import BoolMatrix
from lookahead_viz.words import count

if TYPE_CHECKING:
    import pandas as pd

MARKS = {True: "✓", False: "✗", None: "–"}
ROWS_NAMED = 24
NAMING = (
    "A line of the matrix is a token that reads, a column one that is read; rows are those of the "
    "window. I is the current token, L12 the window cell in row 1, column 2, V01 candidate 1, "
    "guess 2: the digits count from 0, in words candidates and guesses count from 1. +1 is one "
    "position behind I. Packed tokens are those that one pass feeds, in the engine's order; LADE "
    "is the code of the paper's authors."
)
"""How tokens are named, for a reader who sees it for the first time."""
WHO_COLUMNS = ("index", "token", "kind", "position", "parent", "logits")


@dataclass(frozen=True, eq=False)
class DifferenceView:
    """A mask and the right one over the same T packed tokens and P committed columns."""

    title: str
    committed: int  # P
    grid: tuple[int, int, int, int]  # rows, columns, candidates, guesses of the canonical pass
    merged: tuple[tuple[int, ...], ...]  # [T] canonical slots of each token, () where committed
    names: tuple[str, ...]  # [T] L12, V01
    texts: tuple[str, ...]  # [T] visible token texts, the names where none are known
    branches: tuple[str, ...]  # [T] committed, current, window or guess
    given: BoolMatrix  # [T, P + T]
    expected: BoolMatrix  # [T, P + T]
    tiles: dict[int, str]  # size -> the statistics of the given mask in a sentence
    positions: tuple[int, ...] = ()  # [T] relative to the current token's
    refed: int = 0  # committed tokens in front of it that are fed again
    sliding_window: int | None = None  # the model's, in positions

    @property
    def size(self) -> int:
        """T."""
        return len(self.names)


def difference_view(report: Report, tokens: Sequence[str] | None = None) -> DifferenceView | None:
    """What is to be drawn; None where the mask has another size than the layout."""
    if report.expected is None:
        return None
    layout = report.layout
    texts = report.read.tokens if tokens is None else tuple(tokens)
    if texts is None or len(texts) != layout.size:
        shown = layout.names
    else:
        shown = tuple(printable_text({0: text}, [0])[:200] for text in texts)
    return DifferenceView(
        title=f"{layout.title}, {layout.settings}",
        committed=report.read.committed,
        grid=(layout.grid.rows, layout.grid.cols, layout.grid.candidates, layout.grid.guesses),
        merged=layout.merged,
        names=layout.names,
        texts=shown,
        branches=tuple(one.branch for one in layout.who),
        given=report.given,
        expected=report.expected,
        tiles={size: tiles(report.given, size).sentence for size in SIZES},
        positions=layout.positions,
        refed=layout.refed,
        sliding_window=None if report.scene is None else report.scene.sliding_window,
    )


@dataclass(frozen=True)
class ReportView:
    """A report as sentences: what stands above the fold, and below it."""

    ok: bool
    verdict: str
    diagnosis: tuple[str, ...]
    effect: str
    first_wrong: str  # the cell, its sentence and its rule
    rows: str  # which lines are wrong, by the first finding that names some
    assertion: str
    read: tuple[str, ...]
    warnings: tuple[str, ...]
    findings: tuple[tuple[str, str, str], ...]  # mark, question, answer
    cells: tuple[str, ...]  # the first wrong cells, each with its sentence


def report_view(report: Report, read: Sequence[str] = (), made_here: bool = False) -> ReportView:
    """``read``: what was assumed before the numbers were looked at (see ``masklab.reading``).

    ``made_here``: the array was made from another form, so its type is nobody's mistake.
    """
    first = report.first_wrong
    failed = [one for one in report.findings if one.passed is False]
    cells = next((one.cells for one in reversed(report.findings) if one.cells), ())
    named = next((one for one in failed if one.rows and one.check != "polarity"), None)
    rows = "" if named is None else f"{named.question} {named.message}"
    return ReportView(
        ok=report.ok,
        verdict=report.verdict,
        diagnosis=report.diagnosis_sentences,
        effect=report.effect,
        first_wrong="" if first is None else f"{first} ({first.rule_words})",
        rows=f"{_wrong_rows(report)}{rows}",
        assertion=report.assertion,
        read=(*read, *report.read.statements),
        warnings=() if made_here else report.read.warnings,
        findings=tuple((MARKS[one.passed], one.question, one.message) for one in report.findings),
        cells=tuple(str(cell) for cell in cells),
    )


def _wrong_rows(report: Report) -> str:
    """All rows that differ: a check names only those that fail it. Empty where none does."""
    if report.expected is None or not report.wrong_cells:
        return ""
    rows = (report.given != report.expected).any(axis=1).nonzero()[0].tolist()
    names = Names(report.layout).rows(rows, ROWS_NAMED)
    verb = "is" if len(rows) == 1 else "are"
    return f"{len(rows)} of {count(report.layout.size, 'line')} {verb} wrong: {names}. "


def who_table(layout: PackedLayout) -> pd.DataFrame:
    """One line per packed token: who it is, where it stands, what it follows."""
    import pandas as pd

    lines = [
        (
            one.slot,
            one.name,
            one.branch,
            one.position,
            "the cache" if one.parent is None else str(one.parent),
            "read" if one.logits else "not read",
        )
        for one in layout.who
    ]
    table = pd.DataFrame(lines, columns=list(WHO_COLUMNS))
    sets = layout.sequence_sets
    if sets is not None:
        table["sequence ids"] = [" ".join(str(i) for i in sorted(ids)) for ids in sets]
    return table
