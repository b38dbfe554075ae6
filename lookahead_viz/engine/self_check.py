"""Is packed decoding exact on this network? Packed logits against those of plain causal text.

An architecture that nobody tested is tried on its own random tiny copy in float64, with text much
longer than the copy's windows and chunks, so that attention which depends on the length of the
text cannot pass by accident.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from transformers import PreTrainedModel

from lookahead_viz import visibility
from lookahead_viz.engine.attention import sound_kernels
from lookahead_viz.engine.place import device_of
from lookahead_viz.engine.runner import TransformersRunner, cpu_threads, limited
from lookahead_viz.engine.tiny_copy import NoCopy, is_span, tiny_copy
from lookahead_viz.layout import pack
from lookahead_viz.records import StepLayout
from lookahead_viz.words import one_line

TOLERANCE = {torch.float64: 1e-5, torch.float32: 2e-3}
"""Largest logit error of the self-check, relative to the largest logit; 0.08 in half precision."""

PREFIXES = (2, 23)
"""Tokens of text before the packed pass: short, and several windows of a tiny copy long."""


class Inexact(Exception):
    """Packed decoding is not exact on this network; says why, as the end of a sentence."""


def self_check(network: PreTrainedModel) -> str:
    """What was checked and how well it agreed, as a sentence; raises ``Inexact``."""
    try:
        copy = tiny_copy(network, _backend(network))
    except NoCopy as failure:
        return _check_itself(network, str(failure))
    error, effect = _tried(copy, PREFIXES)
    if error > TOLERANCE[torch.float64]:
        raise Inexact(
            "its packed logits differ from its sequential ones (self-check on a random tiny copy, "
            f"relative error {error:.2g})"
        )
    if effect < 1e-3:
        raise Inexact("a random tiny copy of it does not react to its text, so nothing is proven")
    return (
        "Not among the architectures of the test suite; on a random tiny copy of it packed and "
        f"sequential logits agree (relative error {error:.1g})."
    )


def _check_itself(network: PreTrainedModel, why_no_copy: str) -> str:
    """Without a copy the network itself is tried, on 8 tokens: too few to see a window."""
    config = network.config.get_text_config()
    span = next((name for name in vars(config) if is_span(name) and getattr(config, name)), None)
    if span is not None:
        raise Inexact(
            f"its {span} may hide part of a long text, and no tiny copy could be made to try that "
            f"({why_no_copy})"
        )
    error, effect = _tried(network, PREFIXES[:1])
    tolerance = TOLERANCE.get(network.dtype, 0.08)
    if effect < 2 * tolerance:
        raise Inexact("its logits hardly depend on the text, so no check of it proves anything")
    if error > tolerance:
        raise Inexact(
            "its packed logits differ from its sequential ones (self-check on 8 tokens, relative "
            f"error {error:.2g})"
        )
    return (
        "Not among the architectures of the test suite; on 8 tokens packed and sequential logits "
        f"agree (relative error {error:.1g})."
    )


def _backend(network: PreTrainedModel) -> str:
    """The copy's attention: the network's own, but for flex_attention, which would compile."""
    backend = str(network.config._attn_implementation)
    if backend in ("sdpa", "eager"):
        return backend
    return "sdpa" if getattr(network, "_supports_sdpa", False) else "eager"


def _tried(network: PreTrainedModel, prefixes: Sequence[int]) -> tuple[float, float]:
    """The largest error, and how much the logits depend on the text."""
    try:
        with limited(cpu_threads(network)):
            error = max(packed_error(network, prefix) for prefix in prefixes)
            return error, context_effect(network)
    except Exception as failure:  # whatever a foreign model raises here is the reason
        raise Inexact(
            f"it does not take a custom mask and positions ({one_line(failure)})"
        ) from failure


def packed_error(network: PreTrainedModel, prefix: int = 2) -> float:
    """Largest |packed - sequential| logit, relative to the largest logit.

    After ``prefix`` tokens a 2 x 2 window and one candidate of two guesses; then, as if both
    guesses had been accepted, one row of a window behind the rows that were moved.
    """
    runner, layout, before = _begun(network, prefix)
    c, d, e, _, g, h = layout.token_ids
    first = _path_error(network, runner, before, layout)
    runner.keep((0, 4, 5))  # as if both guesses were accepted
    after = pack([(d, e)], position=prefix + 3)
    return max(first, _path_error(network, runner, (*before, c, g, h), after))


def brief_error(network: PreTrainedModel) -> float:
    """As ``packed_error``, of one pass: a few forwards, for a large network itself."""
    try:
        with limited(cpu_threads(network)):
            runner, layout, before = _begun(network, PREFIXES[0])
            return _path_error(network, runner, before, layout)
    except Exception as failure:
        raise Inexact(f"it cannot be run ({one_line(failure)})") from failure


def _begun(
    network: PreTrainedModel, prefix: int
) -> tuple[TransformersRunner, StepLayout, tuple[int, ...]]:
    """A 2 x 2 window and one candidate of two guesses, behind ``prefix`` tokens in the cache."""
    vocab_size = network.get_input_embeddings().num_embeddings
    text = tuple((7 * i + i * i // 5) % vocab_size for i in range(1, prefix + 7))
    before, (c, d, e, f, g, h) = text[:prefix], text[prefix:]
    runner = TransformersRunner(network, vocab_size=vocab_size, position_limit=None)
    runner.prefill(before)
    return runner, pack([(c, d), (e, f)], [(g, h)], position=prefix), before


def context_effect(network: PreTrainedModel) -> float:
    """How far the logits move when the token before changes, relative to the largest."""
    ids = torch.tensor([[1, 2, 3], [1, 4, 3]], device=device_of(network))
    with torch.inference_mode(), sound_kernels(network):
        one, other = network(input_ids=ids, use_cache=False).logits[:, -1]
    scale = one.abs().max().clamp(min=1e-3)
    return float((one - other).abs().max() / scale)


def _path_error(
    network: PreTrainedModel,
    runner: TransformersRunner,
    prefix: Sequence[int],
    layout: StepLayout,
) -> float:
    """Every path to a slot that no other stands behind is read once as plain causal text."""
    packed = runner.logits(layout, visibility.mask(layout), range(layout.slots))
    worst = 0.0
    for leaf in sorted(set(range(layout.slots)) - set(visibility.parents(layout))):
        path = path_to(layout, leaf)
        tokens = [*prefix, *(layout.token_ids[slot] for slot in path)]
        ids = torch.tensor([tokens], device=device_of(network))
        with torch.inference_mode(), sound_kernels(network):
            plain = network(input_ids=ids, use_cache=False).logits[0, -len(path) :]
        scale = plain.abs().amax(-1).clamp(min=1e-3)
        error = ((packed[list(path)] - plain).abs().amax(-1) / scale).max().item()
        worst = max(worst, error if error == error else float("inf"))  # NaN is no agreement
    return worst


def path_to(layout: StepLayout, slot: int) -> tuple[int, ...]:
    """The slots on the path behind the prefix to ``slot``, itself last."""
    parents = visibility.parents(layout)
    path: list[int] = []
    while slot >= 0:
        path.append(slot)
        slot = parents[slot]
    return tuple(reversed(path))
