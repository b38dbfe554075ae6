"""``models``: list the known models, or fetch one."""

from __future__ import annotations

import sys
from argparse import Namespace

from lookahead_viz.cli_text import on_terminal, printable
from lookahead_viz.models import registry, smollm2


def list_command(arguments: Namespace) -> int:
    for choice in registry.available():
        state = "ready" if choice.installed else "not here yet"
        if choice.needs_fetch:
            state = f"fetch it with: models get {choice.name}"
        if choice.damage is not None:
            state = f"damaged ({choice.damage}); mend it with: models get {choice.name}"
        print(f"{choice.name:<14} {choice.title}. {choice.note} [{state}]")
    print("Also: a transformers folder, a .gguf file, or a hub id (owner/name).")
    return 0


def get_command(arguments: Namespace) -> int:
    if arguments.name != registry.SMOLLM2:
        raise ValueError(
            f"only {registry.SMOLLM2} can be fetched, not {arguments.name!r}; hub models are "
            "downloaded when they are first used."
        )
    if on_terminal():
        _fetch_with_bar()
    else:
        _fetch_with_lines()
    print(f"{registry.SMOLLM2} is ready in {printable(str(smollm2.folder()))}")
    return 0


def _fetch_with_bar() -> None:
    from tqdm import tqdm

    with tqdm(total=100, bar_format="{percentage:3.0f}% |{bar:20}| {elapsed} {desc}") as bar:

        def show(stage: str, done: float) -> None:
            bar.set_description_str(stage, refresh=False)
            bar.n = round(100 * done)
            bar.refresh()

        smollm2.fetch(show)


def _fetch_with_lines() -> None:
    shown = ""

    def show(stage: str, done: float) -> None:
        nonlocal shown
        if stage != shown:
            print(f"{100 * done:3.0f}% {stage}", file=sys.stderr)
            shown = stage

    smollm2.fetch(show)
