"""Sampling with guesses draws from the model's own distribution: chi-square over 64 cells.

A toy model over four tokens has a table of distributions; what is compared is the joint
distribution of three tokens. Two planted errors must fail the same test.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from lookahead_viz import visibility
from lookahead_viz.config import GreedyConfig, LookaheadConfig
from lookahead_viz.engine import walk
from lookahead_viz.engine.greedy import greedy_steps
from lookahead_viz.engine.interface import Distribution, PassResult
from lookahead_viz.engine.lookahead import lookahead_steps
from lookahead_viz.layout import guess_slots
from lookahead_viz.records import StepLayout
from tests.chi_square import SIGNIFICANCE, p_value, upper_tail

VOCAB, LENGTH = 4, 3
TOKENS = range(VOCAB)
CELLS = list(itertools.product(TOKENS, repeat=LENGTH))
WALKS, DECODES = 20_000, 5_000
SETS = 200
"""Different sets of candidates; every walk is given one of them."""

Candidates = tuple[list[tuple[int, ...]], tuple[tuple[int, ...], ...], Mapping[int, Distribution]]


@cache
def distribution(context: tuple[int, ...]) -> Distribution:
    """The toy model: an uneven distribution for every context, of which three tokens count."""
    rng = random.Random(f"toy {context[-3:]}")
    weights = np.array([rng.random() ** 2 + 0.02 for _ in TOKENS])
    found: Distribution = weights / weights.sum()
    found.setflags(write=False)  # shared: a walk must not change it
    return found


def exact(start: tuple[int, ...] = ()) -> Mapping[tuple[int, ...], float]:
    """The probability of every three tokens after ``start``."""
    found = {}
    for cell in CELLS:
        chances = [distribution((*start, *cell[:i]))[cell[i]] for i in range(LENGTH)]
        found[cell] = float(np.prod(chances))
    return found


@cache
def candidate_sets(count: int, *, merged: bool) -> list[Candidates]:
    """Some n-grams of three guesses each, different as in the pool, and what is at their slots.

    ``merged``: the slots are those of a merged layout, as a pass has them.
    """
    rng = random.Random(f"candidates {count}")
    found: list[Candidates] = []
    for _ in range(SETS):
        tails = rng.sample(CELLS, count)
        slots = guess_slots(tails, 1, merge=merged)
        table = {
            slot: distribution(tail[: j + 1])
            for tail, places in zip(tails, slots, strict=True)
            for j, slot in enumerate(places)
        }
        found.append((tails, slots, table))
    return found


def walked(count: int, *, merged: bool, runs: int = WALKS) -> Iterator[tuple[int, ...]]:
    """Three tokens per run: those of one walk, and plain sampling for what it leaves open."""
    rng = random.Random(f"walks {count} {merged}")
    sets = candidate_sets(count, merged=merged)
    for run in range(runs):
        candidates, slots, table = sets[run % SETS]

        def after(
            candidate: int | None,
            depth: int,
            table: Mapping[int, Distribution] = table,
            places: Sequence[Sequence[int]] = slots,
        ) -> Distribution:
            return distribution(()) if candidate is None else table[places[candidate][depth - 1]]

        text = list(walk.sampled_walk(candidates, after, rng, most=LENGTH).tokens)
        while len(text) < LENGTH:
            text.append(walk.own_token(distribution(tuple(text)), 0, rng).token)
        yield tuple(text[:LENGTH])


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_the_walk_draws_from_the_models_distribution(count: int, merged: bool) -> None:
    assert p_value(walked(count, merged=merged), exact()) > SIGNIFICANCE


def no_renormalisation(left: Distribution, token: int) -> Distribution:
    rest = left.copy()
    rest[token] = 0.0
    return rest


def best_instead(left: Distribution, token: int) -> float:
    return float(left.max()) if left[token] else 0.0


@pytest.mark.parametrize(
    ("name", "error"), [("without", no_renormalisation), ("chance_of", best_instead)]
)
def test_a_planted_error_is_noticed(
    name: str, error: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rejected guess forgotten in the sum; the largest probability taken for the guess's."""
    monkeypatch.setattr(walk, name, error)
    assert p_value(walked(3, merged=False, runs=WALKS // 2), exact()) < SIGNIFICANCE


class TableRunner:
    """A model that is a table: the last three tokens that a slot sees say what comes next.

    Other tests check masks and cache; this one only has to be quick.
    """

    vocab_size = VOCAB
    position_limit = None

    def __init__(self) -> None:
        self.text: list[int] = []
        self.layout: StepLayout | None = None

    @property
    def cached(self) -> int:
        return len(self.text)

    def prefill(self, token_ids: Sequence[int]) -> None:
        self.text = list(token_ids)

    def forward(
        self, layout: StepLayout, visible: visibility.BoolMatrix, used: Sequence[int]
    ) -> PassResult:
        self.layout = layout
        before = tuple(self.text[-2:])
        contexts: list[tuple[int, ...]] = []
        for token, parent in zip(layout.token_ids, visibility.parents(layout), strict=True):
            path = (*(contexts[parent] if parent >= 0 else before), token)
            contexts.append(path[-3:])
        asked = set(used)
        best = (most_likely(c) if slot in asked else None for slot, c in enumerate(contexts))
        return PassResult(
            predictions=tuple(best),
            gaps=(1.0,) * layout.slots,
            top_k=(),
            mask_sha256="",
            forward_ms=0.0,
            distribution=lambda slot: distribution(contexts[slot]),
        )

    def keep(self, slots: Sequence[int]) -> None:
        assert self.layout is not None
        self.text += [self.layout.token_ids[slot] for slot in slots]

    def truncate(self, rows: int) -> None:
        del self.text[rows:]


@cache
def most_likely(context: tuple[int, ...]) -> int:
    return int(distribution(context).argmax())


PROMPT = (0, 3, 1, 2, 0, 3, 1, 0)
WARM = 6
"""Tokens before the three that are compared, so that the pool holds something."""


@pytest.mark.parametrize(
    "config",
    [
        LookaheadConfig(window_size=2, ngram_size=3, max_candidates=3, temperature=1.0),
        LookaheadConfig(
            window_size=2,
            ngram_size=3,
            max_candidates=4,
            pool_policy="unlimited",
            pool_from_prompt=True,
            merge_candidates=True,
            verify_window=True,
            warm_up="none",
            temperature=1.0,
        ),
    ],
    ids=["plain", "merged, window verified"],
)
def test_whole_decodes_draw_from_the_models_distribution(config: LookaheadConfig) -> None:
    """Given the tokens before them, the last three tokens of a decoding are the model's own."""
    guesses = 0
    first: list[tuple[int, ...]] = []
    later: list[float] = []
    for seed in range(DECODES):
        seeded = replace(config, seed=seed, max_new_tokens=WARM + LENGTH)
        steps = list(lookahead_steps(TableRunner(), PROMPT, seeded, frozenset()))
        text = tuple(token for step in steps for token in step.accepted)
        guesses += sum(len(step.accepted) > 1 for step in steps)
        first.append(text[:LENGTH])
        later.append(surprise(text, seed))
    assert p_value(first, exact(PROMPT)) > SIGNIFICANCE
    assert guesses > DECODES  # a guess was accepted at least once in a decoding, on average
    assert p_value([int(64 * u) for u in later], dict.fromkeys(range(64), 1 / 64)) > SIGNIFICANCE


def surprise(text: tuple[int, ...], seed: int) -> float:
    """Where the last three tokens fall in the cumulative distribution of all 64 possible ones.

    Blurred within their cell, so that it is uniform exactly if the tokens follow the model.
    """
    chances = exact_after(PROMPT[-3:] + text[:WARM])
    cell = CELLS.index(text[WARM:])
    inside = random.Random(f"blur {seed}").random()
    return min(sum(chances[:cell]) + inside * chances[cell], 1 - 1e-12)


@cache
def exact_after(context: tuple[int, ...]) -> tuple[float, ...]:
    return tuple(exact(context).values())


def test_greedy_sampling_is_plain_sampling() -> None:
    config = GreedyConfig(max_new_tokens=LENGTH, temperature=1.0)
    found = []
    for seed in range(DECODES):
        steps = greedy_steps(TableRunner(), PROMPT, replace(config, seed=seed), frozenset())
        found.append(tuple(token for step in steps for token in step.accepted))
    assert p_value(found, exact(PROMPT)) > SIGNIFICANCE


def test_the_chi_square_test_itself() -> None:
    """Table values: 0.001 of the tail is above 103.44 for 63 degrees, 0.05 above 31.41 for 20."""
    assert upper_tail(103.442, 63) == pytest.approx(0.001, rel=0.02)
    assert upper_tail(31.410, 20) == pytest.approx(0.05, rel=0.02)
    even = {0: 0.5, 1: 0.5}
    assert p_value([0, 1] * 500, even) > 0.9
    assert p_value([0] * 600 + [1] * 400, even) < 1e-6
    assert p_value([0, 1, 2], even) == 0.0
