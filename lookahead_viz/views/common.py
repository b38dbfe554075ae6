"""What several views need: which step is meant, what to say when there is nothing to draw."""

from __future__ import annotations

from typing import TypeVar

from lookahead_viz.records import Run, Step
from lookahead_viz.replay import step_at
from lookahead_viz.tokens import visible

AnyStep = TypeVar("AnyStep", bound=Step)


class NothingToDraw(Exception):
    """Raised inside a view; its text is the one sentence the empty picture shows."""


def step_of(run: Run, index: int, kind: type[AnyStep], picture: str) -> AnyStep:
    """Step ``index`` if it is of ``kind``; NothingToDraw when the run has no such steps."""
    if not run.steps:
        raise NothingToDraw("This run has no steps yet.")
    step = step_at(run, index)
    if not isinstance(step, kind):
        raise NothingToDraw(f"A {run.method} run has no {picture}.")
    return step


def place(run: Run, index: int) -> int:
    """``index`` counted from the first step, where a negative one counts from the last."""
    return index % len(run.steps)


def quoted(run: Run, token: int) -> str:
    return f"‘{visible(run.token_text, token)}’"


def final_token(run: Run, position: int) -> int | None:
    """The token of prompt and emitted text at an absolute position; None beyond the text."""
    text = run.prompt_ids + run.token_ids
    return text[position] if position < len(text) else None


def count(number: int, noun: str) -> str:
    """ "1 token", "2 tokens"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
