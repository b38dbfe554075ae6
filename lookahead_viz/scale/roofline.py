"""How long a forward takes by its number of slots, modelled or measured, and what that makes of
a compression.

Roofline (Williams, Waterman & Patterson 2009): a forward takes as long as moving its bytes or as
its arithmetic, whichever is longer. So the first slots are free where memory is the limit, and
every slot costs where arithmetic is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lookahead_viz.scale.arithmetic import Shape, forward_bytes, forward_flops
from lookahead_viz.scale.hardware import Device

LEAST_POINTS = 4
KNEES = 400  # places that are tried for the knee of a fitted roofline


class Clock(Protocol):
    """Time of one forward against its number of slots."""

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
    """t(slots) = overhead + max(memory, slope x slots), fitted to measured points."""

    overhead_ms: float
    memory_ms: float
    ms_per_slot: float
    knee: float  # slots
    residuals: tuple[float, ...]  # (predicted - measured) / measured, one a point

    def ms(self, slots: float) -> float:
        return self.overhead_ms + max(self.memory_ms, self.ms_per_slot * slots)

    @property
    def worst(self) -> float:
        """The largest residual, as a share."""
        return max(abs(residual) for residual in self.residuals)


def fit_roofline(points: Sequence[tuple[float, float]]) -> RooflineFit:
    """The roofline with the smallest sum of squared relative residuals through (slots, ms).

    For a given knee the law is linear in overhead and slope, t = overhead + slope x max(knee,
    slots): least squares; the knee is searched. Neither overhead nor slope may be negative.
    ValueError in one sentence for fewer than four points.
    """
    if len(points) < LEAST_POINTS:
        raise ValueError(f"a roofline needs at least {LEAST_POINTS} points, not {len(points)}.")
    slots = np.array([place for place, _ in points], dtype=float)
    times = np.array([time for _, time in points], dtype=float)
    knees = np.geomspace(slots.min(), slots.max(), KNEES)
    found = [_with_knee(float(knee), slots, times) for knee in knees]
    return min(found, key=lambda fit: sum(residual**2 for residual in fit.residuals))


def _with_knee(
    knee: float,
    slots: np.ndarray[tuple[int], np.dtype[np.float64]],
    times: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> RooflineFit:
    reach = np.maximum(slots, knee)
    weighted = np.stack([1 / times, reach / times], axis=1)
    overhead, slope = np.linalg.lstsq(weighted, np.ones_like(times), rcond=None)[0]
    if overhead < 0:
        column = weighted[:, 1]
        overhead, slope = 0.0, column.sum() / (column @ column)
    if slope < 0:
        column = weighted[:, 0]
        overhead, slope = column.sum() / (column @ column), 0.0
    residuals = (overhead + slope * reach) / times - 1
    return RooflineFit(
        overhead_ms=float(overhead),
        memory_ms=float(slope * knee),
        ms_per_slot=float(slope),
        knee=knee,
        residuals=tuple(float(residual) for residual in residuals),
    )


def speed_up(compression: float, slots: float, clock: Clock) -> float | None:
    """Wall-clock speed-up over one token a forward: compression x t(1) / t(slots).

    None where the clock knows nothing about so many slots.
    """
    one, many = clock.ms(1), clock.ms(slots)
    return None if one is None or many is None else compression * one / many


def ratios(clock: Clock, slots: Iterable[float]) -> list[float | None]:
    """t(slots) / t(1) for each number of slots."""
    one = clock.ms(1)
    times = [clock.ms(place) for place in slots]
    return [time / one if time is not None and one else None for time in times]
