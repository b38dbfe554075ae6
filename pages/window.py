"""Window: where do n-grams come from?"""

from __future__ import annotations

import streamlit as st

from lookahead_viz.figures.window import draw_window
from lookahead_viz.people_ask import SHORT_COLOURS
from lookahead_viz.reach import window_dropped
from lookahead_viz.records import Run
from lookahead_viz.ui import figures, frame, learn_links, player
from lookahead_viz.ui.style import theme_name
from lookahead_viz.ui.text import say
from lookahead_viz.views.window import COLOURS, window_view

COLOUR_WORDS = {
    "age": "age of the row",
    "probability": "the model's probability",
    "changed": "changed since the last pass",
    "final": "equal to the final text",
}


def draw(run: Run, index: int) -> None:
    """The window of one pass and its n-grams."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        colour = st.segmented_control(
            "Colour by",
            COLOURS,
            format_func=COLOUR_WORDS.__getitem__,
            default="age",
            required=True,
            key="window_colour",
        )
        straighten = st.toggle(
            "Straighten the columns",
            key="window_straighten",
            persist_state="session",
            help="An n-gram is one column read downwards: as it stands it runs diagonally.",
        )
    view = window_view(run, index, colour=colour or "age", straighten=straighten)
    figures.picture(draw_window(view, theme=theme_name()), view.sentence, key="window")
    figures.table(
        {
            "row": [cell.row for cell in view.cells + view.entering],
            "column": [cell.col for cell in view.cells + view.entering],
            "token": [cell.text for cell in view.cells + view.entering],
            "what it is": [
                cell.hover.partition("\n")[2].replace("\n", "; ")
                for cell in view.cells + view.entering
            ],
        },
        "The cells as a table",
    )


with frame.page(
    "Where do n-grams come from?",
    "The [[window]] is a grid of guesses: every [[pass]] predicts a new row from the rows before "
    "it. Along a thick line, a full column and its [[prediction]] are an [[n-gram]], and all W of "
    "them enter the [[pool]]. " + SHORT_COLOURS,
    code=("engine.window:Window",),
    aside=learn_links.people_ask,
):
    chosen = frame.run_of("lookahead", why="Only lookahead decoding has this window.")
    if chosen is not None:
        if (dropped := window_dropped(chosen)) is not None:
            say(dropped)
        player.steps(chosen, draw, view="window")
