"""The left side of every page: which comparison, one's own prompt, files in and out."""

from __future__ import annotations

import streamlit as st

from lookahead_viz.ui import controls, files, progress, session
from lookahead_viz.ui.text import say

_KEY = "source_menu"


def draw(*, compares: bool = True) -> None:
    """Everything in the sidebar below the list of pages; no menu where nothing is compared."""
    if compares:
        _menu()
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


def _menu() -> None:
    titles = {source.key: source.title for source in session.sources()}
    chosen = session.chosen()
    if chosen is None:
        return
    st.session_state[_KEY] = chosen
    st.selectbox(
        "Comparison",
        list(titles),
        format_func=lambda key: titles.get(key, key),
        key=_KEY,
        on_change=_picked,
    )
    comparison = session.comparison()
    if comparison is not None:
        if comparison.note:
            say(comparison.note, quiet=True)
        if comparison.runs:
            info = comparison.runs[0].model
            parts = (info.name, info.dtype, info.device, info.hardware)
            say(" · ".join(part for part in parts if part), quiet=True)


def _picked() -> None:
    progress.forget()
    session.choose(str(st.session_state[_KEY]))
