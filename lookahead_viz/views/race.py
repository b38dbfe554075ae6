"""The race: several methods on one prompt, along passes, slots fed or measured time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import pandas as pd

from lookahead_viz.comparison import Comparison, Equality, compare, run_label
from lookahead_viz.records import Run
from lookahead_viz.tokens import visible
from lookahead_viz.views.common import count, quoted

Axis = Literal["passes", "slots", "time"]
AXES: dict[Axis, str] = {
    "passes": "forward passes",
    "slots": "slots fed (tokens computed)",
    "time": "measured time (s)",
}

SUMMARY_COLUMNS = (
    "run",
    "passes",
    "tokens",
    "tokens per pass",
    "slots fed",
    "slots per pass",
    "seconds",
    "same text as greedy",
)


@dataclass(frozen=True)
class RacePass:
    """One pass on a lane: where it starts and ends on the axis, the tokens it emitted."""

    index: int
    start: float
    end: float
    tokens: tuple[str, ...]  # visible


@dataclass(frozen=True)
class Lane:
    """One run of the comparison."""

    label: str
    method: str
    passes: tuple[RacePass, ...]
    total: float  # where the lane ends on the axis
    tokens: int
    compression: float
    equality: str  # one sentence
    differs: bool
    seconds: float | None  # None where no time was measured


@dataclass(frozen=True)
class RaceView:
    """Everything the race shows; no lanes when there are no runs."""

    axis: Axis
    axis_title: str
    lanes: tuple[Lane, ...]
    headline: str  # "Greedy 64 passes · Jacobi n=16 58 passes"
    verdict: str  # which needs the fewest passes, which took the least time, and why
    note: str = ""
    summary: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(SUMMARY_COLUMNS)), compare=False
    )


def race_view(comparison: Comparison, axis: Axis = "passes") -> RaceView:
    """Every run of ``comparison`` as a lane along ``axis`` (one of ``AXES``)."""
    if axis not in AXES:
        raise ValueError(f"axis is {axis!r}; it must be one of {', '.join(AXES)}.")
    lanes = tuple(_lane(run, comparison.baseline, axis) for run in comparison.runs)
    untimed = axis == "time" and any(lane.seconds is None for lane in lanes)
    return RaceView(
        axis=axis,
        axis_title=AXES[axis],
        lanes=lanes,
        headline=" · ".join(f"{lane.label}: {count_passes(len(lane.passes))}" for lane in lanes),
        verdict=_verdict(comparison, lanes),
        note="A run without measured times has no length on this axis." if untimed else "",
        summary=_summary(comparison, lanes),
    )


def equality_sentence(run: Run, baseline: Run | None) -> str:
    """Is the text of ``run`` that of the greedy ``baseline``? One sentence, nothing hidden."""
    return _equality(run, baseline)[0]


def count_passes(number: int) -> str:
    return f"{number} pass" if number == 1 else f"{number} passes"


def _lane(run: Run, baseline: Run | None, axis: Axis) -> Lane:
    lengths = {
        "passes": [1.0 for _ in run.steps],
        "slots": [float(step.layout.slots) for step in run.steps],
        "time": [step.step_ms / 1000 for step in run.steps],
    }[axis]
    passes, start = [], 0.0
    for step, length in zip(run.steps, lengths, strict=True):
        tokens = tuple(visible(run.token_text, token) for token in step.accepted)
        passes.append(RacePass(step.index, start, start + length, tokens))
        start += length
    sentence, differs = _equality(run, baseline)
    return Lane(
        label=run_label(run),
        method=run.method,
        passes=tuple(passes),
        total=start,
        tokens=len(run.token_ids),
        compression=run.compression,
        equality=sentence,
        differs=differs,
        seconds=_seconds(run),
    )


def _seconds(run: Run) -> float | None:
    total = sum(step.step_ms for step in run.steps) / 1000
    return total if total > 0 else None


def _equality(run: Run, baseline: Run | None) -> tuple[str, bool]:
    if baseline is None:
        return "equality not checked: there is no greedy run", False
    if run is baseline:
        return "the baseline: one token a pass", False
    if run.prompt_ids != baseline.prompt_ids:
        return "equality not checked: another prompt", False
    found = compare(run, baseline)
    if found.difference:
        return _difference(run, found), True
    if found.complete:
        return f"identical: {found.compared}/{len(baseline.token_ids)} tokens", False
    return f"identical in the {count(found.compared, 'token')} that both have", False


def _difference(run: Run, found: Equality) -> str:
    difference = found.difference
    assert difference is not None
    gap = "" if difference.gap is None else f", top-2 gap {difference.gap:.2g}"
    dtype = f", {run.model.dtype}" if run.model.dtype else ""
    return (
        f"first difference at token {difference.index}: {quoted(run, difference.found)} instead "
        f"of {quoted(run, difference.expected)}{gap}{dtype}"
    )


def _verdict(comparison: Comparison, lanes: tuple[Lane, ...]) -> str:
    raced = [lane for lane in lanes if lane.passes]
    if not raced:
        return "There is no run to compare yet."
    fewest = min(raced, key=lambda lane: len(lane.passes) / max(lane.tokens, 1))
    sentence = (
        f"{fewest.label} needs the fewest passes: {len(fewest.passes)} for "
        f"{count(fewest.tokens, 'token')} ({fewest.compression:.2f} tokens per pass)."
    )
    timed = [lane for lane in raced if lane.seconds is not None]
    if len(timed) < 2:
        return sentence
    fastest = min(timed, key=lambda lane: (lane.seconds or 0) / max(lane.tokens, 1))
    model = comparison.runs[0].model
    machine = ", ".join(part for part in (model.device, model.hardware) if part)
    where = f" on the machine that recorded it ({machine})" if machine else ""
    if fastest is fewest:
        return f"{sentence} It also took the least time{where}: {fastest.seconds:.2f} s."
    sentence += f" The least time{where} took {fastest.label}: {fastest.seconds:.2f} s"
    if fewest.seconds is None:
        return sentence + "."
    many = _slots_per_pass(comparison, lanes, fewest)
    few = _slots_per_pass(comparison, lanes, fastest)
    return (
        f"{sentence}, against {fewest.seconds:.2f} s. Fewer passes are not less work: a pass of "
        f"{fewest.label} feeds {many:.0f} slots, one of {fastest.label} {few:.0f}, and where "
        "arithmetic is the limit, as on a CPU, a pass with more slots takes longer."
    )


def _slots_per_pass(comparison: Comparison, lanes: tuple[Lane, ...], lane: Lane) -> float:
    run = comparison.runs[lanes.index(lane)]
    return _slots(run) / max(len(run.steps), 1)


def _slots(run: Run) -> int:
    return sum(step.layout.slots for step in run.steps)


def _summary(comparison: Comparison, lanes: tuple[Lane, ...]) -> pd.DataFrame:
    lines = [
        (
            lane.label,
            len(lane.passes),
            lane.tokens,
            round(lane.compression, 2),
            _slots(run),
            round(_slots(run) / max(len(run.steps), 1), 1),
            None if lane.seconds is None else round(lane.seconds, 3),
            lane.equality,
        )
        for run, lane in zip(comparison.runs, lanes, strict=True)
    ]
    return pd.DataFrame(lines, columns=list(SUMMARY_COLUMNS))
