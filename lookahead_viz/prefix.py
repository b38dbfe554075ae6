"""How far two texts are the same from the left: what verification and Jacobi both ask."""

from __future__ import annotations

from collections.abc import Sequence


def common_prefix(left: Sequence[int | None], right: Sequence[int | None]) -> int:
    """How many leading tokens are the same; the lengths may differ."""
    for length, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return length
    return min(len(left), len(right))
