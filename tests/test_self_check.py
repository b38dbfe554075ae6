"""Architectures nobody tested: tried on their own tiny copy, taken or refused by the result."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import lookahead_viz as lv
from lookahead_viz.engine import self_check, support, tiny_copy
from lookahead_viz.engine.attention import Masks
from lookahead_viz.engine.runner import TransformersRunner
from tests.architectures import CONFIGURATIONS, attention_of
from tests.random_models import generate, random_network
from tests.test_support import network


@pytest.mark.parametrize("architecture", sorted(CONFIGURATIONS))
def test_every_listed_architecture_passes_far_beyond_its_window(architecture: str) -> None:
    found = random_network(architecture)
    exact = 1e-9 if attention_of(architecture) == "sdpa" else 1e-5
    assert self_check.packed_error(found, 23) < exact
    assert found.config.model_type in support.KNOWN
    assert lv.wrap_model(found).exactness == support.PROVEN


def test_every_known_architecture_is_listed() -> None:
    assert {make().model_type for make in CONFIGURATIONS.values()} == support.KNOWN


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("Gemma", {}),
        ("Cohere2", {"sliding_window": 16}),
        ("Olmoe", {"num_experts": 4, "num_experts_per_tok": 2}),
    ],
)
def test_an_unlisted_architecture_is_taken_when_its_copy_passes(
    kind: str, changes: dict[str, Any]
) -> None:
    found = network(kind, **changes)
    assert found.config.model_type not in support.KNOWN
    model = lv.wrap_model(found)
    assert (
        model.exactness.startswith("Not among the architectures")
        and "relative error" in model.exactness
    )
    prompt = (1, 5, 2, 8) * 5
    run = lv.record(model, prompt, lv.LookaheadConfig(max_new_tokens=24))
    assert run.token_ids == generate(found, prompt, 24)


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("Doge", {"keep_window_size": 50}),
        ("Llama4Text", {"attention_chunk_size": 50}),
        ("GPTNeo", {"num_layers": 2, "attention_types": [[["global", "local"], 1]]}),
        ("BertGeneration", {}),
    ],
)
def test_attention_that_depends_on_the_length_does_not_pass_by_accident(
    kind: str, changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight tokens would not tell: every window here is wider. The copy's are cut down."""
    monkeypatch.setattr(support, "LOCAL_ATTENTION", ())
    monkeypatch.setattr(support, "FULL", "chunked_attention")
    attention = "eager" if kind == "GPTNeo" else "sdpa"
    with pytest.raises(support.UnsupportedModel, match="self-check|custom mask|layers of kind"):
        lv.wrap_model(network(kind, attention, **changes))


def test_a_model_that_ignores_the_mask_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an unlisted architecture with its own idea of a mask would do."""
    right = TransformersRunner._call

    def causal(self: TransformersRunner, *arguments: Any, **named: Any) -> torch.Tensor:
        token_ids, positions, _, used = (*arguments, *named.values())
        return right(self, token_ids, positions, None, used)

    monkeypatch.setattr(TransformersRunner, "_call", causal)
    with pytest.raises(self_check.Inexact, match="random tiny copy, relative error"):
        self_check.self_check(random_network("llama"))


def test_a_window_applied_by_place_in_the_cache_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several slots stand at one position: counting slots instead hides text that is near."""
    found = random_network("mistral sliding")

    def by_place(positions: tuple[int, ...], cached: int, window: int) -> torch.Tensor:
        query, key = torch.arange(len(positions)) + cached, torch.arange(cached + len(positions))
        return query[:, None] - key[None, :] < window

    assert self_check.packed_error(found, 23) < 1e-9
    monkeypatch.setattr("lookahead_viz.engine.attention.within", by_place)
    assert self_check.packed_error(found, 23) > 1e-3


def test_a_boolean_mask_under_eager_would_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """transformers takes it without a word; this is why eager is handed an additive one."""
    found = random_network("llama", "eager")
    assert self_check.packed_error(found) < 1e-5
    start = Masks.__init__

    def as_sdpa(self: Masks, *arguments: Any) -> None:
        start(self, *arguments)
        self.backend = "sdpa"

    monkeypatch.setattr(Masks, "__init__", as_sdpa)
    assert self_check.packed_error(found) > 1e-2


def test_layers_that_are_run_again_and_again_are_few() -> None:
    """A recurrent-depth model passes its stacks many times: 16 layers each would take seconds."""
    from transformers import AutoConfig, AutoModelForCausalLM

    config = AutoConfig.for_model("hrm_text")
    with torch.device("meta"):
        found = AutoModelForCausalLM.from_config(config)
    copy = tiny_copy.tiny_copy(found, "sdpa")
    assert copy.config.num_layers_per_stack == 1 < config.num_layers_per_stack
    assert self_check.packed_error(copy, 23) < 1e-9


def test_a_copy_is_tiny_random_and_leaves_the_random_state_alone() -> None:
    found = network("Qwen2", vocab_size=500, num_hidden_layers=6, sliding_window=40)
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    copy = tiny_copy.tiny_copy(found, "sdpa")
    assert torch.equal(torch.rand(1), expected)
    assert copy.config.vocab_size == 32 and copy.config.num_hidden_layers <= tiny_copy.LAYERS
    assert found.config.vocab_size == 500  # the model's own settings stay
    assert self_check.context_effect(copy) > 0.01


def test_a_copy_keeps_every_kind_of_layer_and_cuts_its_windows() -> None:
    kinds = ["full_attention"] * 5 + ["sliding_attention"]
    small = tiny_copy.shrunk(
        network(
            "Qwen2",
            num_hidden_layers=6,
            layer_types=kinds,
            use_sliding_window=True,
            sliding_window=40,
        ).config
    )
    assert set(small.layer_types) == set(kinds) and len(small.layer_types) <= tiny_copy.LAYERS
    assert small.sliding_window == tiny_copy.WINDOW


def test_without_a_copy_the_network_itself_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any) -> None:
        raise tiny_copy.NoCopy("the reason")

    monkeypatch.setattr(self_check, "tiny_copy", none)
    assert "on 8 tokens" in self_check.self_check(network("Gemma"))
    with pytest.raises(self_check.Inexact, match="sliding_window may hide.*the reason"):
        self_check.self_check(network("Cohere2", sliding_window=16))


def test_a_network_whose_logits_ignore_the_text_proves_nothing() -> None:
    found = network("Gemma")
    with torch.no_grad():
        for weight in found.parameters():
            weight.zero_()
    with pytest.raises(self_check.Inexact, match="hardly depend on the text"):
        self_check._check_itself(found, "no reason")
