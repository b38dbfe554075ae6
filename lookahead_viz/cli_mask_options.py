"""The options of ``mask`` and ``check-mask``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any

_NEGATIVE = re.compile(r"-\d[\d,\s-]*")


def with_negative_lists(argv: Sequence[str]) -> list[str]:
    """``--positions -2,-1`` as ``--positions=-2,-1``: argparse takes the list for an option."""
    found: list[str] = []
    for word in argv:
        if found and found[-1] == "--positions" and _NEGATIVE.fullmatch(word):
            found[-1] = f"--positions={word}"
        else:
            found.append(word)
    return found


def add_mask_commands(commands: Any) -> None:
    """Both commands, added to the sub-parsers of the command line."""
    mask = commands.add_parser("mask", help="write the right mask of one pass, in any form")
    mask.set_defaults(command=("lookahead_viz.cli_mask", "mask_command"))
    _add_step_options(mask)
    mask.add_argument("--prefix", type=int, default=0, metavar="INT", help="committed columns")
    mask.add_argument(
        "--format", default="text", metavar="NAME", help="text, words, csv, npy, c, batch, ..."
    )
    mask.add_argument("--out", metavar="FILE", help="instead of standard output")

    check = commands.add_parser("check-mask", help="is the mask in a file right? exit code 0 or 1")
    check.set_defaults(command=("lookahead_viz.cli_mask", "check_command"))
    _add_check_options(check)


def _add_step_options(command: argparse.ArgumentParser) -> None:
    """One packed pass: its size and its layout."""
    absent = argparse.SUPPRESS
    step = command.add_argument_group("the pass")
    sizes = {"-W": ("window-size", 5), "-N": ("ngram-size", 4), "-G": ("candidates", 2)}
    for flag, (name, default) in sizes.items():
        step.add_argument(flag, f"--{name}", type=int, default=default, metavar="INT")
    step.add_argument("--layout", default="lade", metavar="NAME", help="e.g. llama.cpp or trt")
    variants = {
        "--step": "of lade-warmup",
        "--fill": "of trt-fill",
        "--prompt-length": "of lade-prefill",
        "--rank": "of lade-parallel",
        "--ranks": "of lade-parallel",
        "--refed": "of lade-parallel: committed tokens that are fed again",
        "--length": "of causal",
    }
    for flag, of in variants.items():
        step.add_argument(flag, type=int, default=absent, metavar="INT", help=of)


def _add_check_options(check: argparse.ArgumentParser) -> None:
    check.add_argument(
        "mask", metavar="MASK", help=".npy, .npz, .pt, .safetensors, .json, .csv, text; - reads it"
    )
    _add_step_options(check)
    how = check.add_argument_group("how it is read")
    how.add_argument("--array", metavar="NAME", help="which one of several in the file")
    how.add_argument(
        "--positions", metavar="LIST", help="such as 0,1,2 or -1,0,1, or a file of them"
    )
    how.add_argument(
        "--polarity", default="auto", choices=("auto", "keep=1", "keep=0", "additive")
    )
    how.add_argument("--committed", type=int, metavar="INT", help="columns of the cache")
    how.add_argument("--sliding-window", type=int, metavar="INT", help="the model's, in positions")
    check.add_argument("--json", action="store_true", help="the whole report as JSON")
