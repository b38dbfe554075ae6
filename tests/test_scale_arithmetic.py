"""Operations and weights: against a profiler, against published counts, against real models."""

from __future__ import annotations

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode
from transformers import LlamaConfig, LlamaForCausalLM

import lookahead_viz as lv
from lookahead_viz import visibility
from lookahead_viz.layout import pack
from lookahead_viz.models.registry import tiny_installed
from lookahead_viz.scale.arithmetic import (
    SHAPES,
    forward_bytes,
    forward_flops,
    llama_shape,
    measured_shape,
    shape_of,
)
from lookahead_viz.scale.hardware import DEVICES, Device, device
from tests.random_models import random_model


def profiled(model: lv.Model, slots: int, context: int, used: int) -> int:
    """Operations that torch counts in one packed forward behind ``context`` rows."""
    runner = model.runner(alternatives=0)
    runner.prefill([1] * context)
    layout = pack([[1] * slots], position=context)
    given = (layout, visibility.mask(layout), range(slots - used, slots))
    runner.forward(*given)  # reads a short prefix along
    runner.keep(())
    with FlopCounterMode(display=False) as counter:
        runner.forward(*given)
    return int(counter.get_total_flops())


@pytest.mark.parametrize(("slots", "context", "used"), [(1, 40, 1), (21, 40, 12), (48, 7, 48)])
@pytest.mark.parametrize("architecture", ["llama", "gpt2", "gpt_neox", "phi3"])
def test_operations_agree_with_a_profiler(
    architecture: str, slots: int, context: int, used: int
) -> None:
    """Eager attention: torch does not count the fused one on a CPU."""
    model = random_model(architecture, "eager")
    ours = forward_flops(measured_shape(model), slots, context, used)
    assert ours == pytest.approx(profiled(model, slots, context, used), rel=0.02)


def test_operations_of_a_larger_model_agree_with_a_profiler() -> None:
    """Of realistic proportions, with grouped queries, so that no term is negligible."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=2000,
        hidden_size=128,
        intermediate_size=352,
        num_hidden_layers=3,
        num_attention_heads=8,
        num_key_value_heads=2,
        tie_word_embeddings=True,
        eos_token_id=None,
    )
    model = lv.wrap_model(LlamaForCausalLM._from_config(config, attn_implementation="eager"))
    for slots, context, used in ((1, 300, 1), (30, 300, 21), (120, 30, 75)):
        ours = forward_flops(measured_shape(model), slots, context, used)
        assert ours == pytest.approx(profiled(model, slots, context, used), rel=0.02)


def test_a_shape_by_hand() -> None:
    """2 layers of 4 x 4 queries, 2 x 4 keys and values, an MLP of 6; 10 words, tied."""
    shape = llama_shape(
        "hand",
        layers=2,
        hidden=4,
        heads=2,
        kv_heads=1,
        head_dim=2,
        intermediate=6,
        vocabulary=10,
        tied=True,
    )
    attention = 4 * 4 + 4 * 2 + 4 * 2 + 4 * 4
    assert shape.linear_weights == 2 * (attention + 3 * 4 * 6) == 240
    assert shape.parameters == 240 + 40 + 4 * 5
    assert (shape.attention_width, shape.kv_row) == (8, 8)
    # 3 slots behind 5 rows, one logit row: weights, 3 x 8 pairs, head
    assert forward_flops(shape, 3, 5, 1) == 2 * 240 * 3 + 4 * 8 * 24 + 2 * 40
    assert forward_bytes(shape, 3, 5, 0.5) == 280 * 0.5 + 8 * 8 * 2


@pytest.mark.parametrize(
    ("name", "millions"),
    [
        ("SmolLM2-135M-Instruct", 134.5),
        ("TinyLlama 1.1B", 1100.0),
        ("Llama 3.2 3B", 3212.7),
        ("Llama 2 7B", 6738.4),
        ("Llama 2 13B", 13015.9),
        ("CodeLlama 34B", 33743.0),
        ("Llama 2 70B", 68976.6),
    ],
)
def test_published_shapes_have_the_published_parameters(name: str, millions: float) -> None:
    shape = shape_of(name)
    assert shape is not None
    assert shape.parameters / 1e6 == pytest.approx(millions, rel=0.001)


@pytest.mark.skipif(not tiny_installed(), reason="the tiny model is not shipped yet")
def test_the_shape_of_the_tiny_model_is_the_measured_one() -> None:
    assert measured_shape(lv.load_model("tiny")) == shape_of("tiny")


def test_shapes_ascend_and_devices_name_their_sources() -> None:
    sizes = [shape.parameters for shape in SHAPES]
    assert sizes == sorted(sizes)
    assert all(one.source for one in DEVICES)
    assert device("A100 80 GB").balance == pytest.approx(312e12 / 2039e9)
    with pytest.raises(ValueError, match="bandwidth is 0; it must be a number above 0"):
        Device("none", 0, 1, 1, "nowhere")
    with pytest.raises(ValueError, match="rate is nan"):
        Device("none", 1, float("nan"), 1, "nowhere")
