"""Latency of one pass against its number of slots: measured here, or read from a file.

The file is JSON: {"machine": {...}, "date": "2026-01-31", "latency": [{"model", "params", "dtype",
"context", "slots", "ms"}, ...]}. ``machine`` has at least "name"; further entries are kept.
"""

from __future__ import annotations

import json
import os
import platform
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from lookahead_viz.layout import pack
from lookahead_viz.scale.roofline import MeasuredClock
from lookahead_viz.scale.sizes import Sizes

if TYPE_CHECKING:
    from lookahead_viz.engine.model import Model
    from lookahead_viz.records import StepLayout

CONTEXT = 128
REPEATS = 15
SIZES = tuple(
    Sizes(*wng)
    for wng in (
        (1, 2, 1),
        (1, 3, 1),
        (2, 3, 2),
        (2, 4, 2),
        (5, 4, 2),
        (5, 4, 5),
        (7, 4, 7),
        (10, 4, 10),
        (15, 4, 15),
        (15, 5, 15),
        (20, 5, 20),
        (32, 5, 32),
    )
)
"""Full passes of 2 to 256 slots; one slot, the greedy pass, is always measured too."""

OnRound = Callable[[float], object]
"""Called with the share that is done, 0 to 1; returning False cancels."""


@dataclass(frozen=True)
class LatencyPoint:
    """The median time of one pass of ``slots`` behind ``context`` cached rows."""

    model: str
    params: int
    dtype: str
    context: int
    slots: int
    ms: float


@dataclass(frozen=True)
class Latency:
    """One measurement on one machine."""

    machine: Mapping[str, Any]
    date: str
    points: tuple[LatencyPoint, ...]

    @property
    def name(self) -> str:
        return str(self.machine.get("name", "unnamed machine"))

    def name_for(self, model: str) -> str:
        """The machine as ``model`` was timed on it: models may have had other threads."""
        named = self.machine.get("models")
        return str(named.get(model, self.name)) if isinstance(named, Mapping) else self.name

    @property
    def note(self) -> str:
        """Whether other work disturbed the measurement; empty when nothing is known of any."""
        load, cores = self.machine.get("load_before"), self.machine.get("cores")
        if isinstance(load, (int, float)) and isinstance(cores, int) and load > 0.25 * cores:
            return f"Measured while the machine was busy (load {load:.1f} on {cores} cores)."
        return ""

    @property
    def series(self) -> dict[tuple[str, str, int], MeasuredClock]:
        """One clock for each (model, number format, context)."""
        found: dict[tuple[str, str, int], list[tuple[float, float]]] = {}
        for point in self.points:
            key = (point.model, point.dtype, point.context)
            found.setdefault(key, []).append((float(point.slots), point.ms))
        return {key: MeasuredClock(tuple(sorted(times))) for key, times in found.items()}

    def as_json(self) -> str:
        """The text of the file."""
        lines = ",\n".join(f"  {json.dumps(asdict(point))}" for point in self.points)
        head = json.dumps({"machine": dict(self.machine), "date": self.date}, indent=1)
        return head.removesuffix("\n}") + f',\n "latency": [\n{lines}\n ]\n}}\n'


def read_latency(path: Path) -> Latency:
    """A measurement from its file; ValueError in one sentence when it is none."""
    try:
        return latency_from(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path.name!r} is no latency measurement ({error}).") from error


def latency_from(values: Any) -> Latency:
    """A measurement from the values of its JSON; ValueError, KeyError or TypeError if not."""
    names = [field.name for field in fields(LatencyPoint)]
    points = []
    for entry in values["latency"]:
        point = LatencyPoint(**{name: entry[name] for name in names})
        if not (point.slots >= 1 and point.ms > 0 and point.context >= 0):
            raise ValueError(f"a point has {point.slots!r} slots and {point.ms!r} ms")
        points.append(point)
    if not points:
        raise ValueError("it has no points")
    return Latency(dict(values["machine"]), str(values["date"]), tuple(points))


