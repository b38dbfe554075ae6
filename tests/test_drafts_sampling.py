"""Drafting methods that sample draw from the model's own distribution: chi-square over 64 cells.

Model and draft are tables over four tokens; what is compared is the joint distribution of three
tokens. Planted errors must fail the same test.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import lookahead_viz as lv
from lookahead_viz import visibility
from lookahead_viz.config import Config
from lookahead_viz.engine import rejection
from lookahead_viz.engine.interface import Distribution, PassResult
from lookahead_viz.engine.recording import decode
from lookahead_viz.engine.walk import own_token
from lookahead_viz.records import DraftStep, JacobiStep, Run, Step, StepLayout
from lookahead_viz.run_io import dump_run, read_run
from lookahead_viz.validate import check_run
from tests.chi_square import SIGNIFICANCE, p_value
from tests.toy_runs import toy_run

VOCAB, LENGTH = 4, 3
TOKENS = range(VOCAB)
CELLS = list(product(TOKENS, repeat=LENGTH))
WALKS, DECODES = 20_000, 5_000
PROMPT = (0, 3, 1, 2, 0, 3, 1, 0)


@cache
def table(name: str, context: tuple[int, ...]) -> Distribution:
    """An uneven distribution for every last three tokens; "draft" is another than "model"."""
    rng = random.Random(f"{name} {context[-3:]}")
    weights = np.array([rng.random() ** 2 + 0.02 for _ in TOKENS])
    found: Distribution = weights / weights.sum()
    return found


@cache
def exact(start: tuple[int, ...] = PROMPT) -> Mapping[tuple[int, ...], float]:
    """The probability of every three tokens after ``start``."""
    found = {}
    for cell in CELLS:
        chances = [table("model", (*start, *cell[:i]))[cell[i]] for i in range(LENGTH)]
        found[cell] = float(np.prod(chances))
    return found


# --- the walk alone


def walked(gamma: int, *, drawn: bool, runs: int = WALKS) -> Iterator[tuple[int, ...]]:
    """Three tokens per run: those of one walk, and plain sampling for what it leaves open.

    ``drawn``: the draft comes from its own distributions; else it is any tokens, as copied ones.
    """
    rng = random.Random(f"walks {gamma} {drawn}")
    for _ in range(runs):
        draft: list[int] = []
        drawn_from: list[Distribution | None] = []
        for _ in range(gamma):
            q = table("draft", (*PROMPT, *draft))
            draft.append(own_token(q, 0, rng).token if drawn else rng.randrange(VOCAB))
            drawn_from.append(q if drawn else None)

        def after(depth: int, tokens: Sequence[int] = draft) -> Distribution:
            return table("model", (*PROMPT, *tokens[:depth]))

        text = list(rejection.rejection_walk(draft, drawn_from, after, rng).tokens)
        while len(text) < LENGTH:
            text.append(own_token(table("model", (*PROMPT, *text)), 0, rng).token)
        yield tuple(text[:LENGTH])


@pytest.mark.parametrize("drawn", [True, False])
@pytest.mark.parametrize("gamma", [1, 2, 4])
def test_the_walk_draws_from_the_models_distribution(gamma: int, drawn: bool) -> None:
    assert p_value(walked(gamma, drawn=drawn), exact()) > SIGNIFICANCE


def whole_distribution(p: Distribution, q: Distribution | None, token: int) -> Distribution:
    return p


def largest_instead(p: Distribution, q: Distribution | None, token: int) -> float:
    return float(p.max())


def q_is_forgotten(p: Distribution, q: Distribution | None, token: int) -> float:
    return float(p[token])


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("residual", whole_distribution),
        ("acceptance", largest_instead),
        ("acceptance", q_is_forgotten),
    ],
)
def test_a_planted_error_is_noticed(
    name: str, error: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Resampled from p instead of max(0, p - q); the largest p; p instead of p / q."""
    monkeypatch.setattr(rejection, name, error)
    assert p_value(walked(2, drawn=True), exact()) < SIGNIFICANCE


def test_min_of_one_and_p_over_q_and_what_is_left_by_hand() -> None:
    p, q = np.array([0.5, 0.3, 0.2, 0.0]), np.array([0.25, 0.6, 0.15, 0.0])
    assert rejection.acceptance(p, q, 0) == 1.0
    assert rejection.acceptance(p, q, 1) == pytest.approx(0.5)
    assert rejection.residual(p, q, 1) == pytest.approx(np.array([0.25, 0, 0.05, 0]) / 0.3)
    assert rejection.acceptance(p, None, 1) == pytest.approx(0.3)
    assert rejection.residual(p, None, 1) == pytest.approx(np.array([0.5, 0, 0.2, 0]) / 0.7)
    assert rejection.residual(p, p, 1) == pytest.approx(p)


# --- whole decodes


