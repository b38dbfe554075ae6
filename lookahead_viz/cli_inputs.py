"""What several commands are given: a prompt, a file to write to, the name of a model."""

from __future__ import annotations

import sys
import tempfile
from argparse import Namespace
from pathlib import Path

from lookahead_viz.cli_text import PROGRAM
from lookahead_viz.models import registry

MAX_PROMPT_BYTES = 4 * 2**20
"""No model reads a longer prompt; a wrong file named by mistake is noticed at once."""


def prompt_text(arguments: Namespace) -> str:
    """The prompt, from the command line, a file or standard input."""
    if arguments.prompt_file is None:
        return str(arguments.prompt)
    if arguments.prompt_file == "-":
        if sys.stdin is None:
            raise ValueError("standard input is closed; give --prompt or a file.")
        name, raw = "standard input", sys.stdin.buffer.read(MAX_PROMPT_BYTES + 1)
    else:
        name, path = arguments.prompt_file, Path(arguments.prompt_file)
        if path.is_dir():
            raise ValueError(f"--prompt-file {name} is a folder; name a text file in it.")
        if not path.is_file():
            raise ValueError(f"there is no prompt file {name}.")
        with path.open("rb") as stream:
            raw = stream.read(MAX_PROMPT_BYTES + 1)
    if len(raw) > MAX_PROMPT_BYTES:
        raise ValueError(f"{name} is larger than the 4 MB a prompt may have.")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is not UTF-8 text (byte {error.start}).") from error


def checked_out(name: str) -> Path:
    """The path to write to; ValueError when that cannot work, before any time is spent."""
    out = Path(name)
    if out.is_dir():
        raise ValueError(f"--out {name} is a folder; give a file name.")
    if not out.parent.is_dir():
        raise ValueError(f"--out {name} cannot be written: there is no folder {out.parent}.")
    try:
        if out.exists() and not out.is_file():
            raise ValueError(f"--out {name} is no ordinary file; give a file name.")
        # the very name that saving will use first, so that a name too long is noticed now
        tempfile.NamedTemporaryFile(dir=out.parent, prefix=f".{out.name}.").close()
    except OSError as error:
        raise ValueError(f"--out {name} cannot be written ({error.strerror}).") from error
    return out


def with_names(name: str, error: object) -> str:
    """What went wrong with the model ``name``, and which names there are where it was none."""
    said = str(error)
    if not said.startswith("there is no ") or "/" in name or name.endswith(".gguf"):
        return said
    names = " and ".join(registry.NAMES)
    return f"{said.rstrip('.')}; the known names are {names} (see '{PROGRAM} models')."
