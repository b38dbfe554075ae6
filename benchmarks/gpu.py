"""What a CUDA card does with packed passes; called by ``gpu.sh``.

   python -m benchmarks.gpu [--out FILE] [--seconds 300] [--dry-run]

Writes one JSON: {"machine", "date", "latency"} as ``lookahead_viz.scale.latency`` describes it
(forwards of 1 to 512 slots of random Llamas, bfloat16), and beside that

- "flat_until": [{"model", "context", "slots"}], the most slots at most a tenth slower than one;
- "steps": [{"model", "setting", "step_ms", "forward_ms"}], medians of our lookahead steps;
- "static": [{"model", "slots", "plain_ms", "compiled_ms"}], one forward on a StaticCache, as it is
  and as a CUDA graph by torch.compile(mode="reduce-overhead"): static shapes only;
- "exactness": [{"architecture", "dtype", "same", "first_difference", "gap"}], greedy and lookahead
  on tiny random models; a difference is a rounding tie when its gap is tiny;
- "left_out": what the time did not suffice for, or what failed, one sentence each.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import torch
from transformers import StaticCache

import lookahead_viz as lv
from benchmarks.gpu_models import random_llama
from benchmarks.timing import milliseconds
from lookahead_viz.engine.recording import steps
from lookahead_viz.scale.latency import SIZES, Latency, measure, merged
from lookahead_viz.scale.sizes import Sizes
from lookahead_viz.words import one_line
from tests.architectures import CONFIGURATIONS
from tests.random_models import random_model

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "scale"
CONTEXTS = (128, 2048)
WIDE = (*SIZES, Sizes(48, 5, 48), Sizes(64, 5, 64))
"""Up to 512 slots."""


class Clock:
    """How many seconds are left, and what was left out for want of them."""

    def __init__(self, seconds: float) -> None:
        self._end = perf_counter() + seconds
        self.left_out: list[str] = []

    def attempt(self, what: str, work: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """What ``work`` returns, or None when there was no time for it or it failed."""
        if perf_counter() > self._end:
            self.left_out.append(f"{what}: no time left.")
            return None
        started = perf_counter()
        try:
            result = work(*given, **named)
        except (RuntimeError, ValueError, NotImplementedError) as failure:
            self.left_out.append(f"{what}: {one_line(failure)}")
            return None
        print(f"{perf_counter() - started:6.1f} s  {what}", flush=True)
        return result


def flat_until(latency: Latency) -> Iterator[dict[str, Any]]:
    """The most slots, counted from one on, whose forward is at most a tenth slower than one's."""
    groups: dict[tuple[str, int], list[tuple[int, float]]] = {}
    for point in latency.points:
        groups.setdefault((point.model, point.context), []).append((point.slots, point.ms))
    for (model, context), times in groups.items():
        times.sort()
        flat = 1
        for slots, ms in times:
            if ms > 1.1 * times[0][1]:
                break
            flat = slots
        yield {"model": model, "context": context, "slots": flat}


def step_times(model: lv.Model, size: tuple[int, int, int], tokens: int) -> dict[str, Any]:
    """Medians of whole lookahead steps and of their forwards, once the window is full."""
    w, n, g = size
    config = lv.LookaheadConfig(
        window_size=w, ngram_size=n, max_candidates=g, max_new_tokens=tokens, stop_ids=()
    )
    found = list(steps(model, list(range(2, 34)), config))[n:]
    return {
        "model": model.name,
        "setting": f"W={w} N={n} G={g}",
        "step_ms": round(median(step.step_ms for step in found), 4),
        "forward_ms": round(median(step.forward_ms for step in found), 4),
    }


def static_forward(model: lv.Model, slots: int, repeats: int, dry: bool) -> dict[str, Any]:
    """One forward of fixed shapes, as it is and compiled to a CUDA graph."""
    network, rows = model.network, 1024
    device = network.device
    cache = StaticCache(config=network.config, max_cache_len=rows)
    given: dict[str, Any] = {
        "input_ids": torch.ones((1, slots), dtype=torch.long, device=device),
        "position_ids": torch.arange(128, 128 + slots, device=device)[None],
        "attention_mask": torch.ones((1, 1, slots, rows), dtype=torch.bool, device=device),
        "cache": cache,
    }

    def timed(call: Callable[..., Any]) -> float:
        def once() -> None:
            cache.reset()
            call(**given)
            if device.type == "cuda":
                torch.cuda.synchronize(device)

        with torch.inference_mode():
            for _ in range(3):  # compiles, and records the graph
                once()
            return median(milliseconds(once) for _ in range(repeats))

    compiled = network if dry else torch.compile(network, mode="reduce-overhead")
    return {
        "model": model.name,
        "slots": slots,
        "plain_ms": round(timed(network), 4),
        "compiled_ms": round(timed(compiled), 4),
    }


