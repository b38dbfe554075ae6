"""Small configurations of every architecture whose exactness is proven here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import transformers as tf
from transformers import PreTrainedConfig

VOCAB = 11
"""Small, so that guesses are often right: without accepted candidates nothing is tested."""

POSITIONS = 160

WINDOW = 7
"""Of the sliding layers: shorter than most prompts and than the widest lookahead window."""

_SIZES: dict[str, Any] = {
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
_GATED = _SIZES | {"intermediate_size": 48, "num_key_value_heads": 2}
_HEADS = _GATED | {"head_dim": 8}
_EXPERTS = {"num_local_experts": 4, "num_experts_per_tok": 2}
_HYBRID = {"sliding_window": WINDOW, "layer_types": ["sliding_attention", "full_attention"]}

CONFIGURATIONS: dict[str, Callable[[], PreTrainedConfig]] = {
    "llama": lambda: tf.LlamaConfig(**_GATED),
    "gpt2": lambda: tf.GPT2Config(**_SIZES),
    "qwen2": lambda: tf.Qwen2Config(**_GATED),
    "qwen2 sliding": lambda: tf.Qwen2Config(**_GATED | _HYBRID, use_sliding_window=True),
    "gpt_neox": lambda: tf.GPTNeoXConfig(**_SIZES, intermediate_size=48),
    "opt": lambda: tf.OPTConfig(**_SIZES, ffn_dim=48, word_embed_proj_dim=32, init_std=0.4),
    "phi3": lambda: tf.Phi3Config(**_GATED, sliding_window=None),
    "phi3 sliding": lambda: tf.Phi3Config(**_GATED, sliding_window=WINDOW),
    "mistral": lambda: tf.MistralConfig(**_HEADS, sliding_window=None),
    "mistral sliding": lambda: tf.MistralConfig(**_HEADS, sliding_window=WINDOW),
    "mixtral": lambda: tf.MixtralConfig(**_HEADS | _EXPERTS, sliding_window=None),
    "qwen3": lambda: tf.Qwen3Config(**_HEADS),
    "qwen3_moe": lambda: tf.Qwen3MoeConfig(
        **_HEADS, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=16
    ),
    "gemma2": lambda: tf.Gemma2Config(**_HEADS | _HYBRID, query_pre_attn_scalar=8),
    "gemma3_text": lambda: tf.Gemma3TextConfig(**_HEADS | _HYBRID, query_pre_attn_scalar=8),
    "gptj": lambda: tf.GPTJConfig(**_SIZES, rotary_dim=4),
    "falcon": lambda: tf.FalconConfig(**_SIZES, alibi=False, new_decoder_architecture=False),
    "stablelm": lambda: tf.StableLmConfig(**_GATED),
    "olmo2": lambda: tf.Olmo2Config(**_GATED),
    "granite": lambda: tf.GraniteConfig(**_GATED),
    "smollm3": lambda: tf.SmolLM3Config(
        **_GATED | _HYBRID, use_sliding_window=True, no_rope_layers=[1, 0]
    ),
    "cohere": lambda: tf.CohereConfig(**_GATED, logit_scale=1.0),
    "starcoder2": lambda: tf.Starcoder2Config(**_GATED, sliding_window=WINDOW),
    "gpt_oss": lambda: tf.GptOssConfig(**_HEADS | _HYBRID | _EXPERTS),
}

NO_SDPA = frozenset({"gemma2", "gpt_oss"})
"""Architectures that transformers gives no sdpa attention."""


def attention_of(architecture: str) -> str:
    """The exact backend of an architecture: sdpa where it exists, else eager."""
    return "eager" if architecture in NO_SDPA else "sdpa"
