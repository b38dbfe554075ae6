"""Which models can be decoded exactly: the rest is refused by name, never decoded wrongly.

Packed decoding needs attention that obeys a custom mask and explicit positions. Architectures in
``KNOWN`` are covered by the exactness tests; any other decoder must pass a self-check at load.
"""

from __future__ import annotations

from typing import Any

from transformers import PreTrainedModel

from lookahead_viz.engine import quantised
from lookahead_viz.engine.attention import BACKENDS, FULL, SLIDING, layer_kinds
from lookahead_viz.engine.self_check import Inexact, self_check

KNOWN = frozenset(
    {
        "cohere",
        "falcon",
        "gemma2",
        "gemma3_text",
        "gpt2",
        "gpt_neox",
        "gpt_oss",
        "gptj",
        "granite",
        "llama",
        "mistral",
        "mixtral",
        "olmo2",
        "opt",
        "phi3",
        "qwen2",
        "qwen3",
        "qwen3_moe",
        "smollm3",
        "stablelm",
        "starcoder2",
    }
)
"""model_type of the architectures whose exactness the test suite proves."""

PROVEN = "Its architecture is one of those whose exactness the test suite proves."

LENGTH_DEPENDENT_ROPE = ("longrope",)
"""Rotary encodings whose angles depend on the longest position of a pass."""

LOCAL_ATTENTION = (
    "attention_layers",
    "attention_chunk_size",
    "keep_window_size",
    "local_attention",
)
"""Settings of architectures whose layers choose what they see by rules of their own."""

RECURRENT = ("linear_attention", "mamba", "recurrent", "conv", "ssm")


_TRIED: dict[tuple[type, str, str, str], tuple[str, str | None]] = {}
"""What the self-checks of this process said, or why they failed, by class and settings."""


class UnsupportedModel(ValueError):
    """This model cannot be decoded exactly here; the message says why, in one sentence."""


def check(network: PreTrainedModel) -> str:
    """Why packed decoding is exact, in a sentence; else raises ``UnsupportedModel``."""
    said, reason = PROVEN, refusal(network)
    if reason is None and network.config.model_type not in KNOWN:
        said, reason = _tried(network)
    if reason is None and quantised.kind(network.config) is not None:
        try:
            said = f"{said} {quantised.check(network)}"
        except Inexact as failure:
            reason = str(failure)
    if reason is None:
        return said
    raise UnsupportedModel(f"{type(network).__name__} cannot be decoded here: {reason}.")


def _tried(network: PreTrainedModel) -> tuple[str, str | None]:
    """What the self-check of this architecture says, and why it fails."""
    how = str(network.config._attn_implementation)
    key = (type(network), network.config.to_json_string(), str(network.dtype), how)
    if key not in _TRIED:
        try:
            _TRIED[key] = (self_check(network), None)
        except Inexact as failure:
            _TRIED[key] = ("", str(failure))
    return _TRIED[key]


def refusal(network: PreTrainedModel) -> str | None:
    """Why the configuration alone rules this model out; None when it does not."""
    config = network.config
    text = config.get_text_config()
    kinds = layer_kinds(text)
    attention = getattr(config, "_attn_implementation", None)
    if network.get_output_embeddings() is None:
        return "it has no language-model head, so it predicts no next token"
    if config.is_encoder_decoder:
        return "it is an encoder–decoder, and only decoders have one running text"
    if getattr(network, "_is_stateful", False) or any(
        word in kind for kind in kinds for word in RECURRENT
    ):
        return "it has recurrent (linear-attention) layers, which cannot take back rejected tokens"
    if getattr(text, "alibi", False) or text.model_type in ("bloom", "mpt"):
        return "it uses ALiBi, which measures distance in packed slots instead of positions"
    if getattr(text, "use_bidirectional_attention", False):
        return "its attention also looks ahead in the text (use_bidirectional_attention)"
    scaling = rope_type(text)
    if scaling in LENGTH_DEPENDENT_ROPE:
        return (
            f"its {scaling!r} position encoding turns all keys by the longest position of a pass, "
            "so that guesses would change the tokens before them"
        )
    local = next((name for name in LOCAL_ATTENTION if getattr(text, name, None)), None)
    if local is not None:
        return (
            f"its attention hides part of the text ({local}) by rules of its own; only full and "
            "sliding-window attention are exact"
        )
    other = next((kind for kind in kinds if kind not in (FULL, SLIDING)), None)
    if other is not None:
        return f"it has layers of kind {other!r}; only {FULL!r} and {SLIDING!r} are supported"
    if attention not in BACKENDS:
        return (
            f"its attention is {attention!r}, which takes no custom mask; load it with 'sdpa', "
            "'eager' or 'flex_attention'"
        )
    return quantised.refusal(config)


def rope_type(config: Any) -> str | None:
    """The kind of rotary position encoding, as transformers names it; None where unnamed."""
    parameters = getattr(config, "rope_parameters", None) or {}
    kinds = [parameters, *(value for value in parameters.values() if isinstance(value, dict))]
    return next((str(kind["rope_type"]) for kind in kinds if "rope_type" in kind), None)
