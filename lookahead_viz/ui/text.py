"""Sentences and token texts on a page: tokens are hostile, so all is escaped, never Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

import streamlit as st

from lookahead_viz.figures.theme import ACCEPTED, BONUS
from lookahead_viz.records import Run
from lookahead_viz.tokens import visible
from lookahead_viz.views.text import SOURCES, Span, text_view

PROMPT_SHOWN = 160
"""Of a long prompt so many last tokens are shown."""
NEWLINE = visible({0: "\n"}, 0)
_BREAK = '<i class="lv-break"></i>'


def say(sentence: str, *, quiet: bool = False) -> None:
    """One sentence that may hold token text, literally."""
    st.html(f'<p class="lv-{"quiet" if quiet else "say"}">{escape(sentence)}</p>')


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


def so_far(run: Run, index: int) -> None:
    """The text after step ``index``, scrolled to its end; this step's tokens by their source."""
    spans = text_view(run, index).spans
    prompt = _prompt([span for span in spans if span.step is None])
    tokens = "".join(_marked(span) for span in spans if span.step is not None)
    # the newest line is at the end: a reversed column is scrolled there from the start
    st.html(f'<div class="lv-so-far"><div class="lv-tokens">{prompt}{tokens}</div></div>')


def _prompt(spans: Sequence[Span]) -> str:
    shown = spans[-PROMPT_SHOWN:]
    cut = "…" if len(shown) < len(spans) else ""
    tokens = "".join(_token(span) for span in shown)
    return f'<span class="lv-quiet" title="the prompt">{cut}{tokens}</span>'


def _marked(span: Span) -> str:
    """A token of the text so far; one of this step has its source's colour and glyph."""
    if not span.final:
        return f'<span class="lv-quiet lv-box" title="not final yet">{_token(span)}</span>'
    if not span.this_step:
        return _token(span)
    glyph = {"guess": ACCEPTED, "bonus": BONUS}.get(span.source, "")
    return (
        f'<span class="lv-box lv-{span.source}" title="{SOURCES[span.source]}">'
        f"{glyph}{_token(span)}</span>"
    )


def _token(span: Span) -> str:
    """One token, literally; a new line begins where the text has one."""
    text = escape(span.text)
    if span.line_breaks:
        text = text.replace(NEWLINE, NEWLINE + _BREAK)
    return f"<span>{text}</span><wbr>"
