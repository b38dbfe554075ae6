"""Is a sample drawn from this distribution? Pearson's chi-square test, without a library.

The tail probability is Wilson and Hilferty's approximation (1931): the cube root of chi-square
over its degrees of freedom is almost normal. For 20 and more degrees its error is below 1e-4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from math import sqrt
from statistics import NormalDist
from typing import TypeVar

Cell = TypeVar("Cell", bound=Hashable)

LEAST_EXPECTED = 5.0
"""Rarer cells are counted together: the approximation needs so many expected counts."""

SIGNIFICANCE = 0.001


def p_value(sample: Iterable[Cell], expected: Mapping[Cell, float]) -> float:
    """How likely a sample this far from ``expected`` (probabilities) is; 0.0 outside of it."""
    counts = Counter(sample)
    total = sum(counts.values())
    if any(expected.get(cell, 0.0) == 0.0 for cell in counts):
        return 0.0
    cells, rare = [], [0.0, 0.0]
    for cell, probability in expected.items():
        pair = [float(counts[cell]), probability * total]
        if pair[1] < LEAST_EXPECTED:
            rare = [rare[0] + pair[0], rare[1] + pair[1]]
        else:
            cells.append(pair)
    if rare[1] > 0:
        cells.append(rare)
    statistic = sum((found - wanted) ** 2 / wanted for found, wanted in cells)
    return upper_tail(statistic, len(cells) - 1)


def upper_tail(statistic: float, degrees: int) -> float:
    """P(chi-square with ``degrees`` degrees of freedom > ``statistic``), approximately."""
    spread = 2.0 / (9.0 * degrees)
    z = ((statistic / degrees) ** (1 / 3) - (1 - spread)) / sqrt(spread)
    return 1.0 - NormalDist().cdf(z)
