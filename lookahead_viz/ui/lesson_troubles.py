"""The troubles of pure Jacobi on a run: counted, and each occurrence can be looked at."""

from __future__ import annotations

import streamlit as st

from lookahead_viz.lessons.four_tokens import four_tokens
from lookahead_viz.lessons.question import Ask, Question
from lookahead_viz.records import Run
from lookahead_viz.troubles import TROUBLES, Kind, Trouble, trouble_sentence, troubles
from lookahead_viz.ui.text import say
from lookahead_viz.ui.troubles import NAMES
from lookahead_viz.words import count

_SMALL, _LOOK = "lesson_four", "lesson_look"


@st.cache_resource(show_spinner=False)
def small() -> Run:
    """The four-token example, one object for all: the player is sent it once."""
    return four_tokens()


def draw(run: Run) -> None:
    """How often each trouble happens, as buttons that lead through them; the definitions."""
    st.session_state["lesson_four_toggle"] = _on()
    st.toggle(
        "Four-token example",
        key="lesson_four_toggle",
        on_change=_turned,
        help="A run so small that every trouble in it can be counted by hand.",
    )
    chosen = small() if _on() else run
    found = troubles(chosen)
    with st.container(horizontal=True, gap="small"):
        for kind, name in NAMES.items():
            these = [one for one in found if one.kind == kind]
            st.button(
                f"{name}: {len(these)}",
                key=f"lesson_trouble_{kind}",
                disabled=not these,
                help=TROUBLES[kind],
                on_click=_look,
                args=(kind,),
            )
    looked = _looked(chosen)
    if looked is not None:
        number, these = looked
        trouble = these[number]
        say(f"{number + 1} of {len(these)} · {trouble_sentence(chosen, trouble)}.")
        say(TROUBLES[trouble.kind], quiet=True)
    if shown(run):
        st.button("Back to the question", key="lesson_trouble_back", on_click=_back)
    elif not chosen.ended:
        say("This run was stopped, so what is right is not known.", quiet=True)
    else:
        say(f"{count(len(chosen.steps), 'pass', 'passes')} in all. Press a button.", quiet=True)


def shown(run: Run) -> bool:
    """Are troubles looked at, instead of the question being asked?"""
    return _on() or _looked(run) is not None


def looked_at(run: Run, ask: Ask) -> tuple[Run, Ask, Question | None, tuple[int, str]]:
    """What the player is to show of them."""
    chosen = small() if _on() else run
    looked = _looked(chosen)
    if looked is None:
        return chosen, ask, None, (0, "")
    trouble = looked[1][looked[0]]
    # an overwritten n-gram stood there one pass before
    at = trouble.step - (trouble.kind == "overwritten" and trouble.step > 0)
    return chosen, ask, None, (trouble.step, f"j{trouble.x},{at}")


def _on() -> bool:
    return bool(st.session_state.get(_SMALL))


def _turned() -> None:
    st.session_state[_SMALL] = st.session_state["lesson_four_toggle"]
    st.session_state.pop(_LOOK, None)


def _looked(run: Run) -> tuple[int, list[Trouble]] | None:
    kind, number = st.session_state.get(_LOOK, (None, 0))
    these = [one for one in troubles(run) if one.kind == kind]
    return (number % len(these), these) if these else None


def _look(kind: Kind) -> None:
    """The first occurrence of a kind, then the next one at every press."""
    before, number = st.session_state.get(_LOOK, (None, 0))
    st.session_state[_LOOK] = (kind, number + 1 if before == kind else 0)


def _back() -> None:
    st.session_state.pop(_LOOK, None)
    st.session_state[_SMALL] = False
