"""Drawing of ``views.scale_law``: passes, compression and residuals against W on a log2 axis."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

import plotly.graph_objects as go

from lookahead_viz.figures import theme as themes
from lookahead_viz.figures.drawing import Sheet, empty_figure
from lookahead_viz.figures.labels import hover
from lookahead_viz.figures.theme import Fill
from lookahead_viz.scale.fit import Line
from lookahead_viz.views.scale_law import LawSeries, LawView

HEIGHT = 470
LEFT, RIGHT = (0.0, 0.46), (0.56, 1.0)
UPPER, LOWER = (0.36, 1.0), (0.0, 0.22)
SYMBOLS = ("circle", "square", "diamond", "triangle-up")


def draw_law(view: LawView, *, theme: str = "light") -> go.Figure:
    """Draw a scaling-law view of at most four N."""
    colours = themes.theme(theme)
    if not view.series:
        return empty_figure(colours, view.sentence)
    sheet = Sheet(colours, HEIGHT, left=60, right=46, top=40, bottom=52)
    for series, fill, symbol in zip(view.series, colours.series, SYMBOLS, strict=False):
        _add_steps(sheet, series, fill, symbol)
        _add_compression(sheet, series, fill, symbol)
        _add_residuals(sheet, series, fill, symbol)
    _add_axes(sheet, view)
    shown = zip(view.series, colours.series, SYMBOLS, strict=False)
    sheet.legend(
        [
            *((f"N = {one.ngram_size}", fill.colour, symbol) for one, fill, symbol in shown),
            ("least-squares line", colours.muted, "line-dot"),
        ]
    )
    return sheet.figure()


def _xs(series: LawSeries) -> list[float]:
    return [log2(window) for window in series.windows]


def _marks(
    sheet: Sheet,
    xs: Sequence[float],
    ys: Sequence[float],
    hovers: Sequence[str],
    fill: Fill,
    symbol: str,
    **settings: object,
) -> None:
    sheet.scatter(
        x=list(xs),
        y=list(ys),
        marker={
            "symbol": symbol,
            "size": 10,
            "color": fill.colour,
            "line": {"color": sheet.theme.background, "width": 1},
        },
        customdata=[hover(text) for text in hovers],
        hovertemplate="%{customdata}<extra></extra>",
        hoverinfo="all",
        cliponaxis=False,
        **settings,
    )


def _add_line(
    sheet: Sheet, line: Line | None, xs: Sequence[float], fill: Fill, **settings: object
) -> None:
    if line is not None:
        ends = [(x, line.at(x)) for x in (xs[0], xs[-1])]
        sheet.line(ends, fill.colour, 1.5, style={"dash": "dot"}, **settings)


def _add_steps(sheet: Sheet, series: LawSeries, fill: Fill, symbol: str) -> None:
    xs = _xs(series)
    _add_line(sheet, series.line, xs, fill)
    hovers = [
        f"{setting.sizes.label}\n{steps:.2f} passes per prompt"
        for setting, steps in zip(series.settings, series.steps, strict=True)
    ]
    _marks(sheet, xs, series.steps, hovers, fill, symbol, mode="markers")


def _add_compression(sheet: Sheet, series: LawSeries, fill: Fill, symbol: str) -> None:
    hovers = [
        f"{setting.sizes.label}\n{setting.compression:.2f} tokens per pass"
        for setting in series.settings
    ]
    _add_line(sheet, series.rise, _xs(series), fill, xaxis="x2", yaxis="y2")
    _marks(
        sheet,
        _xs(series),
        series.compressions,
        hovers,
        fill,
        symbol,
        mode="markers",
        xaxis="x2",
        yaxis="y2",
    )


def _add_residuals(sheet: Sheet, series: LawSeries, fill: Fill, symbol: str) -> None:
    if series.line is None:
        return
    hovers = [
        f"{setting.sizes.label}\n{residual:+.2f} passes from the line"
        for setting, residual in zip(series.settings, series.line.residuals, strict=True)
    ]
    _marks(
        sheet,
        _xs(series),
        series.line.residuals,
        hovers,
        fill,
        symbol,
        mode="markers",
        xaxis="x3",
        yaxis="y3",
    )


def _add_axes(sheet: Sheet, view: LawView) -> None:
    windows = sorted({window for series in view.series for window in series.windows})
    ticks = {
        "tickvals": [log2(window) for window in windows],
        "ticktext": [str(window) for window in windows],
        "range": [log2(windows[0]) - 0.25, log2(windows[-1]) + 0.25],
    }
    title = "W (each tick doubles it)"
    worst = (
        max(one.line.worst for one in view.series if one.line)
        if any(one.line for one in view.series)
        else 1.0
    )
    sheet.axis("xaxis", domain=list(LEFT), anchor="y", **ticks)
    sheet.axis("yaxis", domain=list(UPPER), title="passes per prompt", showgrid=True, anchor="x")
    sheet.axis("xaxis2", domain=list(RIGHT), anchor="y2", title=title, **ticks)
    sheet.axis(
        "yaxis2",
        domain=[0, 1],
        anchor="x2",
        title="compression (tokens per pass)",
        showgrid=True,
    )
    sheet.axis("xaxis3", domain=list(LEFT), anchor="y3", title=title, **ticks)
    sheet.axis(
        "yaxis3",
        domain=list(LOWER),
        anchor="x3",
        title="residual",
        showgrid=True,
        zeroline=True,
        zerolinecolor=sheet.theme.outline,
        range=[-1.25 * worst or -1, 1.25 * worst or 1],
        nticks=4,
    )
