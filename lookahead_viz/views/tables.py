"""A run as pandas tables: its metrics, its passes, the n-grams of its pool.

Texts are as readers see them (spaces as ``·``); columns that a kind of step has not are left out.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from lookahead_viz.counting import accepted_guesses, by_position, candidates_of
from lookahead_viz.measures import Measured, measure
from lookahead_viz.records import (
    DraftStep,
    JacobiStep,
    LookaheadStep,
    Role,
    Run,
    Step,
    pool_changes_of,
    verification_of,
)
from lookahead_viz.tokens import printable_text
from lookahead_viz.troubles import troubles
from lookahead_viz.views.pool import pool_view
from lookahead_viz.views.pool_stays import growth

METRIC_COLUMNS = (
    "metric",
    "value",
    "unit",
    "numerator",
    "counted",
    "denominator",
    "per",
    "definition",
)
POSITION_COLUMNS = (
    "place in the pass",
    "guesses accepted",
    "tokens accepted",
    "passes with a candidate",
    "share of guesses",
    "share of tokens",
)
POOL_COLUMNS = (
    "key",
    "ngram",
    "added_at",
    "origin",
    "refreshed",
    "tried",
    "matched",
    "won",
    "evicted_at",
)


def metrics(run: Run) -> pd.DataFrame:
    """One line a metric: value = numerator ÷ denominator (NaN where there is none), and words."""
    return pd.DataFrame(map(_metric_line, measure(run)), columns=list(METRIC_COLUMNS))


def position_table(run: Run) -> pd.DataFrame:
    """For each place 1 .. N of a pass: in how many passes with a candidate a token got there."""
    lines = [
        (
            one.number,
            one.guesses,
            one.tokens,
            one.passes,
            one.guesses / one.passes,
            one.tokens / one.passes,
        )
        for one in by_position(run)
    ]
    return pd.DataFrame(lines, columns=list(POSITION_COLUMNS))


def step_table(run: Run) -> pd.DataFrame:
    """One line a pass: what it fed, verified and accepted, how sure it was, how long it took.

    ``position`` is that of slot 0; ``least_gap`` the smallest top-2 logit gap of its accepted
    tokens; times in milliseconds. Jacobi passes also have block, iteration, frozen and troubles,
    passes with a pool what entered it and what it held afterwards.
    """
    found = _troubles_by_step(run)
    held = growth(run.prompt_pool_changes)
    lines = []
    for step in run.steps:
        held += growth(pool_changes_of(step))
        lines.append(_common(run, step) | _verified(step) | _own(step, found, held))
    return pd.DataFrame(lines)


def pool_table(run: Run) -> pd.DataFrame:
    """One line for every stay of an n-gram in the pool of a lookahead run, in order of insertion.

    ``added_at`` is -1 for n-grams of the prompt; ``evicted_at`` is missing for those that stayed.
    Empty for runs without a pool that pictures show.
    """
    entries = pool_view(run, -1).entries if run.steps else ()
    lines = [
        (
            one.key_text,
            "".join(one.tokens),
            one.inserted_at,
            one.origin,
            one.refreshed,
            one.tried,
            one.matched,
            one.won,
            one.evicted_at,
        )
        for one in entries
    ]
    table = pd.DataFrame(lines, columns=list(POOL_COLUMNS))
    return table.astype({"evicted_at": "Int64"})


def _metric_line(one: Measured) -> tuple[object, ...]:
    metric = one.metric
    return (
        metric.name,
        one.value,
        metric.unit,
        one.numerator,
        metric.counted,
        one.denominator,
        metric.per,
        metric.definition,
    )


def _common(run: Run, step: Step) -> dict[str, Any]:
    return {
        "step": step.index,
        "position": step.layout.positions[0],
        "slots": step.layout.slots,
        "accepted": len(step.accepted),
        "discarded": len(step.discarded),
        "text": printable_text(run.token_text, step.accepted),
        "least_gap": min(step.gap, default=None),
        "forward_ms": step.forward_ms,
        "step_ms": step.step_ms,
    }


def _verified(step: Step) -> dict[str, Any]:
    seen = verification_of(step)
    if seen is None:
        return {}
    return {
        "candidates": len(candidates_of(step)),
        "guess_slots": step.layout.roles.count(Role.GUESS),
        "longest_match": seen.longest,
        "accepted_guesses": accepted_guesses(step),
    }


def _own(step: Step, found: dict[tuple[str, int], int], held: int) -> dict[str, Any]:
    own: dict[str, Any] = {}
    if isinstance(step, (LookaheadStep, JacobiStep)) and verification_of(step) is not None:
        changes = pool_changes_of(step)
        own |= {
            "pool_added": sum(change.kind == "added" for change in changes),
            "pool_refreshed": sum(change.kind == "refreshed" for change in changes),
            "pool_evicted": sum(change.evicted is not None for change in changes),
            "pool_held": held,
        }
    if isinstance(step, JacobiStep):
        own |= {"block": step.block, "iteration": step.iteration, "frozen": step.frozen}
        for kind in ("flip", "displaced", "overwritten"):
            own[kind] = found.get((kind, step.index), 0)
    if isinstance(step, (DraftStep, JacobiStep)):
        own |= {"draft_passes": step.draft_passes, "draft_ms": step.draft_ms}
    return own


def _troubles_by_step(run: Run) -> dict[tuple[str, int], int]:
    found: dict[tuple[str, int], int] = {}
    for one in troubles(run):
        place = (one.kind, one.step)
        found[place] = found.get(place, 0) + 1
    return found
