"""Questions that are answered on the mask: by which cell, how far."""

from __future__ import annotations

from lookahead_viz.explain import why
from lookahead_viz.lessons.published import oranges, published, row_colour, yellow
from lookahead_viz.lessons.question import Question, numbers, token
from lookahead_viz.lessons.window import both_names, full_window, named, seasoned
from lookahead_viz.records import LookaheadStep, Run


def row_zero(run: Run, index: int) -> Question | None:
    """How far into row 0 does a token read? Answered on the mask."""
    step = full_window(run, index)
    if step is None:
        return None
    cols = len(step.window[0])
    col = cols - 1
    reader = (len(step.window) - 1) * cols + col

    def explain(answer: str) -> str:
        row, read = numbers(answer)
        problem = _wrong_line(run, step, reader, row, read)
        if problem:
            return problem
        if 0 <= read < col:
            return f"It reads this one, but more of row 0 as well. {why(run, index, row, read)}"
        return why(run, index, row, read)

    return Question(
        step=index,
        text=(
            f"Mask: which is the last token of row 0 that {named(run, step, reader)} reads? Click "
            "the cell where its line meets that column."
        ),
        kinds="m",
        right=frozenset({f"m:{reader}:{col}"}),
        explain=explain,
        because=_as_yellow_reads(run, step, reader, col),
        worth=seasoned(step) - len(step.verification.candidates),
    )


def _as_yellow_reads(run: Run, step: LookaheadStep, reader: int, col: int) -> str:
    last = row_colour(len(step.window) - 1)
    said = (
        f"Because yellow is the prediction after {last}, so it sees what {last} reads: "
        f"{published(step, reader)} and {yellow(step, col)} see {oranges(col)}. Column {col} of "
        f"row 0 holds {token(run, step.layout.token_ids[col])}, the first token of their own "
        "n-gram; left of it is the text before that n-gram."
    )
    if not col:
        return said
    return (
        f"{said} In column {col - 1}, {published(step, reader - 1)} and {yellow(step, col - 1)} "
        f"see {oranges(col - 1)} only."
    )


def _wrong_line(run: Run, step: LookaheadStep, reader: int, row: int, read: int) -> str:
    if row >= step.layout.slots or read >= step.layout.slots:
        return "There is no such cell."
    if row != reader:
        return (
            f"This is the line of {named(run, step, row)}; asked is the line of "
            f"{named(run, step, reader)}."
        )
    return "This is the text in the cache: every line reads all of it." if read < 0 else ""


def mask_cell(run: Run, index: int) -> Question | None:
    """By which cell does a token read the one before it in its n-gram?"""
    step = full_window(run, index)
    if step is None or len(step.window[0]) < 2:
        return None
    cols = len(step.window[0])
    reader = (len(step.window) - 1) * cols + 1
    right = reader - cols

    def explain(answer: str) -> str:
        row, read = numbers(answer)
        return _wrong_line(run, step, reader, row, read) or why(run, index, row, read)

    return Question(
        step=index,
        text=(
            f"Mask: by which cell does {named(run, step, reader)} read the token right before it "
            "in its n-gram? Lines read, columns are read."
        ),
        kinds="m",
        right=frozenset({f"m:{reader}:{right}"}),
        explain=explain,
        because=(
            "Because the token before it in its n-gram was made one pass earlier: "
            f"{published(step, reader)} reads {both_names(run, step, right)}, and not its "
            f"neighbour {both_names(run, step, reader - 1)}. All of its own row was guessed in "
            "one pass, each without knowing the others. If it read them, it would continue a text "
            "that nobody ever predicted, a worse guess. The written text would still be the same, "
            "because every guess is verified first."
        ),
        worth=seasoned(step) - len(step.verification.candidates),
    )
