"""Every method equals greedy on a model that checks each slot's path, at every small size."""

from __future__ import annotations

import itertools

import pytest

from lookahead_viz.config import GreedyConfig, JacobiConfig, LookaheadConfig, Shift
from lookahead_viz.engine.greedy import greedy_steps
from lookahead_viz.engine.jacobi import jacobi_steps
from lookahead_viz.engine.lookahead import lookahead_steps
from tests.fakes import FakeRunner, greedy_text, hash_model

PROMPT = (3, 1, 4, 1, 5)


@pytest.mark.parametrize("shift", ["reanchor", "slide"])
@pytest.mark.parametrize("ngram_size", range(2, 7))
@pytest.mark.parametrize("window_size", range(1, 9))
def test_lookahead_equals_greedy_and_sees_its_paths(
    window_size: int, ngram_size: int, shift: Shift
) -> None:
    for max_candidates, seed in itertools.product(range(5), range(2)):
        model = hash_model(vocab_size=6, seed=seed, memory=2)
        config = LookaheadConfig(
            window_size=window_size,
            ngram_size=ngram_size,
            max_candidates=max_candidates,
            max_new_tokens=24,
            shift=shift,
            seed=seed,
        )
        runner = FakeRunner(model, vocab_size=6)
        steps = []
        for step in lookahead_steps(runner, PROMPT, config, frozenset()):
            steps.append(step)
            emitted = sum(len(done.accepted) for done in steps)
            assert runner.cached == len(PROMPT) + emitted - 1
            assert 1 <= len(step.accepted) + len(step.discarded) <= ngram_size
        text = [token for step in steps for token in step.accepted]
        assert text == greedy_text(model, PROMPT, 24)


@pytest.mark.parametrize("block_size", [1, 2, 5, 16])
def test_jacobi_equals_greedy_and_freezes_every_pass(block_size: int) -> None:
    for seed in range(4):
        model = hash_model(vocab_size=5, seed=seed, memory=2)
        config = JacobiConfig(block_size=block_size, max_new_tokens=20, seed=seed)
        steps = list(jacobi_steps(FakeRunner(model, vocab_size=5), PROMPT, config, frozenset()))
        assert [t for step in steps for t in step.accepted] == greedy_text(model, PROMPT, 20)
        for step in steps:
            assert step.frozen >= step.iteration + 1  # after t passes at least t tokens are final


def test_greedy_stops_at_a_stop_id() -> None:
    model = hash_model(vocab_size=5)
    whole = greedy_text(model, PROMPT, 30)
    stop = whole[7]
    expected = greedy_text(model, PROMPT, 30, stop_ids=[stop])
    config = GreedyConfig(max_new_tokens=30)
    steps = list(greedy_steps(FakeRunner(model), PROMPT, config, frozenset([stop])))
    assert [t for step in steps for t in step.accepted] == expected
