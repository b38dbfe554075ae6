"""The left side of every page: which comparison, one's own prompt, files in and out."""

from __future__ import annotations

import streamlit as st

from lookahead_viz.ui import controls, files, progress, session
from lookahead_viz.ui.text import say

_KEY, _SHOWN = "source_menu", "source_shown"


def draw(*, compares: bool = True, note: str = "") -> None:
    """Everything in the sidebar below the list of pages; no menu where nothing is compared."""
    if compares:
        _menu(note)
    _panels()


@st.fragment
def _panels() -> None:
    """Drawn when opened: a page with closed panels is there sooner. Their use reruns only them."""
    own = st.expander(
        "Decode your own prompt", key="panel_own", on_change="rerun", icon=":material/edit:"
    )
    if own.open:
        with own:
            controls.draw()
    opening = st.expander(
        "Open a run file", key="panel_open", on_change="rerun", icon=":material/upload_file:"
    )
    if opening.open:
        with opening:
            files.upload()
    saving = st.expander(
        "Save these runs", key="panel_save", on_change="rerun", icon=":material/download:"
    )
    comparison = session.comparison()
    if saving.open and comparison is not None:
        with saving:
            files.downloads(comparison)


def _menu(note: str) -> None:
    titles = {source.key: source.title for source in session.sources()}
    chosen = session.chosen()
    if chosen is None:
        return
    key = _menu_key(chosen)
    st.session_state[key] = chosen
    with st.container(key=_KEY):
        st.selectbox(
            "Comparison",
            list(titles),
            format_func=lambda name: titles.get(name, name),
            key=key,
            on_change=_picked,
            args=(key,),
        )
    if note:
        say(note, quiet=True)
    comparison = session.comparison()
    if comparison is not None:
        if comparison.note:
            say(comparison.note, quiet=True)
        if comparison.runs:
            info = comparison.runs[0].model
            parts = (info.name, info.dtype, info.device, info.hardware)
            say(" · ".join(part for part in parts if part), quiet=True)


def _menu_key(chosen: str) -> str:
    """The menu is another widget whenever the session, not the reader, chose something else.

    A browser that has not drawn that yet may ask for a run (a progress bar does so twice a
    second) and send what its menu still shows: to Streamlit that is a pick by the reader.
    """
    shown, turn = st.session_state.get(_SHOWN, (chosen, 0))
    if shown != chosen:
        turn += 1
    st.session_state[_SHOWN] = (chosen, turn)
    return f"{_KEY}_{turn}"


def _picked(key: str) -> None:
    shown, turn = st.session_state[_SHOWN]
    picked = str(st.session_state[key])
    if key != f"{_KEY}_{turn}" or picked == shown:
        return  # of a menu that is gone, or nothing new
    st.session_state[_SHOWN] = (picked, turn)
    progress.forget()
    session.choose(picked)
