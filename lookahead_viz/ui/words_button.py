"""The glossary on pages without a player: a button, and the key G, drawn in the browser."""

from __future__ import annotations

import streamlit as st

from lookahead_viz.player.bundle import words_script, words_stylesheet

_component = st.components.v2.component(
    "lookahead_viz_words", css=words_stylesheet(), js=words_script()
)


def draw() -> None:
    """Put the button here. Typing into a field opens nothing."""
    _component(key="words_button", width="content", height="content")
