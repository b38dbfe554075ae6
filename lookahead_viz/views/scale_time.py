"""Time: latency against slots, measured and modelled, and the speed-up that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from lookahead_viz.scale.latency import Latency
from lookahead_viz.scale.roofline import (
    Clock,
    MeasuredClock,
    ModelledClock,
    RooflineFit,
    fit_roofline,
    speed_up,
)
from lookahead_viz.scale.sizes import Sizes
from lookahead_viz.scale.summary import Prediction, Summary, predictions

CURVE = tuple(round(2 ** (i / 4)) for i in range(37))  # 1 to 512 slots
SPEED_COLUMNS = ("W", "N", "G", "slots per pass", "compression", "t(slots) ÷ t(1)", "speed-up")


@dataclass(frozen=True)
class NamedClock:
    """A clock and what to call it."""

    name: str
    clock: Clock
    note: str = ""  # where the numbers come from

    @property
    def measured(self) -> bool:
        return isinstance(self.clock, MeasuredClock)

    @property
    def kind(self) -> str:
        return "measured" if self.measured else "modelled"


@dataclass(frozen=True)
class LatencySeries:
    """t(slots) / t(1) of one clock."""

    name: str
    measured: bool
    slots: tuple[int, ...]
    ms: tuple[float, ...]
    fit: RooflineFit | None = None  # of a measured one

    @property
    def ratios(self) -> tuple[float, ...]:
        return tuple(time / self.ms[0] for time in self.ms)


@dataclass(frozen=True)
class LatencyView:
    """What the latency picture shows."""

    sentence: str
    fits: str  # how well a roofline describes the measured points; empty without any
    series: tuple[LatencySeries, ...]
    table: pd.DataFrame = field(compare=False)


@dataclass(frozen=True)
class SpeedView:
    """Predicted speed-ups of every setting on one clock, the best first."""

    sentence: str
    name: str
    found: tuple[Prediction, ...]
    table: pd.DataFrame = field(compare=False)


def measured_clocks(latencies: Sequence[Latency]) -> list[NamedClock]:
    """One clock for each model, number format and context that was measured; names differ."""
    found: dict[str, NamedClock] = {}
    for latency in latencies:
        for (model, dtype, context), clock in latency.series.items():
            name = f"{model} on {latency.name_for(model)} ({dtype})"
            if name in found:
                name = f"{name}, {context} rows, {latency.date}"
            while name in found:
                name += " again"
            found[name] = NamedClock(name, clock, _measured_note(latency, model, dtype, context))
    return list(found.values())


def _measured_note(latency: Latency, model: str, dtype: str, context: int) -> str:
    processor = latency.machine.get("processor", "")
    parts = (
        f"{model} was measured on {latency.date}: {processor} ({latency.name_for(model)}), "
        f"{dtype}, {context} cached rows.",
        latency.note,
    )
    return " ".join(part for part in parts if part)


def latency_view(clocks: Sequence[NamedClock]) -> LatencyView:
    """The curves of ``clocks``; those that know no single slot are left out."""
    series = tuple(made for named in clocks if (made := _latency_series(named)) is not None)
    rows = [
        (one.name, "measured" if one.measured else "modelled", slots, round(ms, 3), round(x, 3))
        + ((None if one.fit is None else round(one.fit.residuals[i], 3)),)
        for one in series
        for i, (slots, ms, x) in enumerate(zip(one.slots, one.ms, one.ratios, strict=True))
    ]
    columns = ["clock", "kind", "slots", "ms", "t(slots) ÷ t(1)", "fitted ÷ measured − 1"]
    table = pd.DataFrame(rows, columns=columns)
    return LatencyView(latency_sentence(clocks), _fits_sentence(series), series, table)


def _fits_sentence(series: Sequence[LatencySeries]) -> str:
    parts = [
        f"{one.name}: {_law(one.fit)}, off by {one.fit.worst:.0%} at most"
        for one in series
        if one.fit is not None
    ]
    return f"Fitted rooflines (dotted): {'; '.join(parts)}." if parts else ""


def _law(fit: RooflineFit) -> str:
    """A fitted roofline in words; parts that are nothing are left out."""
    slope = f"{fit.ms_per_slot:.3g} ms per slot"
    parts = [slope if fit.knee <= 1 else f"the larger of {fit.memory_ms:.3g} ms and {slope}"]
    if fit.overhead_ms:
        parts.insert(0, f"{fit.overhead_ms:.3g} ms")
    if fit.packing_ms:
        parts.append(f"{fit.packing_ms:.3g} ms as soon as there are two slots")
    return " + ".join(parts)


def _latency_series(named: NamedClock) -> LatencySeries | None:
    clock = named.clock
    if isinstance(clock, MeasuredClock):
        slots = tuple(round(place) for place, _ in clock.points)
        times = tuple(time for _, time in clock.points)
        fit = fit_roofline(clock.points) if len(clock.points) >= 4 else None
    else:
        slots = tuple(sorted(set(CURVE)))
        found = [clock.ms(place) for place in slots]
        times, fit = tuple(time for time in found if time is not None), None
    if not slots or slots[0] != 1 or len(times) != len(slots):
        return None
    return LatencySeries(named.name, named.measured, slots, times, fit)


def latency_sentence(clocks: Sequence[NamedClock]) -> str:
    """What 21 and 120 slots cost on each measured clock, and where a modelled one bends."""
    parts = []
    for named in clocks:
        one = named.clock.ms(1)
        many = [(slots, named.clock.ms(slots)) for slots in (21, 120)]
        costs = [
            f"{slots} slots cost {time / one:.1f}×"
            for slots, time in many
            if time is not None and one
        ]
        if named.measured and costs:
            parts.append(f"{named.name}: {' and '.join(costs)} one slot (measured)")
        elif isinstance(named.clock, ModelledClock):
            parts.append(
                f"{named.name}: flat up to {named.clock.knee - 1} slots (modelled, an upper bound)"
            )
    return "; ".join(parts) + "." if parts else "No clock is chosen."


def speed_view(summary: Summary, named: NamedClock) -> SpeedView:
    """compression x t(1) / t(slots) of every setting of ``summary`` on one clock."""
    found = predictions(summary.settings, named.clock)
    rows = [
        (
            one.setting.sizes.window_size,
            one.setting.sizes.ngram_size,
            one.setting.sizes.max_candidates,
            round(one.setting.total.slots_per_step, 1),
            round(one.setting.compression, 3),
            round(one.ratio, 3),
            round(one.speed_up, 3),
        )
        for one in found
    ]
    table = pd.DataFrame(rows, columns=list(SPEED_COLUMNS))
    return SpeedView(_speed_sentence(summary, named, found), named.name, found, table)


def _speed_sentence(summary: Summary, named: NamedClock, found: Sequence[Prediction]) -> str:
    if not found:
        return f"{named.name} knows too few numbers of slots to predict anything."
    best = found[0]
    verdict = (
        f"is predicted to be {best.speed_up:.2f} times as fast as greedy"
        if best.speed_up > 1
        else f"is predicted to reach only {best.speed_up:.2f} of greedy's speed: lookahead loses"
    )
    winners = sum(one.speed_up > 1 for one in found)
    return (
        f"On {named.name} ({named.kind}) the best of these settings, {best.setting.sizes.label}, "
        f"{verdict} ({best.setting.compression:.2f} tokens per pass, each pass "
        f"{best.ratio:.2f}× the time of one token). {winners} of {len(found)} settings beat "
        f"greedy. The compression is that of {summary.model} on these prompts."
    )


def speed_at(summary: Summary, named: NamedClock, sizes: Sizes) -> float | None:
    """The predicted speed-up of one setting; None where it or its time is not known."""
    setting = summary.setting(sizes)
    if setting is None:
        return None
    return speed_up(setting.compression, setting.total.slots_per_step, named.clock)


def best_table(summary: Summary, clocks: Sequence[NamedClock]) -> pd.DataFrame:
    """For each clock the best setting of the sweep and its predicted speed-up."""
    rows = []
    for named in clocks:
        found = predictions(summary.settings, named.clock)
        if found:
            best = found[0]
            rows.append(
                (
                    named.name,
                    named.kind,
                    best.setting.sizes.label,
                    round(best.setting.compression, 2),
                    round(best.ratio, 2),
                    round(best.speed_up, 2),
                )
            )
    columns = ["clock", "kind", "best setting", "compression", "t(slots) ÷ t(1)", "speed-up"]
    return pd.DataFrame(rows, columns=columns)
