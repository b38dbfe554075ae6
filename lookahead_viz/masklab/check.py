"""Is this mask right for lookahead decoding? ``check`` says; ``assert_mask`` is for tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lookahead_viz.masklab import lint
from lookahead_viz.masklab.diagnosis import Diagnosis, diagnose
from lookahead_viz.masklab.findings import Names
from lookahead_viz.masklab.fits import fitting
from lookahead_viz.masklab.layouts import PackedLayout, packed
from lookahead_viz.masklab.normalise import (
    Polarity,
    ReadMask,
    UnreadableMask,
    begins_with_text,
    normalise,
    without_committed_rows,
)
from lookahead_viz.masklab.positions import read_positions, shift_of
from lookahead_viz.masklab.report import Report
from lookahead_viz.masklab.scene import Masks, Scene


def check(
    mask: Any,
    window_size: int = 5,
    ngram_size: int = 4,
    candidates: int = 2,
    layout: str | PackedLayout = "lade",
    positions: Any = None,
    *,
    tokens: Sequence[str] | None = None,
    polarity: Polarity = "auto",
    committed: int | None = None,
    sliding_window: int | None = None,
    **variant: Any,
) -> Report:
    """Check the mask of one packed pass; the report is truthy when everything is right.

    ``mask``: array, tensor or nested lists, [T, T], [T, P + T] or without a cache [P + T, P + T],
    with or without batch and head dimensions, of booleans, 0/1 or additive floats; or a
    ``ReadMask``. ``candidates`` are those present in this pass. ``layout`` and ``variant`` as for
    ``layouts.packed``, or a ``PackedLayout``. ``positions`` [T] are checked too where given,
    relative or absolute. ``tokens`` [T] are texts for the sentences. ``polarity`` and
    ``committed`` override what is detected; ``sliding_window`` is the model's, in positions.
    Raises ``UnreadableMask`` (a ValueError, one sentence) where ``mask`` is none.
    """
    expected = layout
    if not isinstance(expected, PackedLayout):
        expected = packed(expected, window_size, ngram_size, candidates, **variant)
    read = normalise(mask, polarity=polarity, committed=committed)
    given = read.positions if positions is None else read_positions(positions, read.size)
    texts = read.tokens if tokens is None else _texts(tokens)
    if texts is not None and len(texts) != read.size:
        raise UnreadableMask(
            f"tokens has {len(texts)} texts; the mask has {read.size} packed tokens."
        )
    window = None if sliding_window is None else _window(sliding_window)
    extra = read.size - expected.size
    fits = fitting(read.mask, expected, window) if extra else None
    if extra > 0 and fits is None and _has_committed_rows(read, extra, expected):
        read, extra = without_committed_rows(read, extra), 0
        given = None if given is None else given[-read.size :]
        texts = None if texts is None else texts[-read.size :]
    if extra:
        findings = lint.wrong_shape(read, expected)
        return Report(read, expected, findings, Diagnosis(fits=fits), None, given)
    scene = Scene.of(expected, read.committed, window)
    masks = Masks(read.mask, None if read.prefix.all() else read.prefix)
    findings = lint.lint(read, masks, scene, expected, Names(expected, texts, window), given)
    relative, shift = None, 0
    if given is not None:
        start = given[scene.current]
        relative = [place - start for place in given]
        shift = shift_of(start, read.committed, expected.refed)
    diagnosis = diagnose(masks, scene, expected, relative, shift)
    return Report(read, expected, findings, diagnosis, scene, given)


def _has_committed_rows(read: ReadMask, extra: int, expected: PackedLayout) -> bool:
    """Are the ``extra`` first tokens committed text, rather than row 0 of a larger pass?"""
    if not begins_with_text(read, extra):
        return False
    if lint.other_candidates(read.size, expected) is None or extra > expected.window_size:
        return True
    return bool(read.mask[extra:, :extra].all()) and (extra, expected.ngram_size) != (1, 2)


def _texts(tokens: Any) -> tuple[str, ...]:
    if isinstance(tokens, str) or not isinstance(tokens, Iterable):
        raise UnreadableMask("tokens must be one text per packed token.")
    return tuple(map(str, tokens))


def _window(size: Any) -> int:
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 1:
        raise UnreadableMask(
            f"sliding_window is {size!r}; it must be a whole number of at least 1."
        )
    return int(size)


def assert_mask(mask: Any, *args: Any, **settings: Any) -> None:
    """``check`` for tests: ``AssertionError`` with the whole report where the mask is wrong."""
    __tracebackhide__ = True  # pytest shows the caller's line
    report = check(mask, *args, **settings)
    if not report:
        raise AssertionError(f"\n{report}")


def right_mask(layout: PackedLayout, committed: int = 0) -> np.ndarray:
    """The right mask of a layout behind ``committed`` cached tokens, bool [T, P + T]."""
    return lint.whole(Masks(layout.mask), committed)
