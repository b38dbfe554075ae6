"""What is decoded and what is refused by name, with the reason."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import transformers
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, PreTrainedModel

import lookahead_viz as lv
from lookahead_viz.engine.attention import sliding_window
from tests.random_models import VOCAB, random_network

SMALL: dict[str, Any] = {
    "vocab_size": VOCAB,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 96,
    "initializer_range": 0.4,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}


def network(kind: str, attention: str = "sdpa", **changes: Any) -> PreTrainedModel:
    torch.manual_seed(0)
    config = getattr(transformers, f"{kind}Config")(**SMALL | changes)
    auto = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    return auto.from_config(config, attn_implementation=attention, dtype=torch.float64).eval()


@pytest.mark.parametrize(
    ("kind", "changes", "reason"),
    [
        ("Doge", {"keep_window_size": 16}, "keep_window_size"),
        ("Llama4Text", {"attention_chunk_size": 16}, "attention_chunk_size"),
        ("Gemma3Text", {"use_bidirectional_attention": True}, "looks ahead"),
        ("Bloom", {"n_head": 4, "attention": "eager"}, "ALiBi"),
        ("Falcon", {"alibi": True, "new_decoder_architecture": False}, "ALiBi"),
        ("T5", {"d_kv": 8, "num_heads": 4}, "encoder–decoder"),
        (
            "GPTNeo",
            {
                "num_layers": 2,
                "attention_types": [[["global", "local"], 1]],
                "num_heads": 4,
                "attention": "eager",
            },
            "hides part of the text",
        ),
    ],
)
def test_refused_with_the_reason(kind: str, changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as raised:
        lv.wrap_model(network(kind, **changes))
    text = str(raised.value)
    assert text.startswith(kind.removesuffix("Text")) and text.endswith(".") and "\n" not in text


@pytest.mark.parametrize("kind", ["Phi3", "Llama", "Qwen2"])
def test_long_rope_is_refused(kind: str) -> None:
    """Its angles follow the longest position of a pass: guesses would turn the tokens before."""
    longrope = {
        "rope_type": "longrope",
        "rope_theta": 10000.0,
        "short_factor": [1.0] * 4,
        "long_factor": [4.0] * 4,
        "original_max_position_embeddings": 30,
    }
    with pytest.raises(ValueError, match="'longrope' position encoding"):
        lv.wrap_model(network(kind, rope_parameters=longrope))


@pytest.mark.parametrize("kind", ["LlamaModel", "GPT2Model", "LlamaForTokenClassification"])
def test_a_network_without_a_language_model_head_is_refused(kind: str) -> None:
    config = transformers.GPT2Config if "GPT2" in kind else transformers.LlamaConfig
    with pytest.raises(ValueError, match="no language-model head"):
        lv.wrap_model(getattr(transformers, kind)(config(**SMALL)))


@pytest.mark.parametrize("kind", ["Mamba", "Qwen3Next"])
def test_recurrent_models_are_refused(kind: str) -> None:
    changes = {"Mamba": {"state_size": 4}, "Qwen3Next": {"num_experts": 2, "head_dim": 8}}[kind]
    with pytest.raises(ValueError, match=f"^{kind}.*(recurrent|custom mask|attention)"):
        lv.wrap_model(network(kind, attention="eager", **changes))


def test_a_kernel_without_custom_masks_is_refused_with_those_that_take_them() -> None:
    found = random_network("llama", seed=5)
    found.config._attn_implementation = "flash_attention_2"
    try:
        with pytest.raises(ValueError, match="'flash_attention_2'.*'sdpa', 'eager' or"):
            lv.wrap_model(found)
    finally:
        found.config._attn_implementation = "sdpa"


def test_a_window_as_wide_as_the_context_hides_nothing() -> None:
    assert sliding_window(network("Mistral", sliding_window=96).config) is None


def test_anything_but_a_model_is_named() -> None:
    thing: Any = "gpt2"
    with pytest.raises(ValueError, match="load_model"):
        lv.wrap_model(thing)
