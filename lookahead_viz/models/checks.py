"""What is asked of a model's settings before a weight is read: one sentence, or nothing."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Any

import torch
from transformers import AutoModelForCausalLM

from lookahead_viz.engine import memory, quantised
from lookahead_viz.words import amount_of_bytes

LAYER_NAMES = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_layers")
LAYERS = 1_000
LIMITS = {
    "hidden_size": 200_000,
    "n_embd": 200_000,
    "d_model": 200_000,
    "intermediate_size": 2_000_000,
    "num_attention_heads": 4_096,
    "num_key_value_heads": 4_096,
    "head_dim": 65_536,
    "vocab_size": 10_000_000,
    "num_experts": 10_000,
    "num_local_experts": 10_000,
    "n_routed_experts": 10_000,
}
ANYTHING = 10_000_000_000
"""Far above every model there is; a file that says more is damaged or hostile."""

PACKAGES = {
    "bitsandbytes": ("bitsandbytes", "accelerate"),
    "torchao": ("torchao",),
    "gptq": ("optimum", "gptqmodel"),
    "awq": ("gptqmodel", "accelerate"),
    "compressed-tensors": ("compressed_tensors",),
    "quanto": ("optimum.quanto", "accelerate"),
    "hqq": ("hqq",),
    "aqlm": ("aqlm", "accelerate"),
    "eetq": ("kernels", "accelerate"),
    "fbgemm_fp8": ("fbgemm_gpu", "accelerate"),
    "fp_quant": ("fp_quant",),
    "higgs": ("flute", "accelerate"),
    "mxfp4": ("kernels", "accelerate"),
    "quark": ("quark",),
    "sinq": ("sinq",),
    "spqr": ("spqr_quant", "accelerate"),
    "vptq": ("vptq", "accelerate"),
    "auto-round": ("auto_round",),
}
"""What transformers needs to read each kind of quantised weights."""


def sizes_refusal(raw: Any, path: str = "") -> str | None:
    """Why nothing is laid out by a config.json's content ``raw``; None when it is plausible."""
    for name, value in raw.items() if isinstance(raw, dict) else ():
        if isinstance(value, dict):
            found = sizes_refusal(value, f"{path}{name}.")
            if found is not None:
                return found
        most = LAYERS if name in LAYER_NAMES else LIMITS.get(name, ANYTHING)
        if isinstance(value, int) and abs(value) > most:
            return f"its config.json says {path}{name} = {value:,}; at most {most:,} are allowed"
    return None


def backend_refusal(config: Any, attention: str | None) -> str | None:
    """Why the architecture cannot be loaded with this attention backend; None if it can."""
    kind = AutoModelForCausalLM._model_mapping[type(config)]
    has = {
        "sdpa": getattr(kind, "_supports_sdpa", False),
        "flex_attention": getattr(kind, "_supports_flex_attn", False),
        "eager": True,
    }
    if has.get(attention or "eager", True):
        return None
    others = " or ".join(backend for backend, supported in has.items() if supported)
    return f"its architecture {kind.__name__} has no {attention}; load it with {others}"


def spread(device_map: str | None, tp_plan: str | None) -> dict[str, Any]:
    """transformers' arguments for a model on several devices, or none; ValueError if refused."""
    if device_map not in (None, "auto") or tp_plan not in (None, "auto"):
        raise ValueError("device_map and tp_plan must be 'auto' or left out.")
    if device_map and tp_plan:
        raise ValueError("give device_map or tp_plan, not both: they spread a model in two ways.")
    if tp_plan and "WORLD_SIZE" not in os.environ:
        raise ValueError("tp_plan needs several processes: start it with torchrun.")
    if device_map and not present("accelerate"):
        raise ValueError("device_map needs the package accelerate; install it first.")
    if tp_plan:
        from transformers.distributed import DistributedConfig

        return {"distributed_config": DistributedConfig(tp_plan=tp_plan)}
    return {"device_map": device_map} if device_map else {}


def quantisation_refusal(config: Any) -> str | None:
    """Why the quantised weights are not read: inexact, or a package is missing; None if not."""
    kind = quantised.kind(config)
    inexact = quantised.refusal(config)
    if inexact is not None:
        return inexact
    missing = [name for name in PACKAGES.get(kind or "", ()) if not present(name)]
    if not missing:
        return None
    return (
        f"its weights are quantised with {kind}, and reading them needs the package"
        f"{'s' if len(missing) > 1 else ''} {' and '.join(missing)}: pip install "
        f"{' '.join(name.replace('_', '-').replace('.', '-') for name in missing)}"
    )


def present(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # its parent is not there either
        return False


def weights_refusal(stored_bytes: int, config: Any, dtype: torch.dtype, place: Any) -> str | None:
    """Why weights of ``stored_bytes`` do not fit on the device, with numbers; None if they do."""
    stored = getattr(config, "dtype", None)
    if quantised.kind(config) is not None or not isinstance(stored, torch.dtype):
        stored = dtype  # as many bytes as in the file, at least
    needed = stored_bytes * dtype.itemsize // stored.itemsize
    free = memory.free(place)
    if free is None or needed <= free:
        return None
    return (
        f"its weights need {amount_of_bytes(needed)} as {str(dtype).removeprefix('torch.')}, but "
        f"only {amount_of_bytes(free)} are free on {place}; take a smaller number format or model"
    )
