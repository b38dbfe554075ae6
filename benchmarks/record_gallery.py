"""Record the comparisons that ship in ``assets/runs``.

    python -m benchmarks.record_gallery [--model smollm2-135m] [--out assets/runs] [--only NAME]

Six prompts, each decoded by greedy, Jacobi and two sizes of lookahead. A text that differs from
greedy's is reported with its first difference and nothing of that prompt is written. The recorded
times are only as honest as the machine is quiet: run nothing else meanwhile.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.gallery_prompts import SMOLLM2_PROMPTS, TINY_PROMPTS, Prompt
from lookahead_viz.comparison import compare, temperature
from lookahead_viz.config import (
    Config,
    DraftJacobiConfig,
    GreedyConfig,
    JacobiConfig,
    LookaheadConfig,
    MultiblockJacobiConfig,
    PromptLookupConfig,
    SpeculativeConfig,
    SpeculativeJacobiConfig,
)
from lookahead_viz.engine.model import Model
from lookahead_viz.engine.recording import record
from lookahead_viz.gallery import RUNS
from lookahead_viz.models.loading import load_model
from lookahead_viz.models.quiet import quiet
from lookahead_viz.models.registry import NAMES, SMOLLM2, TINY
from lookahead_viz.presets import preset
from lookahead_viz.records import Run
from lookahead_viz.run_io import save_run

NEW_TOKENS = 96

METHODS: Mapping[str, Config] = {
    "greedy": GreedyConfig(max_new_tokens=NEW_TOKENS),
    "jacobi": JacobiConfig(block_size=16, max_new_tokens=NEW_TOKENS),
    "lookahead-5-4-5": LookaheadConfig(
        window_size=5, ngram_size=4, max_candidates=5, max_new_tokens=NEW_TOKENS
    ),
    "lookahead-15-5-15": LookaheadConfig(
        window_size=15, ngram_size=5, max_candidates=15, max_new_tokens=NEW_TOKENS
    ),
}

LESSON_TOKENS = 40
LESSON_METHODS: Mapping[str, Config] = {
    "greedy": GreedyConfig(max_new_tokens=LESSON_TOKENS),
    "jacobi": JacobiConfig(block_size=8, max_new_tokens=LESSON_TOKENS),
    "lookahead-5-4-5": LookaheadConfig(
        window_size=5, ngram_size=4, max_candidates=5, max_new_tokens=LESSON_TOKENS
    ),
}


SHORT_TOKENS = 64
ENGINES: Mapping[str, Config] = {
    "greedy": GreedyConfig(max_new_tokens=SHORT_TOKENS),
    **{
        f"lookahead-{name.lower()}": preset(name, max_new_tokens=SHORT_TOKENS)
        for name in ("LADE", "llama.cpp", "TensorRT-LLM", "ExecuTorch", "ours")
    },
}
DRAWN: Mapping[str, Any] = {"max_new_tokens": SHORT_TOKENS, "temperature": 0.5, "top_p": 0.95}
SAMPLED: Mapping[str, Config] = {
    "greedy": GreedyConfig(max_new_tokens=SHORT_TOKENS),
    "one-by-one": GreedyConfig(**DRAWN),
    "lookahead-5-4-5": LookaheadConfig(**DRAWN),
    "lookahead-ours": preset("ours", **DRAWN),
}

DRAFTS: Mapping[str, Config] = {
    "greedy": GreedyConfig(max_new_tokens=SHORT_TOKENS),
    "speculative": SpeculativeConfig(max_new_tokens=SHORT_TOKENS),
    "prompt-lookup": PromptLookupConfig(max_new_tokens=SHORT_TOKENS),
    "lookahead-5-4-5": LookaheadConfig(max_new_tokens=SHORT_TOKENS),
    "multiblock-jacobi": MultiblockJacobiConfig(max_new_tokens=SHORT_TOKENS),
    "draft-jacobi": DraftJacobiConfig(max_new_tokens=SHORT_TOKENS),
    "jacobi": JacobiConfig(max_new_tokens=SHORT_TOKENS),
}
SAMPLED_DRAFTS: Mapping[str, Config] = {
    "greedy": GreedyConfig(max_new_tokens=SHORT_TOKENS),
    "speculative": SpeculativeConfig(**DRAWN),
    "prompt-lookup": PromptLookupConfig(**DRAWN),
    "speculative-jacobi": SpeculativeJacobiConfig(**DRAWN),
}

METHOD_SETS: Mapping[str, Mapping[str, Config]] = {
    "usual": METHODS,
    "lesson": LESSON_METHODS,
    "engines": ENGINES,
    "sampled": SAMPLED,
    "drafts": DRAFTS,
    "sampled drafts": SAMPLED_DRAFTS,
}


def methods_of(prompt: Prompt) -> Mapping[str, Config]:
    """How a prompt is decoded."""
    return METHOD_SETS[prompt.methods]


PROMPTS: Mapping[str, Sequence[Prompt]] = {SMOLLM2: SMOLLM2_PROMPTS, TINY: TINY_PROMPTS}


def main() -> int:
    parser = argparse.ArgumentParser(description="Record the comparisons in assets/runs.")
    parser.add_argument("--model", choices=NAMES, default=SMOLLM2)
    parser.add_argument("--out", type=Path, default=RUNS)
    parser.add_argument("--only", metavar="NAME", help="record this prompt alone")
    parser.add_argument("--index", action="store_true", help="only rewrite gallery.json")
    arguments = parser.parse_args()
    if arguments.index:
        write_index(arguments.out)
        return 0
    with quiet():
        model = load_model(arguments.model, device="cpu")
    print(f"{model.name}, {model.info.hardware}, {model.info.dtype}, {model.info.attention}")
    record(model, (0, 1, 2), GreedyConfig(max_new_tokens=8))  # the first passes are slow: no times
    wrong = 0
    for prompt in PROMPTS[arguments.model]:
        if arguments.only in (None, prompt.name):
            wrong += not record_prompt(model, prompt, arguments.out / arguments.model)
            write_index(arguments.out)
    return 1 if wrong else 0


def record_prompt(model: Model, prompt: Prompt, folder: Path) -> bool:
    """Record all methods; the old runs are replaced only when every text equals greedy's."""
    ids = model.encode_chat(prompt.text) if prompt.chat else model.encode(prompt.text)
    runs: dict[str, Run] = {}
    for name, config in methods_of(prompt).items():
        runs[name] = record(model, ids, config)
        say(prompt.name, name, runs[name])
    problems = [problem for name in runs if (problem := what_is_wrong(name, runs))]
    for problem in problems:
        print(f"  NOT WRITTEN: {problem}", file=sys.stderr)
    if problems:
        return False
    target = folder / prompt.name
    target.mkdir(parents=True, exist_ok=True)
    for name, run in runs.items():
        save_run(run, target / f"{name}.json.gz")
    return True


