"""Sampling instead of the most likely token: temperature, top-k, top-p, and who cannot."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lookahead_viz.methods import METHODS
from lookahead_viz.ui.text import say

_KEPT: Any = "session"


def draw(chosen: list[str]) -> dict[str, Any]:
    """The controls; the settings, and as ``methods`` those of ``chosen`` that can be used."""
    temperature = st.slider(
        "Temperature",
        0.0,
        2.0,
        0.0,
        0.05,
        key="own_temperature",
        persist_state=_KEPT,
        help="0 takes the most likely token; above 0 tokens are drawn by the seed.",
    )
    if not temperature:
        return {"methods": chosen}
    samplers = [name for name in chosen if METHODS[name].samples]
    left_out = [METHODS[name].label for name in chosen if name not in samplers]
    if left_out:
        verb = "has no sampling and is" if len(left_out) == 1 else "have no sampling and are"
        say(f"{', '.join(left_out)} {verb} left out.", quiet=True)
    say("Texts need not be equal now: each method draws in its own order.", quiet=True)
    top_k = st.number_input(
        "Top-k (0 = all tokens)", 0, 1000, 0, key="own_top_k", persist_state=_KEPT
    )
    top_p = st.slider("Top-p", 0.05, 1.0, 1.0, 0.05, key="own_top_p", persist_state=_KEPT)
    return {
        "methods": samplers,
        "temperature": float(temperature),
        "top_k": int(top_k) or None,
        "top_p": None if top_p == 1.0 else float(top_p),
    }
