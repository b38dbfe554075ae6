"""What one pass of multi-block Jacobi proves: a pure function of its iterates and predictions.

Hu et al., arXiv 2512.14681, section on inference. The pass feeds one row, the current token and
the tokens of all blocks in flight, and beside it the recycled n-grams as candidates. Along the
row the tokens that the model predicts again are proven, and the model's next one with them, as in
pure Jacobi; a candidate proves its matched guesses and the bonus. The path that proves more of
the real block is taken, the row where both prove the same. What is proven beyond the real block
is not accepted in this pass: it stays there as the iterate of the next block, which the next pass
verifies again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lookahead_viz.layout import guess_slot
from lookahead_viz.prefix import common_prefix
from lookahead_viz.records import JacobiStep, Verification

Tokens = tuple[int, ...]


class Advance(NamedTuple):
    """How the blocks stand after a pass."""

    proven: Tokens  # of the real block, 1 .. what was left of it
    kept_slots: Tokens  # one slot a proven token: the slot it was predicted at
    by_candidate: bool
    next_iterate: Tokens  # of the real block
    next_ahead: tuple[Tokens, ...]
    verification: Verification


def advance(
    iterate: Tokens,
    frozen: int,
    ahead: Sequence[Tokens],
    candidates: Sequence[Tokens],
    predictions: Sequence[int],
) -> Advance:
    """``iterate`` [n] of the real block, its first ``frozen`` final; ``predictions`` [S]."""
    pending = (*iterate[frozen:], *(token for block in ahead for token in block))
    size, left = len(pending), len(iterate) - frozen
    own = tuple(predictions[:size])
    verification = _verify(candidates, predictions, size)
    by_row = own[: common_prefix(pending, own) + 1]
    by_candidate = verification.proven(own[0])
    taken = min(len(by_candidate), left) > min(len(by_row), left)
    proven = by_candidate if taken else by_row
    following = (*proven, *own[len(proven) :])[:size]
    slots = tuple(range(left))
    if taken:
        assert verification.winner is not None
        guesses = len(candidates[0])
        first = guess_slot(verification.winner, 0, window_slots=size, guesses=guesses)
        slots = (0, *range(first, first + guesses))
    return Advance(
        proven=proven[:left],
        kept_slots=slots[: min(len(proven), left)],
        by_candidate=taken,
        next_iterate=(*iterate[:frozen], *following[:left]),
        next_ahead=_split(following[left:], [len(block) for block in ahead]),
        verification=verification,
    )


def advanced(step: JacobiStep) -> Advance:
    """``advance`` of a recorded pass."""
    assert step.verification is not None
    return advance(
        step.iterate,
        step.frozen_before,
        step.ahead,
        step.verification.candidates,
        [token for token in step.predictions if token is not None],
    )


def by_candidate(step: JacobiStep) -> bool:
    """Did this pass take its accepted tokens from a recycled n-gram, not from its row?"""
    return step.verification is not None and advanced(step).by_candidate


def _verify(candidates: Sequence[Tokens], predictions: Sequence[int], first: int) -> Verification:
    matched, owns = [], []
    for number, candidate in enumerate(candidates):
        start = first + number * len(candidate)
        own = tuple(predictions[start : start + len(candidate)])
        owns.append(own)
        matched.append(common_prefix(candidate, (predictions[0], *own)))
    return Verification(
        candidates=tuple(candidates),
        predictions=tuple(owns),
        matched=tuple(matched),
        winner=matched.index(max(matched)) if matched else None,
    )


def _split(tokens: Tokens, sizes: Sequence[int]) -> tuple[Tokens, ...]:
    found, start = [], 0
    for size in sizes:
        found.append(tokens[start : start + size])
        start += size
    return tuple(found)
