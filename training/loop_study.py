"""Which loss unlearns loops?  Short stage twos from one checkpoint, each with another recipe.

python -m training.loop_study --run RUN --steps 40 --out study.json
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path
from typing import Any

import torch

from training import loops
from training import model as models
from training.data import Prompts
from training.run import Run
from training.settings import Settings
from training.train import prepare

RECIPES: dict[str, dict[str, Any]] = {
    "likelihood alone": {"loop_rows": 0},
    "made loops": {"loop_rows": 0, "made_rows": 16},
    "own loops": {},
    "own loops, weight 0.3": {"loop_weight": 0.3},
    "own and made loops": {"made_rows": 16},
    "own repeated 4-grams": {"ngram": 4},
}
PROMPT_ROWS = 48


def measure(run: Run, prompts: Prompts) -> dict[str, float]:
    """Held-out loss, and two shares of 96 held-out prompts whose 128 greedy tokens end looping:
    by the card's detector (period up to 16) and by the wider one of the training (up to 48)."""
    new = torch.cat([loops.greedy(run.model, prompts(number), 128) for number in range(2)])
    ended = (new == 0).any(1)
    strict = torch.tensor([loops.ends_in_loop(row) for row in new.tolist()]) & ~ended
    wide = loops.looping(new)[:, -1] & ~ended
    distinct = sum(len(set(row)) / len(row) for row in new.tolist()) / len(new)
    return {
        "held_out": round(run.test(), 4),
        "looping": round(float(strict.float().mean()), 3),
        "looping_wide": round(float(wide.float().mean()), 3),
        "distinct": round(distinct, 3),
        "ended": round(float(ended.float().mean()), 3),
    }


def study(folder: Path, name: str, steps: int, wanted: list[str]) -> dict[str, dict[str, float]]:
    """Measure the checkpoint itself, then each recipe after ``steps`` updates from it."""
    state = torch.load(folder / name, weights_only=True)
    base = dataclasses.replace(
        Settings(**state["settings"]), steps=state["step"], loop_steps=steps, test_every=10**9
    )
    scratch = folder / "study"
    scratch.mkdir(exist_ok=True)
    tokenizer, ids = prepare(scratch, base)
    prompts = Prompts(ids[1], tokenizer, PROMPT_ROWS, seed=99)

    def fresh(changes: dict[str, Any]) -> Run:
        run = Run(scratch, dataclasses.replace(base, **changes), tokenizer, ids)
        run.load({**state, "log": []})
        return run

    results = {"before": measure(fresh({}), prompts)}
    print("before", results["before"], flush=True)
    for recipe in wanted:
        run = fresh(RECIPES[recipe])
        for _ in range(steps):
            run.advance()
        minutes = (run.seconds - state["seconds"]) / 60
        results[recipe] = measure(run, prompts) | {"minutes": round(minutes, 2)}
        print(recipe, results[recipe], flush=True)
    return results


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Compare recipes against loops.")
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--checkpoint", default="checkpoint.pt")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--recipes", nargs="*", default=list(RECIPES))
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    models.keep_freed_memory()
    torch.set_num_threads(1)
    results = study(args.run, args.checkpoint, args.steps, args.recipes)
    if args.out:
        args.out.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
