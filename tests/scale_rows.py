"""Rows of a made-up sweep that follows a known law, and a clock to read them with."""

from __future__ import annotations

from math import log2

from lookahead_viz.scale.latency import Latency, LatencyPoint
from lookahead_viz.scale.rows import SweepRow

WINDOWS = (1, 2, 4, 8)
NGRAMS = (3, 4)


def row(prompt: str, steps: int, w: int = 1, n: int = 1, g: int = 0, **others: object) -> SweepRow:
    """One decoding of 60 tokens in ``steps`` passes; greedy unless sizes are given."""
    slots = steps * (1 if n == 1 else (w + g) * (n - 1))
    values: dict[str, object] = {
        "model": "toy",
        "model_digest": "abc",
        "prompt": prompt,
        "prompt_tokens": 10,
        "method": "greedy" if n == 1 else "lookahead",
        "W": w,
        "N": n,
        "G": g,
        "max_new_tokens": 60,
        "tokens": 60,
        "steps": steps,
        "slots": slots,
        "scores": slots * 40,
        "logit_rows": slots,
        "text": f"text of {prompt}",
        "finish": "length",
        "error": "",
    }
    return SweepRow(**{**values, **others})  # type: ignore[arg-type]


def law_rows(prompts: tuple[str, ...] = ("stack", "loop")) -> tuple[SweepRow, ...]:
    """G = W. N = 3 takes 50 - 4 log2 W passes, a straight line; N = 4 flattens: 40, 30, 26, 26."""
    found = [row(prompt, 60) for prompt in prompts]
    for prompt in prompts:
        for w, flat in zip(WINDOWS, (40, 30, 26, 26), strict=True):
            found.append(row(prompt, 50 - 4 * round(log2(w)), w, 3, w))
            found.append(row(prompt, flat, w, 4, w))
    return tuple(found)


def latency(device: str = "cpu", **machine: object) -> Latency:
    """10 ms for one slot, 1 ms more for each further one."""
    points = tuple(
        LatencyPoint("toy", 1000, "float32", 40, slots, 9.0 + slots)
        for slots in (1, 8, 21, 48, 120)
    )
    return Latency({"name": "a machine", "device": device} | machine, "2026-01-31", points)
