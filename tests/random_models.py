"""Tiny random transformers models in float64, of the architectures in ``architectures``."""

from __future__ import annotations

from functools import lru_cache

import torch
from transformers import AutoModelForCausalLM, PreTrainedModel

import lookahead_viz as lv
from lookahead_viz.engine.tiny_copy import exact_experts
from tests.architectures import CONFIGURATIONS, POSITIONS, VOCAB, attention_of

__all__ = ["CONFIGURATIONS", "POSITIONS", "VOCAB", "generate", "random_model", "random_network"]


@lru_cache(maxsize=64)
def random_network(
    architecture: str,
    attention: str | None = None,
    seed: int = 0,
    dtype: torch.dtype = torch.float64,
    device: str = "cpu",
) -> PreTrainedModel:
    """The same weights for the same arguments; shared, so do not change it."""
    attention = attention or attention_of(architecture)
    torch.manual_seed(seed)
    config = CONFIGURATIONS[architecture]()
    network = AutoModelForCausalLM.from_config(config, attn_implementation=attention, dtype=dtype)
    if dtype is torch.float64:
        exact_experts(network)
    return network.to(device).eval()


@lru_cache(maxsize=64)
def random_model(
    architecture: str,
    attention: str | None = None,
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
