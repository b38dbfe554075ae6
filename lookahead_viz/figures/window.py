"""Drawing of ``views.window``: a staggered sheet of guesses, the n-grams run through it."""

from __future__ import annotations

import plotly.graph_objects as go

from lookahead_viz.figures.drawing import (
    NARROW,
    add_boxes,
    add_cells,
    add_legend,
    axis,
    bare_figure,
    empty_figure,
    room_in,
    shortened,
)
from lookahead_viz.figures.theme import Fill, Theme, theme
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
    return draw_window(
        window_view(run, index, colour, straighten), theme=theme, highlight=highlight
    )


def draw_window(
    view: WindowView, *, theme: str = "light", highlight: int | None = None
) -> go.Figure:
    """Draw a window view."""
    colours = _theme(theme)
    if not view.cells:
        return empty_figure(colours, view.sentence)
    lines = len(view.row_labels)
    figure = bare_figure(colours, TOP + BOTTOM + ROW * lines)
    span = len(view.ticks)
    size = 14 if span <= 12 else 12
    room = room_in((NARROW - LEFT - RIGHT) / span, size)

    _add_ribbons(figure, view, colours, highlight)
    cells = view.cells + view.entering
    add_cells(
        figure,
        colours,
        [cell.x for cell in cells],
        [cell.row for cell in cells],
        [_fill(view, cell, colours) for cell in cells],
        texts=[shortened(cell.text, room) for cell in cells],
        hovers=[cell.hover + _ngram_line(view, cell) for cell in cells],
        height=CELL_HEIGHT,
        size=size,
    )
    _add_marks(figure, view, colours)
    add_legend(figure, colours, _legend(view, colours))
    figure.update_layout(margin={"l": LEFT, "r": RIGHT, "t": TOP, "b": BOTTOM})
    figure.update_xaxes(
        **axis(
            colours,
            side="top",
            range=[-0.55, span - 0.45],
            tickvals=list(view.ticks),
            ticktext=[_tick(*labels, colours) for labels in view.tick_labels],
        )
    )
    figure.update_yaxes(
        **axis(
            colours,
            range=[lines - 0.5, -0.5],
            tickvals=list(range(lines)),
            ticktext=[_tick(*label, colours) for label in view.row_labels],
        )
    )
    return figure


def _theme(name: str) -> Theme:
    return theme(name)


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


def _add_ribbons(
    figure: go.Figure, view: WindowView, colours: Theme, highlight: int | None
) -> None:
    """One line per n-gram; it shows between the rows, so that no token stands on it."""
    for ngram in view.ngrams:
        strong = ngram.col == highlight
        figure.add_scatter(
            x=ngram.xs,
            y=ngram.rows,
            mode="lines",
            line={
                "color": colours.cursor if strong else colours.ribbon,
                "width": 12 if strong else 7,
                "shape": "linear",
            },
            opacity=1.0 if strong else 0.55,
            hoverinfo="skip",
        )
    # the cells that are about to enter have no fill: keep the ribbons out of their texts
    inside = [cell for cell in view.entering if view.ngrams]
    if inside:
        add_boxes(
            figure,
            [cell.x for cell in inside],
            [cell.row for cell in inside],
            width=0.94,
            height=CELL_HEIGHT,
            fill=colours.background,
        )


def _add_marks(figure: go.Figure, view: WindowView, colours: Theme) -> None:
    """Hatching for start fill, a dotted outline for what changed since the last step."""
    fill = [cell for cell in view.cells if cell.fill]
    if fill:
        add_boxes(
            figure,
            [cell.x for cell in fill],
            [cell.row for cell in fill],
            width=0.94,
            height=CELL_HEIGHT,
            pattern={"shape": "/", "fgcolor": colours.outline, "size": 9, "solidity": 0.12},
        )
    changed = [cell for cell in view.cells if cell.changed]
    if changed:
        add_boxes(
            figure,
            [cell.x for cell in changed],
            [cell.row for cell in changed],
            width=0.94,
            height=CELL_HEIGHT,
            line={"color": colours.cursor, "width": 2, "dash": "dot"},
        )


def _ngram_line(view: WindowView, cell: WindowCell) -> str:
    ngram = next((one for one in view.ngrams if one.col == cell.col), None)
    return f"\nn-gram of column {ngram.col}: ‘{ngram.text}’, key ‘{ngram.key}’" if ngram else ""


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
        entries.append(("changed since the last step", colours.changed.colour, "square"))
        entries.append(("unchanged or new", colours.plain.colour, "square"))
    else:
        entries.append(("already the final token", colours.lucky.colour, "square"))
        entries.append(("not final, or not known yet", colours.plain.colour, "square"))
    if view.ngrams:
        entries.append(("one n-gram (column)", colours.ribbon, "line-solid"))
    if view.colour != "changed" and any(cell.changed for cell in view.cells):
        entries.append(("changed since the last step", colours.cursor, "line-dot"))
    if any(cell.fill for cell in view.cells):
        entries.append(("/// start fill", colours.background, "square"))
    return entries
