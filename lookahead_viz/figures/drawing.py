"""What the drawings share: a bare figure in the theme's colours, cells with text, legends.

Axes are numeric with ``ticktext``, so that equal tokens never merge; every text that may contain
a token goes through ``tokens.escape``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from lookahead_viz.figures.theme import FONT, MONO, Fill, Theme
from lookahead_viz.tokens import escape, shorten

NARROW = 1000  # px: figures must be legible at this width
CHAR = 0.62  # width of a monospaced character, as a share of its size


def bare_figure(theme: Theme, height: int) -> go.Figure:
    """An empty figure in the theme's colours; ``height`` in px."""
    figure = go.Figure()
    figure.update_layout(
        template="none",
        height=height,
        paper_bgcolor=theme.background,
        plot_bgcolor=theme.background,
        font={"family": FONT, "size": 13, "color": theme.text},
        margin={"l": 20, "r": 20, "t": 20, "b": 20},
        hoverlabel={
            "bgcolor": theme.background,
            "bordercolor": theme.outline,
            "font": {"family": FONT, "size": 13, "color": theme.text},
            "align": "left",
        },
        hovermode="closest",
        dragmode="pan",
        showlegend=False,
    )
    return figure


def empty_figure(theme: Theme, sentence: str) -> go.Figure:
    """A figure that says why there is nothing to draw."""
    figure = bare_figure(theme, 140)
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    note(figure, theme, sentence, x=0.5, y=0.5, xanchor="center", size=15)
    return figure


def axis(theme: Theme, **settings: Any) -> dict[str, Any]:
    """A plain axis: no grid, no zero line, no line, muted tick labels."""
    return {
        "showgrid": False,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "tickfont": {"size": 12, "color": theme.muted},
        "title": {"font": {"size": 13, "color": theme.muted}},
        "fixedrange": False,
        **settings,
    }


def note(
    figure: go.Figure,
    theme: Theme,
    text: str,
    *,
    x: float,
    y: float,
    xref: str = "paper",
    yref: str = "paper",
    size: int = 12,
    colour: str | None = None,
    **settings: Any,
) -> None:
    """A text without an arrow; ``text`` is plain and is escaped here."""
    figure.add_annotation(
        text=escape(text),
        x=x,
        y=y,
        xref=xref,
        yref=yref,
        showarrow=False,
        font={"size": size, "color": colour or theme.muted},
        **settings,
    )


def hover(text: str) -> str:
    """A plain text of several lines for ``hovertext`` or ``customdata``; long lines are broken."""
    return "<br>".join(escape(part) for line in text.split("\n") for part in _wrapped(line))


def _wrapped(line: str, width: int = 70) -> list[str]:
    parts: list[str] = []
    for word in line.split(" "):
        if parts and len(parts[-1]) + len(word) < width:
            parts[-1] += " " + word
        else:
            parts.append(word)
    return parts


def shortened(text: str, room: int) -> str:
    """A visible token text cut to ``room`` columns, and escaped."""
    return escape(shorten(text, room))


def room_in(cell_px: float, size: int) -> int:
    """How many monospaced characters of ``size`` px fit into a cell of this width."""
    return max(1, int((cell_px - 4) / (size * CHAR)))


def add_cells(
    figure: go.Figure,
    theme: Theme,
    xs: Sequence[float],
    ys: Sequence[float],
    fills: Sequence[Fill],
    *,
    texts: Sequence[str],
    hovers: Sequence[str],
    width: float = 0.94,
    height: float = 0.8,
    size: int = 13,
) -> None:
    """Cells of a sheet: one filled rectangle each, its text (already escaped), its hover text.

    Cells of one colour are one trace, so a sheet of thousands of cells stays a few traces.
    """
    by_fill: dict[Fill, list[int]] = {}
    for i, fill in enumerate(fills):
        by_fill.setdefault(fill, []).append(i)
    for fill, members in by_fill.items():
        add_boxes(
            figure,
            [xs[i] for i in members],
            [ys[i] for i in members],
            width=width,
            height=height,
            fill=fill.colour,
            line={"color": theme.outline, "width": 0.6},
        )
    figure.add_scatter(
        x=list(xs),
        y=list(ys),
        mode="text",
        text=list(texts),
        textfont={"family": MONO, "size": size, "color": [fill.text for fill in fills]},
        customdata=[hover(text) for text in hovers],
        hovertemplate="%{customdata}<extra></extra>",
        cliponaxis=False,
    )


def add_boxes(
    figure: go.Figure,
    xs: Sequence[float],
    ys: Sequence[float],
    *,
    width: float,
    height: float,
    fill: str | None = None,
    line: dict[str, Any] | None = None,
    pattern: dict[str, Any] | None = None,
    **settings: Any,
) -> None:
    """Rectangles around the given centres, all in one trace."""
    corner_x: list[float | None] = []
    corner_y: list[float | None] = []
    for x, y in zip(xs, ys, strict=True):
        left, right = x - width / 2, x + width / 2
        top, bottom = y - height / 2, y + height / 2
        corner_x += [left, right, right, left, left, None]
        corner_y += [top, top, bottom, bottom, top, None]
    figure.add_scatter(
        x=corner_x,
        y=corner_y,
        mode="lines",
        fill="toself" if fill or pattern else None,
        fillcolor=fill,
        fillpattern=pattern,
        line=line or {"width": 0},
        hoverinfo="skip",
        **settings,
    )


def add_legend(figure: go.Figure, theme: Theme, entries: Sequence[tuple[str, str, str]]) -> None:
    """Legend entries (label, colour, marker symbol) above the picture, whatever the traces are."""
    figure.update_traces(showlegend=False)
    for label, colour, symbol in entries:
        is_line = symbol.startswith("line")
        figure.add_scatter(
            x=[None],
            y=[None],
            mode="lines" if is_line else "markers",
            name=escape(label),
            marker={
                "symbol": symbol,
                "size": 13,
                "color": colour,
                "line": {"color": theme.outline, "width": 1},
            }
            if not is_line
            else None,
            line={"color": colour, "width": 3, "dash": symbol.removeprefix("line-")}
            if is_line
            else None,
            showlegend=True,
            hoverinfo="skip",
        )
    figure.update_layout(
        showlegend=True,
        legend={
            "orientation": "h",
            "x": 0,
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "font": {"size": 13, "color": theme.text},
            "bgcolor": "rgba(0,0,0,0)",
            "itemclick": False,
            "itemdoubleclick": False,
        },
    )
