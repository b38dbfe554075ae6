"""Which other preset, or other W, N and G, does a mask fit?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.masklab import plans
from lookahead_viz.masklab.layouts import LAYOUTS, MOST_TOKENS, PackedLayout, packed
from lookahead_viz.masklab.orders import Grid, slice_of_rank
from lookahead_viz.masklab.scene import Scene
from lookahead_viz.visibility import BoolMatrix

_STEADY = ("lade", "lade-flash", "llama.cpp", "trt")
"""Layouts with different token orders, the others being equal to one of them."""


def fitting(
    mask: BoolMatrix, asked: PackedLayout, sliding_window: int | None = None
) -> PackedLayout | None:
    """The first other layout whose mask this is, bool [T, T]; those like ``asked`` come first.

    ``sliding_window`` hides what stands further back, in every layout.
    """
    seen = mask.sum(axis=1)
    for candidate in _candidates(seen, asked, sliding_window):
        if candidate.name == asked.name and candidate.settings == asked.settings:
            continue
        if np.array_equal(Scene.of(candidate, 0, sliding_window).right, mask):
            return candidate
    return None


def _candidates(
    seen: NDArray[np.int64], asked: PackedLayout, sliding_window: int | None
) -> Iterator[PackedLayout]:
    """Layouts of this many tokens whose rows see as many tokens as the mask's do."""
    size = len(seen)
    most = size if sliding_window is None else sliding_window
    if (seen == np.minimum(np.arange(1, size + 1), most)).all():
        yield packed("causal", length=size)
    same: list[tuple[int, int, int]] = []
    others: list[tuple[int, int, int]] = []
    for found in _sizes(seen, asked, most):
        own = found[:2] == (asked.window_size, asked.ngram_size)
        (same if own else others).append(found)
    yield from _full_steps(same, asked)
    yield from _partial_steps(size, asked)  # nearer than a full pass of another W or N
    yield from _full_steps(others, asked)


def _full_steps(
    sizes: Iterable[tuple[int, int, int]], asked: PackedLayout
) -> Iterator[PackedLayout]:
    for window, ngram, candidates in sizes:
        names = dict.fromkeys((asked.name if LAYOUTS[asked.name].steady else "lade", *_STEADY))
        for name in names:
            if not LAYOUTS[name].merges:
                yield packed(name, window, ngram, candidates)


def _sizes(
    seen: NDArray[np.int64], asked: PackedLayout, most: int
) -> Iterator[tuple[int, int, int]]:
    """(W, N, G') of full passes of T tokens with this histogram of visible tokens.

    A row sees ``most`` packed tokens at the most.
    """
    size = len(seen)
    histogram = np.bincount(seen)
    sizes = [
        (window, guesses + 1, size // guesses - window)
        for guesses in range(1, size + 1)
        if size % guesses == 0
        for window in range(1, size // guesses + 1)
    ]
    own = (asked.window_size, asked.ngram_size, asked.candidates)
    sizes.sort(key=lambda one: sum(abs(a - b) for a, b in zip(one, own, strict=True)))
    for window, ngram, candidates in sizes:
        if min(window + ngram - 2, most) >= len(histogram):
            continue
        wanted = np.convolve(np.ones(window, dtype=int), np.ones(ngram - 1, dtype=int))
        depths = np.zeros(max(len(wanted), ngram) + 1, dtype=int)
        depths[1 : len(wanted) + 1] = wanted  # a window cell at offset o sees o + 1 tokens
        depths[2 : ngram + 1] += candidates  # a guess j sees I, j earlier ones and itself
        depths[min(most, len(depths) - 1)] += depths[most + 1 :].sum()
        depths = np.trim_zeros(depths[: most + 1], "b")
        if np.array_equal(depths, histogram):
            yield window, ngram, candidates


def _partial_steps(size: int, asked: PackedLayout) -> Iterator[PackedLayout]:
    """Start-up passes and parts of the pass that was asked for."""
    own = (asked.window_size, asked.ngram_size, asked.candidates)
    for step in range(asked.ngram_size - 2):
        if plans.warm_up_tokens(*own, step) == size:
            yield packed("lade-warmup", *own, step=step)
    for fill in range(1, asked.ngram_size - 1):
        if plans.filling_tokens(*own, fill) == size:
            yield packed("trt-fill", *own, fill=fill)
    grid = Grid(asked.ngram_size - 1, asked.window_size, asked.candidates, asked.ngram_size - 1)
    for ranks in (2, 3, 4):
        for rank in range(ranks):
            refed = size - len(slice_of_rank(grid, rank, ranks))
            if 0 <= refed < asked.ngram_size and grid.slots + refed <= MOST_TOKENS:
                yield packed("lade-parallel", *own, ranks=ranks, rank=rank, refed=refed)
