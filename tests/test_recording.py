"""record and steps: nothing recorded is lost, bad arguments are answered in one sentence."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import torch

import lookahead_viz as lv
from lookahead_viz import replay
from lookahead_viz.config import CONFIGS
from lookahead_viz.engine.interface import PassResult
from lookahead_viz.engine.runner import TransformersRunner
from lookahead_viz.occurring import occurring_ids
from lookahead_viz.records import LookaheadStep, Step
from tests.random_models import POSITIONS, VOCAB, generate, random_model, random_network

PROMPT = (1, 5, 2, 8, 3)


def test_returning_false_stops_before_the_next_pass() -> None:
    seen: list[Step] = []

    def on_step(step: Step) -> bool:
        seen.append(step)
        return len(seen) < 4

    run = lv.record(random_model("llama"), PROMPT, lv.LookaheadConfig(), on_step)
    assert run.finish_reason == "stopped by user"
    assert list(run.steps) == seen and len(seen) == 4


def test_a_failure_keeps_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    forward = TransformersRunner.forward

    def failing(self: TransformersRunner, *args: Any) -> PassResult:
        if self.cached > 12:
            raise RuntimeError("out of memory:\n  tried to allocate 3 GiB")
        result: PassResult = forward(self, *args)
        return result

    monkeypatch.setattr(TransformersRunner, "forward", failing)
    run = lv.record(random_model("llama"), PROMPT, lv.LookaheadConfig())
    assert run.finish_reason == "error: out of memory: tried to allocate 3 GiB"
    assert 0 < len(run.token_ids) < 64
    assert run.token_ids == generate(random_network("llama"), PROMPT, len(run.token_ids))


def test_steps_are_those_of_the_run() -> None:
    config = lv.JacobiConfig(max_new_tokens=20)
    model = random_model("gpt2")
    assert tuple(lv.steps(model, PROMPT, config)) == lv.record(model, PROMPT, config).steps


def test_steps_may_be_left_early_without_a_trace_of_inference_mode() -> None:
    for _ in lv.steps(random_model("llama"), PROMPT, lv.GreedyConfig()):
        assert not torch.is_inference_mode_enabled()
        break
    assert torch.zeros(1, requires_grad=True).sum().requires_grad


def test_stop_ids_come_from_the_generation_config() -> None:
    network = random_network("llama", seed=9)
    text = generate(network, PROMPT, 12)
    first, spare = text[5], next(token for token in range(VOCAB) if token not in text)
    for ids, expected in ((first, (first,)), ([first, spare], (first, spare)), (None, ())):
        network.generation_config.eos_token_id = ids
        model = lv.wrap_model(network)
        assert model.stop_ids == expected
        run = lv.record(model, PROMPT, lv.LookaheadConfig(max_new_tokens=12))
        assert run.stop_ids == tuple(sorted(expected))
        if expected:
            assert run.finish_reason == "stop" and run.token_ids[-1] in expected
        assert (
            lv.record(model, PROMPT, lv.LookaheadConfig(max_new_tokens=12, stop_ids=())).token_ids
            == text
        )


def test_stop_wins_over_length() -> None:
    text = generate(random_network("llama"), PROMPT, 8)
    last_new = next(i for i in range(7, -1, -1) if text[i] not in text[:i])
    config = lv.LookaheadConfig(max_new_tokens=last_new + 1, stop_ids=(text[last_new],))
    assert lv.record(random_model("llama"), PROMPT, config).finish_reason == "stop"


@pytest.mark.parametrize(
    ("prompt", "fault"),
    [
        ((), "empty"),
        ((1, VOCAB), f"token id {VOCAB}"),
        ((-1,), "token id -1"),
        ((1, "x"), "tuple"),
        ("text", "no tokenizer"),
        (None, "NoneType"),
        (b"abc", "bytes, which is no text; decode it to str first"),
        (bytearray(b"abc"), "decode it to str first"),
        (memoryview(b"abc"), "decode it to str first"),
        (5, "int"),
        (torch.tensor([[1, 2]]), "Tensor"),
        (torch.tensor([1.0]), "Tensor"),
        ((1,) * (POSITIONS - 63), f"together {POSITIONS + 1}"),
    ],
)
def test_bad_prompts(prompt: Any, fault: str) -> None:
    with pytest.raises(ValueError, match=fault) as raised:
        lv.record(random_model("gpt2"), prompt, lv.LookaheadConfig())
    assert str(raised.value).endswith(".") and "\n" not in str(raised.value)


def test_a_model_that_is_none_is_named() -> None:
    thing: Any = random_network("llama")
    with pytest.raises(ValueError, match="wrap_model"):
        lv.record(thing, PROMPT, lv.GreedyConfig())


def test_logits_that_are_no_numbers_end_the_run_with_a_sentence() -> None:
    network = deepcopy(random_network("llama"))
    with torch.no_grad():
        network.get_output_embeddings().weight[3] = float("nan")
    run = lv.record(lv.wrap_model(network), PROMPT, lv.LookaheadConfig())
    assert run.failure is not None and "NaN" in run.failure


def test_flat_tensors_and_arrays_are_prompts() -> None:
    expected = lv.record(random_model("llama"), PROMPT, lv.GreedyConfig()).prompt_ids
    for prompt in (torch.tensor(PROMPT), np.array(PROMPT), list(PROMPT)):
        same: Any = prompt
        run = lv.record(random_model("llama"), same, lv.GreedyConfig(max_new_tokens=2))
        assert run.prompt_ids == expected


def test_a_prompt_that_just_fits_is_decoded_to_the_last_position() -> None:
    prompt = (1, 2, 3) * ((POSITIONS - 64) // 3)
    for architecture in ("gpt2", "opt", "llama"):
        model = random_model(architecture)
        count = POSITIONS - len(prompt)
        run = lv.record(model, prompt, lv.LookaheadConfig(max_new_tokens=count, window_size=9))
        assert run.token_ids == generate(model.network, prompt, count)
        assert run.steps[-1].layout.slots == 1


@pytest.mark.parametrize(
    ("kind", "settings", "fault"),
    [
        (lv.LookaheadConfig, {"window_size": 0}, "window_size"),
        (lv.LookaheadConfig, {"ngram_size": 1}, "ngram_size"),
        (lv.LookaheadConfig, {"max_candidates": -1}, "max_candidates"),
        (lv.LookaheadConfig, {"max_candidates": True}, "max_candidates"),
        (lv.LookaheadConfig, {"window_size": 2.0}, "window_size"),
        (lv.LookaheadConfig, {"pool_per_key": 0}, "pool_per_key"),
        (lv.LookaheadConfig, {"accept": "most"}, "accept"),
        (lv.LookaheadConfig, {"shift": "hop"}, "shift"),
        (lv.LookaheadConfig, {"window_fill": "zeros"}, "window_fill"),
        (lv.LookaheadConfig, {"initial_window": (1, 2)}, "W \\+ N - 3 = 6"),
        (lv.LookaheadConfig, {"temperature": -0.7}, "temperature"),
        (lv.LookaheadConfig, {"merge_candidates": 1}, "merge_candidates"),
        (lv.GreedyConfig, {"top_p": 0.9}, "temperature above 0"),
        (lv.GreedyConfig, {"max_new_tokens": 0}, "max_new_tokens"),
        (lv.GreedyConfig, {"stop_ids": "2"}, "stop_ids"),
        (lv.GreedyConfig, {"stop_ids": (-3,)}, "-3"),
        (lv.JacobiConfig, {"block_size": 0}, "block_size"),
        (lv.JacobiConfig, {"init": "zeros"}, "init"),
        *(
            (kind, {"alternatives": 101}, "alternatives is 101; it must .* from 0 to 100")
            for kind in CONFIGS.values()
        ),
    ],
)
def test_bad_settings(kind: Any, settings: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        kind(**settings)


def test_as_many_alternatives_as_a_file_can_hold() -> None:
    for kind in CONFIGS.values():
        assert kind(alternatives=100).alternatives == 100 and kind(alternatives=0)


def test_what_is_no_text_is_not_encoded() -> None:
    model = random_model("llama")
    for encode in (model.encode, model.encode_chat):
        given: Any = b"abc"
        with pytest.raises(ValueError, match="bytes, which is no text; decode it to str first"):
            encode(given)
        given = 5
        with pytest.raises(ValueError, match="int, which is no text; it must be a str"):
            encode(given)


def test_a_name_that_no_run_file_could_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="has 1,001 characters; at most 1,000"):
        lv.wrap_model(random_network("llama"), name="m" * 1001)


def test_lists_of_ids_are_taken_as_tuples() -> None:
    stops: Any = [2, 3]
    assert lv.GreedyConfig(stop_ids=stops).stop_ids == (2, 3)
    assert hash(lv.GreedyConfig(stop_ids=stops))


def test_pool_and_text_at_a_step() -> None:
    run = lv.record(random_model("llama"), PROMPT * 3, lv.LookaheadConfig(max_new_tokens=30))
    text: list[int] = []
    for i, step in enumerate(run.steps):
        assert isinstance(step, LookaheadStep)
        pool = lv.pool_at(run, i)
        current = step.window[0][0]
        found = pool.get(current, ())[-5:] if len(step.window) == 3 else ()
        assert found == step.verification.candidates
        text += step.accepted
        assert lv.text_at(run, i) == "".join(f"⟨{token}⟩" for token in text)
        assert replay.mask_proved(run, i)
    assert lv.text_at(run, -1) == run.text
    with pytest.raises(IndexError, match="does not exist"):
        lv.mask_at(run, len(run.steps))


def test_every_occurring_token_has_a_text() -> None:
    run = lv.record(random_model("llama"), PROMPT, lv.LookaheadConfig(max_new_tokens=30))
    assert set(run.token_text) >= occurring_ids(PROMPT, run.steps)
