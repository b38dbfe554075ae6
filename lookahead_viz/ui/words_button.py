"""The glossary on pages without a player: a button, and the key G, drawn in the browser."""

from __future__ import annotations

import streamlit as st

from lookahead_viz.player.bundle import WORDS

_component = st.components.v2.component(
    "lookahead_viz_words", css=WORDS.styles, js=WORDS.component
)


def draw() -> None:
    """Put the button here. Typing into a field opens nothing."""
    _component(key="words_button", width="content", height="content")
