"""What the drawings share: a sheet in the theme's colours, cells with text, legends.

A ``Sheet`` collects plain dicts and becomes a plotly Figure once, at the end: adding annotations
to a Figure one by one costs seconds, because each addition validates all those before it.
Axes are numeric with ``ticktext``, so that equal tokens never merge; every text that may contain
a token goes through ``tokens.escape``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from lookahead_viz.figures.labels import hover
from lookahead_viz.figures.theme import FONT, MONO, Fill, Theme
from lookahead_viz.tokens import escape

NARROW = 1000  # px: figures must be legible at this width


class Sheet:
    """A figure in the making. ``height`` and margins in px."""

    def __init__(
        self,
        theme: Theme,
        height: float,
        *,
        left: int = 20,
        right: int = 20,
        top: int = 20,
        bottom: int = 20,
    ) -> None:
        self.theme = theme
        self.traces: list[dict[str, Any]] = []
        self.annotations: list[dict[str, Any]] = []
        self.shapes: list[dict[str, Any]] = []
        self.layout: dict[str, Any] = {
            "template": "none",
            "height": round(height),
            "paper_bgcolor": theme.background,
            "plot_bgcolor": theme.background,
            "font": {"family": FONT, "size": 13, "color": theme.text},
            "margin": {"l": left, "r": right, "t": top, "b": bottom},
            "hoverlabel": {
                "bgcolor": theme.background,
                "bordercolor": theme.outline,
                "font": {"family": FONT, "size": 13, "color": theme.text},
                "align": "left",
            },
            "hovermode": "closest",
            "dragmode": "pan",
            "showlegend": False,
        }

    def figure(self) -> go.Figure:
        """The plotly Figure."""
        layout = {**self.layout, "annotations": self.annotations, "shapes": self.shapes}
        return go.Figure({"data": self.traces, "layout": layout})

    def scatter(self, **settings: Any) -> None:
        self.traces.append(
            {"type": "scatter", "showlegend": False, "hoverinfo": "skip", **settings}
        )

    def axis(self, name: str, **settings: Any) -> None:
        """A plain axis ("xaxis", "yaxis2", ...): no grid, no lines, muted tick labels."""
        title = settings.pop("title", None)
        self.layout[name] = {
            "showgrid": False,
            "zeroline": False,
            "showline": False,
            "ticks": "",
            "gridcolor": self.theme.faint,
            "tickfont": {"size": 12, "color": self.theme.muted},
            "title": {"text": title, "font": {"size": 13, "color": self.theme.muted}},
            **settings,
        }

    def note(
        self,
        text: str,
        x: float,
        y: float,
        *,
        size: int = 12,
        colour: str | None = None,
        family: str = FONT,
        **settings: Any,
    ) -> None:
        """A text in axis coordinates; it must be escaped where it contains a token."""
        self.annotations.append(
            {
                "text": text,
                "x": x,
                "y": y,
                "xref": "x",
                "yref": "y",
                "showarrow": False,
                "font": {"size": size, "color": colour or self.theme.muted, "family": family},
                **settings,
            }
        )

    def rectangle(self, x0: float, x1: float, y0: float, y1: float, **settings: Any) -> None:
        self.shapes.append(
            {"type": "rect", "x0": x0, "x1": x1, "y0": y0, "y1": y1, "line": {"width": 0}}
            | settings
        )

    def line(
        self, points: Sequence[tuple[float, float]], colour: str, width: float, **settings: Any
    ) -> None:
        """A line through ``points``, without hover."""
        self.scatter(
            x=[x for x, _ in points],
            y=[y for _, y in points],
            mode="lines",
            line={"color": colour, "width": width, **settings.pop("style", {})},
            **settings,
        )

    def boxes(
        self,
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
        self.scatter(
            x=corner_x,
            y=corner_y,
            mode="lines",
            fill="toself" if fill or pattern else None,
            fillcolor=fill,
            fillpattern=pattern,
            line=line or {"width": 0},
            **settings,
        )

    def cells(
        self,
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
        """Cells of a sheet: a filled rectangle each, its escaped text, its plain hover text."""
        self.filled_cells(xs, ys, fills, width=width, height=height)
        self.cell_texts(xs, ys, fills, texts=texts, size=size)
        self.hover_cells(xs, ys, hovers)

    def filled_cells(
        self,
        xs: Sequence[float],
        ys: Sequence[float],
        fills: Sequence[Fill],
        *,
        width: float,
        height: float,
    ) -> None:
        """Filled rectangles; those of one colour are one trace, so thousands stay a few traces."""
        by_fill: dict[Fill, list[int]] = {}
        for i, fill in enumerate(fills):
            by_fill.setdefault(fill, []).append(i)
        for fill, members in by_fill.items():
            self.boxes(
                [xs[i] for i in members],
                [ys[i] for i in members],
                width=width,
                height=height,
                fill=fill.colour,
                line={"color": self.theme.outline, "width": 0.6},
            )

    def cell_texts(
        self,
        xs: Sequence[float],
        ys: Sequence[float],
        fills: Sequence[Fill],
        *,
        texts: Sequence[str],
        size: int,
    ) -> None:
        """Escaped texts in the ink of their fills."""
        self.scatter(
            x=list(xs),
            y=list(ys),
            mode="text",
            text=list(texts),
            textfont={"family": MONO, "size": size, "color": [fill.text for fill in fills]},
            cliponaxis=False,
        )

    def hover_cells(self, xs: Sequence[float], ys: Sequence[float], hovers: Sequence[str]) -> None:
        """Hover texts over whole cells at integer places: an invisible heat map.

        A scatter point only answers within 20 px of its centre.
        """
        left, top = round(min(xs)), round(min(ys))
        width, height = round(max(xs)) - left + 1, round(max(ys)) - top + 1
        there: list[list[int | None]] = [[None] * width for _ in range(height)]
        texts: list[list[str | None]] = [[None] * width for _ in range(height)]
        for x, y, text in zip(xs, ys, hovers, strict=True):
            there[round(y) - top][round(x) - left] = 0
            texts[round(y) - top][round(x) - left] = hover(text)
        self.traces.append(
            {
                "type": "heatmap",
                "z": there,
                "x0": left,
                "dx": 1,
                "y0": top,
                "dy": 1,
                "customdata": texts,
                "hovertemplate": "%{customdata}<extra></extra>",
                "hoverongaps": False,
                "showscale": False,
                "opacity": 0,
            }
        )

    def legend(self, entries: Sequence[tuple[str, str, str]]) -> None:
        """Entries (label, colour, symbol) above the picture; "line-dot" and the like are lines."""
        for label, colour, symbol in entries:
            self.scatter(x=[None], y=[None], name=label, showlegend=True, **_key(colour, symbol))
            if not symbol.startswith("line"):
                self.traces[-1]["marker"]["line"] = {"color": self.theme.outline, "width": 1}
        self.layout["showlegend"] = True
        self.layout["legend"] = {
            "orientation": "h",
            "x": 0,
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "font": {"size": 13, "color": self.theme.text},
            "bgcolor": "rgba(0,0,0,0)",
            "traceorder": "normal",
            "itemclick": False,
            "itemdoubleclick": False,
        }


def empty_figure(theme: Theme, sentence: str) -> go.Figure:
    """A figure that says why there is nothing to draw."""
    sheet = Sheet(theme, 140)
    sheet.axis("xaxis", visible=False, range=[0, 1])
    sheet.axis("yaxis", visible=False, range=[0, 1])
    sheet.note(escape(sentence), 0.5, 0.5, size=15)
    return sheet.figure()


def _key(colour: str, symbol: str) -> dict[str, Any]:
    if symbol.startswith("line"):
        dash = symbol.removeprefix("line-")
        return {"mode": "lines", "line": {"color": colour, "width": 3, "dash": dash}}
    return {"mode": "markers", "marker": {"symbol": symbol, "size": 13, "color": colour}}
