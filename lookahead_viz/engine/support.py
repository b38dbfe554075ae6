"""Which models can be decoded exactly: the rest is refused by name, never decoded wrongly.

Packed decoding needs attention that obeys a custom mask and explicit positions. Architectures in
``KNOWN`` are covered by the exactness tests; any other decoder must pass a self-check at load.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from transformers import PreTrainedModel

from lookahead_viz import visibility
from lookahead_viz.engine.attention import sliding_window
from lookahead_viz.engine.runner import TransformersRunner
from lookahead_viz.layout import pack
from lookahead_viz.records import StepLayout

KNOWN = frozenset({"llama", "gpt2", "qwen2", "gpt_neox", "opt", "phi3"})
"""model_type of the architectures whose exactness the test suite proves."""

TOLERANCE = {torch.float64: 1e-5, torch.float32: 2e-3}
"""Largest logit error of the self-check, relative to the largest logit; 0.08 in half precision."""

LENGTH_DEPENDENT_ROPE = ("longrope",)
"""Rotary encodings whose angles depend on the longest position of a pass."""

LOCAL_ATTENTION = (
    "attention_layers",
    "attention_chunk_size",
    "keep_window_size",
    "local_attention",
)
"""Settings of architectures whose layers do not see the whole text: no self-check sees that."""

RECURRENT = ("linear_attention", "mamba", "recurrent", "conv", "ssm")


class UnsupportedModel(ValueError):
    """This model cannot be decoded exactly here; the message says why, in one sentence."""


def check(network: PreTrainedModel) -> None:
    """Raise ``UnsupportedModel`` with the reason unless packed decoding is exact."""
    name = type(network).__name__
    reason = refusal(network)
    if reason is None and network.config.model_type not in KNOWN:
        reason = self_check(network)
    if reason is not None:
        raise UnsupportedModel(f"{name} cannot be decoded here: {reason}.")


def refusal(network: PreTrainedModel) -> str | None:
    """Why the configuration alone rules this model out; None when it does not."""
    config = network.config
    text = config.get_text_config()
    kinds = tuple(getattr(text, "layer_types", None) or ())
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
    window = sliding_window(text)
    if window is not None:
        return f"its sliding-window attention ({window} tokens) is not supported yet"
    scaling = rope_type(text)
    if scaling in LENGTH_DEPENDENT_ROPE:
        return (
            f"its {scaling!r} position encoding turns all keys by the longest position of a pass, "
            "so that guesses would change the tokens before them"
        )
    local = next((name for name in LOCAL_ATTENTION if getattr(text, name, None)), None)
    if local is not None:
        return f"its attention hides part of the text ({local}), and only full attention is exact"
    if any(kind != "full_attention" for kind in kinds):
        other = next(kind for kind in kinds if kind != "full_attention")
        return f"it has layers of kind {other!r}, and only full attention is supported"
    if attention not in ("sdpa", "eager"):
        return (
            f"its attention is {attention!r}, which takes no custom mask; load it with 'sdpa' or "
            "'eager'"
        )
    return None


def rope_type(config: Any) -> str | None:
    """The kind of rotary position encoding, as transformers names it; None where unnamed."""
    parameters = getattr(config, "rope_parameters", None) or {}
    kinds = [parameters, *(value for value in parameters.values() if isinstance(value, dict))]
    return next((str(kind["rope_type"]) for kind in kinds if "rope_type" in kind), None)


def self_check(network: PreTrainedModel) -> str | None:
    """Compare packed with sequential logits on 8 tokens, before and after moving rows.

    Two prefix tokens, then a 2 x 2 window and one candidate of two guesses. Returns None when
    every slot's logits equal those of its path fed as plain text, else what is wrong.
    """
    try:
        error = packed_error(network)
    except Exception as failure:  # whatever a foreign model raises here is the reason
        first_line = (str(failure).strip() or type(failure).__name__).splitlines()[0].rstrip(".")
        return f"it does not take a custom mask and positions ({first_line})"
    if error > TOLERANCE.get(network.dtype, 0.08):
        return (
            "its packed logits differ from its sequential ones (self-check on 8 tokens, relative "
            f"error {error:.2g})"
        )
    return None


def packed_error(network: PreTrainedModel) -> float:
    """Largest |packed - sequential| logit of the self-check, relative to the largest logit."""
    vocab_size = network.get_input_embeddings().num_embeddings
    a, b, c, d, e, f, g, h = (7 * i % vocab_size for i in range(1, 9))
    runner = TransformersRunner(network, vocab_size=vocab_size, position_limit=None)
    layout = pack([(c, d), (e, f)], [(g, h)], position=2)
    runner.prefill((a, b))
    first = _path_error(network, runner, (a, b), layout)
    runner.keep((0, 4, 5))  # as if both guesses were accepted
    after = _path_error(network, runner, (a, b, c, g, h), pack([(d, e)], position=5))
    return max(first, after)


def _path_error(
    network: PreTrainedModel,
    runner: TransformersRunner,
    prefix: Sequence[int],
    layout: StepLayout,
) -> float:
    slots = range(layout.slots)
    packed = runner.logits(layout, visibility.mask(layout), slots)
    worst = 0.0
    for slot in slots:
        ids = torch.tensor([[*prefix, *path_tokens(layout, slot)]], device=network.device)
        with torch.inference_mode():
            plain = network(input_ids=ids, use_cache=False).logits[0, -1]
        scale = plain.abs().max().clamp(min=1e-3)
        worst = max(worst, ((packed[slot] - plain).abs().max() / scale).item())
    return worst


def path_tokens(layout: StepLayout, slot: int) -> tuple[int, ...]:
    """Token ids on the path of ``slot`` behind the prefix, itself last."""
    parents = visibility.parents(layout)
    path: list[int] = []
    while slot >= 0:
        path.append(layout.token_ids[slot])
        slot = parents[slot]
    return tuple(reversed(path))
