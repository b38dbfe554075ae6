"""The questions that people ask, at the top of the lesson: each leads to its card."""

from __future__ import annotations

import streamlit as st

from lookahead_viz.lessons.forum import people_ask
from lookahead_viz.ui import lesson
from lookahead_viz.ui.text import say
from lookahead_viz.views.masklab_questions import PUBLISHED_COLOURS

_PANEL = "lesson_people_panel"


def draw() -> None:
    """The list; open until the reader turns to a card."""
    st.session_state[_PANEL] = lesson.people_open()
    opened = st.expander(
        "People ask: five questions about the published picture",
        key=_PANEL,
        on_change=lambda: lesson.open_people(bool(st.session_state[_PANEL])),
    )
    if not opened.open:
        return
    with opened:
        say(PUBLISHED_COLOURS, quiet=True)
        for number, parts in enumerate(people_ask(), start=1):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.html(f'<p class="lv-say">{number}.</p>', width="content")
                for part in parts:
                    st.button(
                        part.words,
                        key=f"lesson_people_{part.card}_{part.number}",
                        type="tertiary",
                        on_click=lesson.turn_to,
                        args=(part.card, part.number),
                    )
