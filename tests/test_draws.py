"""Sampled runs: what is drawn from, what a record says of it, and files that say it wrongly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import lookahead_viz as lv
from lookahead_viz.config import Sampling
from lookahead_viz.draws import draw_sentence, rounded
from lookahead_viz.engine.sampling import distribution, processors
from lookahead_viz.records import Draw, LookaheadStep, Run
from lookahead_viz.validate import check_run
from lookahead_viz.views.tree import tree_view
from tests.random_models import generate, random_model
from tests.toy_runs import toy_run

PROMPT = (1, 2, 3, 1, 2, 3, 1)


# --- the distribution


def test_the_distribution_is_that_of_transformers() -> None:
    """Logits 0, 1, 2, 3 at temperature 0.5: e^0, e^2, e^4, e^6, of which top-k keeps two."""
    logits = torch.tensor([0.0, 1.0, 2.0, 3.0])
    plain = distribution(logits, processors(Sampling(0.5)))
    weights = torch.tensor([0.0, 2.0, 4.0, 6.0], dtype=torch.float64).exp()
    assert plain.tolist() == pytest.approx((weights / weights.sum()).tolist())
    two = distribution(logits, processors(Sampling(0.5, top_k=2)))
    assert two.tolist() == pytest.approx([0, 0, 1 / (1 + torch.e**2), 1 / (1 + torch.e**-2)])
    one = distribution(logits, processors(Sampling(0.5, top_p=0.5)))
    assert one.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("merge", [False, True])
def test_where_one_token_is_left_sampling_is_greedy(merge: bool) -> None:
    """top_k = 1: p = 1 accepts without a draw, and the text is greedy's."""
    model = random_model("llama")
    config = lv.LookaheadConfig(
        temperature=1.0, top_k=1, max_new_tokens=40, stop_ids=(), merge_candidates=merge
    )
    run = lv.record(model, PROMPT, config)
    assert run.token_ids == generate(model.network, PROMPT, 40)
    assert all(draw.drawn is None for step in run.steps for draw in step.draws)
    greedy = lv.GreedyConfig(temperature=1.0, top_k=1, max_new_tokens=40, stop_ids=())
    assert lv.record(model, PROMPT, greedy).token_ids == run.token_ids


def test_one_seed_gives_one_run_and_merging_changes_no_token() -> None:
    model = random_model("gpt2")
    config = lv.LookaheadConfig(temperature=0.9, seed=4, max_new_tokens=60, stop_ids=())
    run = lv.record(model, PROMPT, config)
    assert lv.record(model, PROMPT, config) == run
    assert lv.record(model, PROMPT, replace(config, seed=5)).token_ids != run.token_ids
    merged = lv.record(model, PROMPT, replace(config, merge_candidates=True))
    assert merged.token_ids == run.token_ids
    assert verdicts(merged) == verdicts(run)  # thresholds may differ by rounding
    assert merged.slots_fed < run.slots_fed
    assert any(len(step.accepted) > 1 for step in run.steps)


def verdicts(run: Run) -> list[list[tuple[int, float | None, bool]]]:
    return [[(d.token, d.drawn, d.accepted) for d in step.draws] for step in run.steps]


def test_a_sampled_run_ends_at_a_stop_id_and_can_be_stopped() -> None:
    model = random_model("gpt2")
    config = lv.LookaheadConfig(temperature=0.9, seed=4, max_new_tokens=60, stop_ids=())
    whole = lv.record(model, PROMPT, config).token_ids
    stop = whole[20]
    run = lv.record(model, PROMPT, replace(config, stop_ids=(stop,)))
    assert run.finish_reason == "stop"
    assert run.token_ids == whole[: whole.index(stop) + 1]
    stopped = lv.record(model, PROMPT, config, on_step=lambda step: step.index < 3)
    assert (stopped.finish_reason, len(stopped.steps)) == ("stopped by user", 4)
    check_run(stopped)


@pytest.mark.parametrize("method", ["greedy", "lookahead"])
def test_a_sampled_run_is_saved_and_loaded(method: str, tmp_path: Path) -> None:
    run = toy_run(method, temperature=0.8)
    lv.save_run(run, tmp_path / "run.json.gz")
    assert lv.load_run(tmp_path / "run.json.gz") == run
    assert all(step.draws for step in run.steps)


