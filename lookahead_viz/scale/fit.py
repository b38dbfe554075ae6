"""Straight lines by least squares, and whether data supports the scaling law.

The law (Fu et al. 2024, section 3.3): when N is large enough, exponentially larger W cuts the
number of passes linearly; that is, passes fall along a straight line in log2 W.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

LEAST_POINTS = 4
FALLS = 0.01
"""Passes that fall by less than this share over all W do not fall."""
STRAIGHT = 0.9
"""R² from which points count as a straight line."""
STILL = 0.5
"""The last doubling must cut at least this share of what the fitted line cuts per doubling."""

Support = Literal["yes", "flattens", "no", "too few"]


@dataclass(frozen=True)
class Line:
    """y = intercept + slope x, least squares."""

    intercept: float
    slope: float
    residuals: tuple[float, ...]  # measured - fitted, one a point
    r2: float  # 1.0 where all y are equal and fitted exactly

    def at(self, x: float) -> float:
        return self.intercept + self.slope * x

    @property
    def worst(self) -> float:
        """The largest absolute residual, in units of y."""
        return max((abs(residual) for residual in self.residuals), default=0.0)


def fit_line(xs: Sequence[float], ys: Sequence[float]) -> Line:
    """The least-squares line; ValueError in one sentence without two different x."""
    if len(set(xs)) < 2 or len(xs) != len(ys):
        raise ValueError("a line needs at least two points with different x.")
    places, values = np.array(xs, dtype=float), np.array(ys, dtype=float)
    design = np.stack([np.ones_like(places), places], axis=1)
    intercept, slope = np.linalg.lstsq(design, values, rcond=None)[0]
    residuals = values - (intercept + slope * places)
    spread = float(((values - values.mean()) ** 2).sum())
    r2 = 1.0 - float((residuals**2).sum()) / spread if spread > 0 else 1.0
    return Line(float(intercept), float(slope), tuple(float(r) for r in residuals), r2)


def supports_law(xs: Sequence[float], ys: Sequence[float]) -> Support:
    """Do passes ``ys`` fall along a straight line in ``xs`` = log2 W?

    "yes": falling, straight (R² >= 0.9), and the last doubling still cuts at least half of what
    the line says. "flattens": falling, but not so. "no": falling by 1 % or less. "too few": under
    4 points.
    """
    if len(set(xs)) < LEAST_POINTS:
        return "too few"
    line = fit_line(xs, ys)
    if line.at(min(xs)) - line.at(max(xs)) <= FALLS * abs(line.at(min(xs))):
        return "no"
    ordered = sorted(zip(xs, ys, strict=True))
    (before, y_before), (last, y_last) = ordered[-2:]
    last_cut = (y_before - y_last) / (last - before)
    straight = line.r2 >= STRAIGHT and last_cut >= STILL * -line.slope
    return "yes" if straight else "flattens"
