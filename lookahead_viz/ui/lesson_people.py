"""The questions that people ask, at the top of the lesson: each leads to its card."""

from __future__ import annotations

import streamlit as st

from lookahead_viz.lessons.forum import Asked, people_ask
from lookahead_viz.ui import lesson
from lookahead_viz.ui.text import say
from lookahead_viz.views.masklab_questions import PUBLISHED_COLOURS


def button() -> None:
    """Opens and closes the list."""
    there = lesson.people_open()
    st.button(
        "People ask",
        key="people_ask",
        help="Five questions about the published picture",
        type="secondary",
        on_click=lesson.open_people,
        args=(not there,),
    )


def draw() -> None:
    """The list; it is open until the reader turns to a card."""
    if not lesson.people_open():
        return
    with st.container(border=True, gap="xsmall"):
        say(f"People ask about the published picture. {PUBLISHED_COLOURS}")
        for number, parts in enumerate(people_ask(), start=1):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.html(f'<p class="lv-say">{number}.</p>', width="content")
                for part in parts:
                    _link(part)


def _link(part: Asked) -> None:
    st.button(
        part.words,
        key=f"lesson_people_{part.card}_{part.number}",
        type="tertiary",
        on_click=lesson.turn_to,
        args=(part.card, part.number),
    )
