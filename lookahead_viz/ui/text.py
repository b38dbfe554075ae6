"""Sentences and token texts on a page: tokens are hostile, so all is escaped, never Markdown."""

from __future__ import annotations

from html import escape

import streamlit as st


def say(sentence: str, *, quiet: bool = False) -> None:
    """One sentence that may hold token text, literally."""
    st.html(f'<p class="lv-{"quiet" if quiet else "say"}">{escape(sentence)}</p>')


def trouble(sentence: str) -> None:
    """What went wrong, in one sentence that may hold token text; never a traceback."""
    st.html(f'<p class="lv-trouble" role="alert">⚠ {escape(sentence)}</p>')
