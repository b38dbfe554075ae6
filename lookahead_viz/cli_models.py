"""``models``: list the known models, or fetch one."""

from __future__ import annotations

from argparse import Namespace

from lookahead_viz.cli_progress import progress_line
from lookahead_viz.cli_text import printable
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
    with progress_line(f"Getting {registry.SMOLLM2}") as tell:
        smollm2.fetch(tell)
    print(f"{registry.SMOLLM2} is ready in {printable(str(smollm2.folder()))}")
    return 0
