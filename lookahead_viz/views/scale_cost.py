"""What compression costs: slots and operations per pass of every setting, and the Pareto front."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import pandas as pd

from lookahead_viz.scale.arithmetic import Shape
from lookahead_viz.scale.summary import Setting, Summary, pareto_front

CostAxis = Literal["flops", "slots"]
AXES: dict[CostAxis, str] = {
    "flops": "operations per pass ÷ operations of one token",
    "slots": "slots per pass (mean)",
}
COLUMNS = (
    "W",
    "N",
    "G",
    "slots per pass",
    "operations per pass ÷ one token",
    "compression",
    "operations per token ÷ one token",
    "Pareto front",
)


@dataclass(frozen=True)
class CostPoint:
    """One setting: what a pass costs and how many tokens it gives."""

    label: str
    ngram_size: int
    cost: float
    compression: float
    on_front: bool
    hover: str


@dataclass(frozen=True)
class CostView:
    """What the cost picture shows."""

    sentence: str
    axis_title: str
    points: tuple[CostPoint, ...]  # those of the front in its order among them
    table: pd.DataFrame = field(compare=False)

    @property
    def front(self) -> tuple[CostPoint, ...]:
        return tuple(sorted((p for p in self.points if p.on_front), key=lambda p: p.cost))


def cost_view(summary: Summary, shape: Shape, axis: CostAxis = "flops") -> CostView:
    """Every setting of ``summary``, its cost for a model of ``shape``."""

    def slots(setting: Setting) -> float:
        return setting.total.slots_per_step

    def operations(setting: Setting) -> float:
        return summary.cost(setting, shape)

    cost: Callable[[Setting], float] = operations if axis == "flops" else slots
    front = pareto_front(summary.settings, cost)
    points = tuple(
        CostPoint(
            label=setting.sizes.label,
            ngram_size=setting.sizes.ngram_size,
            cost=cost(setting),
            compression=setting.compression,
            on_front=setting in front,
            hover=(
                f"{setting.sizes.label}\n{setting.compression:.2f} tokens per pass\n"
                f"{slots(setting):.1f} slots and {operations(setting):.1f} × the operations of "
                "one token per pass"
            ),
        )
        for setting in summary.settings
    )
    rows = [
        (
            setting.sizes.window_size,
            setting.sizes.ngram_size,
            setting.sizes.max_candidates,
            round(slots(setting), 1),
            round(operations(setting), 2),
            round(setting.compression, 3),
            round(operations(setting) / setting.compression, 2),
            setting in front,
        )
        for setting in summary.settings
    ]
    return CostView(
        _sentence(front, cost, summary, shape, axis),
        AXES[axis],
        points,
        pd.DataFrame(rows, columns=list(COLUMNS)),
    )


def _sentence(
    front: tuple[Setting, ...],
    cost: Callable[[Setting], float],
    summary: Summary,
    shape: Shape,
    axis: CostAxis,
) -> str:
    if not front:
        return "This sweep has no setting to compare."
    first, last = front[0], front[-1]
    unit = "× the operations of one token" if axis == "flops" else "slots"
    waste = summary.cost(last, shape) / last.compression
    return (
        f"{len(front)} of {len(summary.settings)} settings are on the Pareto front, from "
        f"{first.sizes.label} ({first.compression:.2f} tokens per pass for {cost(first):.1f} "
        f"{unit}) to {last.sizes.label} ({last.compression:.2f} for {cost(last):.1f}). No setting "
        f"saves arithmetic: the last one spends {waste:.1f} times greedy's operations on each "
        "token."
    )
