"""The details of lookahead decoding: as an engine has them, or one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from lookahead_viz.presets import PRESETS
from lookahead_viz.ui.text import say

OWN = "one by one"

FILL_WORDS = {
    "prompt": "random prompt tokens",
    "random": "random tokens",
    "repeat": "the last prompt token",
    "constant": "one token id",
}
CHOICES: Mapping[str, tuple[str, Mapping[Any, str], str]] = {
    "window_fill": (
        "Window starts from",
        FILL_WORDS,
        "Tokens that nobody has predicted yet; they only matter in the first passes.",
    ),
    "warm_up": (
        "At the start the window",
        {"gradual": "gains a row a pass", "none": "is whole, all fill"},
        "Without warm-up the first n-grams are made of fill.",
    ),
    "shift": (
        "After several tokens the window",
        {
            "reanchor": "keeps its tokens",
            "slide": "slides along",
            "level": "rolls up once per token",
        },
        "What stands in the window was guessed for the positions before the jump.",
    ),
    "column_key": (
        "The n-gram of column 0 is filed under",
        {
            "current": "the token that was fed",
            "stale": "the window's own token",
            "next": "the token accepted last",
        },
        "Only the first is the token that its guesses follow; the others are found in engines.",
    ),
    "accept": (
        "A full match gives",
        {"full": "N tokens", "original": "N − 1, as published"},
        "The published code compares one guess too few.",
    ),
    "pool_policy": (
        "A full key of the pool evicts",
        {
            "lru": "the least recently inserted",
            "ring": "the first inserted (ring)",
            "unlimited": "nothing: unlimited",
        },
        "A ring ignores an n-gram that is there already; the others make it the newest.",
    ),
}
"""Field -> its label, its values in words, one sentence on what it means."""

SWITCHES: Mapping[str, tuple[str, str]] = {
    "pool_from_prompt": (
        "The prompt feeds the pool",
        "Its n-grams are there before the first pass.",
    ),
    "pool_from_generated": (
        "New text feeds the pool",
        "Every n-gram that ends in an accepted token enters after the window's.",
    ),
    "verify_window": (
        "Verify the window too",
        "Row 0 and the columns continue the current token as well: they are candidates that cost "
        "no slot.",
    ),
    "merge_candidates": (
        "Merge equal prefixes",
        "Candidates that begin alike share slots: the same text from fewer slots.",
    ),
}

_KEPT: Any = "session"


def draw() -> dict[str, Any]:
    """The drop-down of engines, or all settings; returns those of ``LookaheadConfig``."""
    chosen = st.selectbox(
        "Lookahead as in",
        [OWN, *PRESETS],
        format_func=lambda name: "(settings below)" if name == OWN else name,
        key="own_preset",
        persist_state=_KEPT,
        help="How engines differ. The text stays the same; which guesses are right changes.",
    )
    if chosen != OWN:
        say(PRESETS[chosen].sentence, quiet=True)
        return dict(PRESETS[chosen].changes)
    values: dict[str, Any] = {name: _choice(name) for name in CHOICES}
    if values["window_fill"] == "constant":
        values["fill_token"] = int(
            st.number_input("Token id", 0, 10**6, 100, key="own_fill_token", persist_state=_KEPT)
        )
    if values["pool_policy"] != "unlimited":
        values["pool_per_key"] = _per_key()
    return values | {name: _switch(name) for name in SWITCHES}


def _choice(name: str) -> Any:
    label, words, help_text = CHOICES[name]
    return st.selectbox(
        label,
        list(words),
        format_func=words.__getitem__,
        key=f"own_{name}",
        persist_state=_KEPT,
        help=help_text,
    )


def _switch(name: str) -> bool:
    label, help_text = SWITCHES[name]
    return bool(st.toggle(label, key=f"own_{name}", persist_state=_KEPT, help=help_text))


def _per_key() -> int | None:
    value = st.number_input(
        "N-grams kept per key (0 = G)", 0, 1000, 0, key="own_per_key", persist_state=_KEPT
    )
    return int(value) or None
