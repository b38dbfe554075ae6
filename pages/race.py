"""Race: does it pay, and is it exact?"""

from __future__ import annotations

import streamlit as st

from lookahead_viz.comparison import Comparison, run_label
from lookahead_viz.figures.race import draw_race
from lookahead_viz.ui import badges, figures, frame, session
from lookahead_viz.ui.style import theme_name
from lookahead_viz.ui.text import emitted, say
from lookahead_viz.views.race import AXES, race_view


def draw(comparison: Comparison) -> None:
    """All runs along one axis, and what came out of them."""
    axis = st.segmented_control(
        "Along",
        list(AXES),
        format_func=AXES.__getitem__,
        default="passes",
        required=True,
        key="race_axis",
    )
    view = race_view(comparison, axis or "passes")
    say(view.verdict)
    say(
        "One prompt at a time (batch 1): with many at once the machine is busy anyway.", quiet=True
    )
    figures.picture(draw_race(view, theme=theme_name()), view.headline, key="race")
    figures.table(lambda: view.summary, "The numbers as a table")
    texts(comparison)


def texts(comparison: Comparison) -> None:
    """What each run wrote, and whether it is what greedy decoding writes."""
    st.header("The texts")
    say("Each box is one step; it is filled where the step accepted several tokens.", quiet=True)
    for first in range(0, len(comparison.runs), 2):
        pair = comparison.runs[first : first + 2]
        for column, run in zip(st.columns(2), pair, strict=False):
            with column:
                st.markdown(f"**{run_label(run)}**")
                badges.show([badges.equality_badge(run, comparison), badges.masks_badge(run)])
                emitted(run)


with frame.page(
    "Does it pay, and is it exact?",
    "Every method should write [[greedy's|greedy]] text, and the badges say whether it did; what "
    "differs is how many forward [[passes]] it takes and how much each pass computes. Fewer "
    "passes are only faster where a pass with more [[slots]] costs hardly more.",
):
    chosen = frame.comparison()
    if chosen is not None:
        session.write_link(None)
        draw(chosen)
