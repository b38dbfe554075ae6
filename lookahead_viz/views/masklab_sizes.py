"""A mistake at several sizes: where it is wrong, and where it happens to be right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookahead_viz.masklab.layouts import LAYOUTS, PackedLayout, packed
from lookahead_viz.masklab.lint import whole
from lookahead_viz.masklab.mistakes import Mistake
from lookahead_viz.masklab.scene import Masks, Scene

SIZES = ((5, 4, 2), (5, 4, 1), (5, 4, 0), (5, 3, 2), (2, 3, 1), (7, 5, 3), (15, 5, 15))
"""(W, N, candidates) of full passes; start-up passes are added."""
SIZE_COLUMNS = ("pass", "tokens", "wrong cells", "result")


@dataclass(frozen=True)
class SizeLine:
    """One pass of another size. ``wrong`` is None where the mistake cannot be made there."""

    step: str
    tokens: int
    wrong: int | None

    @property
    def verdict(self) -> str:
        if self.wrong is None:
            return "– cannot be made here"
        return "✗ wrong" if self.wrong else "✓ right: it cannot be seen here"


def size_lines(
    mistakes: Sequence[Mistake], layout: PackedLayout, committed: int
) -> tuple[SizeLine, ...]:
    """The wrong cells of all ``mistakes`` together at the layout's own and at other sizes."""
    name = layout.name if LAYOUTS[layout.name].steady and layout.name != "trt-merged" else "lade"
    steps = [layout, *(packed(name, *size) for size in SIZES)]
    steps += [packed("lade-warmup", 5, 4, 0, step=step) for step in (0, 1)]
    found: dict[str, SizeLine] = {}
    for step in steps:
        label = f"{step.title}, {step.settings}"
        if label not in found:
            found[label] = SizeLine(label, step.size, _wrong(mistakes, step, committed))
    return tuple(found.values())


def _wrong(mistakes: Sequence[Mistake], layout: PackedLayout, committed: int) -> int | None:
    scene = Scene.of(layout, committed)
    right = whole(scene.masks, committed)
    wrong = np.zeros_like(right)
    made: list[Masks] = [masks for one in mistakes if (masks := one.rule(scene)) is not None]
    for masks in made:
        wrong |= whole(masks, committed) != right
    return int(np.count_nonzero(wrong)) if made else None
