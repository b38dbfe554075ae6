"""Drawing of ``views.scale_cost``: compression against the cost of a pass, the front joined."""

from __future__ import annotations

from math import log2

import plotly.graph_objects as go

from lookahead_viz.figures import theme as themes
from lookahead_viz.figures.drawing import Sheet, empty_figure
from lookahead_viz.figures.labels import hover
from lookahead_viz.views.scale_cost import CostPoint, CostView

HEIGHT = 460
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "pentagon", "star")
LABELS = 7
"""So many points of the front are named; more would overlap."""


def draw_cost(view: CostView, *, theme: str = "light") -> go.Figure:
    """Draw a cost view; one symbol for each N."""
    colours = themes.theme(theme)
    if not view.points:
        return empty_figure(colours, view.sentence)
    sheet = Sheet(colours, HEIGHT, left=60, right=30, top=40, bottom=54)
    ngrams = sorted({point.ngram_size for point in view.points})
    front = view.front
    sheet.line(
        [(log2(point.cost), point.compression) for point in front],
        colours.series_1.colour,
        2,
    )
    for number, ngram_size in enumerate(ngrams):
        symbol = SYMBOLS[number % len(SYMBOLS)]
        members = [point for point in view.points if point.ngram_size == ngram_size]
        _add_points(sheet, members, symbol)
    every = max(1, -(-len(front) // LABELS))
    for point in front[::-1][::every]:
        sheet.note(
            point.label,
            log2(point.cost),
            point.compression,
            xanchor="right",
            yanchor="bottom",
            xshift=-6,
            yshift=2,
            colour=colours.text,
        )
    _add_axes(sheet, view)
    sheet.legend(
        [
            *(
                (f"N = {ngram_size}", colours.series_4.colour, SYMBOLS[i % len(SYMBOLS)])
                for i, ngram_size in enumerate(ngrams)
            ),
            ("Pareto front", colours.series_1.colour, "line-solid"),
        ]
    )
    return sheet.figure()


def _add_points(sheet: Sheet, points: list[CostPoint], symbol: str) -> None:
    colours = sheet.theme
    sheet.scatter(
        x=[log2(point.cost) for point in points],
        y=[point.compression for point in points],
        mode="markers",
        marker={
            "symbol": symbol,
            "size": [12 if point.on_front else 9 for point in points],
            "color": [
                (colours.series_1 if point.on_front else colours.series_4).colour
                for point in points
            ],
            "line": {"color": colours.background, "width": 1},
        },
        customdata=[hover(point.hover) for point in points],
        hovertemplate="%{customdata}<extra></extra>",
        hoverinfo="all",
        cliponaxis=False,
    )


def _add_axes(sheet: Sheet, view: CostView) -> None:
    costs = [point.cost for point in view.points]
    low, high = log2(min(costs)), log2(max(costs))
    ticks = [power for power in range(12) if low - 1.6 <= power <= high + 0.3]
    sheet.axis(
        "xaxis",
        title=view.axis_title,
        tickvals=ticks,
        ticktext=[str(2**power) for power in ticks],
        range=[low - 1.6, high + 0.3],
        showgrid=True,
    )
    sheet.axis("yaxis", title="compression (tokens per pass)", showgrid=True)
