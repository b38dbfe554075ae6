"""The questions that people ask, at the top of the lesson: each leads to its card."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from lookahead_viz.lessons.forum import Asked, five
from lookahead_viz.people_ask import PUBLISHED_COLOURS
from lookahead_viz.ui import lesson
from lookahead_viz.ui.text import say


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
        say(f"People ask about the authors' picture of the mask. {PUBLISHED_COLOURS}")
        answered = not lesson.hidden() and st.toggle(
            "Short answers",
            key=lesson.SHORT_ANSWERS,
            help="Each question also leads to a card, where you find its answer in the picture.",
        )
        for number, parts in enumerate(five(), start=1):
            align: Literal["top", "center"] = "top" if answered else "center"
            with st.container(horizontal=True, vertical_alignment=align, gap="small"):
                st.html(f'<p class="lv-say">{number}.</p>', width="content")
                with st.container(horizontal=not answered, gap=None if answered else "small"):
                    for asked in parts:
                        _question(asked, answered)


def _question(asked: Asked, answered: bool) -> None:
    st.button(
        asked.part.question,
        key=f"lesson_people_{asked.card}_{asked.number}",
        type="tertiary",
        on_click=lesson.turn_to,
        args=(asked.card, asked.number),
    )
    if answered:
        say(asked.part.answer)
