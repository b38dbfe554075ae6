"""Drawings of ``views.scale_time``: latency against slots, and predicted speed-ups."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

import plotly.graph_objects as go

from lookahead_viz.figures import theme as themes
from lookahead_viz.figures.drawing import Sheet, empty_figure
from lookahead_viz.figures.labels import hover
from lookahead_viz.tokens import escape
from lookahead_viz.views.scale_time import LatencySeries, LatencyView, SpeedView

LATENCY_HEIGHT, SPEED_HEIGHT = 360, 400  # px, the former without its legend
LEGEND_LINE = 20  # px
SYMBOLS = ("circle", "square", "diamond", "triangle-up")


def draw_latency(view: LatencyView, *, theme: str = "light") -> go.Figure:
    """t(slots) / t(1): solid with points = measured, dashed = modelled. At most four series."""
    colours = themes.theme(theme)
    if not view.series:
        return empty_figure(colours, view.sentence)
    shown = list(zip(view.series, colours.series, SYMBOLS, strict=False))
    top = 22 + LEGEND_LINE * len(shown)  # long names stand one below the other
    height = LATENCY_HEIGHT + top
    sheet = Sheet(colours, height, left=60, right=30, top=top, bottom=54)
    for series, fill, symbol in shown:
        _add_fit(sheet, series, fill.colour)
        _add_curve(sheet, series, fill.colour, symbol)
    most = max(max(series.slots) for series, _, _ in shown)
    high = max(max(series.ratios) for series, _, _ in shown)
    ticks = range(int(log2(most)) + 1)
    rises = range(int(log2(max(high, 2))) + 2)
    sheet.axis(
        "xaxis",
        title="slots of the pass",
        tickvals=list(ticks),
        ticktext=[str(2**power) for power in ticks],
        showgrid=True,
    )
    sheet.axis(
        "yaxis",
        title="time of the pass ÷ time of one slot",
        tickvals=list(rises),
        ticktext=[str(2**power) for power in rises],
        showgrid=True,
        rangemode="tozero",
    )
    sheet.legend(
        [
            (
                escape(f"{series.name}: {'measured' if series.measured else 'modelled'}"),
                fill.colour,
                symbol if series.measured else "line-dash",
            )
            for series, fill, symbol in shown
        ]
    )
    return sheet.figure()


def _add_fit(sheet: Sheet, series: LatencySeries, colour: str) -> None:
    """The fitted roofline of a measured series, dotted, with a point at every quarter power."""
    if series.fit is None:
        return
    steps = range(round(4 * log2(series.slots[-1])) + 1)
    points = [(i / 4, log2(series.fit.ms(2 ** (i / 4)) / series.ms[0])) for i in steps]
    sheet.line(points, colour, 1.5, style={"dash": "dot"})


def _add_curve(sheet: Sheet, series: LatencySeries, colour: str, symbol: str) -> None:
    kind = "measured" if series.measured else "modelled"
    sheet.scatter(
        x=[log2(slots) for slots in series.slots],
        y=[log2(ratio) for ratio in series.ratios],
        mode="lines+markers" if series.measured else "lines",
        line={"color": colour, "width": 2, "dash": "solid" if series.measured else "dash"},
        marker={"symbol": symbol, "size": 9, "color": colour},
        customdata=[
            hover(f"{series.name} ({kind})\n{slots} slots: {ms:.3g} ms, {ratio:.2f}× one slot")
            for slots, ms, ratio in zip(series.slots, series.ms, series.ratios, strict=True)
        ],
        hovertemplate="%{customdata}<extra></extra>",
        hoverinfo="all",
        cliponaxis=False,
    )


def draw_speed(view: SpeedView, *, theme: str = "light") -> go.Figure:
    """Predicted speed-up of every setting against its slots, with greedy's line at 1."""
    colours = themes.theme(theme)
    if not view.found:
        return empty_figure(colours, view.sentence)
    sheet = Sheet(colours, SPEED_HEIGHT, left=60, right=30, top=40, bottom=54)
    xs = [log2(one.setting.total.slots_per_step) for one in view.found]
    low, high = min(*xs, 0.0), max(*xs, 1.0)
    sheet.line([(low, 1), (high + 0.3, 1)], colours.greedy.colour, 2, style={"dash": "dash"})
    _add_settings(sheet, view, xs)
    ticks = [power for power in range(12) if power <= high + 0.5]
    sheet.axis(
        "xaxis",
        title="slots per pass (mean)",
        tickvals=ticks,
        ticktext=[str(2**power) for power in ticks],
        showgrid=True,
        range=[low - 0.1, high + 0.3],
    )
    sheet.axis(
        "yaxis",
        title="predicted speed-up over greedy",
        showgrid=True,
        range=[0, max(*(one.speed_up * 1.15 for one in view.found), 1.1)],
    )
    sheet.legend(
        [
            ("faster than greedy", colours.series_1.colour, "circle"),
            ("slower", colours.series_2.colour, "x"),
            ("greedy", colours.greedy.colour, "line-dash"),
        ]
    )
    return sheet.figure()


def _add_settings(sheet: Sheet, view: SpeedView, xs: Sequence[float]) -> None:
    """A mark for every setting at ``xs``, and the name of the first one, which is the best."""
    colours = sheet.theme
    ys = [one.speed_up for one in view.found]
    sheet.scatter(
        x=list(xs),
        y=ys,
        mode="markers",
        marker={
            "symbol": ["circle" if y > 1 else "x" for y in ys],
            "size": 9,
            "color": [(colours.series_1 if y > 1 else colours.series_2).colour for y in ys],
            "line": {"color": colours.background, "width": 1},
        },
        customdata=[
            hover(
                f"{one.setting.sizes.label}\npredicted speed-up {one.speed_up:.2f}\n"
                f"{one.setting.compression:.2f} tokens per pass, each {one.ratio:.2f}× the time "
                "of one token"
            )
            for one in view.found
        ],
        hovertemplate="%{customdata}<extra></extra>",
        hoverinfo="all",
        cliponaxis=False,
    )
    sheet.note(
        f"best: {view.found[0].setting.sizes.label}",
        xs[0],
        ys[0],
        yanchor="bottom",
        yshift=8,
        colour=colours.text,
    )
