"""The race: several methods on one prompt, along passes, slots fed or measured time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd

from lookahead_viz.comparison import Comparison, Difference, compare, run_label, temperature
from lookahead_viz.records import Run, Step
from lookahead_viz.tokens import printable, quoted_token
from lookahead_viz.words import count, quoted

Axis = Literal["passes", "slots", "time"]
AXES: dict[Axis, str] = {
    "passes": "passes",
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
)
"""Of every summary; where texts can be compared, “same text as …” is one column more."""


@dataclass(frozen=True)
class RacePass:
    """One pass on a lane: where it starts and ends on the axis, the tokens it emitted."""

    index: int
    start: float
    end: float
    tokens: tuple[str, ...]  # visible
    hovers: tuple[str, ...]  # one a token


@dataclass(frozen=True)
class Lane:
    """One run of the comparison."""

    label: str
    method: str
    passes: tuple[RacePass, ...]
    total: float  # where the lane ends on the axis
    tokens: int
    compression: float
    slots: int  # fed by all passes together
    identical: bool | None  # to the greedy text; None where it was not compared
    equality: str  # the same in one sentence
    seconds: float | None  # None where no time was measured

    @property
    def slots_per_pass(self) -> float:
        return self.slots / max(len(self.passes), 1)


@dataclass(frozen=True)
class RaceView:
    """Everything the race shows; no lanes when there are no runs."""

    axis: Axis
    axis_title: str
    lanes: tuple[Lane, ...]
    headline: str  # "Greedy 64 passes · Jacobi n=16 58 passes"
    verdict: str  # which needs the fewest passes, which took the least time, and why
    against: str | None  # whose text the texts are compared with; None where none can be
    note: str = ""

    @property
    def summary(self) -> pd.DataFrame:
        """One line a lane; made when asked for, so that the picture need not wait for pandas."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=list(self.columns))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of what stands in ``rows``."""
        same = () if self.against is None else (f"same text as {self.against}",)
        return SUMMARY_COLUMNS + same

    @property
    def rows(self) -> list[tuple[object, ...]]:
        """The lines of ``summary``, without pandas."""
        return [_summary_row(lane)[: len(self.columns)] for lane in self.lanes]


def race_view(comparison: Comparison, axis: Axis = "passes") -> RaceView:
    """Every run of ``comparison`` as a lane along ``axis`` (one of ``AXES``)."""
    if axis not in AXES:
        raise ValueError(f"axis is {axis!r}; it must be one of {', '.join(AXES)}.")
    lanes = tuple(_lane(run, comparison, axis) for run in comparison.runs)
    untimed = axis == "time" and any(lane.seconds is None for lane in lanes)
    return RaceView(
        axis=axis,
        axis_title=AXES[axis],
        lanes=lanes,
        headline=" · ".join(
            f"{lane.label}: {count(len(lane.passes), 'pass', 'passes')}" for lane in lanes
        ),
        verdict=_verdict(comparison, lanes),
        against=reference_name(comparison),
        note="A run without measured times has no length on this axis." if untimed else "",
    )


def reference_name(comparison: Comparison) -> str | None:
    """Whose text the texts are compared with: greedy's, else the ``reference``'s."""
    reference = comparison.reference
    if comparison.baseline is not None or reference is None:
        return None if reference is None else "greedy"
    return comparison.label(reference)


NO_GREEDY = "greedy was not run: the texts are compared with each other"


def equality(run: Run, baseline: Run | None) -> tuple[bool | None, str]:
    """Is the text of ``run`` that of ``baseline``? None where it was not compared.

    ``baseline`` is a comparison's ``reference``: the greedy run, or without one the first other.
    With one sentence that hides nothing.
    """
    if temperature(run):
        return None, f"sampled at temperature {temperature(run):g}: texts need not be equal"
    if baseline is None:
        return None, "equality not checked: there is no greedy run"
    if run is baseline:
        greedy = run.method == "greedy"
        return None, "the baseline: one token a pass" if greedy else NO_GREEDY
    if run.prompt_ids != baseline.prompt_ids:
        return None, "equality not checked: another prompt"
    if temperature(baseline):
        return None, "the baseline was sampled: texts need not be equal"
    found = compare(run, baseline)
    than = f" (compared with {run_label(baseline)}: greedy was not run)"
    than = "" if baseline.method == "greedy" else than
    if found.difference:
        return False, _difference(run, found.difference) + than
    if found.complete:
        return True, f"identical: {found.compared}/{len(baseline.token_ids)} tokens{than}"
    return True, f"identical in the {count(found.compared, 'token')} that both have{than}"


def _lane(run: Run, comparison: Comparison, axis: Axis) -> Lane:
    lengths = {
        "passes": [1.0 for _ in run.steps],
        "slots": [float(step.layout.slots) for step in run.steps],
        "time": [step.step_ms / 1000 for step in run.steps],
    }[axis]
    label = comparison.label(run)
    passes, start = [], 0.0
    for step, length in zip(run.steps, lengths, strict=True):
        passes.append(_pass(run, step, label, start, start + length))
        start += length
    identical, sentence = equality(run, comparison.reference)
    return Lane(
        label=label,
        method=run.method,
        passes=tuple(passes),
        total=start,
        tokens=len(run.token_ids),
        compression=run.compression,
        slots=run.slots_fed,
        identical=identical,
        equality=sentence,
        seconds=run.seconds or None,
    )


def _pass(run: Run, step: Step, label: str, start: float, end: float) -> RacePass:
    tokens = tuple(printable(run.token_text, token) for token in step.accepted)
    what = count(len(tokens), "token")
    if len(tokens) > 1:
        what += f": {quoted(''.join(tokens))}"
    hovers = tuple(f"{quoted(token)}\n{label}, step {step.index}: {what}" for token in tokens)
    return RacePass(step.index, start, end, tokens, hovers)


def _difference(run: Run, difference: Difference) -> str:
    found = quoted_token(run.token_text, difference.found)
    expected = quoted_token(run.token_text, difference.expected)
    gap = "" if difference.gap is None else f", top-2 gap {difference.gap:.2g}"
    dtype = f", {run.model.dtype}" if run.model.dtype else ""
    return (
        f"first difference at token {difference.index}: {found} instead of {expected}{gap}{dtype}"
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
    sentence += f" {fastest.label} took the least time{where}: {fastest.seconds:.2f} s"
    if fewest.seconds is None:
        return sentence + "."
    limit = ", as on a CPU," if model.device == "cpu" else ""
    return (
        f"{sentence}, against {fewest.seconds:.2f} s. Fewer passes are not less work: a pass of "
        f"{fewest.label} feeds {fewest.slots_per_pass:.0f} slots, one of {fastest.label} "
        f"{fastest.slots_per_pass:.0f}, and where arithmetic is the limit{limit} a pass with more "
        "slots takes longer."
    )


def _summary_row(lane: Lane) -> tuple[object, ...]:
    return (
        lane.label,
        len(lane.passes),
        lane.tokens,
        round(lane.compression, 2),
        lane.slots,
        round(lane.slots_per_pass, 1),
        None if lane.seconds is None else round(lane.seconds, 3),
        lane.equality,
    )
