"""How far a lookahead pass reaches, and what becomes of it near the model's position limit.

A model knows the positions 0 .. limit - 1. A pass whose window or guesses would stand beyond them
feeds the current token alone, and so do all passes after it: positions only grow.
"""

from __future__ import annotations

from lookahead_viz.config import LookaheadConfig
from lookahead_viz.records import Run
from lookahead_viz.words import count


def reach(config: LookaheadConfig) -> int:
    """The greatest offset in a pass: of the last window cell, W + N - 3, or of a last guess."""
    if config.max_candidates:
        return max(config.initial_fill, config.ngram_size - 1)  # W = 1: a guess reaches further
    return config.initial_fill


def window_fits(position: int, config: LookaheadConfig, limit: int | None) -> bool:
    """Does a full window (and its candidates) stay below the model's position limit?

    ``position``: the current token's. ``limit``: None where the model has none.
    """
    return limit is None or position + reach(config) < limit


def passes_without_window(run: Run) -> range:
    """The passes of a lookahead run that fed the current token alone because of the limit."""
    config, limit = run.config, run.model.position_limit
    if not isinstance(config, LookaheadConfig):
        return range(0)
    fitting = (window_fits(step.layout.positions[0], config, limit) for step in run.steps)
    return range(sum(fitting), len(run.steps))


def window_dropped(run: Run) -> str | None:
    """Which passes had no window and why, in a sentence; None when all had theirs."""
    alone, config = passes_without_window(run), run.config
    if not alone:
        return None
    assert isinstance(config, LookaheadConfig) and run.model.position_limit is not None
    furthest = run.steps[alone[0]].layout.positions[0] + reach(config)
    what = "window and its candidates reach" if config.max_candidates else "window reaches"
    passes = f"passes {alone[0]:,} to {alone[-1]:,}" if len(alone) > 1 else f"pass {alone[0]:,}"
    return (
        f"From pass {alone[0]:,} on the {what} position {furthest:,} or beyond, but "
        f"{run.model.name} has only {count(run.model.position_limit, 'position')}: {passes} fed "
        "the current token alone."
    )
