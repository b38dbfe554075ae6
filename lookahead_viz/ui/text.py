"""Sentences and token texts on a page: tokens are hostile, so all is escaped, never Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

import streamlit as st

from lookahead_viz import glossary
from lookahead_viz.records import Run
from lookahead_viz.tokens import visible
from lookahead_viz.views.text import Span, text_view

PROMPT_SHOWN = 160
"""Of a long prompt so many last tokens are shown."""
NEWLINE = visible({0: "\n"}, 0)
_BREAK = '<i class="lv-break"></i>'


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


def trouble(sentence: str) -> None:
    """What went wrong, in one sentence that may hold token text; never a traceback."""
    st.html(f'<p class="lv-trouble" role="alert">⚠ {escape(sentence)}</p>')


def emitted(run: Run) -> None:
    """The whole text of a run: one box per step, filled where it accepted several tokens."""
    spans = [span for span in text_view(run, len(run.steps) - 1).spans if span.final]
    boxes = []
    for step, group in groupby(spans, key=lambda span: span.step):
        tokens = list(group)
        if step is None:
            boxes.append(_prompt(tokens))
            continue
        kind = f"lv-box lv-{run.method}" if len(tokens) > 1 else "lv-box"
        inside = "".join(_token(span) for span in tokens)
        boxes.append(f'<span class="{kind}" title="step {step}">{inside}</span>')
    st.html(f'<div class="lv-tokens">{"".join(boxes)}</div>')


def _prompt(spans: Sequence[Span]) -> str:
    shown = spans[-PROMPT_SHOWN:]
    cut = "…" if len(shown) < len(spans) else ""
    tokens = "".join(_token(span) for span in shown)
    return f'<span class="lv-quiet" title="the prompt">{cut}{tokens}</span>'


def _token(span: Span) -> str:
    """One token, literally; a new line begins where the text has one."""
    text = escape(span.text)
    if span.line_breaks:
        text = text.replace(NEWLINE, NEWLINE + _BREAK)
    return f"<span>{text}</span><wbr>"
