"""Sentences and token texts on a page: tokens are hostile, so all is escaped, never Markdown."""

from __future__ import annotations

from html import escape

import streamlit as st

from lookahead_viz.records import Run
from lookahead_viz.tokens import visible

PROMPT_SHOWN = 160
"""Of a long prompt so many last tokens are shown."""
_BREAK = '<i class="lv-break"></i>'


def say(sentence: str, *, quiet: bool = False) -> None:
    """One sentence that may hold token text, literally."""
    st.html(f'<p class="lv-{"quiet" if quiet else "say"}">{escape(sentence)}</p>')


def trouble(sentence: str) -> None:
    """What went wrong, in one sentence that may hold token text; never a traceback."""
    st.html(f'<p class="lv-trouble" role="alert">⚠ {escape(sentence)}</p>')


def emitted(run: Run) -> None:
    """The whole text of a run: one box per step, filled where it accepted several tokens."""
    st.html(f'<div class="lv-tokens">{_prompt(run)}{_boxes(run, len(run.steps) - 1, False)}</div>')


def so_far(run: Run, index: int) -> None:
    """The text after step ``index``, scrolled to its end; the step's own tokens are outlined."""
    st.html(
        f'<div class="lv-so-far"><div class="lv-tokens">{_prompt(run)}{_boxes(run, index, True)}'
        "</div></div>"
    )


def _prompt(run: Run) -> str:
    ids = run.prompt_ids[-PROMPT_SHOWN:]
    cut = "…" if len(ids) < len(run.prompt_ids) else ""
    tokens = "".join(_token(run, token) for token in ids)
    return f'<span class="lv-prompt" title="the prompt">{cut}{tokens}</span>'


def _boxes(run: Run, last: int, mark: bool) -> str:
    boxes = []
    for index, step in enumerate(run.steps[: last + 1]):
        kind = f"lv-box lv-{run.method}" if len(step.accepted) > 1 else "lv-box"
        now = " lv-now" if mark and index == last else ""
        tokens = "".join(_token(run, token) for token in step.accepted)
        boxes.append(f'<span class="{kind}{now}" title="step {index}">{tokens}</span>')
    return "".join(boxes)


def _token(run: Run, token: int) -> str:
    """One token, literally, with invisible characters made visible; lines break after newlines."""
    text = escape(visible(run.token_text, token))
    return f"<span>{text}</span>{_BREAK if '⏎' in text else '<wbr>'}"
