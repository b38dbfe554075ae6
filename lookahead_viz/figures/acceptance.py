"""Drawing of ``views.acceptance``: per pass, per token, cumulated, as a histogram."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from lookahead_viz.figures import theme as themes
from lookahead_viz.figures.drawing import Sheet, empty_figure
from lookahead_viz.figures.labels import hover
from lookahead_viz.figures.theme import Theme
from lookahead_viz.records import Run
from lookahead_viz.views.acceptance import AcceptanceView, acceptance_view
from lookahead_viz.views.text import SOURCES
from lookahead_viz.words import count

HEIGHT = 640
BARS, STRIP, LOWER = (0.66, 1.0), (0.5, 0.55), (0.0, 0.36)  # vertical shares of the picture
LEFT_HALF, RIGHT_HALF = (0.0, 0.6), (0.68, 1.0)


def acceptance_figure(run: Run, index: int, *, theme: str = "light") -> go.Figure:
    """What every pass of ``run`` gave, step ``index`` marked."""
    return draw_acceptance(acceptance_view(run, index), theme=theme)


def draw_acceptance(view: AcceptanceView, *, theme: str = "light") -> go.Figure:
    """Draw an acceptance view."""
    colours = themes.theme(theme)
    if not view.bars:
        return empty_figure(colours, view.sentence)
    sheet = Sheet(colours, HEIGHT, left=60, right=20, top=40, bottom=52)
    _add_steps(sheet, view)
    _add_strip(sheet, view)
    _add_cumulative(sheet, view)
    _add_histogram(sheet, view)
    sheet.layout["barmode"] = "stack"
    sheet.layout["bargap"] = 0.12
    sheet.legend(_legend(view, colours))
    return sheet.figure()


def _add_bars(
    sheet: Sheet,
    xs: list[int],
    ys: list[int],
    colours: str | list[str],
    hovers: list[str],
    *,
    line: dict[str, Any] | None = None,
    **settings: Any,
) -> None:
    sheet.traces.append(
        {
            "type": "bar",
            "x": xs,
            "y": ys,
            "marker": {
                "color": colours,
                "line": line or {"color": sheet.theme.outline, "width": 0.5},
            },
            "customdata": [hover(text) for text in hovers],
            "hovertemplate": "%{customdata}<extra></extra>",
            "showlegend": False,
            **settings,
        }
    )


def _add_steps(sheet: Sheet, view: AcceptanceView) -> None:
    """Accepted tokens per pass: guesses below, the model's own token on top."""
    colours, bars = sheet.theme, view.bars
    steps = [bar.step for bar in bars]
    texts = [bar.hover for bar in bars]
    if any(bar.guesses for bar in bars):
        guesses = [bar.guesses for bar in bars]
        _add_bars(sheet, steps, guesses, colours.accepted.colour, texts)
    own = colours.source(view.own).colour
    _add_bars(sheet, steps, [bar.own for bar in bars], own, texts)
    deepest = max(len(bar.tokens) for bar in bars)
    sheet.rectangle(
        view.cursor - 0.5,
        view.cursor + 0.5,
        0,
        deepest * 1.08,
        line={"color": colours.cursor, "width": 2.5},
    )
    sheet.axis("xaxis", domain=[0, 1], anchor="y", title="step", range=[-0.6, len(bars) - 0.4])
    sheet.axis(
        "yaxis",
        domain=BARS,
        title="accepted tokens",
        range=[0, deepest * 1.1],
        dtick=1 if deepest <= 8 else None,
        showgrid=True,
    )


def _add_strip(sheet: Sheet, view: AcceptanceView) -> None:
    """One cell per output token in the colour of its source; those of this pass are framed."""
    colours = sheet.theme
    xs = [token.index for token in view.tokens]
    _add_bars(
        sheet,
        xs,
        [1] * len(xs),
        [colours.source(token.source).colour for token in view.tokens],
        [token.hover for token in view.tokens],
        line={"color": colours.background, "width": 1},
        width=1,
        xaxis="x2",
        yaxis="y2",
    )
    now = [token.index for token in view.tokens if token.step == view.cursor]
    if now:
        sheet.rectangle(
            now[0] - 0.5,
            now[-1] + 0.5,
            0,
            1,
            xref="x2",
            yref="y2",
            line={"color": colours.cursor, "width": 2.5},
        )
    sheet.axis(
        "xaxis2",
        domain=[0, 1],
        anchor="y2",
        range=[-0.6, len(xs) - 0.4],
        title="output token, by source",
    )
    sheet.axis("yaxis2", domain=STRIP, visible=False, range=[0, 1], fixedrange=True)


def _add_cumulative(sheet: Sheet, view: AcceptanceView) -> None:
    """Tokens against passes, with the line of one token a pass."""
    colours = sheet.theme
    passes = list(range(len(view.bars) + 1))
    tokens = [0, *view.cumulative]
    axes = {"xaxis": "x3", "yaxis": "y3"}
    end = len(view.bars)
    sheet.line([(0, 0), (end, end)], colours.greedy.colour, 2, style={"dash": "dash"}, **axes)
    sheet.scatter(
        x=passes,
        y=tokens,
        mode="lines",
        line={"color": colours.accepted.colour, "width": 3},
        hoverinfo="all",
        hovertemplate="%{y} tokens after %{x} passes<extra></extra>",
        **axes,
    )
    sheet.scatter(
        x=[view.cursor + 1],
        y=[view.cumulative[view.cursor]],
        mode="markers",
        marker={"size": 11, "color": colours.cursor},
        hoverinfo="skip",
        **axes,
    )
    sheet.axis("xaxis3", domain=LEFT_HALF, anchor="y3", title="passes", range=[0, end * 1.02])
    sheet.axis(
        "yaxis3",
        domain=LOWER,
        anchor="x3",
        title="tokens",
        range=[0, max(tokens[-1], end) * 1.05],
        showgrid=True,
    )


def _add_histogram(sheet: Sheet, view: AcceptanceView) -> None:
    colours = sheet.theme
    lengths = [length for length, _ in view.lengths]
    steps = [number for _, number in view.lengths]
    _add_bars(
        sheet,
        lengths,
        steps,
        colours.guess.colour,
        [
            f"{count(number, 'pass', 'passes')} accepted {length}"
            for length, number in view.lengths
        ],
        xaxis="x4",
        yaxis="y4",
        text=[str(number) for number in steps],
        textposition="outside",
        textfont={"color": colours.text},
        cliponaxis=False,
    )
    sheet.axis(
        "xaxis4",
        domain=RIGHT_HALF,
        anchor="y4",
        title="tokens accepted in one pass",
        range=[0.4, max(lengths) + 0.6],
        dtick=1 if max(lengths) <= 16 else None,
    )
    sheet.axis(
        "yaxis4",
        domain=LOWER,
        anchor="x4",
        title="passes",
        range=[0, max(steps) * 1.18],
        showgrid=True,
    )


def _legend(view: AcceptanceView, colours: Theme) -> list[tuple[str, str, str]]:
    glyphs = {"guess": f"{themes.ACCEPTED} ", "bonus": f"{themes.BONUS} "}
    entries = [
        (glyphs.get(source, "") + SOURCES[source], colours.source(source).colour, "square")
        for source in view.sources
    ]
    return [
        *entries,
        ("this pass", colours.cursor, "line-solid"),
        ("greedy: one token a pass", colours.greedy.colour, "line-dash"),
    ]
