"""The text after a pass, token by token: which pass emitted each, and where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Literal

from lookahead_viz.counting import accepted_guesses
from lookahead_viz.records import DraftStep, JacobiStep, LookaheadStep, Run, Step
from lookahead_viz.replay import step_at
from lookahead_viz.tokens import printable
from lookahead_viz.views.common import place

Source = Literal["prompt", "guess", "bonus", "greedy", "jacobi"]

SOURCES: dict[Source, str] = {
    "prompt": "prompt",
    "guess": "guess of a candidate, accepted",
    "bonus": "the model's own next token",
    "greedy": "one token a pass",
    "jacobi": "frozen by a Jacobi pass",
}
"""What each source means, in a few words."""


@dataclass(frozen=True)
class Span:
    """One token of the text."""

    text: str  # visible
    token: int
    position: int  # absolute
    source: Source
    step: int | None  # the step that emitted it; None for the prompt
    this_step: bool
    final: bool  # False: a token of the current Jacobi iterate, not guaranteed yet
    line_breaks: int  # newlines in the token: where a reader expects a new line


@dataclass(frozen=True)
class TextView:
    """Prompt and emitted text after a pass."""

    spans: tuple[Span, ...]


def text_view(run: Run, index: int) -> TextView:
    """Prompt and text after step ``index``; in a Jacobi run also the guesses of its block."""
    spans = [_span(run, token, i, "prompt", None) for i, token in enumerate(run.prompt_ids)]
    if not run.steps:
        return TextView(tuple(spans))
    step, index = step_at(run, index), place(run, index)
    for number, done in enumerate(run.steps[: index + 1]):
        for token, source in zip(done.accepted, token_sources(done), strict=True):
            spans.append(_span(run, token, len(spans), source, number, now=number == index))
    # in the last pass of a run everything behind the frozen tokens was cut off
    if isinstance(step, JacobiStep) and not step.discarded:
        behind = (step.next_iterate[step.frozen :], *step.next_ahead)
        for token in chain.from_iterable(behind):
            spans.append(_span(run, token, len(spans), "jacobi", index, now=True, final=False))
    return TextView(tuple(spans))


def token_sources(step: Step) -> tuple[Source, ...]:
    """Where each accepted token of a pass came from, in order."""
    guesses = accepted_guesses(step)
    sources: list[Source] = ["guess"] * guesses
    return (*sources, *[own_source(step)] * (len(step.accepted) - guesses))


def own_source(step: Step) -> Source:
    """The source of the tokens that are no verified guesses."""
    if isinstance(step, (LookaheadStep, DraftStep)):
        return "bonus"
    return "jacobi" if isinstance(step, JacobiStep) else "greedy"


def _span(
    run: Run,
    token: int,
    position: int,
    source: Source,
    step: int | None,
    *,
    now: bool = False,
    final: bool = True,
) -> Span:
    text = run.token_text.get(token, "")
    return Span(
        text=printable(run.token_text, token),
        token=token,
        position=position,
        source=source,
        step=step,
        this_step=now,
        final=final,
        line_breaks=text.count(b"\n") if isinstance(text, bytes) else text.count("\n"),
    )
