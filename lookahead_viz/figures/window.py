"""Drawing of ``views.window``: a staggered sheet of guesses, the n-grams run through it."""

from __future__ import annotations

import plotly.graph_objects as go

from lookahead_viz.figures import theme as themes
from lookahead_viz.figures.drawing import NARROW, Sheet, empty_figure
from lookahead_viz.figures.labels import room_in, shortened
from lookahead_viz.figures.theme import Fill, Theme
from lookahead_viz.records import Run
from lookahead_viz.tokens import escape
from lookahead_viz.views.window import Colour, WindowCell, WindowView, window_view

ROW = 58  # px
CELL_HEIGHT = 0.62  # of a row: the rest is where the ribbons show
LEFT, RIGHT, TOP, BOTTOM = 150, 20, 76, 14


def window_figure(
    run: Run,
    index: int,
    *,
    colour: Colour = "age",
    straighten: bool = False,
    highlight: int | None = None,
    theme: str = "light",
) -> go.Figure:
    """The 2-D window of step ``index``; ``highlight`` is a column whose n-gram stands out."""
    view = window_view(run, index, colour=colour, straighten=straighten)
    return draw_window(view, theme=theme, highlight=highlight)


def draw_window(
    view: WindowView, *, theme: str = "light", highlight: int | None = None
) -> go.Figure:
    """Draw a window view."""
    colours = themes.theme(theme)
    if not view.cells:
        return empty_figure(colours, view.sentence)
    lines, span = len(view.row_labels), len(view.ticks)
    sheet = Sheet(
        colours, TOP + BOTTOM + ROW * lines, left=LEFT, right=RIGHT, top=TOP, bottom=BOTTOM
    )
    size = 14 if span <= 12 else 12
    room = room_in((NARROW - LEFT - RIGHT) / span, size)

    _add_ribbons(sheet, view, highlight)
    cells = view.cells + view.entering
    sheet.cells(
        [cell.x for cell in cells],
        [cell.row for cell in cells],
        [_fill(view, cell, colours) for cell in cells],
        texts=[shortened(cell.text, room) for cell in cells],
        hovers=[view.hover(cell) for cell in cells],
        height=CELL_HEIGHT,
        size=size,
    )
    _add_marks(sheet, view)
    sheet.legend(_legend(view, colours))
    sheet.axis(
        "xaxis",
        side="top",
        range=[-0.55, span - 0.45],
        tickvals=list(view.ticks),
        ticktext=[_tick(*labels, colours) for labels in view.tick_labels],
    )
    sheet.axis(
        "yaxis",
        range=[lines - 0.5, -0.5],
        tickvals=list(range(lines)),
        ticktext=[_tick(*labels, colours) for labels in view.row_labels],
    )
    return sheet.figure()


def _tick(label: str, small: str, colours: Theme) -> str:
    return (
        f'<span style="color:{colours.text}">{escape(label)}</span><br>'
        f'<span style="font-size:11px">{escape(small)}</span>'
    )


def _fill(view: WindowView, cell: WindowCell, colours: Theme) -> Fill:
    if cell.current:
        return colours.committed
    if cell.row == view.rows:
        return Fill("rgba(0,0,0,0)", colours.text)
    if view.colour == "age":
        return colours.age(min(cell.age, view.rows) - 1, view.rows)
    if view.colour == "probability":
        known = cell.probability
        return colours.plain if known is None else colours.probability(known)
    if view.colour == "changed":
        return colours.changed if cell.changed else colours.plain
    return colours.lucky if cell.final else colours.plain


def _add_ribbons(sheet: Sheet, view: WindowView, highlight: int | None) -> None:
    """One line per n-gram; it shows between the rows, so that no token stands on it."""
    colours = sheet.theme
    for ngram in view.ngrams:
        strong = ngram.col == highlight
        sheet.line(
            list(zip(ngram.xs, ngram.rows, strict=True)),
            colours.cursor if strong else colours.ribbon,
            12 if strong else 7,
            opacity=1.0 if strong else 0.55,
        )
    if view.ngrams:
        # the cells that are about to enter have no fill: keep the ribbons out of their texts
        sheet.boxes(
            [cell.x for cell in view.entering],
            [cell.row for cell in view.entering],
            width=0.94,
            height=CELL_HEIGHT,
            fill=colours.background,
        )


def _add_marks(sheet: Sheet, view: WindowView) -> None:
    """Hatching for start fill, a dotted outline for what changed since the last pass."""
    colours = sheet.theme
    hatching = {"shape": "/", "fgcolor": colours.outline, "size": 9, "solidity": 0.12}
    dots = {"color": colours.cursor, "width": 2, "dash": "dot"}
    fill = [cell for cell in view.cells if cell.fill]
    changed = [cell for cell in view.cells if cell.changed]
    for cells, pattern, line in ((fill, hatching, None), (changed, None, dots)):
        if cells:
            xs, ys = [cell.x for cell in cells], [cell.row for cell in cells]
            sheet.boxes(xs, ys, width=0.94, height=CELL_HEIGHT, pattern=pattern, line=line)


def _legend(view: WindowView, colours: Theme) -> list[tuple[str, str, str]]:
    entries = [("current token", colours.committed.colour, "square")]
    if view.colour == "age":
        entries.append(("newest guess", colours.age(0, view.rows).colour, "square"))
        if view.rows > 1:
            oldest = colours.age(view.rows - 1, view.rows).colour
            entries.append(("oldest guess", oldest, "square"))
    elif view.colour == "probability":
        for share in (0.0, 0.5, 1.0):
            entries.append((f"probability {share:g}", colours.probability(share).colour, "square"))
    elif view.colour == "changed":
        entries.append(("changed since the last pass", colours.changed.colour, "square"))
        entries.append(("unchanged or new", colours.plain.colour, "square"))
    else:
        entries.append(("already the final token", colours.lucky.colour, "square"))
        entries.append(("not final, or not known yet", colours.plain.colour, "square"))
    if view.ngrams:
        entries.append(("one n-gram (column)", colours.ribbon, "line-solid"))
    if view.colour != "changed" and any(cell.changed for cell in view.cells):
        entries.append(("changed since the last pass", colours.cursor, "line-dot"))
    if any(cell.fill for cell in view.cells):
        entries.append(("/// start fill", colours.background, "square"))
    return entries
