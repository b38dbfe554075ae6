"""Does lookahead pay? The answer in three sentences: counted, measured, modelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lookahead_viz.scale.arithmetic import shape_of
from lookahead_viz.scale.hardware import device as device_of
from lookahead_viz.scale.latency import Latency
from lookahead_viz.scale.roofline import ModelledClock
from lookahead_viz.scale.rows import SweepRow
from lookahead_viz.scale.shipped import is_gpu
from lookahead_viz.scale.summary import Summary, predictions, summarise

WORTH = 1.05
"""A smaller gain is lost in the noise of a measurement."""
HEADLINE_DEVICE, HEADLINE_SHAPE, HEADLINE_CONTEXT = "A100 80 GB", "Llama 2 7B", 512


def headline(sweeps: Mapping[str, Sequence[SweepRow]], latencies: Sequence[Latency]) -> str:
    """The answer in three sentences: counted, measured, modelled; what is missing is left out."""
    summaries = {name: made for name, rows in sweeps.items() if (made := summarise(rows))}
    if not summaries:
        return "No sweep is here yet: run one under “Sweep”."
    summary = next(iter(summaries.values()))
    best = max(summary.settings, key=lambda one: one.compression)
    parts = [
        f"Counted: {best.compression:.2f} tokens per pass at best with {summary.model} "
        f"({best.sizes.label}, a point of the chart under “Cost”)."
    ]
    parts.append(_measured_part(summaries, latencies))
    parts.append(_gpu_part(summary, latencies))
    shape, device = shape_of(HEADLINE_SHAPE), device_of(HEADLINE_DEVICE)
    assert shape is not None
    modelled = ModelledClock(shape, device, 2.0, HEADLINE_CONTEXT)
    found = predictions(summary.settings, modelled)
    if found:
        parts.append(
            f"Modelled: a 7B model in bf16 on one {device.name} would gain up to "
            f"{found[0].speed_up:.2f}× if it guessed as well as {summary.model} does, an upper "
            "bound from published rates."
        )
    return " ".join(part for part in parts if part)


def _gpu_part(summary: Summary, latencies: Sequence[Latency]) -> str:
    """What the largest model timed on a GPU would gain with the compression of ``summary``."""
    points = [
        (point.params, latency, point)
        for latency in latencies
        if is_gpu(latency)
        for point in latency.points
    ]
    if not points:
        return ""
    _, latency, point = max(points, key=lambda one: one[0])
    clock = latency.series[point.model, point.dtype, point.context]
    found = predictions(summary.settings, clock)
    one, many = clock.ms(1), clock.ms(21)
    if not found or one is None or many is None:
        return ""
    return (
        f"Measured: on {latency.name_for(point.model)} 21 slots cost {many / one:.2f}× one slot "
        f"({point.model}); if it guessed as well as {summary.model} does, the best setting would "
        f"be {found[0].speed_up:.2f} times as fast as greedy."
    )


def _measured_part(summaries: Mapping[str, Summary], latencies: Sequence[Latency]) -> str:
    """What the largest model that was both swept and measured says; empty without one."""
    known = [
        (point.params, latency.name_for(point.model), point.model, latency.series[key])
        for latency in latencies
        if not is_gpu(latency)
        for point in latency.points
        if point.model in summaries
        and (key := (point.model, point.dtype, point.context)) in latency.series
    ]
    if not known:
        return ""
    _, machine, model, clock = max(known, key=lambda one: one[0])
    found = predictions(summaries[model].settings, clock)
    one, many = clock.ms(1), clock.ms(21)
    if not found or one is None or many is None:
        return ""
    gain = found[0].speed_up
    verdict = f"even the best setting reaches only {gain:.2f} of greedy's speed: lookahead loses"
    if gain >= WORTH:
        verdict = f"the best setting is {gain:.2f} times as fast as greedy"
    elif gain > 1:
        verdict = f"the best setting is hardly faster than greedy ({gain:.2f}×)"
    return (
        f"Measured: with {model} on {machine} 21 slots cost {many / one:.1f}× one slot, so "
        f"{verdict}."
    )