def measure(
    model: Model,
    *,
    sizes: Sequence[Sizes] = SIZES,
    context: int = CONTEXT,
    repeats: int = REPEATS,
    on_round: OnRound | None = None,
) -> Latency | None:
    """Time full passes of these sizes, and of one slot; None when it was cancelled.

    All sizes are timed in turn, ``repeats`` rounds after a round that does not count, so that a
    slow moment meets all of them; the median of each is kept. Only the pass is timed. Sizes
    that do not fit behind ``context`` into the model's positions are left out.
    """
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    filler = random.Random(0)
    limit = model.info.position_limit
    fitting = [size for size in sizes if limit is None or context + size.reach < limit]
    runner = model.runner(alternatives=0)
    runner.prefill([filler.randrange(model.info.vocab_size) for _ in range(context)])
    layouts: list[tuple[StepLayout, tuple[int, ...]]] = [(pack([[0]], position=context), (0,))]
    layouts += [_full_step(size, context, filler, model.info.vocab_size) for size in fitting]
    times: list[list[float]] = [[] for _ in layouts]
    for number in range(repeats + 1):
        if on_round is not None and on_round(number / (repeats + 1)) is False:
            return None
        for (layout, used), found in zip(layouts, times, strict=True):
            found.append(_time(runner, layout, used))
    points = tuple(
        LatencyPoint(
            model=model.name,
            params=model.network.num_parameters(),
            dtype=model.info.dtype,
            context=context,
            slots=layout.slots,
            ms=float(f"{median(found[1:] or found):.4g}"),  # more digits would be noise
        )
        for (layout, _), found in zip(layouts, times, strict=True)
    )
    return Latency(_machine(model, repeats, load), date.today().isoformat(), points)


def _full_step(
    size: Sizes, context: int, filler: random.Random, vocabulary: int
) -> tuple[StepLayout, tuple[int, ...]]:
    """A pass with a full window and all candidates, and the slots whose logits it needs."""

    def tokens(rows: int, cols: int) -> list[list[int]]:
        return [[filler.randrange(vocabulary) for _ in range(cols)] for _ in range(rows)]

    guesses = size.ngram_size - 1
    window = tokens(guesses, size.window_size)
    layout = pack(window, tokens(size.max_candidates, guesses), position=context)
    first = (guesses - 1) * size.window_size
    return layout, ((0,) if first else ()) + tuple(range(first, layout.slots))


def _time(runner: Any, layout: StepLayout, used: tuple[int, ...]) -> float:
    from lookahead_viz import visibility

    result = runner.forward(layout, visibility.mask(layout), used)
    runner.keep(())  # back to the context alone
    return float(result.forward_ms)


def _machine(model: Model, repeats: int, load: float | None) -> dict[str, Any]:
    import torch

    facts: dict[str, Any] = {
        "name": model.info.hardware,
        "device": model.info.device,
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "processor": processor(),
        "torch": str(torch.__version__),
        "attention": model.info.attention,
        "repeats": repeats,
        "setting": "median of full passes, all sizes in turn; forward only, one sequence",
    }
    if load is not None:
        facts["load_before"] = round(load, 2)
    return facts


def processor() -> str:
    """The processor's own name where the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def merged(measurements: Sequence[Latency]) -> Latency:
    """Several models measured on one machine, as one file.

    It is named after the measurement with most threads; ``models`` names the machine of those
    that had fewer. The load is the largest of all, so that a disturbed part marks the whole.
    """
    first = max(measurements, key=lambda one: one.machine.get("threads", 0))
    loads = [one.machine["load_before"] for one in measurements if "load_before" in one.machine]
    machine = dict(first.machine) | ({"load_before": max(loads)} if loads else {})
    fewer = [one for one in measurements if one.machine.get("threads") != machine.get("threads")]
    if fewer:
        machine["models"] = {one.points[0].model: one.machine["name"] for one in fewer}
    return Latency(machine, first.date, tuple(p for one in measurements for p in one.points))
