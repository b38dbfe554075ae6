"""Show the code: the library's own functions that do what is seen."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lookahead_viz.sources import source_of
from lookahead_viz.ui.text import say


def show(names: Sequence[str]) -> None:
    """An expander with the source of ``names`` (see ``sources.source_of``), read when opened."""
    if not names:
        return
    opened = st.expander("The code that does this", key="code", on_change="rerun")
    if opened.open:
        with opened:
            for name in names:
                source = source_of(name)
                say(f"{source.file}, line {source.line}", quiet=True)
                st.code(source.text, language="python")
