"""Verification: which candidate is right, and how far (Fu et al. 2024, Algorithms 3 and 4)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from lookahead_viz.engine.interface import Distribution, PassResult
from lookahead_viz.engine.walk import sampled_walk
from lookahead_viz.prefix import common_prefix
from lookahead_viz.records import Draw, Verification


class Candidate(NamedTuple):
    """Some tokens that may come after the current one, and the slots that they stand in."""

    tokens: tuple[int, ...]
    slots: tuple[int, ...]


class Verdict(NamedTuple):
    """What a pass proved: 1 .. N ``tokens``, the last one the model's own."""

    verification: Verification
    tokens: tuple[int, ...]
    draws: tuple[Draw, ...] = ()


def judge(
    candidates: Sequence[Candidate], result: PassResult, rng: random.Random, *, most: int
) -> Verdict:
    """Verify ``candidates`` greedily, or by sampling where the pass brings distributions.

    At most ``most`` guesses are accepted: N - 1, or N - 2 to reproduce the published code.
    """
    tokens = [candidate.tokens for candidate in candidates]
    predictions = [[result.token(slot) for slot in candidate.slots] for candidate in candidates]
    if result.distribution is None:
        seen = verify(tokens, result.token(0), predictions, cap=most)
        return Verdict(seen, seen.proven(result.token(0)))
    after = result.distribution

    def distribution_after(candidate: int | None, depth: int) -> Distribution:
        return after(0 if candidate is None else candidates[candidate].slots[depth - 1])

    walk = sampled_walk(tokens, distribution_after, rng, most=most)
    matched = [common_prefix(guesses, walk.tokens[:-1]) for guesses in tokens]
    return Verdict(_verification(tokens, predictions, matched), walk.tokens, walk.draws)


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
    return _verification(candidates, predictions, matched)


def _verification(
    candidates: Sequence[Sequence[int]],
    predictions: Sequence[Sequence[int]],
    matched: Sequence[int],
) -> Verification:
    return Verification(
        candidates=tuple(tuple(candidate) for candidate in candidates),
        predictions=tuple(tuple(own) for own in predictions),
        matched=tuple(matched),
        winner=matched.index(max(matched)) if matched else None,
    )
