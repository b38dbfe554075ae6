"""Greedy verification: which candidate is right, and how far (Fu et al. 2024, Algorithm 3)."""

from __future__ import annotations

from collections.abc import Sequence

from lookahead_viz.records import Verification


def matched_length(candidate: Sequence[int], expected: int, predictions: Sequence[int]) -> int:
    """Length of the proven prefix of ``candidate``.

    ``expected`` is the model's token after the current one, ``predictions[j]`` its token after
    guess j. A guess is proven when it is the token expected there.
    """
    for length, (token, prediction) in enumerate(zip(candidate, predictions, strict=True)):
        if token != expected:
            return length
        expected = prediction
    return len(candidate)


def verify(
    candidates: Sequence[Sequence[int]],
    expected: int,
    predictions: Sequence[Sequence[int]],
    *,
    cap: int | None = None,
) -> Verification:
    """Compare every candidate [G'][N - 1] with the model; the first longest match wins.

    ``cap`` limits what counts as matched *before* the candidates are compared: N - 2 reproduces
    the published code, whose loop cannot tell a full match from a mismatch at the last guess.
    """
    matched = []
    for candidate, own in zip(candidates, predictions, strict=True):
        length = matched_length(candidate, expected, own)
        matched.append(length if cap is None else min(length, cap))
    return Verification(
        candidates=tuple(tuple(candidate) for candidate in candidates),
        predictions=tuple(tuple(own) for own in predictions),
        matched=tuple(matched),
        winner=matched.index(max(matched)) if matched else None,
    )
