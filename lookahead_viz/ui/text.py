"""Sentences and token texts on a page: tokens are hostile, so all is escaped, never Markdown."""

from __future__ import annotations

import re
from html import escape

import streamlit as st

from lookahead_viz import glossary

_PLAIN = re.compile("[a-z]+ ")
"""An error of the library begins like this; on a page it is a sentence, with a capital."""


def say(sentence: str, *, quiet: bool = False) -> None:
    """One sentence that may hold token text, literally."""
    st.html(f'<p class="lv-{"quiet" if quiet else "say"}">{escape(sentence)}</p>')


def explained(text: str, *, quiet: bool = False) -> None:
    """Our own words; those marked like ``[[window]]`` explain themselves when pointed at."""
    parts = []
    for shown, entry in glossary.pieces(text):
        shown = escape(shown)
        if entry is not None:
            shown = (
                f'<span class="lv-term" tabindex="0">{shown}<span class="lv-words" role="tooltip">'
                f"<strong>{escape(entry.name)}</strong>: {escape(entry.sentence)}</span></span>"
            )
        parts.append(shown)
    st.html(f'<p class="lv-{"quiet" if quiet else "say"}">{"".join(parts)}</p>')


def heading(words: str) -> None:
    """A small heading of our own words."""
    st.html(f'<h2 class="lv-heading">{escape(words)}</h2>')


def trouble(sentence: str) -> None:
    """What went wrong, in one sentence that may hold token text; never a traceback."""
    start = sentence[:1].upper() if _PLAIN.match(sentence) else sentence[:1]
    st.html(f'<p class="lv-trouble" role="alert">⚠ {escape(start + sentence[1:])}</p>')
