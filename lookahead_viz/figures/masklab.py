"""Drawing of what a wrong mask does: accepted tokens per pass, beside the right mask."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from lookahead_viz.figures import theme as themes
from lookahead_viz.figures.drawing import Sheet

HEIGHT = 230


def draw_acceptance_pair(
    right: Sequence[int], wrong: Sequence[int], *, theme: str = "light"
) -> go.Figure:
    """Accepted tokens of every pass with the right mask (above) and with the wrong one (below)."""
    colours = themes.theme(theme)
    sheet = Sheet(colours, HEIGHT, left=60, right=20, top=40, bottom=40)
    for name, counts, sign, fill in (
        ("the right mask", right, 1, colours.match_on),
        ("this mask", wrong, -1, colours.leak),
    ):
        sheet.traces.append(
            {
                "type": "bar",
                "x": list(range(len(counts))),
                "y": [sign * count for count in counts],
                "marker": {"color": fill.colour, "line": {"color": colours.outline, "width": 0.5}},
                "customdata": list(counts),
                "hovertemplate": f"{name}: %{{customdata}} accepted in pass %{{x}}<extra></extra>",
                "showlegend": False,
            }
        )
    most = max([1, *right, *wrong])
    ticks = list(range(-most, most + 1))
    sheet.axis("xaxis", title="pass")
    sheet.axis(
        "yaxis",
        title="accepted",
        tickvals=ticks,
        ticktext=[str(abs(tick)) for tick in ticks],
        zeroline=True,
        zerolinecolor=colours.text,
    )
    sheet.layout["barmode"] = "overlay"
    sheet.layout["bargap"] = 0.12
    sheet.legend(
        [
            ("the right mask, upwards", colours.match_on.colour, "triangle-up"),
            ("this mask, downwards", colours.leak.colour, "triangle-down"),
        ]
    )
    return sheet.figure()
