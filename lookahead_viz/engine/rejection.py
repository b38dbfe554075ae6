"""Sampled verification of a draft: accept with min(1, p / q), resample what is left of p.

Leviathan et al. 2023, Algorithm 1 and appendix A.1: a token x drawn from q and accepted with
probability min(1, p(x) / q(x)), else replaced by a sample of max(0, p - q) renormalised, is
distributed by p. A token that no distribution was drawn from counts as q(x) = 1, all on itself.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np

from lookahead_viz.engine.interface import Distribution
from lookahead_viz.engine.walk import Walk, chance_of, own_token, without
from lookahead_viz.records import Draw

DistributionAt = Callable[[int], Distribution]
"""``depth`` -> the model's distribution after the first ``depth`` tokens of the draft."""


def rejection_walk(
    draft: Sequence[int],
    drawn_from: Sequence[Distribution | None],
    distribution_at: DistributionAt,
    rng: random.Random,
    *,
    bonus: bool = True,
) -> Walk:
    """Test the tokens of ``draft`` in order, up to the first that is rejected.

    ``drawn_from[depth]`` is the q that token was drawn from; None = it was not drawn. After a
    rejection the token is drawn from the rest of p; with ``bonus`` one more is drawn after a full
    match, for which ``distribution_at(len(draft))`` is asked.
    """
    tokens: list[int] = []
    draws: list[Draw] = []
    for depth, (token, q) in enumerate(zip(draft, drawn_from, strict=True)):
        p = distribution_at(depth)
        chance = acceptance(p, q, token)
        drawn = rng.random() if 0.0 < chance < 1.0 else None
        accepted = chance > 0.0 and (drawn is None or drawn < chance)
        own = None if q is None else float(q[token])
        pruned = () if accepted else (0,)
        draws.append(Draw(depth, token, chance, drawn, accepted, (0,), pruned, own))
        if not accepted:
            return _with_own(tokens, draws, residual(p, q, token), rng)
        tokens.append(token)
    if bonus:
        return _with_own(tokens, draws, distribution_at(len(draft)), rng)
    return Walk(tuple(tokens), tuple(draws))


def acceptance(p: Distribution, q: Distribution | None, token: int) -> float:
    """min(1, p / q) of a drafted token."""
    if q is None:
        return chance_of(p, token)
    return min(float(p[token]) / float(q[token]), 1.0)


def residual(p: Distribution, q: Distribution | None, token: int) -> Distribution:
    """max(0, p - q), renormalised: what the token is drawn from after a rejection."""
    if q is None:
        return without(p, token)
    rest = np.maximum(p - q, 0.0)
    total = rest.sum()
    # p = q but for rounding: hardly ever rejected, and then any share of p will do
    found: Distribution = rest / total if total > 0.0 else p
    return found


def _with_own(
    tokens: list[int], draws: list[Draw], left: Distribution, rng: random.Random
) -> Walk:
    own = own_token(left, len(tokens), rng)
    return Walk((*tokens, own.token), (*draws, own))
