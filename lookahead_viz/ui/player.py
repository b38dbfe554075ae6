"""The player on a page: it owns the step while the reader moves, and tells it after a rest."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import streamlit as st

from lookahead_viz.comparison import run_label
from lookahead_viz.player.bundle import PLAYER
from lookahead_viz.player.export import export_html
from lookahead_viz.player.payload import payload
from lookahead_viz.records import Run
from lookahead_viz.ui import badges, session
from lookahead_viz.ui.files import file_name
from lookahead_viz.ui.frame import guarded
from lookahead_viz.ui.kept import Kept
from lookahead_viz.ui.text import say

Draw = Callable[[Run, int], None]
View = Literal["all", "window", "mask", "trie", "pool", "jacobi"]

KEY = "player"
_START, _SEEN = "player_start", "player_seen"

component = st.components.v2.component(
    "lookahead_viz_player", css=PLAYER.styles, js=PLAYER.component
)
_payloads: Kept[Run, dict[str, Any]] = Kept(payload)


def steps(run: Run, draw: Draw, *, view: View, below: Draw | None = None) -> None:
    """The player of ``run`` opened at ``view``; what depends on the step follows below.

    ``draw(run, step)`` makes the still picture, which is drawn when it is opened; ``below`` what
    is always there. Moving inside the player asks nothing of the server; when the reader rests,
    only this part runs again.
    """
    if not run.steps:
        say(f"This run has no passes ({run.finish_reason}), so there is nothing to draw.")
        return

    @st.fragment
    def moving() -> None:
        with guarded():
            mount(run, view)
            index = session.step(run)
            session.write_link(run)
            badges.self_check(run, index)
            if below is not None:
                below(run, index)
            _still(run, index, draw)
            save_button(run)

    moving()


def mount(run: Run, view: View) -> None:
    """Put the player on the page. It is given the run once; afterwards it moves by itself."""
    data = sent(run)
    component(
        key=KEY,
        data=wrapped({"run": data, "key": data["key"], "start": _start(run, view, data["key"])}),
        default={"step": session.step(run), "mark": session.mark()},
        on_step_change=_moved,
        on_mark_change=_marked,
    )


def wrapped(data: dict[str, Any]) -> dict[str, Any]:
    """``data`` with every dict alone in a tuple.

    Of a dict's values Streamlit asks whether they are data frames, and loads pandas to ask; of a
    tuple it does not: the first picture is there half a second sooner.
    """
    return {name: (value,) if isinstance(value, dict) else value for name, value in data.items()}


def sent(run: Run) -> dict[str, Any]:
    """The payload of ``run``; its ``key`` is another for every run object."""
    key, data = _payloads.of(run)
    return data | {"key": key}


def _start(run: Run, view: View, key: str) -> dict[str, Any]:
    """Where the player begins. It stays the same until something else than the player moves."""
    index = session.step(run)
    asked = (view, key)
    kept = st.session_state.get(_START)
    if kept is None or kept[0] != asked or st.session_state.get(_SEEN) != index:
        cell, lecture = session.mark().split("|")
        start = {
            "step": index,
            "focus": view,
            "cell": cell,
            "lecture": bool(lecture),
            "nonce": 0 if kept is None else kept[1]["nonce"] + 1,
        }
        kept = st.session_state[_START] = (asked, start)
        st.session_state[_SEEN] = index
    start_now: dict[str, Any] = kept[1]
    return start_now


def _told(name: str) -> object:
    """What the player said; None when its page was left in the same moment."""
    said = st.session_state.get(KEY)
    return None if said is None else said.get(name)


def _moved() -> None:
    step = _told("step")
    if isinstance(step, int) and not isinstance(step, bool):
        session.go_to(step)
        st.session_state[_SEEN] = step


def _marked() -> None:
    mark = _told("mark")
    if isinstance(mark, str):
        session.set_mark(mark)


def _still(run: Run, index: int, draw: Draw) -> None:
    """The library's own figure of this pass, made when it is opened; the player as a file."""
    opened = st.expander("Still picture", key="still", on_change="rerun")
    if not opened.open:
        return
    with opened:
        draw(run, index)


def save_button(run: Run) -> None:
    """The player with ``run`` as one file, made when it is asked for."""
    st.download_button(
        "Save the player as one file",
        data=partial(export_html, run),
        file_name=file_name(run_label(run)).removesuffix(".json.gz") + ".html",
        mime="text/html",
        on_click="ignore",
        key="save_player",
        icon=":material/download:",
    )
