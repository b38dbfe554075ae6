"""Checkpoints with quantised weights, tiny and random, as the tools for them write them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

from tests.model_folders import write_folder
from tests.tokenizers_for_tests import byte_level

GROUP = 32
"""Weights that share a scale and a zero point in the 4-bit formats."""

AWQ_ORDER = (0, 2, 4, 6, 1, 3, 5, 7)
"""Which of eight columns stands in which four bits of a word, the lowest first."""


def by_transformers(base: Path, quantization_config: Any) -> Path:
    """The small Llama, quantised and saved by transformers."""
    plain = write_folder(base / "plain")
    network = AutoModelForCausalLM.from_pretrained(
        plain, quantization_config=quantization_config, device_map="cpu", dtype=torch.float32
    )
    network.save_pretrained(base / "quantised")
    AutoTokenizer.from_pretrained(plain).save_pretrained(base / "quantised")
    return base / "quantised"


def int8_by_torchao(base: Path) -> Path:
    from torchao.quantization import Int8WeightOnlyConfig
    from transformers import TorchAoConfig

    return by_transformers(base, TorchAoConfig(Int8WeightOnlyConfig()))


def nf4(base: Path) -> Path:
    from transformers import BitsAndBytesConfig

    kind = {"bnb_4bit_quant_type": "nf4", "bnb_4bit_compute_dtype": torch.float32}
    return by_transformers(base, BitsAndBytesConfig(load_in_4bit=True, **kind))


def llm_int8(base: Path, threshold: float = 0.0) -> Path:
    from transformers import BitsAndBytesConfig

    kind = BitsAndBytesConfig(load_in_8bit=True, llm_int8_threshold=threshold)
    return by_transformers(base, kind)


def gptq(base: Path) -> Path:
    def packed(weight: Tensor) -> dict[str, Tensor]:
        numbers, scales, zeros = four_bits(weight)
        groups = torch.arange(weight.shape[1], dtype=torch.int32) // GROUP
        zeros = (zeros - 1) & 15  # as version 1 of the format has it
        return {
            "qweight": in_words(numbers, 0, range(8)),
            "qzeros": in_words(zeros, 1, range(8)),
            "scales": scales,
            "g_idx": groups,
        }

    how = {"desc_act": False, "sym": False, "checkpoint_format": "gptq"}
    return by_hand(base, packed, {"quant_method": "gptq", "bits": 4, "group_size": GROUP} | how)


def awq(base: Path) -> Path:
    def packed(weight: Tensor) -> dict[str, Tensor]:
        numbers, scales, zeros = four_bits(weight)
        return {
            "qweight": in_words(numbers, 1, AWQ_ORDER),
            "qzeros": in_words(zeros, 1, AWQ_ORDER),
            "scales": scales,
        }

    how = {"zero_point": True, "version": "gemm"}
    return by_hand(base, packed, {"quant_method": "awq", "bits": 4, "group_size": GROUP} | how)


def w8a8(base: Path) -> Path:
    """int8 weights, and activations made int8 token by token, as compressed-tensors has them."""

    def packed(weight: Tensor) -> dict[str, Tensor]:
        scale = weight.abs().amax(1, keepdim=True) / 127
        return {"weight": (weight / scale).round().to(torch.int8), "weight_scale": scale}

    eight = {"num_bits": 8, "type": "int", "symmetric": True}
    group = {
        "targets": ["Linear"],
        "weights": eight | {"strategy": "channel", "dynamic": False},
        "input_activations": eight | {"strategy": "token", "dynamic": True},
    }
    how = {"format": "int-quantized", "quantization_status": "compressed", "ignore": ["lm_head"]}
    settings = {"quant_method": "compressed-tensors", "config_groups": {"group_0": group}} | how
    return by_hand(base, packed, settings)


def by_hand(
    base: Path, packed: Callable[[Tensor], dict[str, Tensor]], settings: dict[str, Any]
) -> Path:
    """``plain`` has the weights that ``quantised`` stands for, unpacked."""
    words = byte_level(eos_token="<|end|>")
    network = _network(len(words))
    saved: dict[str, Tensor] = {}
    for name, weight in network.state_dict().items():
        if name.endswith("_proj.weight"):
            parts = packed(weight)
            saved |= {name.removesuffix("weight") + part: value for part, value in parts.items()}
        else:
            saved[name] = weight.clone()
    folder = base / "quantised"
    for saving in (network, words):
        saving.save_pretrained(folder)
    save_file(saved, folder / "model.safetensors", metadata={"format": "pt"})
    path = folder / "config.json"
    config = json.loads(path.read_text()) | {"quantization_config": settings}
    path.write_text(json.dumps(config))
    return folder


def four_bits(weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """``weight`` [out, in] in 0…15 [in, out], its scales and zero points [in / GROUP, out]."""
    groups = weight.T.unflatten(0, (-1, GROUP))
    low, high = groups.amin(1).clamp(max=0), groups.amax(1).clamp(min=0)
    scales = ((high - low) / 15).half()
    zeros = (-low / scales).round().clamp(0, 15)
    numbers = ((groups / scales[:, None]).round() + zeros[:, None]).clamp(0, 15)
    return numbers.flatten(0, 1).int(), scales, zeros.int()


def in_words(numbers: Tensor, axis: int, order: Sequence[int]) -> Tensor:
    """Eight numbers of four bits in each int32 along ``axis``."""
    eights = numbers.movedim(axis, -1).unflatten(-1, (-1, 8)).long()
    words = sum(eights[..., place] << (4 * bits) for bits, place in enumerate(order))
    assert isinstance(words, Tensor)
    signed = torch.where(words >= 2**31, words - 2**32, words)
    return signed.int().movedim(-1, axis).contiguous()


def _network(vocab_size: int) -> LlamaForCausalLM:
    """Wide enough for the kernels of 4-bit weights."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=vocab_size,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=256,
        initializer_range=0.3,
        bos_token_id=None,
        eos_token_id=0,
    )
    return LlamaForCausalLM(config).eval()
