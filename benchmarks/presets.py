"""Which engine semantics need the fewest passes? Counted, not timed: any machine gives the same.

    python -m benchmarks.presets [--search] [--out assets/presets.json]

Decodes the twelve classroom prompts with the tiny model and every preset and writes, per prompt,
tokens and passes of each. ``--search`` first climbs from the LADE preset: one setting after
another is changed to what takes the fewest passes in all, until no change helps; that is how the
preset "ours" was chosen.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import lookahead_viz as lv
from lookahead_viz.classroom import PROMPTS
from lookahead_viz.engine.model import Model
from lookahead_viz.gallery import ASSETS
from lookahead_viz.presets import PRESETS, preset

SIZES = {"window_size": 5, "ngram_size": 4, "max_candidates": 5}
NEW_TOKENS = 96

CHOICES: Mapping[str, tuple[Any, ...]] = {
    "accept": ("original", "full"),
    "pool_from_prompt": (False, True),
    "pool_from_generated": (None, False, True),
    "verify_window": (False, True),
    "shift": ("reanchor", "slide", "level"),
    "column_key": ("current", "next", "stale"),
    "pool_policy": ("lru", "ring"),
    "window_fill": ("prompt", "repeat", "random"),
    "warm_up": ("gradual", "none"),
}
"""What the search may choose. An unlimited pool gives the same candidates as lru, and merging
changes how many slots they take, not which they are."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--search", action="store_true")
    parser.add_argument("--out", type=Path, default=ASSETS / "presets.json")
    arguments = parser.parse_args()
    model = lv.load_model("tiny", device="cpu", dtype="float32")
    if arguments.search:
        best = climb(model, preset("LADE", **SIZES, max_new_tokens=NEW_TOKENS, alternatives=0))
        print({name: getattr(best, name) for name in CHOICES})
        return 0
    table = measured(model)
    arguments.out.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    print(as_text(table))
    return 0


def passes(model: Model, config: lv.LookaheadConfig) -> dict[str, tuple[int, int]]:
    """(tokens, passes) by prompt."""
    found = {}
    for prompt in PROMPTS:
        run = lv.record(model, prompt.text, config)
        found[prompt.name] = (len(run.token_ids), len(run.steps))
    return found


def climb(model: Model, config: lv.LookaheadConfig) -> lv.LookaheadConfig:
    """Change one setting at a time while that takes fewer passes in all."""
    best = total(model, config)
    print(f"{best} passes: LADE", flush=True)
    improved = True
    while improved:
        improved = False
        for name, values in CHOICES.items():
            for value in values:
                if value == getattr(config, name):
                    continue
                other = replace(config, **{name: value})
                count = total(model, other)
                print(f"{count} passes: {name}={value}", flush=True)
                if count < best:
                    config, best, improved = other, count, True
    return config


def total(model: Model, config: lv.LookaheadConfig) -> int:
    return sum(count for _, count in passes(model, config).values())


def measured(model: Model) -> dict[str, Any]:
    """The table that is shown: passes of every preset on every prompt."""
    found = {
        name: passes(model, preset(name, **SIZES, max_new_tokens=NEW_TOKENS, alternatives=0))
        for name in PRESETS
    }
    prompts = {
        prompt.name: {
            "title": prompt.title,
            "tokens": found["ours"][prompt.name][0],
            "passes": {name: found[name][prompt.name][1] for name in PRESETS},
        }
        for prompt in PROMPTS
    }
    return {
        "model": model.info.name,
        "dtype": model.info.dtype,
        "sizes": SIZES,
        "prompts": prompts,
    }


def as_text(table: Mapping[str, Any]) -> str:
    """A Markdown table: tokens per pass by prompt, and ours against LADE."""
    names = list(PRESETS)
    lines = [
        "| prompt | tokens | " + " | ".join(names) + " | ours ÷ LADE |",
        "|---|---|" + "---|" * (len(names) + 1),
    ]
    entries = list(table["prompts"].items())
    sums = {
        "tokens": sum(entry["tokens"] for _, entry in entries),
        "passes": {name: sum(entry["passes"][name] for _, entry in entries) for name in names},
    }
    for name, entry in [*entries, ("all twelve", sums)]:
        tokens, counts = entry["tokens"], entry["passes"]
        rates = " | ".join(f"{tokens / counts[preset]:.2f}" for preset in names)
        gain = counts["LADE"] / counts["ours"]
        lines.append(f"| {name} | {tokens} | {rates} | {gain:.2f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
