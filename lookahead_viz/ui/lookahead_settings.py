"""The details of lookahead decoding: as engines have them, or one by one; a lane for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from lookahead_viz.presets import PRESETS
from lookahead_viz.ui.text import say

OWN = "one by one"
OTHER_SIZES = {"window_size": 15, "ngram_size": 5, "max_candidates": 15}
"""Where the sliders of a second lookahead stand at first: what the paper's authors use."""

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


def engines() -> list[str]:
    """Which engines' settings race with one another: names of ``PRESETS``, or ``OWN``."""
    chosen = st.multiselect(
        "Lookahead as in",
        [OWN, *PRESETS],
        default=[OWN],
        format_func=lambda name: "your settings" if name == OWN else name,
        key="own_engines",
        persist_state=_KEPT,
        help="Each is a lane of its own, with the W, N and G above: engines choose those freely. "
        "The text stays the same; which guesses are right changes.",
    )
    return [name for name in (OWN, *PRESETS) if name in chosen] or [OWN]


def other_sizes() -> dict[str, int]:
    """W, N and G of one more lane, where that is wanted; else empty."""
    if not st.toggle("One more lane with other W, N, G", key="own_second", persist_state=_KEPT):
        return {}
    labels = {
        "window_size": ("Its window W", 1, 32),
        "ngram_size": ("Its N-gram N", 2, 8),
        "max_candidates": ("Its candidates G", 0, 32),
    }
    return {
        name: int(
            st.slider(
                label,
                least,
                most,
                OTHER_SIZES[name],
                key=f"own_second_{name}",
                persist_state=_KEPT,
            )
        )
        for name, (label, least, most) in labels.items()
    }


def lanes(
    chosen: Sequence[str], own: Mapping[str, Any], sizes: Mapping[str, int]
) -> list[dict[str, Any]]:
    """What each lane sets: engines, then the first of them once more with other ``sizes``."""
    found = [dict(own if name == OWN else PRESETS[name].changes) for name in chosen]
    return [*found, {**found[0], **sizes}] if sizes else found


def details(chosen: Sequence[str]) -> dict[str, Any]:
    """A sentence on each engine chosen; all settings where they are chosen one by one."""
    for name in chosen:
        if name != OWN:
            say(f"{name}: {PRESETS[name].sentence}", quiet=True)
    if OWN not in chosen:
        return {}
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
