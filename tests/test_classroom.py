"""The classroom prompts show what they promise, on the model they were chosen for."""

from __future__ import annotations

from functools import lru_cache

import pytest

import lookahead_viz as lv
from lookahead_viz.classroom import PROMPTS, by_name
from lookahead_viz.config import Config
from lookahead_viz.models.registry import TINY, tiny_installed
from lookahead_viz.records import Run

pytestmark = pytest.mark.skipif(not tiny_installed(), reason="the tiny model is not shipped yet")

WIDE = {"window_size": 15, "ngram_size": 5, "max_candidates": 15}


@lru_cache
def tiny() -> lv.Model:
    return lv.load_model(TINY, device="cpu", dtype="float32")


def decoded(name: str, config: Config) -> Run:
    prompt = by_name(name)
    assert prompt is not None
    return lv.record(tiny(), prompt.text, config)


def lookahead(name: str, **sizes: int) -> Run:
    return decoded(name, lv.LookaheadConfig(max_new_tokens=96, alternatives=0, **sizes))  # type: ignore[arg-type]


def loops(tokens: tuple[int, ...]) -> bool:
    """The last 48 tokens are periodic with a period of at most 16."""
    tail = tokens[-48:]
    return any(
        all(tail[i] == tail[i - period] for i in range(period, len(tail)))
        for period in range(1, 17)
    )


def test_there_are_twelve_each_with_a_sentence() -> None:
    assert len(PROMPTS) == len({prompt.name for prompt in PROMPTS}) == 12
    assert all(prompt.note.endswith(".") and prompt.text for prompt in PROMPTS)
    assert by_name("no such prompt") is None


def test_one_needs_a_third_of_the_passes_without_looping() -> None:
    run = lookahead("properties", **WIDE)
    assert not loops(run.token_ids)
    assert run.compression >= 3


def test_on_one_jacobi_fails_and_lookahead_does_not() -> None:
    jacobi = decoded("stack", lv.JacobiConfig(max_new_tokens=96, alternatives=0))
    assert jacobi.compression < 1.05
    assert lookahead("stack").compression > 2


def test_on_one_nothing_is_won() -> None:
    assert lookahead("children").compression < 1.1


def test_on_one_a_larger_window_does_not_help() -> None:
    small, large = lookahead("numbers"), lookahead("numbers", **WIDE)
    assert large.compression < small.compression + 0.1


def test_one_is_a_loop() -> None:
    assert loops(lookahead("days").token_ids)


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
def test_every_method_writes_greedys_text(prompt: object) -> None:
    name = getattr(prompt, "name", "")
    greedy = decoded(name, lv.GreedyConfig(max_new_tokens=48))
    for config in (
        lv.JacobiConfig(max_new_tokens=48),
        lv.LookaheadConfig(max_new_tokens=48, **WIDE),  # type: ignore[arg-type]
    ):
        equality = lv.compare(decoded(name, config), greedy)
        tie = equality.difference is not None and (equality.difference.gap or 1) < 1e-3
        assert equality.identical or tie
