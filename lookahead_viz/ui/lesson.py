"""The lesson on a page: which card, which run, what was answered; all of it in the session."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lookahead_viz.comparison import Comparison, run_label
from lookahead_viz.lessons.cards import CARDS, card
from lookahead_viz.lessons.question import Ask, Attempts, Card, Question
from lookahead_viz.records import Run
from lookahead_viz.ui import session

EXAMPLE = "tiny/lesson"
"""The comparison that the lesson is about unless the reader takes their own."""

_CARD, _NUMBER, _MINE, _HIDDEN = "lesson_card", "lesson_number", "lesson_mine", "lesson_hidden"
_ATTEMPTS, _STEPS, _READ = "lesson_attempts", "lesson_steps", "lesson_read"
_PEOPLE = "lesson_people"
SHORT_ANSWERS = "lesson_short_answers"
"""The switch that shows the answers in the list of questions that people ask."""
PEOPLE = "people"
"""What an address says, as ``people=1``, to open the list of questions that people ask."""

Place = tuple[str, str, str]
"""Comparison, run, question: what an asked step belongs to."""


def read_link() -> None:
    """Adopt what the address asks for when the reader comes to the page."""
    if not session.arrived():
        return
    query = st.query_params
    if card(query.get("card", "")):
        turn_to(query["card"], _ordinal(query.get("question", "")))
    elif query.get(PEOPLE) == "1":
        open_people(True)
    if _READ not in st.session_state:
        st.session_state[_READ] = True
        st.session_state[_MINE] = query.get("run") in [one.key for one in session.sources()]
        st.session_state[_HIDDEN] = query.get("reveal") == "0"
    number = query.get("step", "")
    if number.isascii() and number.isdecimal():
        ask = this_ask()
        run = run_of(ask)
        index = int(number[:9])
        if run is not None and index < len(run.steps) and ask.build(run, index) is not None:
            ask_at(run, ask, index)


def _ordinal(text: str) -> int:
    """ "2" is the second question: 1. Anything that is no small number is the first one."""
    return int(text) - 1 if text in tuple("123456789") else 0


def write_link(step: int | None) -> None:
    """Put card and step into the address."""
    link = {
        "card": this_card().name,
        "question": str(this_number() + 1) if this_number() else None,
        "step": None if step is None else str(step),
        "run": session.chosen() if mine() else None,
        "reveal": "0" if hidden() else None,
        "lecture": session.mark().partition("|")[2] or None,
        **dict.fromkeys((PEOPLE, "cell", "W", "N", "G")),
    }
    for name, value in link.items():
        if value is None or session.is_kept(value):
            st.query_params.pop(name, None)
        elif st.query_params.get(name) != value:
            st.query_params[name] = value


def this_card() -> Card:
    return card(st.session_state.get(_CARD, "")) or CARDS[0]


def this_number() -> int:
    """Which question of the card is asked."""
    return min(int(st.session_state.get(_NUMBER, 0)), len(this_card().asks) - 1)


def this_ask() -> Ask:
    return this_card().asks[this_number()]


def turn_to(name: str, number: int = 0) -> None:
    """Go to a card, and to one of its questions."""
    st.session_state[_CARD], st.session_state[_NUMBER] = name, number
    open_people(False)


def people_open() -> bool:
    """Is the list of questions that people ask open? It is until a card is chosen."""
    return bool(st.session_state.get(_PEOPLE, True))


def open_people(yes: bool) -> None:
    """Open the list, with its answers: it was asked for; or close it."""
    st.session_state[_PEOPLE] = st.session_state[SHORT_ANSWERS] = yes


def turn(by: int) -> None:
    """Go ``by`` cards on or back."""
    at = CARDS.index(this_card()) + by
    turn_to(CARDS[max(0, min(at, len(CARDS) - 1))].name)


def mine() -> bool:
    """Is the lesson about the comparison chosen at the left?"""
    return bool(st.session_state.get(_MINE))


def take_mine(yes: bool) -> None:
    st.session_state[_MINE] = yes


def hidden() -> bool:
    """Are answers only shown to those who find them?"""
    return bool(st.session_state.get(_HIDDEN))


def hide(yes: bool) -> None:
    st.session_state[_HIDDEN] = yes


def source() -> str | None:
    """The key of the comparison that the lesson is about."""
    keys = [one.key for one in session.sources()]
    if not mine() and EXAMPLE in keys:
        return EXAMPLE
    return session.chosen()


def comparison() -> Comparison | None:
    """The comparison that the lesson is about."""
    return session.load(EXAMPLE) if source() == EXAMPLE else session.comparison()


def run_of(ask: Ask) -> Run | None:
    """The run that ``ask`` is about; None when the comparison has none of its methods."""
    if source() != EXAMPLE:
        return session.run_of(*ask.methods)
    found = comparison()
    runs = [run for method in ask.methods for run in found.of_method(method)] if found else []
    return next(iter(runs), None)


def nothing(ask: Ask) -> str:
    """What to do where the comparison has no run to ask about."""
    found = comparison()
    if found is None:
        return "Nothing is recorded yet: decode your own prompt, or open a run file, at the left."
    return (
        f"“{found.name}” has no {' or '.join(ask.methods)} run: turn “My comparison” off, or "
        "choose another one at the left."
    )


def _place(run: Run, ask: Ask) -> Place:
    return (str(source()), run_label(run), ask.name)


def asked_step(run: Run, ask: Ask) -> int | None:
    """The step that ``ask`` is about: the one that the reader chose, else the best one."""
    kept = st.session_state.get(_STEPS, {}).get(_place(run, ask), -1)
    # a new decoding of one's own has the same name, and maybe not that step
    usable = 0 <= kept < len(run.steps) and ask.build(run, kept) is not None
    return kept if usable else ask.best_step(run)


def ask_at(run: Run, ask: Ask, index: int) -> None:
    """Ask about another step."""
    st.session_state.setdefault(_STEPS, {})[_place(run, ask)] = index


def _key(question: Question) -> tuple[object, ...]:
    """Questions are the same when they ask for the same."""
    return (question.step, question.text, question.right)


def attempts(question: Question) -> Attempts:
    """What was answered to this question so far."""
    kept: dict[Any, Attempts] = st.session_state.get(_ATTEMPTS, {})
    return kept.get(_key(question), Attempts())


def answer(ask: Ask, question: Question, thing: str) -> None:
    """Note an answer; anything that is none is ignored."""
    before = attempts(question)
    if not question.accepts(thing) or before.answered(question):
        return
    others = tuple(one for one in before.answers if one != thing)
    _keep(question, Attempts((*others, thing)))
    if question.is_right(thing):
        solved = st.session_state.setdefault("lesson_solved", {})
        solved.setdefault(ask.name, not others)


def reveal(question: Question) -> None:
    """Give up: show the answer."""
    _keep(question, Attempts(attempts(question).answers, revealed=True))


def again(question: Question) -> None:
    """Forget the answers to this question."""
    _keep(question, Attempts())


def _keep(question: Question, found: Attempts) -> None:
    st.session_state.setdefault(_ATTEMPTS, {})[_key(question)] = found


def solved() -> dict[str, bool]:
    """The questions answered rightly, each with whether the first answer was right."""
    return dict(st.session_state.get("lesson_solved", {}))
