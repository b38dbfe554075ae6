"""What each step gave: accepted tokens by source, their sums, metrics and how they are defined."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import accumulate

import pandas as pd

from lookahead_viz.explain import phase, step_sentence
from lookahead_viz.records import (
    DraftStep,
    JacobiStep,
    LookaheadStep,
    Role,
    Run,
    Step,
    verification_of,
)
from lookahead_viz.tokens import visible
from lookahead_viz.views.common import place
from lookahead_viz.views.text import SOURCES, Source, own_source, token_sources
from lookahead_viz.words import quoted

METRIC_COLUMNS = ("metric", "value", "counted", "per", "definition")
GUESS_COLUMNS = ("guess", "accepted", "verifying passes", "share")


@dataclass(frozen=True)
class AcceptanceBar:
    """The tokens of one step."""

    step: int
    guesses: int
    own: int  # the model's own tokens: bonus, greedy or newly frozen
    tokens: tuple[str, ...]  # visible
    warm_up: bool
    hover: str


@dataclass(frozen=True)
class OutputToken:
    """One token of the output and where it came from."""

    index: int
    text: str  # visible
    source: Source
    step: int
    hover: str


@dataclass(frozen=True)
class AcceptanceView:
    """Everything the acceptance picture shows; no bars when there is nothing to draw."""

    sentence: str
    own: Source = "bonus"  # the source of the model's own tokens
    cursor: int = 0
    bars: tuple[AcceptanceBar, ...] = ()  # one a step
    cumulative: tuple[int, ...] = ()  # tokens after each step
    lengths: tuple[tuple[int, int], ...] = ()  # (accepted tokens, how many steps), ascending
    tokens: tuple[OutputToken, ...] = ()
    sources: tuple[Source, ...] = ()  # those that occur, in the order of ``SOURCES``
    metrics: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(METRIC_COLUMNS)), compare=False
    )
    by_guess: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(GUESS_COLUMNS)), compare=False
    )


def acceptance_view(run: Run, index: int) -> AcceptanceView:
    """What every step of ``run`` gave, with the cursor on step ``index``."""
    if not run.steps:
        return AcceptanceView("This run has no steps yet.")
    bars = tuple(_bar(run, number, step) for number, step in enumerate(run.steps))
    sizes = [len(step.accepted) for step in run.steps]
    tokens = _tokens(run)
    found = {token.source for token in tokens}
    return AcceptanceView(
        sentence=step_sentence(run, index),
        own=own_source(run.steps[0]),
        cursor=place(run, index),
        bars=bars,
        cumulative=tuple(accumulate(sizes)),
        lengths=tuple(sorted(Counter(sizes).items())),
        tokens=tokens,
        sources=tuple(source for source in SOURCES if source in found),
        metrics=metrics_table(run),
        by_guess=by_guess_table(run),
    )


def metrics_table(run: Run) -> pd.DataFrame:
    """Each metric with what is counted, what it is divided by, and its definition."""
    passes, tokens = len(run.steps), len(run.token_ids)
    lines = [
        _metric(
            "compression",
            (tokens, "tokens"),
            (passes, "passes"),
            "accepted tokens ÷ passes; prefill is no pass, warm-up passes count",
        ),
        _metric("slots per pass", (run.slots_fed, "slots"), (passes, "passes"), "fed ÷ passes"),
    ]
    drafting = sum(s.draft_passes for s in run.steps if isinstance(s, (DraftStep, JacobiStep)))
    if drafting:
        lines.append(
            _metric(
                "draft passes per pass",
                (drafting, "passes of the draft model"),
                (passes, "passes"),
                "the draft model's own passes ÷ passes; they are not counted in the compression",
            )
        )
    if any(verification_of(step) is not None for step in run.steps):
        lines += _verification_metrics(run)
    return pd.DataFrame(lines, columns=list(METRIC_COLUMNS))


def by_guess_table(run: Run) -> pd.DataFrame:
    """For each guess of an n-gram: in how many verifying passes it became text."""
    verifying = _verifying(run)
    became_text = [token_sources(step).count("guess") for step in verifying]
    deepest = max((_guesses(step) for step in verifying), default=0)
    lines = []
    for guess in range(1, deepest + 1):
        accepted = sum(guesses >= guess for guesses in became_text)
        lines.append((guess, accepted, len(verifying), round(accepted / len(verifying), 3)))
    return pd.DataFrame(lines, columns=list(GUESS_COLUMNS))


def _bar(run: Run, number: int, step: Step) -> AcceptanceBar:
    sources = token_sources(step)
    guesses = sources.count("guess")
    own = len(sources) - guesses
    tokens = tuple(visible(run.token_text, token) for token in step.accepted)
    warm_up = isinstance(step, LookaheadStep) and phase(run, number) == "warm-up"
    lines = [
        f"step {number}: {len(tokens)} accepted {quoted(''.join(tokens))}",
        f"{guesses} from a guess, {own} the model's own",
    ]
    if warm_up:
        lines.append("warm-up: nothing is verified yet")
    return AcceptanceBar(number, guesses, own, tokens, warm_up, "\n".join(lines))


def _tokens(run: Run) -> tuple[OutputToken, ...]:
    found: list[OutputToken] = []
    for number, step in enumerate(run.steps):
        for token, source in zip(step.accepted, token_sources(step), strict=True):
            text = visible(run.token_text, token)
            where = f"{quoted(text)} · output token {len(found)}"
            hover = f"{where}\nstep {number}: {SOURCES[source]}"
            found.append(OutputToken(len(found), text, source, number, hover))
    return tuple(found)


def _verifying(run: Run) -> list[Step]:
    return [step for step in run.steps if _guesses(step)]


def _guesses(step: Step) -> int:
    """How many guesses the candidates of a pass have; 0 without candidates."""
    seen = verification_of(step)
    return len(seen.candidates[0]) if seen is not None and seen.candidates else 0


def _verification_metrics(run: Run) -> list[tuple[str, float | None, str, str, str]]:
    verifying = _verifying(run)
    drafted = sum(step.layout.roles.count(Role.GUESS) for step in verifying)
    accepted = sum(token_sources(step).count("guess") for step in run.steps)
    emitted = sum(len(step.accepted) for step in verifying)
    return [
        _metric(
            "accepted guesses",
            (accepted, "guesses accepted"),
            (drafted, "guess slots fed"),
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
            "passes that verified at least one candidate ÷ passes",
        ),
    ]


def _metric(
    name: str, counted: tuple[int, str], per: tuple[int, str], definition: str
) -> tuple[str, float | None, str, str, str]:
    value = round(counted[0] / per[0], 3) if per[0] else None
    return (name, value, f"{counted[0]} {counted[1]}", f"{per[0]} {per[1]}", definition)
