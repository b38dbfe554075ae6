"""What each step gave: accepted tokens by source, their sums, metrics and how they are defined."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import accumulate

import pandas as pd

from lookahead_viz.explain import phase, step_sentence
from lookahead_viz.records import LookaheadStep, Role, Run, Step
from lookahead_viz.tokens import visible
from lookahead_viz.views.common import place
from lookahead_viz.views.text import Source, token_sources

METRIC_COLUMNS = ("metric", "value", "counted", "per", "definition")
GUESS_COLUMNS = ("guess", "accepted", "tried", "share")


@dataclass(frozen=True)
class AcceptanceBar:
    """The tokens of one step."""

    step: int
    guesses: int
    own: int  # the model's own tokens: bonus, greedy or newly frozen
    tokens: tuple[str, ...]  # visible
    candidates: int
    warm_up: bool


@dataclass(frozen=True)
class OutputToken:
    """One token of the output and where it came from."""

    index: int
    text: str  # visible
    source: Source
    step: int


@dataclass(frozen=True)
class AcceptanceView:
    """Everything the acceptance picture shows; no bars when there is nothing to draw."""

    sentence: str
    method: str = ""
    cursor: int = 0
    bars: tuple[AcceptanceBar, ...] = ()  # one a step
    cumulative: tuple[int, ...] = ()  # tokens after each step
    lengths: tuple[tuple[int, int], ...] = ()  # (accepted tokens, how many steps), ascending
    tokens: tuple[OutputToken, ...] = ()
    metrics: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(METRIC_COLUMNS)), compare=False
    )
    by_guess: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(GUESS_COLUMNS)), compare=False
    )


def acceptance_view(run: Run, index: int) -> AcceptanceView:
    """What every step of ``run`` gave, with the cursor on step ``index``."""
    if not run.steps:
        return AcceptanceView("This run has no steps yet.", run.method)
    bars = tuple(_bar(run, number, step) for number, step in enumerate(run.steps))
    sizes = [len(step.accepted) for step in run.steps]
    return AcceptanceView(
        sentence=step_sentence(run, index),
        method=run.method,
        cursor=place(run, index),
        bars=bars,
        cumulative=tuple(accumulate(sizes)),
        lengths=tuple(sorted(Counter(sizes).items())),
        tokens=_tokens(run),
        metrics=metrics_table(run),
        by_guess=by_guess_table(run),
    )


def metrics_table(run: Run) -> pd.DataFrame:
    """Each metric with what is counted, what it is divided by, and its definition."""
    passes, tokens = len(run.steps), len(run.token_ids)
    slots = sum(step.layout.slots for step in run.steps)
    lines = [
        _metric(
            "compression",
            (tokens, "tokens"),
            (passes, "passes"),
            "accepted tokens ÷ passes; prefill is no pass, warm-up passes count",
        ),
        _metric("slots per pass", (slots, "slots"), (passes, "passes"), "fed ÷ passes"),
    ]
    if run.method == "lookahead":
        lines += _verification_metrics(run)
    return pd.DataFrame(lines, columns=list(METRIC_COLUMNS))


def by_guess_table(run: Run) -> pd.DataFrame:
    """For each guess of an n-gram: in how many verifying passes the text reached that far."""
    verifying = _verifying(run)
    deepest = max((len(step.verification.candidates[0]) for step in verifying), default=0)
    lines = []
    for guess in range(1, deepest + 1):
        reached = sum(max(step.verification.matched) >= guess for step in verifying)
        lines.append((guess, reached, len(verifying), round(reached / len(verifying), 3)))
    return pd.DataFrame(lines, columns=list(GUESS_COLUMNS))


def _bar(run: Run, number: int, step: Step) -> AcceptanceBar:
    sources = token_sources(step)
    guesses = sources.count("guess")
    candidates = len(step.verification.candidates) if isinstance(step, LookaheadStep) else 0
    return AcceptanceBar(
        step=number,
        guesses=guesses,
        own=len(sources) - guesses,
        tokens=tuple(visible(run.token_text, token) for token in step.accepted),
        candidates=candidates,
        warm_up=isinstance(step, LookaheadStep) and phase(run, number) == "warm-up",
    )


def _tokens(run: Run) -> tuple[OutputToken, ...]:
    found: list[OutputToken] = []
    for number, step in enumerate(run.steps):
        for token, source in zip(step.accepted, token_sources(step), strict=True):
            text = visible(run.token_text, token)
            found.append(OutputToken(len(found), text, source, number))
    return tuple(found)


def _verifying(run: Run) -> list[LookaheadStep]:
    return [
        step
        for step in run.steps
        if isinstance(step, LookaheadStep) and step.verification.candidates
    ]


def _verification_metrics(run: Run) -> list[tuple[str, float | None, str, str, str]]:
    verifying = _verifying(run)
    drafted = sum(step.layout.roles.count(Role.GUESS) for step in verifying)
    accepted = sum(token_sources(step).count("guess") for step in run.steps)
    emitted = sum(len(step.accepted) for step in verifying)
    return [
        _metric(
            "accepted guesses",
            (accepted, "guesses accepted"),
            (drafted, "guesses drafted"),
            "guess tokens that became text ÷ guess slots fed; the bonus is not counted",
        ),
        _metric(
            "mean accepted",
            (emitted, "tokens"),
            (len(verifying), "verifying passes"),
            "tokens of the passes that had a candidate ÷ those passes; the bonus is counted",
        ),
        _metric(
            "passes with a candidate",
            (len(verifying), "verifying passes"),
            (len(run.steps), "passes"),
            "passes whose current token was a key of the pool ÷ passes",
        ),
    ]


def _metric(
    name: str, counted: tuple[int, str], per: tuple[int, str], definition: str
) -> tuple[str, float | None, str, str, str]:
    value = round(counted[0] / per[0], 3) if per[0] else None
    return (name, value, f"{counted[0]} {counted[1]}", f"{per[0]} {per[1]}", definition)
