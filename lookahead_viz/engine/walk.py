"""Sampled verification: the walk along the candidates that leaves the distribution as it is.

Fu et al. 2024, Algorithm 4. The candidates are certain guesses, so a guess s is accepted with
its own probability p(s); rejected, it is taken out of the distribution, which is renormalised
before the next one is tried. The token that comes out at each depth is then distributed by p.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from lookahead_viz.engine.interface import Distribution
from lookahead_viz.records import Draw

DistributionAfter = Callable[[int | None, int], Distribution]
"""``(candidate, depth)`` -> the model's distribution after the first ``depth`` guesses of it.

Depth 0 is after the current token, where ``candidate`` is None.
"""


class Walk(NamedTuple):
    """The accepted guesses and the model's own token behind them, and how it came to that."""

    tokens: tuple[int, ...]  # 1 .. most + 1
    draws: tuple[Draw, ...]


def random_stream(seed: int) -> random.Random:
    """The random numbers of one run's draws.

    Not those of the window's fill: were a guess made from the number that then judges it, the
    distribution would be wrong.
    """
    return random.Random(f"draws {seed}")


def sampled_walk(
    candidates: Sequence[Sequence[int]],
    distribution_after: DistributionAfter,
    rng: random.Random,
    *,
    most: int,
) -> Walk:
    """Accept at most ``most`` guesses, depth by depth, then draw the model's own token.

    At each depth the surviving candidates are asked in order; those with the same next guess are
    one. After an accepted guess only those that have it survive.
    """
    alive, leader = tuple(range(len(candidates))), None
    tokens: list[int] = []
    draws: list[Draw] = []
    for depth in range(most + 1):
        left = distribution_after(leader, depth)
        accepted = False
        alive = tuple(g for g in alive if depth < min(len(candidates[g]), most))
        for token, holders in _next_guesses(candidates, alive, depth):
            chance = chance_of(left, token)
            drawn = rng.random() if 0.0 < chance < 1.0 else None
            accepted = chance > 0.0 and (drawn is None or drawn < chance)
            pruned = tuple(g for g in alive if (g in holders) != accepted)
            draws.append(Draw(depth, token, chance, drawn, accepted, holders, pruned))
            alive = tuple(g for g in alive if g not in pruned)
            if accepted:
                tokens.append(token)
                leader = holders[0]
                break
            left = without(left, token)
        if not accepted:
            own = own_token(left, depth, rng)
            return Walk((*tokens, own.token), (*draws, own))
    raise AssertionError("at the last depth no guess is left to accept")


def _next_guesses(
    candidates: Sequence[Sequence[int]], alive: Sequence[int], depth: int
) -> list[tuple[int, tuple[int, ...]]]:
    """The different guesses of the surviving candidates at ``depth``, and who has each."""
    holders: dict[int, list[int]] = {}
    for number in alive:
        holders.setdefault(candidates[number][depth], []).append(number)
    return [(token, tuple(numbers)) for token, numbers in holders.items()]


def chance_of(left: Distribution, token: int) -> float:
    """With which probability a guess is accepted; exactly 1 where nothing else is left."""
    chance = float(left[token])
    return 1.0 if 0.0 < chance and not left.sum() - chance > 0.0 else min(chance, 1.0)


def without(left: Distribution, token: int) -> Distribution:
    """What is left of a distribution once ``token`` was rejected, summing to 1 again."""
    rest = left.copy()
    rest[token] = 0.0
    found: Distribution = rest / rest.sum()
    return found


def own_token(left: Distribution, depth: int, rng: random.Random) -> Draw:
    """Draw a token from what is left, by the inverse of its cumulative distribution."""
    possible = np.flatnonzero(left)
    if len(possible) == 1:
        return Draw(depth, int(possible[0]), 1.0, None, accepted=True)
    cumulative = left.cumsum()
    drawn = rng.random()
    found = int(np.searchsorted(cumulative, drawn * cumulative[-1], side="right"))
    token = min(found, int(possible[-1]))  # rounding at the upper end
    return Draw(depth, token, float(left[token]), drawn, accepted=True)
