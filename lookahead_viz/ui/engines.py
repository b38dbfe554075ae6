"""The settings of other engines, compared on the classroom prompts."""

from __future__ import annotations

import streamlit as st

from lookahead_viz.ui import tables
from lookahead_viz.ui.text import say
from lookahead_viz.views.presets import PRESET_COLUMNS, preset_rows


def panel() -> None:
    """What the settings of other engines would need, counted once on the classroom prompts."""
    with st.expander("Engines compared: tokens per pass on the classroom prompts"):
        say(
            "The tiny model with W = 5, N = 4, G = 5 and the settings of each engine: the texts "
            "are the same, and passes are counted, not timed.",
            quiet=True,
        )
        tables.show(PRESET_COLUMNS, preset_rows(), "Tokens per pass by prompt and engine")
