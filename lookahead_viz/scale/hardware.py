"""Published bandwidths and FLOP rates of single devices, each with its source.

Peak values of the makers: dense (no structured sparsity), bfloat16 with float32 accumulation.
No kernel reaches them; what is computed from them is a model, never a measurement.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Device:
    """One device. ValueError in one sentence for a value that is not positive."""

    name: str
    bandwidth: float  # GB/s (10^9 bytes)
    rate: float  # TFLOP/s, bfloat16 dense
    memory: float  # GB
    source: str

    def __post_init__(self) -> None:
        for what in ("bandwidth", "rate", "memory"):
            value = getattr(self, what)
            if not value > 0:
                raise ValueError(f"{what} is {value!r}; it must be a number above 0.")

    @property
    def balance(self) -> float:
        """Operations per byte at which memory and arithmetic take equally long."""
        return self.rate * 1e12 / (self.bandwidth * 1e9)


DEVICES = (
    Device("A100 40 GB", 1555, 312, 40, "NVIDIA A100 datasheet (SXM, HBM2)"),
    Device("A100 80 GB", 2039, 312, 80, "NVIDIA A100 datasheet (SXM, HBM2e)"),
    Device("H100", 3350, 989.4, 80, "NVIDIA H100 datasheet (SXM5), dense"),
    Device("H200", 4800, 989.4, 141, "NVIDIA H200 datasheet (SXM), dense"),
    Device("RTX 4090", 1008, 165.2, 24, "NVIDIA Ada GPU architecture whitepaper, dense"),
    Device("Apple M1 Max", 400, 10.4, 64, "Apple press release, October 2021 (32-core GPU, fp32)"),
    Device("Apple M1 Ultra", 800, 21, 128, "Apple press release, March 2022 (64-core GPU, fp32)"),
)

PRECISIONS = {"bf16": 2.0, "int8": 1.0, "int4": 0.5}
"""Bytes per weight. Weight-only quantisation: cache and arithmetic stay in bfloat16."""


def device(name: str) -> Device:
    """The device called ``name``; KeyError where there is none."""
    return {one.name: one for one in DEVICES}[name]
