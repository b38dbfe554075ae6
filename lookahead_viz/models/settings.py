"""Device, number format and attention by name; every refusal lists what is allowed."""

from __future__ import annotations

import re

import torch

DTYPES = {
    "float32": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
    "float64": torch.float64,
}
ATTENTIONS = ("auto", "sdpa", "eager", "flex_attention")

_DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d{1,3})?")


def choose_device(name: str) -> torch.device:
    """The device of that name; "auto" is the fastest one present."""
    if not _DEVICE.fullmatch(name):
        raise ValueError(f"device is {name!r}; it must be auto, cpu, cuda, cuda:N or mps.")
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    device = torch.device(name)
    if device.type == "cuda":
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if (device.index or 0) >= count:
            raise ValueError(
                f"device is {name!r}, but torch sees {count} CUDA devices here; use auto or cpu."
            )
    if device.type == "mps" and not torch.backends.mps.is_available():
        raise ValueError("device is 'mps', but torch sees no MPS device here; use auto or cpu.")
    return device


def choose_dtype(name: str, device: torch.device) -> torch.dtype:
    """The number format of that name; "auto" is bfloat16 on cuda and float32 elsewhere."""
    if name == "auto":
        return torch.bfloat16 if device.type == "cuda" else torch.float32
    if name not in DTYPES:
        raise ValueError(f"dtype is {name!r}; it must be auto, {', '.join(DTYPES)}.")
    return DTYPES[name]


def check_attention(name: str) -> None:
    if name not in ATTENTIONS:
        raise ValueError(f"attention is {name!r}; it must be {', '.join(ATTENTIONS)}.")