def say(prompt: str, method: str, run: Run) -> None:
    seconds = sum(step.step_ms for step in run.steps) / 1000
    print(
        f"{prompt:<14} {method:<18} {len(run.token_ids):>3} tokens {len(run.steps):>3} passes "
        f"{run.compression:5.2f} a pass {seconds:6.2f} s  {run.finish_reason}",
        flush=True,
    )


def what_is_wrong(name: str, runs: Mapping[str, Run]) -> str | None:
    """Why this run must not ship, with the first difference from greedy; None when all is well."""
    run, greedy = runs[name], runs["greedy"]
    if run.finish_reason not in ("length", "stop"):
        return f"{name} ended by {run.finish_reason}"
    if temperature(run):  # its text need not be greedy's
        return None
    equality = compare(run, greedy)
    if equality.difference is not None:
        found = equality.difference
        return (
            f"{name} differs from greedy at token {found.index}: {found.found} instead of "
            f"{found.expected} (top-2 gap there {found.gap})"
        )
    return None if equality.complete else f"{name} has another length than greedy"


def write_index(out: Path) -> None:
    """``gallery.json``: every recorded exhibit, the bigger model first (its texts are real)."""
    entries = [
        {
            "key": f"{model}/{prompt.name}",
            "title": prompt.title,
            "note": prompt.note,
            "runs": [f"{name}.json.gz" for name in methods_of(prompt)],
        }
        for model in (SMOLLM2, TINY)
        for prompt in PROMPTS[model]
        if all(
            (out / model / prompt.name / f"{name}.json.gz").is_file()
            for name in methods_of(prompt)
        )
    ]
    text = json.dumps(entries, indent=2, ensure_ascii=False) + "\n"
    (out / "gallery.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