def exactness(architecture: str, dtype: torch.dtype, device: str) -> dict[str, Any]:
    """Lookahead against greedy on one tiny random model, to the first difference."""
    model = random_model(architecture, None, 0, dtype, device)
    prompt = (1, 5, 2, 8, 3, 1, 9, 4) * 2
    greedy = lv.record(model, prompt, lv.GreedyConfig(max_new_tokens=48, stop_ids=()))
    other = lv.record(model, prompt, lv.LookaheadConfig(max_new_tokens=48, stop_ids=()))
    pairs = list(zip(greedy.token_ids, other.token_ids, strict=True))
    differ = next((i for i, (a, b) in enumerate(pairs) if a != b), None)
    gaps = [gap for step in greedy.steps for gap in step.gap]
    return {
        "architecture": architecture,
        "dtype": model.info.dtype,
        "same": differ is None,
        "first_difference": differ,
        "gap": None if differ is None else gaps[differ],
    }


def one_shape(clock: Clock, shape: str, device: str, dry: bool, found: dict[str, Any]) -> None:
    """Latency, steps and static shapes of one random Llama, into ``found``."""
    model = random_llama(shape, device, torch.float32 if dry else torch.bfloat16)
    sizes, repeats = (WIDE[:4], 2) if dry else (WIDE, 15)
    for context in CONTEXTS[:1] if dry else CONTEXTS:
        found["latency"].append(
            clock.attempt(
                f"latency, {shape}, {context} rows",
                measure,
                model,
                sizes=sizes,
                context=context,
                repeats=repeats,
            )
        )
    for size in ((5, 4, 5), (15, 5, 15)):
        what = f"steps, {shape}, {size}"
        found["steps"].append(clock.attempt(what, step_times, model, size, 16 if dry else 64))
    if shape == "7B":  # compiling it takes longer than all the rest
        return
    for slots in (1, 60, 120):
        what = f"static, {shape}, {slots} slots"
        repeats = 3 if dry else 30
        found["static"].append(clock.attempt(what, static_forward, model, slots, repeats, dry))


def run(clock: Clock, device: str, dry: bool) -> dict[str, Any]:
    """Everything, the most wanted first."""
    found: dict[str, Any] = {"latency": [], "steps": [], "static": [], "exactness": []}
    for shape in ("dry run",) if dry else ("7B", "1B", "135M"):
        one_shape(clock, shape, device, dry, found)
        if device == "cuda":
            torch.cuda.empty_cache()
    for number in (torch.float32, torch.bfloat16):
        for name in ("llama", "gpt2") if dry else CONFIGURATIONS:
            what = f"exactness, {name}, {number}"
            found["exactness"].append(clock.attempt(what, exactness, name, number, device))
    kept = {name: [entry for entry in entries if entry] for name, entries in found.items()}
    latency = merged(kept.pop("latency"))
    flat = {"flat_until": list(flat_until(latency))}
    found = json.loads(latency.as_json()) | flat | kept | {"left_out": clock.left_out}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--dry-run", action="store_true", help="tiny shapes, on the CPU")
    arguments = parser.parse_args()
    device = "cpu" if arguments.dry_run else "cuda"
    started = perf_counter()
    found = run(Clock(arguments.seconds), device, arguments.dry_run)
    found["seconds"] = round(perf_counter() - started, 1)
    name = re.sub(r"\W+", "_", str(found["machine"]["name"])).strip("_").lower()
    out = arguments.out or FOLDER / f"latency_{name}.json"
    out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for entry in found["flat_until"]:
        print(f"{entry['model']}, {entry['context']} rows: flat until {entry['slots']} slots")
    different = [entry for entry in found["exactness"] if not entry["same"]]
    print(f"{len(found['exactness'])} exactness checks, {len(different)} with a first difference")
    print(f"{out}: {found['seconds']} s, left out: {len(found['left_out'])}")


if __name__ == "__main__":
    main()
