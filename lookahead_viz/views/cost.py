"""What a pass with more slots costs, as the recorded times say, and where they were measured."""

from __future__ import annotations

from statistics import median

from lookahead_viz.comparison import Comparison
from lookahead_viz.records import DraftStep, JacobiStep, Run, Step

MORE_SLOTS = 60
"""The race's cost slider says what a pass with so many more slots costs."""


def machine(comparison: Comparison) -> str:
    """Device and hardware that took the times, "cpu, x86_64, 2 threads"; empty where unknown.

    Where the runs come from several machines, all of them are named.
    """
    found = dict.fromkeys(
        ", ".join(part for part in (run.model.device, run.model.hardware) if part)
        for run in comparison.runs
        if run.seconds
    )
    return " / ".join(one for one in found if one)


def cost_of_60_more(comparison: Comparison) -> int | None:
    """By how many per cent ``MORE_SLOTS`` more slots lengthened a pass here; None if unmeasured.

    A straight line through two points: the median pass of the timed run with the fewest slots per
    pass and that of the one with the most. Never below 0.
    """
    timed = [run for run in comparison.runs if run.steps and run.seconds]
    if len(timed) < 2:
        return None
    small, large = (pick(timed, key=_slots_per_pass) for pick in (min, max))
    more = _slots_per_pass(large) - _slots_per_pass(small)
    short = _median_ms(small)
    if more < 1 or not short:
        return None
    return max(0, round(100 * (_median_ms(large) / short - 1) * MORE_SLOTS / more))


def draft_share(run: Run, baseline: Run | None) -> float | None:
    """What one pass of a run's draft model costs, as a share of a pass of one slot.

    Mean draft pass over median greedy pass, both as measured; None where there is no draft model
    or no time of both.
    """
    passes, ms = 0, 0.0
    for step in run.steps:
        if isinstance(step, (DraftStep, JacobiStep)):
            passes += step.draft_passes
            ms += step.draft_ms
    if not passes or baseline is None or not baseline.steps:
        return None
    short = _median_ms(baseline)
    return ms / passes / short if ms and short else None


def draft_passes(step: Step) -> int:
    """Passes of the draft model before or in this pass."""
    return step.draft_passes if isinstance(step, (DraftStep, JacobiStep)) else 0


def _slots_per_pass(run: Run) -> float:
    return run.slots_fed / len(run.steps)


def _median_ms(run: Run) -> float:
    return median(step.step_ms for step in run.steps)
