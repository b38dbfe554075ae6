"""What the published picture of the mask calls the slots of a window: "red 6", "yellow 7".

Its colours are those of the authors' article, for W = 5 and N = 4: row 0 orange, row 1 green,
row 2 red, the predictions yellow; the number is the offset from the current token, which is blue.
"""

from __future__ import annotations

from lookahead_viz.records import LookaheadStep

ROWS = ("orange", "green", "red")


def row_colour(row: int) -> str:
    """ "red" for row 2; "row 3" for a row that the published picture does not have."""
    return ROWS[row] if row < len(ROWS) else f"row {row}"


def published(step: LookaheadStep, slot: int) -> str:
    """ "red 6" for a window slot; its row and offset where the picture has no such row."""
    row, col = divmod(slot, len(step.window[0]))
    if slot == 0:
        return "the current token"
    return f"{row_colour(row)} {row + col}" if row < len(ROWS) else f"row {row}, +{row + col}"


def yellow(step: LookaheadStep, col: int) -> str:
    """ "yellow 7": the prediction after the last token of a column."""
    return f"yellow {len(step.window) + col}"


def oranges(last: int) -> str:
    """What row 0 is called up to column ``last``, the current token apart."""
    if last < 1:
        return "the current token alone"
    return "orange 1" if last == 1 else f"orange 1 to {last}"


def begin(words: str) -> str:
    """``words`` as the beginning of a sentence."""
    return words[:1].upper() + words[1:]
