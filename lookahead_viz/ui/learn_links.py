"""Ways into the lesson from other pages: links beside their titles."""

from __future__ import annotations

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from lookahead_viz.ui import lesson
from lookahead_viz.ui.text import say

LEARN = "pages/learn.py"


def newcomers() -> None:
    """For those who are here for the first time."""
    st.html('<p class="lv-say">New here?</p>', width="content")
    _link("Learn")
    people_ask()


def people_ask() -> None:
    """To the questions about the published picture."""
    _link("Questions people ask", asked=True)


def _link(label: str, *, asked: bool = False) -> None:
    query = {lesson.PEOPLE: "1"} if asked else None
    try:
        st.page_link(LEARN, label=label, query_params=query)
    except StreamlitPageNotFoundError:  # a page that runs by itself has no others beside it
        say(label)
