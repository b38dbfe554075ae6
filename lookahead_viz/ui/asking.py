"""The player with a question in it: what is clicked comes here, what is said goes back."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lookahead_viz.lessons.question import Ask, Question, asked
from lookahead_viz.records import Run
from lookahead_viz.ui import lesson, player, session

KEY = "lesson_player"
_NOW, _START = "lesson_now", "lesson_start"

Look = tuple[int, str]
"""A step, and a thing of its picture as links name it: "j5,2" is a cell of the Jacobi sheet."""


def mount(run: Run, ask: Ask, question: Question | None, look: Look | None = None) -> None:
    """Put the player on the page, at the step of the question, with its panels alone.

    ``look`` shows one thing instead, and asks nothing.
    """
    data = player.sent(run)
    if look is not None:
        question = None
    step, thing = look or (0 if question is None else question.step, "")
    start = _start((ask.name, data["key"], step, thing), ask.upright)
    posed = None if question is None else asked(question, lesson.attempts(question))
    player.component(
        key=KEY,
        data=player.wrapped(
            {
                "run": data,
                "key": data["key"],
                "start": start,
                "apart": True,
                "only": [panel for panel in ask.panels],
                "ask": posed,
            }
        ),
        default={"step": start["step"], "mark": session.mark()},
        on_step_change=_moved,
        on_mark_change=_marked,
        on_pick_change=_picked,
    )


def now(run: Run) -> int:
    """The step at which the reader looks."""
    return max(0, min(int(st.session_state.get(_NOW, 0)), len(run.steps) - 1))


def _start(wanted: tuple[str, str, int, str], upright: bool) -> dict[str, Any]:
    """Where the player begins; the same until question, run, step or thing is another."""
    step, thing = wanted[2:]
    kept = st.session_state.get(_START)
    if kept is None or kept[0] != wanted:
        start = {
            "step": step,
            "focus": "all",
            "cell": thing,
            "straighten": upright,
            "lecture": session.mark().endswith("|1"),
            "nonce": 0 if kept is None else kept[1]["nonce"] + 1,
        }
        kept = st.session_state[_START] = (wanted, start)
        st.session_state[_NOW] = step
    found: dict[str, Any] = kept[1]
    return found


def _told(name: str) -> object:
    said = st.session_state.get(KEY)
    return None if said is None else said.get(name)


def _moved() -> None:
    step = _told("step")
    if isinstance(step, int) and not isinstance(step, bool):
        st.session_state[_NOW] = step


def _marked() -> None:
    """Of the mark only lecture mode is kept: what is locked here means nothing elsewhere."""
    mark = _told("mark")
    if isinstance(mark, str):
        session.set_mark(f"|{mark.partition('|')[2]}")


def _picked() -> None:
    thing = _told("pick")
    ask = lesson.this_ask()
    run = lesson.run_of(ask)
    step = None if run is None else lesson.asked_step(run, ask)
    if not isinstance(thing, str) or run is None or step is None:
        return
    question = ask.build(run, step)
    if question is not None:
        lesson.answer(ask, question, thing)
