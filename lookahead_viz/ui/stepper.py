"""One step at a time: slider, buttons with arrow keys, the sentence of the step, the picture."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from lookahead_viz.explain import step_sentence
from lookahead_viz.records import Run
from lookahead_viz.ui import badges, session
from lookahead_viz.ui.frame import guarded
from lookahead_viz.ui.text import say, so_far

_SLIDER = "step_slider"


def steps(run: Run, draw: Callable[[Run, int], None]) -> None:
    """The step controls of ``run`` and ``draw(run, step)`` below; moving reruns only this part."""
    if not run.steps:
        say(f"This run has no steps ({run.finish_reason}), so there is nothing to draw.")
        return

    @st.fragment
    def moving() -> None:
        with guarded():
            index = session.step(run)
            session.write_link(run)
            _controls(run, index)
            say(step_sentence(run, index))
            badges.self_check(run, index)
            so_far(run, index)
            draw(run, index)

    moving()


def next_accepting(run: Run, index: int, direction: int) -> int:
    """The next step in ``direction`` that accepted several tokens; ``index`` if there is none."""
    candidates = range(index + direction, len(run.steps) if direction > 0 else -1, direction)
    return next((i for i in candidates if len(run.steps[i].accepted) > 1), index)


def _controls(run: Run, index: int) -> None:
    last = len(run.steps) - 1
    moves = (
        ("To the first step", ":material/first_page:", "Home", 0),
        (
            "To the previous step that accepted several tokens",
            ":material/fast_rewind:",
            "Shift+Left",
            next_accepting(run, index, -1),
        ),
        ("One step back", ":material/chevron_left:", "Left", index - 1),
        ("One step on", ":material/chevron_right:", "Right", index + 1),
        (
            "To the next step that accepted several tokens",
            ":material/fast_forward:",
            "Shift+Right",
            next_accepting(run, index, 1),
        ),
        ("To the last step", ":material/last_page:", "End", last),
    )
    st.session_state[_SLIDER] = index
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        if last > 0:
            st.slider(
                f"Step {index} (0 to {last})",
                min_value=0,
                max_value=last,
                key=_SLIDER,
                on_change=_from_slider,
            )
        for name, icon, shortcut, target in moves:
            st.button(
                name,
                icon=icon,
                shortcut=shortcut,
                key=f"move_{shortcut}",
                help=name,
                on_click=session.go_to,
                args=(max(0, min(target, last)),),
                disabled=last == 0,
            )


def _from_slider() -> None:
    session.go_to(int(st.session_state[_SLIDER]))
