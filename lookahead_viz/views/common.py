"""What several views need: which step is meant, what to say when there is nothing to draw."""

from __future__ import annotations

from typing import TypeVar

from lookahead_viz.methods import words_of
from lookahead_viz.records import Run, Step
from lookahead_viz.replay import step_at

AnyStep = TypeVar("AnyStep", bound=Step)


class NothingToDraw(Exception):
    """Raised inside a view; its text is the one sentence the empty picture shows."""


def step_of(
    run: Run, index: int, kind: type[AnyStep] | tuple[type[AnyStep], ...], picture: str
) -> AnyStep:
    """Step ``index`` if it is of ``kind``; NothingToDraw when the run has no such steps."""
    if not run.steps:
        raise NothingToDraw("This run has no passes yet.")
    step = step_at(run, index)
    if not isinstance(step, kind):
        raise NothingToDraw(no_picture(run, picture))
    return step


def no_picture(run: Run, picture: str) -> str:
    """What an empty picture says where the method has no such thing."""
    return f"A {words_of(run.method)} run has no {picture}."


def place(run: Run, index: int) -> int:
    """``index`` counted from the first step, where a negative one counts from the last."""
    return index % len(run.steps)
