"""How long a pass takes by its number of slots, modelled or measured, and what that makes of
a compression.

Roofline (Williams, Waterman & Patterson 2009): a pass takes as long as moving its bytes or as
its arithmetic, whichever is longer. So the first slots are free where memory is the limit, and
every slot costs where arithmetic is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.scale.arithmetic import Shape, forward_bytes, forward_flops
from lookahead_viz.scale.hardware import Device

LEAST_POINTS = 4
KNEES = 100  # places that are tried for the knee of a fitted roofline

Array = NDArray[np.float64]


class Clock(Protocol):
    """Time of one pass against its number of slots."""

    def ms(self, slots: float) -> float | None:
        """Milliseconds; None where nothing is known about so many slots."""
        ...


@dataclass(frozen=True)
class ModelledClock:
    """From published rates: max(bytes / bandwidth, operations / rate), one sequence."""

    shape: Shape
    device: Device
    bytes_per_weight: float
    context: int

    def ms(self, slots: float) -> float:
        return max(self.memory_ms(slots), self.compute_ms(slots))

    def memory_ms(self, slots: float) -> float:
        moved = forward_bytes(self.shape, slots, self.context, self.bytes_per_weight)
        return moved / (self.device.bandwidth * 1e9) * 1e3

    def compute_ms(self, slots: float) -> float:
        done = forward_flops(self.shape, slots, self.context)
        return done / (self.device.rate * 1e12) * 1e3

    @property
    def knee(self) -> int:
        """The least number of slots at which arithmetic is the limit (at most 4096)."""
        least, most = 1, 4096
        while least < most:
            middle = (least + most) // 2
            if self.compute_ms(middle) >= self.memory_ms(middle):
                most = middle
            else:
                least = middle + 1
        return least

    @property
    def fits(self) -> bool:
        """Do the weights fit into the device's memory?"""
        return self.shape.parameters * self.bytes_per_weight <= self.device.memory * 1e9


@dataclass(frozen=True)
class MeasuredClock:
    """Straight lines between measured points; nothing is claimed beyond the last one."""

    points: tuple[tuple[float, float], ...]  # (slots, ms), ascending

    def ms(self, slots: float) -> float | None:
        if not self.points or not self.points[0][0] <= slots <= self.points[-1][0]:
            return None
        places, times = zip(*self.points, strict=True)
        return float(np.interp(slots, places, times))


@dataclass(frozen=True)
class RooflineFit:
    """t(slots) = overhead + max(memory, slope x slots) + packing where slots > 1.

    ``packing_ms`` is what a second slot costs at once: a matrix product instead of a
    matrix-vector product, and a mask. It is 0 where such a machine does not mind.
    """

    overhead_ms: float
    memory_ms: float
    ms_per_slot: float
    packing_ms: float
    knee: float  # slots
    residuals: tuple[float, ...]  # (predicted - measured) / measured, one a point

    def ms(self, slots: float) -> float:
        packing = self.packing_ms if slots > 1 else 0.0
        return self.overhead_ms + max(self.memory_ms, self.ms_per_slot * slots) + packing

    @property
    def error(self) -> float:
        """Sum of the squared residuals."""
        return sum(residual**2 for residual in self.residuals)

    @property
    def worst(self) -> float:
        """The largest residual, as a share."""
        return max(abs(residual) for residual in self.residuals)


@lru_cache(maxsize=64)
def fit_roofline(points: tuple[tuple[float, float], ...]) -> RooflineFit:
    """The roofline with the smallest sum of squared relative residuals through (slots, ms).

    For a given knee the law is linear, t = overhead + slope x max(knee, slots) + packing x
    [slots > 1]: least squares; the knee is searched. No part may be negative. ValueError in one
    sentence for fewer than four points.
    """
    if len(points) < LEAST_POINTS:
        raise ValueError(f"a roofline needs at least {LEAST_POINTS} points, not {len(points)}.")
    slots = np.array([place for place, _ in points], dtype=float)
    times = np.array([time for _, time in points], dtype=float)
    knees = np.geomspace(slots.min(), slots.max(), KNEES)
    found = [_with_knee(float(knee), slots, times) for knee in knees]
    # of equally good ones the one that explains most by the roofline itself
    return min(found, key=lambda fit: (round(fit.error, 9), fit.packing_ms))


def _with_knee(knee: float, slots: Array, times: Array) -> RooflineFit:
    reach = np.maximum(slots, knee)
    parts = np.stack([np.ones_like(slots), reach, (slots > 1).astype(float)], axis=1)
    overhead, slope, packing = _not_negative(parts / times[:, None])
    residuals = parts @ np.array([overhead, slope, packing]) / times - 1
    return RooflineFit(
        overhead_ms=overhead,
        memory_ms=slope * knee,
        ms_per_slot=slope,
        packing_ms=packing,
        knee=knee,
        residuals=tuple(float(residual) for residual in residuals),
    )


def _not_negative(columns: Array) -> list[float]:
    """Least squares of ``columns`` @ x = 1 with x >= 0: the best of all sets of columns."""
    width = columns.shape[1]
    best, least = [0.0] * width, float(len(columns))
    for size in range(1, width + 1):
        for chosen in combinations(range(width), size):
            some = columns[:, list(chosen)]
            solution = np.linalg.lstsq(some, np.ones(len(columns)), rcond=None)[0]
            error = float(((some @ solution - 1) ** 2).sum())
            if (solution >= 0).all() and error < least - 1e-12:
                least = error
                best = [0.0] * width
                for place, value in zip(chosen, solution, strict=True):
                    best[place] = float(value)
    return best


def speed_up(compression: float, slots: float, clock: Clock) -> float | None:
    """Wall-clock speed-up over one token a pass: compression x t(1) / t(slots).

    None where the clock knows nothing about so many slots.
    """
    one, many = clock.ms(1), clock.ms(slots)
    return None if one is None or many is None else compression * one / many


def ratios(clock: Clock, slots: Iterable[float]) -> list[float | None]:
    """t(slots) / t(1) for each number of slots."""
    one = clock.ms(1)
    times = [clock.ms(place) for place in slots]
    return [time / one if time is not None and one else None for time in times]
