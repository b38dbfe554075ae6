"""Tiny random transformers models in float64, one small configuration an architecture."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import torch
from transformers import (
    AutoModelForCausalLM,
    GPT2Config,
    GPTNeoXConfig,
    LlamaConfig,
    OPTConfig,
    Phi3Config,
    PreTrainedConfig,
    PreTrainedModel,
    Qwen2Config,
)

import lookahead_viz as lv

VOCAB = 11
"""Small, so that guesses are often right: without accepted candidates nothing is tested."""

POSITIONS = 160

_SIZES = {
    "vocab_size": VOCAB,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": POSITIONS,
    "initializer_range": 0.4,  # wide: the text depends on the context and seldom loops
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}

CONFIGURATIONS: dict[str, Callable[[], PreTrainedConfig]] = {
    "llama": lambda: LlamaConfig(**_SIZES, intermediate_size=48, num_key_value_heads=2),
    "gpt2": lambda: GPT2Config(**_SIZES),
    "qwen2": lambda: Qwen2Config(**_SIZES, intermediate_size=48, num_key_value_heads=2),
    "gpt_neox": lambda: GPTNeoXConfig(**_SIZES, intermediate_size=48),
    "opt": lambda: OPTConfig(**_SIZES, ffn_dim=48, word_embed_proj_dim=32, init_std=0.4),
    "phi3": lambda: Phi3Config(**_SIZES, intermediate_size=48, num_key_value_heads=2),
}


@lru_cache(maxsize=64)
def random_network(
    architecture: str,
    attention: str = "sdpa",
    seed: int = 0,
    dtype: torch.dtype = torch.float64,
    device: str = "cpu",
) -> PreTrainedModel:
    """The same weights for the same arguments; shared, so do not change it."""
    torch.manual_seed(seed)
    config = CONFIGURATIONS[architecture]()
    network = AutoModelForCausalLM.from_config(config, attn_implementation=attention, dtype=dtype)
    return network.to(device).eval()


@lru_cache(maxsize=64)
def random_model(
    architecture: str,
    attention: str = "sdpa",
    seed: int = 0,
    dtype: torch.dtype = torch.float64,
    device: str = "cpu",
) -> lv.Model:
    """``random_network``, wrapped."""
    network = random_network(architecture, attention, seed, dtype, device)
    return lv.wrap_model(network, name=f"random {architecture}")


def generate(
    network: PreTrainedModel, prompt: tuple[int, ...], count: int, stop_ids: tuple[int, ...] = ()
) -> tuple[int, ...]:
    """transformers' own greedy tokens. Without the mask it would hide pad tokens of the prompt."""
    ids = torch.tensor([prompt], device=network.device)
    found = network.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        do_sample=False,
        max_new_tokens=count,
        eos_token_id=list(stop_ids) or None,
        pad_token_id=0,
        use_cache=True,
    )
    return tuple(found[0, len(prompt) :].tolist())
