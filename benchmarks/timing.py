"""Timing two things in turn, so that a busy machine slows both."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True)
class Ratio:
    """How long ``ours`` took against ``theirs``; medians in milliseconds, and their ratio."""

    name: str
    setting: str
    ours_ms: float
    theirs_ms: float
    bound: float

    @property
    def ratio(self) -> float:
        return self.ours_ms / self.theirs_ms

    def line(self) -> str:
        word = "ok" if self.ratio <= self.bound else "ABOVE"
        return (
            f"{self.name:<34} {self.setting:<34} {self.ours_ms:9.2f} {self.theirs_ms:9.2f} "
            f"{self.ratio:7.3f} {self.bound:6.2f} {word}"
        )


def milliseconds(work: Callable[[], object]) -> float:
    started = perf_counter()
    work()
    return (perf_counter() - started) * 1000


def paired(
    name: str,
    setting: str,
    bound: float,
    ours: Callable[[], object],
    theirs: Callable[[], object],
    times: int,
) -> Ratio:
    """Both once for nothing, then in turn, who begins alternating; the ratio of the medians."""
    ours(), theirs()
    mine: list[float] = []
    other: list[float] = []
    for number in range(times):
        pair = [(mine, ours), (other, theirs)]
        for found, work in pair if number % 2 else reversed(pair):
            found.append(milliseconds(work))
    return Ratio(name, setting, statistics.median(mine), statistics.median(other), bound)