class TableRunner:
    """A model that is a table; every pass of these methods is one line of tokens."""

    vocab_size, position_limit = VOCAB, None

    def __init__(self, name: str) -> None:
        self.name = name
        self.cache: list[int] = []
        self.fed: tuple[int, ...] = ()

    @property
    def cached(self) -> int:
        return len(self.cache)

    def prefill(self, token_ids: Sequence[int]) -> None:
        self.cache += token_ids

    def forward(
        self, layout: StepLayout, visible: visibility.BoolMatrix, used: Sequence[int]
    ) -> PassResult:
        assert layout.positions == tuple(range(self.cached, self.cached + layout.slots))
        self.fed, before = layout.token_ids, tuple(self.cache)

        def after(slot: int) -> Distribution:
            return table(self.name, (*before, *layout.token_ids[: slot + 1])[-3:])

        asked = set(used)
        best = [int(after(s).argmax()) if s in asked else None for s in range(layout.slots)]
        gaps = tuple(1.0 if slot in asked else None for slot in range(layout.slots))
        return PassResult(tuple(best), gaps, (), visibility.digest(visible), 0.0, after)

    def keep(self, slots: Sequence[int]) -> None:
        self.cache += [self.fed[slot] for slot in slots]

    def truncate(self, rows: int) -> None:
        del self.cache[rows:]


def seeded(config: Config, seed: int) -> Config:
    return type(config)(**vars(config) | {"seed": seed})


def decoded(config: Config) -> list[Step]:
    runners = TableRunner("model"), TableRunner("draft")
    return list(decode(runners[0], PROMPT, config, frozenset(), runners[1]))


@pytest.mark.parametrize(
    "config",
    [
        lv.SpeculativeConfig(gamma=3, temperature=1.0, max_new_tokens=5),
        lv.PromptLookupConfig(gamma=3, match_size=1, temperature=1.0, max_new_tokens=5),
        lv.SpeculativeJacobiConfig(block_size=3, max_new_tokens=3),
        lv.SpeculativeJacobiConfig(block_size=4, max_new_tokens=4, init="random"),
    ],
    ids=lambda config: f"{config.method}",
)
def test_whole_decodes_draw_from_the_models_distribution(config: Config) -> None:
    found, several, rejected = [], 0, 0
    for seed in range(DECODES):
        steps = decoded(seeded(config, seed))
        found.append(tuple(token for step in steps for token in step.accepted)[:LENGTH])
        several += any(len(step.accepted) > 1 for step in steps)
        rejected += any(not draw.accepted for step in steps for draw in step.draws)
    assert p_value(found, exact()) > SIGNIFICANCE
    assert several > DECODES / 10 and rejected > DECODES / 10


@pytest.mark.parametrize(
    ("name", "error"), [("residual", whole_distribution), ("acceptance", largest_instead)]
)
def test_planted_errors_are_noticed_in_speculative_jacobi(
    name: str, error: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rejection, name, error)
    config = lv.SpeculativeJacobiConfig(block_size=3, max_new_tokens=3)
    found = [
        tuple(token for step in decoded(seeded(config, seed)) for token in step.accepted)
        for seed in range(DECODES)
    ]
    assert p_value(found, exact()) < SIGNIFICANCE


# --- what is recorded


SAMPLED: dict[str, Config] = {
    "speculative": lv.SpeculativeConfig(temperature=0.8, gamma=3),
    "prompt-lookup": lv.PromptLookupConfig(temperature=0.8, match_size=1),
    "speculative-jacobi": lv.SpeculativeJacobiConfig(temperature=0.8, block_size=5),
}


def sampled(method: str, **settings: Any) -> Run:
    return toy_run(method, text="story", temperature=0.8, max_new_tokens=24, **settings)


@pytest.mark.parametrize("method", SAMPLED)
def test_draws_are_recorded_checked_and_read_again(method: str) -> None:
    run = sampled(method, seed=2)
    assert all(step.draws for step in run.steps)
    for step in run.steps:
        assert step.sampled == step.accepted + step.discarded
        tested = [draw for draw in step.draws if draw.candidates]
        assert all(draw.accepted for draw in tested[:-1])
        if isinstance(step, DraftStep) and step.source == "draft model":
            assert all(draw.draft_probability is not None for draw in tested)
    check_run(run)
    assert read_run(dump_run(run)) == run
    assert run == sampled(method, seed=2) and run.token_ids != sampled(method, seed=3).token_ids


@pytest.mark.parametrize("method", SAMPLED)
def test_a_draw_that_was_changed_is_noticed(method: str) -> None:
    run = sampled(method)
    step, number = next(
        (step, number)
        for step in run.steps
        for number, draw in enumerate(step.draws)
        if draw.candidates
    )
    draws = list(step.draws)
    draws[number] = replace(draws[number], accepted=not draws[number].accepted)
    steps = list(run.steps)
    steps[step.index] = replace(step, draws=tuple(draws))
    with pytest.raises(ValueError, match=f"step {step.index}"):
        check_run(replace(run, steps=tuple(steps)))


def test_at_temperature_0_speculative_jacobi_is_jacobi() -> None:
    jacobi = toy_run("jacobi", block_size=6)
    same = toy_run("speculative-jacobi", block_size=6, temperature=0.0)
    assert same.steps == jacobi.steps
    assert isinstance(same.steps[0], JacobiStep) and not same.steps[0].draws
