"""Drawing of ``views.pool``: the n-grams that matter in this pass, and the size of the pool."""

from __future__ import annotations

import plotly.graph_objects as go

from lookahead_viz.figures import theme as themes
from lookahead_viz.figures.drawing import NARROW, Sheet, empty_figure
from lookahead_viz.figures.labels import room_in, shortened
from lookahead_viz.figures.theme import Fill, Theme
from lookahead_viz.records import Run
from lookahead_viz.tokens import escape
from lookahead_viz.views.pool import PoolEntry, PoolView, pool_view
from lookahead_viz.views.pool_stays import Now

LINE = 30  # px
TOP, BOTTOM, CURVE, SPACE, SIDE = 38, 46, 90, 40, 56
FACTS = 4.2  # columns left for the facts of an n-gram
LEAST_TOKENS = 4  # columns

GLYPHS: dict[Now, str] = {"won": themes.ACCEPTED, "evicted": themes.REJECTED}


def pool_figure(
    run: Run, index: int, *, only_current: bool = False, theme: str = "light"
) -> go.Figure:
    """The pool at step ``index``."""
    return draw_pool(pool_view(run, index, only_current=only_current), theme=theme)


def draw_pool(view: PoolView, *, theme: str = "light") -> go.Figure:
    """Draw a pool view."""
    colours = themes.theme(theme)
    if not view.sizes:
        return empty_figure(colours, view.sentence)
    lines = max(len(view.shown), 1)
    cards = LINE * (lines + 1)
    height = TOP + BOTTOM + CURVE + SPACE + cards
    sheet = Sheet(colours, height, left=SIDE, right=16, top=TOP, bottom=BOTTOM)
    inner = height - TOP - BOTTOM
    _add_curve(sheet, view, domain=(0.0, CURVE / inner))
    _add_cards(sheet, view, domain=(1 - cards / inner, 1.0), lines=lines)
    sheet.legend(_legend(view, colours))
    return sheet.figure()


def _fill(entry: PoolEntry, colours: Theme) -> Fill:
    if entry.now == "won":
        return colours.accepted
    if entry.now == "added":
        return colours.changed
    if entry.now == "evicted":
        return Fill(colours.background, colours.muted)
    return colours.guess


def _add_cards(sheet: Sheet, view: PoolView, *, domain: tuple[float, float], lines: int) -> None:
    colours, shown = sheet.theme, view.shown
    guesses = max((len(entry.tokens) for entry in shown), default=0)
    columns = max(guesses + 1, LEAST_TOKENS)
    span = columns + FACTS
    size = 13
    room = room_in((NARROW - SIDE) / span * 0.92, size)
    _add_key_column(sheet, shown, room, size)
    cells = [(x + 1, y, entry) for y, entry in enumerate(shown) for x in range(len(entry.tokens))]
    if cells:
        xs, ys = [x for x, _, _ in cells], [y for _, y, _ in cells]
        fills = [_fill(entry, colours) for _, _, entry in cells]
        texts = [shortened(entry.tokens[x - 1], room) for x, _, entry in cells]
        sheet.filled_cells(xs, ys, fills, width=0.92, height=0.78)
        sheet.cell_texts(xs, ys, fills, texts=texts, size=size)
        sheet.hover_cells(xs, ys, [entry.hover for _, _, entry in cells])
    for y, entry in enumerate(shown):
        ink = colours.text if entry.now else colours.muted
        glyph = f"{GLYPHS[entry.now]} " if entry.now in GLYPHS else ""
        sheet.note(escape(glyph + entry.facts), columns - 0.4, y, xanchor="left", colour=ink)
    sheet.note(escape(view.closing), -0.46, lines, xanchor="left", size=13)
    sheet.axis("xaxis", range=[-0.5, span - 0.5], anchor="y", visible=False)
    sheet.axis("yaxis", domain=list(domain), range=[lines + 0.5, -0.5], visible=False)


def _add_key_column(sheet: Sheet, shown: tuple[PoolEntry, ...], room: int, size: int) -> None:
    """The key of each line, once per run of equal keys, on the colour of committed text."""
    colours = sheet.theme
    if not shown:
        return
    ys = list(range(len(shown)))
    fills = [
        colours.committed if entry.current else Fill(colours.background, colours.text)
        for entry in shown
    ]
    texts = [shortened(entry.key_text, room) for entry in shown]
    sheet.filled_cells([0] * len(ys), ys, fills, width=0.92, height=0.78)
    sheet.cell_texts([0] * len(ys), ys, fills, texts=texts, size=size)


def _add_curve(sheet: Sheet, view: PoolView, *, domain: tuple[float, float]) -> None:
    """How many n-grams the pool holds after each pass."""
    colours = sheet.theme
    axes = {"xaxis": "x2", "yaxis": "y2"}
    steps = list(range(len(view.sizes)))
    sheet.scatter(
        x=steps,
        y=list(view.sizes),
        mode="lines",
        fill="tozeroy",
        fillcolor=themes.faded(colours.lookahead.colour, 0.25),
        line={"color": colours.lookahead.colour, "width": 2},
        hoverinfo="all",
        hovertemplate="%{y} n-grams after step %{x}<extra></extra>",
        **axes,
    )
    sheet.scatter(
        x=[view.cursor],
        y=[view.sizes[view.cursor]],
        mode="markers+text",
        marker={"size": 11, "color": colours.cursor},
        text=[f"{view.held} n-grams, {view.keys} keys"],
        textposition="top right" if view.cursor < len(view.sizes) / 2 else "top left",
        textfont={"size": 13, "color": colours.text},
        cliponaxis=False,
        **axes,
    )
    end = max(len(view.sizes) - 1, 1)
    sheet.axis("xaxis2", anchor="y2", title="step", range=[-0.01 * end, end * 1.02])
    sheet.axis(
        "yaxis2",
        domain=list(domain),
        anchor="x2",
        range=[0, max(*view.sizes, 1) * 1.5],
        nticks=4,
        showgrid=True,
        title="n-grams held",
    )


def _legend(view: PoolView, colours: Theme) -> list[tuple[str, str, str]]:
    names = [
        ("✓ became text in this pass", "won", colours.accepted.colour),
        ("added in this pass", "added", colours.changed.colour),
        ("✗ evicted in this pass", "evicted", colours.background),
    ]
    found = {entry.now for entry in view.shown}
    entries = [(text, colour, "square") for text, now, colour in names if now in found]
    key = ("key = the current token", colours.committed.colour, "square")
    return [key, *entries, ("remembered", colours.guess.colour, "square")]
