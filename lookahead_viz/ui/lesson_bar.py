"""Around a card: which one, on which run, what can be done with its question."""

from __future__ import annotations

import streamlit as st

from lookahead_viz.comparison import run_label
from lookahead_viz.lessons import forum, guide
from lookahead_viz.lessons.cards import CARDS, asks
from lookahead_viz.lessons.question import Ask, Card, Question
from lookahead_viz.records import Run
from lookahead_viz.ui import asking, lesson, lesson_people, session
from lookahead_viz.ui.text import say

_GOTO = "lesson_goto"
PAGES = {
    "race": "Race",
    "jacobi": "Jacobi",
    "window": "Window",
    "mask": "Mask",
    "candidates": "Candidates",
    "acceptance": "Acceptance",
    "pool": "Pool",
}


def draw() -> None:
    """The line above the card: back, which card, on; whose run; are answers hidden?"""
    if page := st.session_state.pop(_GOTO, None):
        st.switch_page(f"pages/{page}.py")
    at = CARDS.index(lesson.this_card())
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            "Back",
            key="lesson_back",
            shortcut="P",
            disabled=at == 0,
            on_click=lesson.turn,
            args=(-1,),
        )
        st.session_state["lesson_menu"] = lesson.this_card().name
        titles = {card.name: _title(card) for card in CARDS}
        st.selectbox(
            "Card",
            list(titles),
            format_func=titles.__getitem__,
            key="lesson_menu",
            label_visibility="collapsed",
            on_change=_turned,
            width=320,
        )
        st.button(
            "Next",
            key="lesson_next",
            shortcut="N",
            disabled=at == len(CARDS) - 1,
            on_click=lesson.turn,
            args=(1,),
            type="primary",
        )
        lesson_people.button()
        st.session_state["lesson_mine_toggle"] = lesson.mine()
        st.toggle(
            "My comparison",
            key="lesson_mine_toggle",
            on_change=lambda: lesson.take_mine(st.session_state["lesson_mine_toggle"]),
            help="Ask about the comparison chosen at the left instead of the lesson's example.",
        )
        st.session_state["lesson_hide_toggle"] = lesson.hidden()
        st.toggle(
            "Hide answers",
            key="lesson_hide_toggle",
            on_change=lambda: lesson.hide(st.session_state["lesson_hide_toggle"]),
            help="For teachers: an answer is only shown to those who find it.",
        )


def _title(card: Card) -> str:
    done = lesson.solved()
    mark = " ✓" if all(ask.name in done for ask in card.asks) else ""
    about = f" · {forum.topics(card)}" if forum.topics(card) else ""
    return f"{CARDS.index(card) + 1} · {card.title}{about}{mark}"


def _progress() -> str:
    done = lesson.solved()
    first = sum(done.values())
    return f"Answered: {len(done)} of {len(asks())}, {first} on the first try"


def _turned() -> None:
    lesson.turn_to(str(st.session_state["lesson_menu"]))


def for_teachers() -> None:
    """The teacher's guide, shown when it is opened."""
    if not guide.GUIDE.is_file():
        return
    opened = st.expander("For teachers: a lesson of 45 minutes", key="guide", on_change="rerun")
    if opened.open:
        text = guide.GUIDE.read_text(encoding="utf-8")
        opened.markdown(guide.in_the_app(text))


def which_question(card: Card, over: bool) -> None:
    """Which question of the card is asked, and the way to its others."""
    number, last = lesson.this_number(), len(card.asks) - 1
    if not last:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _other_question("Previous question", "lesson_question_back", card, number - 1)
        st.html(f'<p class="lv-say">{number + 1} of {last + 1}</p>', width="content")
        _other_question("Next question", "lesson_next_question", card, number + 1, urged=over)


def other_part(ask: Ask) -> None:
    """The way to the second half of what people ask, where another card has it."""
    asked = forum.other_part(ask)
    if asked is not None:
        st.button(
            f"And: {asked.part.question}",
            key="lesson_other_part",
            type="tertiary",
            on_click=lesson.turn_to,
            args=(asked.card, asked.number),
        )


def _other_question(label: str, key: str, card: Card, number: int, *, urged: bool = False) -> None:
    there = 0 <= number < len(card.asks)
    st.button(
        label,
        key=key,
        disabled=not there,
        type="primary" if urged and there else "secondary",
        on_click=lesson.turn_to,
        args=(card.name, number),
    )


def actions(card: Card, ask: Ask, run: Run, question: Question | None) -> None:
    """What can be done below the words of a card, and how much is done."""
    with st.container(horizontal=True, gap="small"):
        if question is not None:
            _about(ask, run, question)
        st.button(
            f"Open {PAGES[card.page]} at this step",
            key="lesson_open",
            on_click=_open,
            args=(card.page, run, ask),
        )
    say(_progress(), quiet=True)


def _about(ask: Ask, run: Run, question: Question) -> None:
    over = lesson.attempts(question).answered(question)
    if over:
        st.button("Ask again", key="lesson_again", on_click=lesson.again, args=(question,))
    elif not lesson.hidden():
        st.button("Show the answer", key="lesson_reveal", on_click=lesson.reveal, args=(question,))
    here = asking.now(run)
    if here != question.step and ask.build(run, here) is not None:
        st.button(
            f"Ask about step {here}",
            key="lesson_here",
            on_click=lesson.ask_at,
            args=(run, ask, here),
        )


def _open(page: str, run: Run, ask: Ask) -> None:
    """Show the same step of the same run on its full page."""
    key = lesson.source()
    if key is not None and key != session.chosen():
        session.choose(key)
    session.prefer(run_label(run))
    session.go_to(asking.now(run))
    st.session_state[_GOTO] = page
