"""Random Llamas in the shapes of known models, made where they will run."""

from __future__ import annotations

import torch
from transformers import AutoModelForCausalLM, LlamaConfig

import lookahead_viz as lv

SHAPES: dict[str, dict[str, int]] = {
    "7B": {
        "hidden_size": 4096,
        "intermediate_size": 11008,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 32,
        "vocab_size": 32_000,
    },
    "1B": {
        "hidden_size": 2048,
        "intermediate_size": 5632,
        "num_hidden_layers": 22,
        "num_attention_heads": 32,
        "num_key_value_heads": 4,
        "vocab_size": 32_000,
    },
    "135M": {
        "hidden_size": 576,
        "intermediate_size": 1536,
        "num_hidden_layers": 30,
        "num_attention_heads": 9,
        "num_key_value_heads": 3,
        "vocab_size": 49_152,
    },
    "dry run": {
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "vocab_size": 512,
    },
}


def random_llama(shape: str, device: str, dtype: torch.dtype, attention: str = "sdpa") -> lv.Model:
    """ "random Llama, 7B shape" and so on; small weights, so that no logit is infinite."""
    config = LlamaConfig(**SHAPES[shape], max_position_embeddings=8192, eos_token_id=None)
    torch.manual_seed(0)
    with torch.device(device):
        network = AutoModelForCausalLM.from_config(
            config, dtype=dtype, attn_implementation=attention
        )
    return lv.wrap_model(network.to(device), name=f"random Llama, {shape} shape")
