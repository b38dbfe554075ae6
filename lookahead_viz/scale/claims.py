"""Numbers that are quoted, and numbers that were counted or measured here, side by side.

A quoted number stands with its source, baseline and hardware, and whether that is one device or
several; ours are computed from the committed files, never written down by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from lookahead_viz.scale.latency import Latency
from lookahead_viz.scale.roofline import MeasuredClock
from lookahead_viz.scale.rows import SweepRow
from lookahead_viz.scale.shipped import is_gpu
from lookahead_viz.scale.summary import Summary, predictions, summarise

Kind = Literal["quoted", "counted", "measured", "predicted"]
SLOTS = (21, 120)
"""Slots of W=5 N=4 G=2 and of W=15 N=5 G=15."""

PAPER = "Fu et al. 2024, arXiv 2402.02057"


@dataclass(frozen=True)
class Claim:
    """One number and everything that must be said with it."""

    kind: Kind
    what: str
    value: str
    baseline: str
    hardware: str
    devices: str  # "one device", "several devices" or "any"
    source: str


QUOTED = (
    Claim(
        "quoted",
        "wall-clock speed-up of lookahead decoding, MT-bench chat",
        "up to 1.8×",
        "plain autoregressive decoding",
        "one A100 80 GB (models of 7B, 13B and 34B)",
        "one device",
        PAPER,
    ),
    Claim(
        "quoted",
        "wall-clock speed-up of lookahead decoding, code completion, strong scaling",
        "up to 4×",
        "plain autoregressive decoding",
        "up to 8 × A100 40 GB with NVLink (lookahead parallelism)",
        "several devices",
        PAPER,
    ),
)

FOUR_TIMES = (
    "The 4× trap: the paper's 4× is code completion with the window split over several GPUs "
    "(strong scaling). On one GPU the same paper reports up to 1.8× on MT-bench. Whoever quotes "
    "4× for one card quotes another machine."
)
UPPER_BOUND = (
    "Tokens per pass are an upper bound on the speed-up: a pass with many slots costs more than "
    "one token unless moving the weights takes longer than the arithmetic."
)
ONE_PROMPT = (
    "A count below is over all prompts of its sweep together. Race shows one prompt at a time: "
    "there the same model can reach far more, or less."
)
NO_GPU = (
    "No GPU figures exist yet: benchmarks/gpu.sh measures them on a CUDA machine; until then "
    "every GPU curve on this page is modelled."
)


def gpu_note(latencies: Sequence[Latency]) -> str:
    """Which GPUs were measured, or that none was."""
    names = [f"{one.name} ({one.date})" for one in latencies if is_gpu(one)]
    return f"Measured GPUs: {', '.join(names)}." if names else NO_GPU


def claims(
    sweeps: Mapping[str, Sequence[SweepRow]], latencies: Sequence[Latency]
) -> tuple[Claim, ...]:
    """What is quoted, then what the committed sweeps and measurements say."""
    summaries = {name: summarise(rows) for name, rows in sweeps.items()}
    found = list(QUOTED)
    for summary in summaries.values():
        if summary is not None and summary.settings:
            found.append(_counted(summary))
    for latency in latencies:
        for (model, dtype, context), clock in latency.series.items():
            found += _measured(latency, model, dtype, context, clock)
            found += _predicted(latency, model, dtype, clock, summaries.get(model))
    return tuple(found)


def _counted(summary: Summary) -> Claim:
    best = max(summary.settings, key=lambda one: one.compression)
    return Claim(
        "counted",
        f"best tokens per pass of {summary.model} over {len(summary.prompts)} prompts",
        f"{best.compression:.2f}",
        "1 token per pass",
        f"a count, the same everywhere ({best.sizes.label})",
        "any",
        "sweep shipped with this project",
    )


def _hardware(latency: Latency, model: str, dtype: str) -> str:
    processor = str(latency.machine.get("processor", ""))
    parts = [part for part in (processor, latency.name_for(model), dtype) if part]
    note = f". {latency.note}" if latency.note else ""
    return ", ".join(dict.fromkeys(parts)) + note


def _measured(
    latency: Latency, model: str, dtype: str, context: int, clock: MeasuredClock
) -> list[Claim]:
    one = clock.ms(1)
    return [
        Claim(
            "measured",
            f"time of a pass of {slots} slots of {model}, {context} cached rows",
            f"{time / one:.1f}×",
            f"a pass of one slot ({one:.3g} ms)",
            _hardware(latency, model, dtype),
            "one device",
            f"measured {latency.date}, file shipped with this project",
        )
        for slots in SLOTS
        if one and (time := clock.ms(slots)) is not None
    ]


def _predicted(
    latency: Latency, model: str, dtype: str, clock: MeasuredClock, summary: Summary | None
) -> list[Claim]:
    found = predictions(summary.settings, clock) if summary is not None else ()
    if not found:
        return []
    best = found[0]
    return [
        Claim(
            "predicted",
            f"best speed-up of {model}: counted compression × measured t(1) ÷ t(slots)",
            f"{best.speed_up:.2f}×",
            "plain greedy decoding",
            f"{_hardware(latency, model, dtype)} ({best.setting.sizes.label})",
            "one device",
            "computed from the two rows above",
        )
    ]
