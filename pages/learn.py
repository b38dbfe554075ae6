"""Learn: explain it to me, card by card, and let me predict what the picture will show."""

from __future__ import annotations

import streamlit as st

from lookahead_viz.lessons.cards import CARDS, CHAPTERS
from lookahead_viz.lessons.question import Ask, Card, Question
from lookahead_viz.people_ask import PUBLISHED_COLOURS
from lookahead_viz.records import Run
from lookahead_viz.ui import (
    asking,
    badges,
    code,
    frame,
    lesson,
    lesson_bar,
    lesson_people,
    lesson_troubles,
)
from lookahead_viz.ui.text import explained, heading, say


def words(card: Card) -> None:
    """The card's sentences and its equation."""
    number = CARDS.index(card) + 1
    say(f"{number} of {len(CARDS)} · {CHAPTERS[card.chapter]}", quiet=True)
    heading(card.title)
    explained(card.text)
    if card.equation:
        st.latex(card.equation)
    if card.after:
        say(card.after, quiet=True)


def picture(ask: Ask) -> tuple[Run | None, Question | None]:
    """The live picture with the question in it."""
    run = lesson.run_of(ask)
    if run is not None and lesson.this_card().name == "troubles" and lesson_troubles.shown(run):
        asking.mount(*lesson_troubles.looked_at(run, ask))
        return run, None
    if run is None or not run.steps:
        say(lesson.nothing(ask))
        return None, None
    step = lesson.asked_step(run, ask)
    question = None if step is None else ask.build(run, step)
    asking.mount(run, ask, question)
    if question is None:
        say("This run has no step at which the question of this card could be asked.")
    return run, question


@st.fragment
def screen() -> None:
    """One card: words at the left, the picture at the right; only this runs again."""
    with frame.guarded():
        lesson_bar.draw()
        lesson_people.draw()
        card, ask = lesson.this_card(), lesson.this_ask()
        left, right = st.columns([5, 8], gap="medium")
        with right:
            run, question = picture(ask)
        with left:
            words(card)
            over = question is not None and lesson.attempts(question).answered(question)
            lesson_bar.which_question(card, over)
            if ask.forum:
                say(f"People ask: “{ask.forum.question}”", quiet=True)
                lesson_bar.other_part(ask)
                say(PUBLISHED_COLOURS, quiet=True)  # the answers name them
            if run is not None and card.name == "troubles":
                lesson_troubles.draw(run)
            if run is not None:
                lesson_bar.actions(card, ask, run, question)
        if run is not None:
            lesson.write_link(asking.now(run))
            if (comparison := lesson.comparison()) is not None:
                badges.show(
                    [
                        badges.equality_badge(run, comparison),
                        badges.mask_badge(run, asking.now(run)),
                    ]
                )
        lesson_bar.for_teachers()
        code.show(card.code)


with frame.page(
    "How does it work?",
    "Predict what a real recorded run does, and click your answer in the picture. Underlined "
    "words explain themselves.",
    menu_note="The cards show an example of their own until “My comparison” is turned on.",
    words=True,
):
    lesson.read_link()
    screen()
