"""Ways into the lesson: links from other pages, and what a link asks for."""

from __future__ import annotations

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from lookahead_viz.ui import lesson
from lookahead_viz.ui.text import say
from lookahead_viz.views.masklab_questions import PUBLISHED_COLOURS

LEARN = "pages/learn.py"


def newcomers() -> None:
    """One line for those who are here for the first time."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.html('<p class="lv-say">New here?</p>', width="content")
        _link("Learn, step by step")
        _link("What people ask about the published picture", ask=True)


def published() -> None:
    """The colours of the published picture, and the questions about it."""
    say(PUBLISHED_COLOURS, quiet=True)
    _link("What people ask about that picture", ask=True)


def _link(label: str, *, ask: bool = False) -> None:
    try:
        st.page_link(
            LEARN,
            label=label,
            query_params={lesson.PEOPLE: "1"} if ask else None,
        )
    except StreamlitPageNotFoundError:  # a page that runs by itself has no others beside it
        say(label)
