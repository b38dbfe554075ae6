"""Race: does it pay, and is it exact?"""

from __future__ import annotations

import streamlit as st

from lookahead_viz.comparison import Comparison
from lookahead_viz.ui import (
    badges,
    diverging,
    engines,
    figures,
    frame,
    lanes,
    learn_links,
    metrics,
    session,
    tables,
)
from lookahead_viz.ui.style import theme_name
from lookahead_viz.ui.text import say
from lookahead_viz.views.race import AXES, RaceView, race_view, reference_name
from lookahead_viz.views.race_table import TRAIT_COLUMNS, partings, trait_rows, verdict_on_texts


def draw(comparison: Comparison) -> None:
    """All runs in lanes, and what came out of them."""
    view = race_view(comparison)
    say(view.verdict)
    if view.lanes:
        lanes.mount(comparison)
        texts = badges.Badge(*verdict_on_texts(comparison))
        badges.show([texts, badges.masks_badge(comparison)])
    parted(comparison)
    say(
        "One prompt at a time (batch 1): with many at once the machine is busy anyway.", quiet=True
    )
    tables.show(view.columns, view.rows, "What each run needed")
    tables.show(TRAIT_COLUMNS, trait_rows(comparison), "What each needs and promises")
    metrics.compared(comparison)
    diverging.panel(comparison)
    engines.panel()
    still(comparison, view)


def parted(comparison: Comparison) -> None:
    """Where texts part from greedy's (without it, the first run's), and why that can be."""
    found = partings(comparison)
    if found:
        against = reference_name(comparison)
        tables.show(
            ("run", "first difference", "text before it", str(against), "this run", "why"),
            [(o.label, o.sentence, o.before, o.expected, o.found, o.why) for o in found],
            "Where the texts part",
        )


def still(comparison: Comparison, view: RaceView) -> None:
    """The library's own figure, made when it is opened: it brings plotly."""
    opened = st.expander("Still picture", key="still", on_change="rerun")
    if not opened.open:
        return
    from lookahead_viz.figures import draw_race

    with opened:
        axis = st.segmented_control(
            "Along", list(AXES), format_func=AXES.__getitem__, default="passes", required=True
        )
        figure = draw_race(race_view(comparison, axis or "passes"), theme=theme_name())
        figures.picture(figure, view.headline, key="race")


with frame.page(
    "Does it pay, and is it exact?",
    "A language model writes one [[token]] a [[pass]]. Jacobi and lookahead decoding guess "
    "several and keep what proves right: the same text ([[greedy]]) in fewer passes, which is "
    "faster where more [[slots]] a pass cost little.",
    code=("comparison:compare", "engine.greedy:greedy_steps"),
    words=True,
    aside=learn_links.newcomers,
):
    chosen = frame.comparison()
    if chosen is not None:
        session.write_link(None)
        draw(chosen)
