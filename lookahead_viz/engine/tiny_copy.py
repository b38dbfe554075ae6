"""A network's own architecture, tiny and with random weights, to try things on in a moment."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import torch
from transformers import PreTrainedConfig, PreTrainedModel

LAYERS = 4
WINDOW = 6
"""What every window or chunk length is cut down to: far shorter than the text of the check."""

LARGEST = 5_000_000
"""Parameters; a copy above that is not tiny, because its size hides in a setting unknown here."""

SIZES = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_layers_per_stack": 1,  # of models that run through their layers again and again
    "head_dim": 16,
    "vocab_size": 32,
    "max_position_embeddings": 128,
    "ffn_dim": 96,
    "ffn_hidden_size": 96,
    "n_inner": 96,
    "d_ff": 96,
    "kv_channels": 16,
    "rotary_dim": 8,
    "word_embed_proj_dim": 64,
    "moe_intermediate_size": 32,
    "shared_expert_intermediate_size": 32,
    "shared_intermediate_size": 32,
    "num_experts": 4,
    "num_local_experts": 4,
    "n_routed_experts": 4,
    "moe_num_experts": 4,
    "num_experts_per_tok": 2,
    "moe_topk": 2,
    "n_group": 1,
    "topk_group": 1,
    "first_k_dense_replace": 1,
    "q_lora_rank": 16,
    "kv_lora_rank": 16,
    "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 16,
    "qk_head_dim": 32,
    "v_head_dim": 16,
    "hidden_size_per_layer_input": 8,
    "vocab_size_per_layer_input": 32,
    "dt_rank": 4,
    "state_size": 4,
    "mamba_d_state": 4,
}
"""Upper bounds of the settings by which architectures of transformers name their sizes."""


class NoCopy(Exception):
    """No tiny copy of this architecture could be made; says why."""


def tiny_copy(network: PreTrainedModel, attention: str) -> PreTrainedModel:
    """A random network of the same class and settings but tiny sizes, in float64 on the CPU.

    Every kind of layer that the settings list stays, up to ``LAYERS`` layers; windows and chunks
    become ``WINDOW`` tokens long. Leaves torch's random state as it was. Raises ``NoCopy``.
    """
    kind = type(network)
    settings: dict[str, Any] = {"attn_implementation": attention, "dtype": torch.float64}
    try:
        config = shrunk(network.config)
        with torch.device("meta"):
            size = sum(weight.numel() for weight in kind._from_config(config).parameters())
        if size > LARGEST:
            raise NoCopy(f"cut down it still has {size:,} parameters")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            copy = kind._from_config(config, **settings).eval()
            _randomise(copy)
        exact_experts(copy)
        with torch.inference_mode():  # sizes that do not fit together show here
            copy(input_ids=torch.tensor([[1, 2, 3]]), use_cache=False)
    except NoCopy:
        raise
    except Exception as failure:  # whatever a foreign architecture demands of its settings
        raise NoCopy(_first_line(failure)) from failure
    return copy


def shrunk(config: PreTrainedConfig) -> PreTrainedConfig:
    """The same settings with small numbers."""
    small = deepcopy(config)
    for part in (small, *_parts(small)):
        _shrink(part)
    return type(small).from_dict(small.to_dict())


def exact_experts(network: PreTrainedModel) -> None:
    """Mixture-of-experts layers without a kernel that knows no float64 (grouped_mm)."""
    if network._can_set_experts_implementation():
        network.set_experts_implementation("eager")


def _parts(config: PreTrainedConfig) -> list[PreTrainedConfig]:
    nested = [value for value in vars(config).values() if isinstance(value, PreTrainedConfig)]
    return nested + [part for inner in nested for part in _parts(inner)]


def _shrink(config: PreTrainedConfig) -> None:
    layers = getattr(config, "num_hidden_layers", None)
    heads = getattr(config, "num_attention_heads", None)
    groups = getattr(config, "num_key_value_heads", None)
    names = [name for name in vars(config) if not name.startswith("_")]
    if isinstance(layers, int):
        _choose_layers(config, names, layers)
    if isinstance(heads, int):
        config.num_attention_heads = min(heads, 4)
        if isinstance(groups, int):
            config.num_key_value_heads = {1: 1, heads: min(heads, 4)}.get(groups, 2)
    aliases = getattr(config, "attribute_map", {})
    for name in {*names, *aliases}:
        value = getattr(config, name, None)
        if isinstance(value, bool) or not isinstance(value, int):
            continue
        if is_span(name) and value > WINDOW:
            setattr(config, name, WINDOW)
        elif name in SIZES and value > SIZES[name]:
            setattr(config, name, SIZES[name])
        elif name.endswith("_token_id"):
            setattr(config, name, 0)


def is_span(name: str) -> bool:
    """Does a setting of this name say how far, or in what pieces, layers see the text?"""
    return any(word in name for word in ("window", "chunk", "local_attention")) and (
        not name.endswith("layers")
    )


def _choose_layers(config: PreTrainedConfig, names: list[str], layers: int) -> None:
    """Keep the first layer of every kind, then the first ones, and cut per-layer lists so."""
    lists = {
        name: value
        for name in names
        if isinstance(value := getattr(config, name), (list, tuple)) and len(value) == layers
    }
    kinds = {repr([value[i] for value in lists.values()]): i for i in reversed(range(layers))}
    chosen = sorted(kinds.values())[:LAYERS]
    chosen = sorted({*chosen, *range(LAYERS - len(chosen))} & set(range(layers)))
    config.num_hidden_layers = len(chosen)
    for name, value in lists.items():
        setattr(config, name, type(value)(value[i] for i in chosen))


def _randomise(network: PreTrainedModel) -> None:
    """Wide weights: some architectures start with zeros, on which every check would pass."""
    with torch.no_grad():
        for weight in network.parameters():
            if weight.is_floating_point():
                weight.normal_(std=0.3) if weight.dim() >= 2 else weight.add_(
                    0.1 * torch.randn_like(weight)
                )


def _first_line(failure: BaseException) -> str:
    return (str(failure).strip() or type(failure).__name__).splitlines()[0].rstrip(".")