# --- what is refused


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"temperature": -1},
            "temperature is -1; it must be 0 \\(greedy\\) or a number from 0.01",
        ),
        ({"temperature": "hot"}, "temperature is 'hot'"),
        ({"top_k": 3}, "they need a temperature above 0"),
        ({"temperature": 1.0, "top_k": 0}, "top_k is 0"),
        ({"temperature": 1.0, "top_p": 1.5}, "top_p is 1.5; it must be a number above 0"),
        ({"pool_policy": "unlimited", "pool_per_key": 3}, "has no bound; use None"),
        ({"window_fill": "constant"}, "'constant' needs a token id, and only it takes one"),
        ({"fill_token": 3}, "'constant' needs a token id, and only it takes one"),
        ({"warm_up": "none", "initial_window": (1,) * 6}, "is the first row of a gradual warm-up"),
        ({"column_key": "mine"}, "it must be one of 'current', 'stale', 'next'"),
    ],
)
def test_combinations_that_mean_nothing_are_refused(
    settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        lv.LookaheadConfig(**settings)


def test_a_fill_token_the_model_does_not_have_is_refused() -> None:
    config = lv.LookaheadConfig(window_fill="constant", fill_token=99)
    with pytest.raises(ValueError, match="fill_token holds token id 99, but"):
        lv.record(random_model("llama"), PROMPT, config)


# --- files that contradict themselves


def sampled() -> tuple[Run, int]:
    """A run, and a step of it that asked for a guess, rejected one and accepted another."""
    run = toy_run("lookahead", temperature=1.0, seed=3)
    for step in run.steps:
        guesses = [draw for draw in step.draws if draw.candidates and draw.drawn is not None]
        if {draw.accepted for draw in guesses} == {True, False}:
            return run, step.index
    raise AssertionError("choose another seed")


def no_draws(draws: tuple[Draw, ...]) -> tuple[Draw, ...]:
    return ()


def no_own_token(draws: tuple[Draw, ...]) -> tuple[Draw, ...]:
    return draws[:-1]


def other_verdict(draws: tuple[Draw, ...]) -> tuple[Draw, ...]:
    return (replace(draws[0], drawn=0.999 if draws[0].accepted else 0.0), *draws[1:])


def other_candidates(draws: tuple[Draw, ...]) -> tuple[Draw, ...]:
    return (replace(draws[0], candidates=(*draws[0].candidates, 4)), *draws[1:])


def other_pruned(draws: tuple[Draw, ...]) -> tuple[Draw, ...]:
    return (replace(draws[0], pruned=()), *draws[1:])


def out_of_order(draws: tuple[Draw, ...]) -> tuple[Draw, ...]:
    return (replace(draws[0], depth=2), *draws[1:])


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (no_draws, "does not end by a sampled token"),
        (no_own_token, "does not end by a sampled token"),
        (other_verdict, "gives? another verdict|numbers give another verdict"),
        (other_candidates, "names other candidates"),
        (other_pruned, "names other candidates"),
        (out_of_order, "draws out of order"),
    ],
)
def test_wrong_draws_are_noticed(
    change: Callable[[tuple[Draw, ...]], tuple[Draw, ...]], fault: str
) -> None:
    run, index = sampled()
    check_run(run)
    step = run.steps[index]
    first = next(d for d in step.draws if d.candidates)
    assert step.draws[0] == first
    wrong = replace(step, draws=change(step.draws))
    with pytest.raises(ValueError, match=fault):
        check_run(replace(run, steps=(*run.steps[:index], wrong, *run.steps[index + 1 :])))


def test_draws_in_a_greedy_run_are_noticed() -> None:
    run, other = toy_run("lookahead"), toy_run("lookahead", temperature=1.0)
    step = replace(run.steps[0], draws=other.steps[0].draws)
    with pytest.raises(ValueError, match="has draws, but its run is not sampled"):
        check_run(replace(run, steps=(step, *run.steps[1:])))


# --- what is shown


def test_a_draw_in_words() -> None:
    accepted = Draw(0, 5, 0.52, 0.3111, True, (0, 2), (1,))
    assert draw_sentence(accepted) == "drew 0.31 < 0.52: accepted"
    assert draw_sentence(replace(accepted, drawn=0.6, accepted=False)) == (
        "drew 0.6 ≥ 0.52: rejected"
    )
    close = replace(accepted, drawn=0.5187, threshold=0.5211)
    assert draw_sentence(close) == "drew 0.5187 < 0.5211: accepted"
    certain = replace(accepted, threshold=1.0, drawn=None)
    assert draw_sentence(certain) == "nothing else is left: accepted without a draw"
    never = replace(accepted, threshold=0.0, drawn=None, accepted=False)
    assert draw_sentence(never) == "probability 0: rejected without a draw"
    own = Draw(1, 7, 0.25, 0.4, True)
    assert draw_sentence(own) == "sampled from what remained, probability 0.25"
    shown = [rounded(value) for value in (0, 1, 0.125, 0.004, 1e-9)]
    assert shown == ["0", "1", "0.13", "0.004", "≈0"]


def test_the_tree_shows_every_draw_and_what_was_pruned() -> None:
    run, index = sampled()
    step = run.steps[index]
    assert isinstance(step, LookaheadStep)
    view = tree_view(run, index)
    assert sum(bool(node.draw) for node in view.nodes) == len(step.draws)
    for draw in step.draws[:-1]:
        node = next(n for n in view.nodes if (draw.candidates[0], draw.depth) in n.origins)
        assert node.state in (("accepted", "cut") if draw.accepted else ("rejected",))
        assert draw_sentence(draw) in node.hover
    path = [node.token for node in view.nodes if node.on_path]
    assert sorted(path) == sorted(step.accepted + step.discarded)
    states = {n.state for i in range(len(run.steps)) for n in tree_view(run, i).nodes}
    assert "pruned" in states
