"""Train the tiny model: likelihood first, then likelihood and unlikelihood of its own loops.

    python -m training.train --out RUN --minutes 75      # checkpoint, tokenizer and log in RUN
    python -m training.train --out RUN --resume          # goes on from the last checkpoint
    python -m training.train --out RUN --smoke           # under a minute, then exports
    python -m training.export --run RUN --out assets/models/tiny

Steps, not minutes, define a run: ``--minutes`` only times a few steps and plans from that.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedTokenizerFast

from training import corpus as corpora
from training import model as models
from training.data import Ids, encode
from training.export import export
from training.run import Run
from training.settings import SMOKE, Settings
from training.tokenizer import train_tokenizer


def prepare(folder: Path, settings: Settings) -> tuple[PreTrainedTokenizerFast, tuple[Ids, Ids]]:
    """Corpus, tokenizer and token ids; the facts of the corpus go to ``corpus.json``."""
    corpus = corpora.build(code_only=settings.smoke, limit=80 if settings.smoke else None)
    tokenizer = train_tokenizer(
        (document.text for document in corpus.training), settings.vocabulary, models.POSITIONS
    )
    tokenizer.save_pretrained(folder / "tokenizer")
    ids = encode(tokenizer, corpus.training, settings.seed), encode(tokenizer, corpus.held_out, 0)
    facts = {
        "sha256": corpus.sha256(),
        "kinds": corpus.sizes(),
        "tokens": [len(part) for part in ids],
        "held_out": [document.name for document in corpus.held_out],
    }
    (folder / "corpus.json").write_text(json.dumps(facts, indent=1) + "\n")
    return tokenizer, ids


def changed(settings: Settings, pairs: list[str]) -> Settings:
    """Settings with ``field=value`` pairs from the command line put in."""
    split = (pair.split("=", 1) for pair in pairs)
    values = {key: type(getattr(settings, key))(value) for key, value in split}
    return dataclasses.replace(settings, **values)


def start(folder: Path, settings: Settings, minutes: float | None) -> Run:
    """A new run."""
    folder.mkdir(parents=True, exist_ok=True)
    run = Run(folder, settings, *prepare(folder, settings))
    if minutes is not None:
        run.plan(minutes)
    return run


def resume(folder: Path, pairs: list[str]) -> Run:
    """The run in the folder's checkpoint; its corpus must still be the same."""
    state: dict[str, Any] = torch.load(folder / "checkpoint.pt", weights_only=True)
    before = json.loads((folder / "corpus.json").read_text())["sha256"]
    settings = changed(Settings(**state["settings"]), pairs)
    tokenizer, ids = prepare(folder, settings)
    after = json.loads((folder / "corpus.json").read_text())["sha256"]
    if before != after:
        raise ValueError(f"the corpus was {before} when the run began and is {after} now")
    run = Run(folder, settings, tokenizer, ids)
    run.load(state)
    return run


def main(arguments: list[str] | None = None) -> Run:
    """Command line; any field of Settings can be given as ``--set field=value``."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--out", type=Path, required=True, help="folder of the run")
    parser.add_argument("--minutes", type=float, help="plan the number of steps from this")
    parser.add_argument("--smoke", action="store_true", help="a tiny run of under a minute")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    parser.add_argument("--stop-at", type=int, help="leave after this step")
    parser.add_argument("--set", action="append", default=[], metavar="FIELD=VALUE")
    args = parser.parse_args(arguments)
    models.keep_freed_memory()
    torch.set_num_threads(1)
    if args.resume:
        run = resume(args.out, args.set)
    else:
        settings = changed(SMOKE if args.smoke else Settings(), args.set)
        run = start(args.out, settings, args.minutes)
    print(dataclasses.asdict(run.settings), models.parameter_count(run.model), "parameters")
    run.train(args.stop_at)
    run.save()
    if run.settings.smoke:
        export(args.out, args.out / "model", "float16")
    return run


if __name__ == "__main__":
    main()
