"""The metrics of a run: each one numerator over one denominator, both counted from the record.

What a metric means, in words, is its entry in the glossary; here it is counted. Every kind of
step will do: what a metric needs and a run does not have, the run is not asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lookahead_viz import glossary, troubles
from lookahead_viz.counting import (
    accepted_guesses,
    candidates_of,
    guess_slots_fed,
    ngram_ages,
    pool_hits,
    with_candidate,
)
from lookahead_viz.records import (
    DraftStep,
    JacobiStep,
    Run,
    pool_changes_of,
    verification_of,
)

Count = Callable[[Run], tuple[int, int]]
"""A run -> numerator and denominator."""


@dataclass(frozen=True)
class Metric:
    """How one metric is counted. ``name`` is its entry in the glossary."""

    name: str
    unit: str  # of the value
    counted: str  # what the numerator counts, in two or three words
    per: str  # what the denominator counts
    count: Count
    applies: Callable[[Run], bool]

    @property
    def term(self) -> glossary.Term:
        found = glossary.term(self.name)
        assert found is not None and found.over and found.under, self.name
        return found

    @property
    def definition(self) -> str:
        """What it means, and what is divided by what."""
        return self.term.sentence


@dataclass(frozen=True)
class Measured:
    """One metric of one run."""

    metric: Metric
    numerator: int
    denominator: int

    @property
    def value(self) -> float | None:
        """None where there is nothing to divide by."""
        return self.numerator / self.denominator if self.denominator else None


def measure(run: Run) -> tuple[Measured, ...]:
    """Every metric that ``run`` can have, in the order of ``METRICS``."""
    return tuple(Measured(one, *one.count(run)) for one in METRICS if one.applies(run))


def _passes(run: Run) -> int:
    return len(run.steps)


def _guesses(run: Run) -> int:
    return sum(accepted_guesses(step) for step in run.steps)


def _verifies(run: Run) -> bool:
    return any(verification_of(step) is not None for step in run.steps)


def _has_pool(run: Run) -> bool:
    return bool(run.prompt_pool_changes) or any(pool_changes_of(step) for step in run.steps)


def _iterates(run: Run) -> bool:
    return any(isinstance(step, JacobiStep) for step in run.steps)


def _known_iterates(run: Run) -> bool:
    """Jacobi passes whose final text is known."""
    return _iterates(run) and run.ended


def _draft_passes(run: Run) -> int:
    return sum(
        step.draft_passes for step in run.steps if isinstance(step, (DraftStep, JacobiStep))
    )


def _always(run: Run) -> bool:
    return True


def _trouble(find: Callable[[Run], tuple[troubles.Trouble, ...]]) -> Count:
    return lambda run: (len(find(run)), _passes(run))


METRICS: tuple[Metric, ...] = (
    Metric(
        "compression",
        "tokens per pass",
        "tokens",
        "passes",
        lambda run: (len(run.token_ids), _passes(run)),
        _always,
    ),
    Metric(
        "slots per pass",
        "slots",
        "slots fed",
        "passes",
        lambda run: (run.slots_fed, _passes(run)),
        _always,
    ),
    Metric(
        "wasted slots",
        "share",
        "slots without a token of the text",
        "slots fed",
        lambda run: (run.slots_fed - len(run.token_ids), run.slots_fed),
        _always,
    ),
    Metric(
        "passes with a candidate",
        "share",
        "passes with a candidate",
        "passes",
        lambda run: (len(with_candidate(run)), _passes(run)),
        _verifies,
    ),
    Metric(
        "mean accepted",
        "tokens",
        "tokens",
        "passes with a candidate",
        lambda run: (
            sum(len(step.accepted) for step in with_candidate(run)),
            len(with_candidate(run)),
        ),
        _verifies,
    ),
    Metric(
        "mean accepted without the bonus",
        "tokens",
        "guesses accepted",
        "passes with a candidate",
        lambda run: (_guesses(run), len(with_candidate(run))),
        _verifies,
    ),
    Metric(
        "accepted candidates",
        "share",
        "candidates that gave text",
        "candidates verified",
        lambda run: (
            sum(accepted_guesses(step) > 0 for step in run.steps),
            sum(len(candidates_of(step)) for step in run.steps),
        ),
        _verifies,
    ),
    Metric(
        "accepted guesses",
        "share",
        "guesses accepted",
        "guess slots fed",
        lambda run: (
            _guesses(run),
            sum(map(guess_slots_fed, run.steps)),
        ),
        _verifies,
    ),
    Metric(
        "pool hits", "share", "passes that found one", "passes that looked", pool_hits, _has_pool
    ),
    Metric(
        "n-gram age",
        "passes",
        "passes waited",
        "n-grams that became text",
        lambda run: (sum(ngram_ages(run)), len(ngram_ages(run))),
        _has_pool,
    ),
    Metric(
        "draft passes",
        "draft passes per pass",
        "passes of the draft model",
        "passes",
        lambda run: (_draft_passes(run), _passes(run)),
        lambda run: _draft_passes(run) > 0,
    ),
    Metric(
        "flips",
        "per pass",
        "right tokens lost",
        "passes",
        _trouble(troubles.flips),
        _known_iterates,
    ),
    Metric(
        "displaced n-grams",
        "per pass",
        "n-grams at a wrong place",
        "passes",
        _trouble(troubles.displaced_ngrams),
        _known_iterates,
    ),
    Metric(
        "overwritten n-grams",
        "per pass",
        "n-grams overwritten",
        "passes",
        _trouble(troubles.overwritten_ngrams),
        _known_iterates,
    ),
    Metric(
        "low yield",
        "share",
        "passes of one token",
        "passes",
        _trouble(troubles.low_yield),
        _iterates,
    ),
)
"""Every metric, in the order in which tables show them."""
