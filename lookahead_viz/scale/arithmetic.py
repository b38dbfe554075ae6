"""What a pass costs by arithmetic: floating-point operations and bytes, attention included.

A product of a [slots, a] with an [a, b] matrix is 2 slots a b operations. Everything that is no
matrix product (norms, activations, softmax) is left out; a profiler that counts matrix products
agrees within 2 % (a test compares).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lookahead_viz.engine.model import Model


@dataclass(frozen=True)
class Shape:
    """What of a dense decoder decides its cost."""

    name: str
    parameters: int
    linear_weights: int  # of the matrices that every slot is multiplied with
    head_weights: int  # vocabulary x hidden: for the slots that are asked for logits
    attention_width: int  # layers x query heads x head size
    kv_row: int  # numbers cached per position: 2 x layers x KV heads x head size

    @property
    def weights_read(self) -> int:
        """Weights that one pass reads, however many slots it has."""
        return self.linear_weights + self.head_weights

    @property
    def billions(self) -> float:
        return self.parameters / 1e9


def flops(shape: Shape, slots: float, scores: float, logit_rows: float) -> float:
    """Operations of one or more passes.

    ``scores`` is the number of query-key pairs, slots x (cached + slots) for each pass: the
    mask hides results, it does not save the work. Scores and weighted values are one product
    each, 4 operations per pair and attention width.
    """
    return (
        2.0 * shape.linear_weights * slots
        + 4.0 * shape.attention_width * scores
        + 2.0 * shape.head_weights * logit_rows
    )


def forward_flops(
    shape: Shape, slots: float, context: int, logit_rows: float | None = None
) -> float:
    """Operations of one pass over ``context`` cached rows; logits for every slot by default."""
    rows = slots if logit_rows is None else logit_rows
    return flops(shape, slots, slots * (context + slots), rows)


def forward_bytes(
    shape: Shape, slots: float, context: int, bytes_per_weight: float, bytes_per_number: float = 2
) -> float:
    """Bytes that one pass moves at least: every weight once, and the KV rows."""
    rows = context + slots
    return shape.weights_read * bytes_per_weight + shape.kv_row * rows * bytes_per_number


def llama_shape(
    name: str,
    *,
    layers: int,
    hidden: int,
    heads: int,
    kv_heads: int,
    head_dim: int,
    intermediate: int,
    vocabulary: int,
    tied: bool,
) -> Shape:
    """The shape of a Llama: gated MLP, grouped queries, no biases."""
    attention = 2 * hidden * head_dim * (heads + kv_heads)
    linear = layers * (attention + 3 * hidden * intermediate)
    head = hidden * vocabulary
    norms = hidden * (2 * layers + 1)
    return Shape(
        name=name,
        parameters=linear + norms + head * (1 if tied else 2),
        linear_weights=linear,
        head_weights=head,
        attention_width=layers * heads * head_dim,
        kv_row=2 * layers * kv_heads * head_dim,
    )


def measured_shape(model: Model) -> Shape:
    """The shape of a loaded model, its matrices counted.

    ValueError for mixtures of experts, where each slot meets only some of the weights.
    """
    from torch import nn
    from transformers.pytorch_utils import Conv1D

    network = model.network
    config = network.config.get_text_config()
    if any("expert" in name for name, _ in network.named_parameters()):
        raise ValueError(f"{model.name!r} is a mixture of experts; its cost is not modelled here.")
    head = network.get_output_embeddings()
    linear = sum(
        module.weight.numel()
        for module in network.modules()
        if isinstance(module, (nn.Linear, Conv1D)) and module is not head
    )
    heads = config.num_attention_heads
    width = getattr(config, "head_dim", None) or config.hidden_size // heads
    kv_heads = getattr(config, "num_key_value_heads", None) or heads
    layers = config.num_hidden_layers
    return Shape(
        name=model.name,
        parameters=network.num_parameters(),
        linear_weights=linear,
        head_weights=head.weight.numel(),
        attention_width=layers * heads * width,
        kv_row=2 * layers * kv_heads * width,
    )


def shape_if_dense(model: Model) -> Shape | None:
    """``measured_shape``, or None for a mixture of experts."""
    try:
        return measured_shape(model)
    except ValueError:
        return None


_LLAMA_2: dict[str, Any] = {"head_dim": 128, "vocabulary": 32000, "tied": False}

SHAPES = (
    llama_shape(
        "tiny",
        layers=3,
        hidden=256,
        heads=4,
        kv_heads=2,
        head_dim=64,
        intermediate=672,
        vocabulary=4096,
        tied=True,
    ),
    llama_shape(
        "SmolLM2-135M-Instruct",
        layers=30,
        hidden=576,
        heads=9,
        kv_heads=3,
        head_dim=64,
        intermediate=1536,
        vocabulary=49152,
        tied=True,
    ),
    llama_shape(
        "TinyLlama 1.1B",
        layers=22,
        hidden=2048,
        heads=32,
        kv_heads=4,
        head_dim=64,
        intermediate=5632,
        vocabulary=32000,
        tied=False,
    ),
    llama_shape(
        "Llama 3.2 3B",
        layers=28,
        hidden=3072,
        heads=24,
        kv_heads=8,
        head_dim=128,
        intermediate=8192,
        vocabulary=128256,
        tied=True,
    ),
    llama_shape(
        "Llama 2 7B",
        layers=32,
        hidden=4096,
        heads=32,
        kv_heads=32,
        intermediate=11008,
        **_LLAMA_2,
    ),
    llama_shape(
        "Llama 2 13B",
        layers=40,
        hidden=5120,
        heads=40,
        kv_heads=40,
        intermediate=13824,
        **_LLAMA_2,
    ),
    llama_shape(
        "CodeLlama 34B",
        layers=48,
        hidden=8192,
        heads=64,
        kv_heads=8,
        intermediate=22016,
        **_LLAMA_2,
    ),
    llama_shape(
        "Llama 2 70B",
        layers=80,
        hidden=8192,
        heads=64,
        kv_heads=8,
        intermediate=28672,
        **_LLAMA_2,
    ),
)
"""Published architectures from 0.003 to 70 billion parameters, the smallest first."""


def shape_of(name: str) -> Shape | None:
    """The shape called ``name``; None where it is not known."""
    return next((shape for shape in SHAPES if shape.name == name), None)
