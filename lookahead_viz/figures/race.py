"""Drawing of ``views.race``: one lane per run, each token a block as wide as its pass."""

from __future__ import annotations

import plotly.graph_objects as go

from lookahead_viz.comparison import Comparison
from lookahead_viz.figures import theme as themes
from lookahead_viz.figures.drawing import NARROW, Sheet, empty_figure
from lookahead_viz.figures.labels import hover, room_in, shortened
from lookahead_viz.figures.theme import MONO
from lookahead_viz.tokens import escape
from lookahead_viz.views.race import Axis, Lane, RaceView, race_view
from lookahead_viz.words import count

SIDE = 20
TOP, BOTTOM = 8, 52
TOKEN = 20  # px: the height of one token
CAPTION = 46  # px above each lane
MOST_LANE = 140  # px: a pass of many tokens is squeezed into this
LEAST_WIDTH = 24  # px: narrower blocks have no text


def race_figure(
    comparison: Comparison, *, axis: Axis = "passes", theme: str = "light"
) -> go.Figure:
    """All runs of ``comparison`` along passes, slots or time."""
    return draw_race(race_view(comparison, axis), theme=theme)


def draw_race(view: RaceView, *, theme: str = "light") -> go.Figure:
    """Draw a race view."""
    colours = themes.theme(theme)
    end = max((lane.total for lane in view.lanes), default=0.0)
    if not end:
        return empty_figure(colours, view.note or view.verdict)
    heights = [_lane_px(lane) for lane in view.lanes]
    total = sum(heights) + CAPTION * len(heights)
    sheet = Sheet(colours, TOP + BOTTOM + total, left=SIDE, right=SIDE, top=TOP, bottom=BOTTOM)
    below = 0.0  # px from the top to the foot of the lane
    for lane, height in zip(view.lanes, heights, strict=True):
        below += CAPTION + height
        _add_lane(sheet, lane, foot=-below, height=height, px=(NARROW - 2 * SIDE) / end)
    sheet.axis(
        "xaxis",
        range=[0, end * 1.002],
        title=escape(view.axis_title + (" · " + view.note if view.note else "")),
        showgrid=True,
        rangemode="tozero",
    )
    sheet.axis("yaxis", range=[-total, 0], visible=False, fixedrange=True)
    sheet.layout["barmode"] = "overlay"
    return sheet.figure()


def _lane_px(lane: Lane) -> int:
    deepest = max((len(one.tokens) for one in lane.passes), default=1)
    return min(MOST_LANE, TOKEN * max(deepest, 1))


def _add_lane(sheet: Sheet, lane: Lane, *, foot: float, height: float, px: float) -> None:
    """Blocks from ``foot`` upwards; ``px`` is how wide one unit of the axis is."""
    colours = sheet.theme
    fill = colours.lane(lane.method)
    deepest = max((len(one.tokens) for one in lane.passes), default=1)
    unit = height / max(deepest, 1)
    lefts, widths, bases, texts, hovers = [], [], [], [], []
    for one in lane.passes:
        wide = (one.end - one.start) * px
        for i, token in enumerate(one.tokens):
            lefts.append((one.start + one.end) / 2)
            widths.append(one.end - one.start)
            bases.append(foot + i * unit)
            written = wide >= LEAST_WIDTH and unit >= 14
            texts.append(shortened(token, room_in(wide, 11)) if written else "")
        hovers += [hover(text) for text in one.hovers]
    sheet.traces.append(
        {
            "type": "bar",
            "x": lefts,
            "y": [unit] * len(lefts),
            "base": bases,
            "width": widths,
            "marker": {
                "color": fill.colour,
                "line": {"color": colours.background, "width": 1},
            },
            "text": texts,
            "textposition": "inside",
            "insidetextanchor": "middle",
            "textangle": 0,
            "constraintext": "none",
            "insidetextfont": {"family": MONO, "size": 11, "color": fill.text},
            "customdata": hovers,
            "hovertemplate": "%{customdata}<extra></extra>",
            "showlegend": False,
        }
    )
    _add_caption(sheet, lane, foot + height)


def _add_caption(sheet: Sheet, lane: Lane, top: float) -> None:
    colours = sheet.theme
    passes = count(len(lane.passes), "pass", "passes")
    facts = [f"{passes}, {lane.compression:.2f} tokens per pass"]
    if lane.seconds is not None:
        facts.append(f"{lane.seconds:.2f} s")
    sheet.note(
        f"<b>{escape(lane.label)}</b>  {' · '.join(facts)}",
        0,
        top,
        xanchor="left",
        yanchor="bottom",
        yshift=15,
        size=14,
        colour=colours.text,
    )
    marks = {True: f"{themes.ACCEPTED} ", False: f"{themes.REJECTED} ", None: ""}
    sheet.note(
        marks[lane.identical] + escape(lane.equality),
        0,
        top,
        xanchor="left",
        yanchor="bottom",
        yshift=-1,
        size=12,
    )
