"""Which other preset, or other W, N and G, does a mask fit?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.masklab.layouts import LAYOUTS, PackedLayout, packed
from lookahead_viz.visibility import BoolMatrix

_STEADY = ("lade", "lade-flash", "llama.cpp", "trt")
"""Layouts with different token orders, the others being equal to one of them."""


def fitting(mask: BoolMatrix, asked: PackedLayout) -> PackedLayout | None:
    """The first other layout whose mask this is, bool [T, T]; those like ``asked`` come first."""
    seen = mask.sum(axis=1)
    for candidate in _candidates(seen, asked):
        if candidate.name == asked.name and candidate.settings == asked.settings:
            continue
        if np.array_equal(candidate.mask, mask):
            return candidate
    return None


def _candidates(seen: NDArray[np.int64], asked: PackedLayout) -> Iterator[PackedLayout]:
    """Layouts of this many tokens whose rows see as many tokens as the mask's do."""
    size = len(seen)
    if (seen == np.arange(1, size + 1)).all():
        yield packed("causal", length=size)
    same: list[tuple[int, int, int]] = []
    others: list[tuple[int, int, int]] = []
    for found in _sizes(seen, asked):
        own = found[:2] == (asked.window_size, asked.ngram_size)
        (same if own else others).append(found)
    yield from _full_steps(same, asked)
    yield from _partial_steps(size, asked)  # nearer than a full step of another W or N
    yield from _full_steps(others, asked)


def _full_steps(
    sizes: Iterable[tuple[int, int, int]], asked: PackedLayout
) -> Iterator[PackedLayout]:
    for window, ngram, candidates in sizes:
        names = dict.fromkeys((asked.name if LAYOUTS[asked.name].steady else "lade", *_STEADY))
        for name in names:
            if not LAYOUTS[name].merges:
                yield packed(name, window, ngram, candidates)


def _sizes(seen: NDArray[np.int64], asked: PackedLayout) -> Iterator[tuple[int, int, int]]:
    """(W, N, G') of full steps of T tokens with this histogram of visible tokens."""
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
        if window + ngram - 1 > len(histogram) and window + ngram - 1 != len(histogram):
            continue
        wanted = np.convolve(np.ones(window, dtype=int), np.ones(ngram - 1, dtype=int))
        depths = np.zeros(max(len(wanted), ngram) + 1, dtype=int)
        depths[1 : len(wanted) + 1] = wanted  # a window cell at offset o sees o + 1 tokens
        depths[2 : ngram + 1] += candidates  # a guess j sees I, j earlier ones and itself
        depths = np.trim_zeros(depths, "b")
        if np.array_equal(depths, histogram):
            yield window, ngram, candidates


def _partial_steps(size: int, asked: PackedLayout) -> Iterator[PackedLayout]:
    """Start-up steps and parts of the step that was asked for."""
    own = (asked.window_size, asked.ngram_size, asked.candidates)
    variants: list[tuple[str, dict[str, Any]]] = []
    if asked.ngram_size > 2:
        last = asked.ngram_size - 3
        variants += [("lade-warmup", {"step": step}) for step in range(last + 1)]
        variants += [("trt-fill", {"fill": fill}) for fill in range(1, last + 2)]
    for ranks in (2, 3, 4):
        variants += [("lade-parallel", {"ranks": ranks, "rank": rank}) for rank in range(ranks)]
    for name, variant in variants:
        layout = packed(name, *own, **variant)
        if layout.size == size:
            yield layout
        elif name == "lade-parallel" and layout.size < size < layout.size + asked.ngram_size:
            yield packed(name, *own, **variant, refed=size - layout.size)
