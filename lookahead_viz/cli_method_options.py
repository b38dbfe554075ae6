"""The options of ``record`` that choose a method and its settings.

Every option is named like a field of the configs; only those given reach the config, and one that
the method does not have is refused.
"""

from __future__ import annotations

import argparse

from lookahead_viz.config import (
    ACCEPTS,
    BLOCK_FILLS,
    COLUMN_KEYS,
    POOL_POLICIES,
    SHIFTS,
    WARM_UPS,
    WINDOW_FILLS,
)
from lookahead_viz.methods import METHODS
from lookahead_viz.presets import PRESETS

_ABSENT = argparse.SUPPRESS


def add_method_options(record: argparse.ArgumentParser) -> None:
    """``--method`` and the options of every method, in groups."""
    record.add_argument(
        "--method", choices=tuple(METHODS), default="lookahead", help="default: %(default)s"
    )
    _add_common(record.add_argument_group("for every method"))
    sampling = record.add_argument_group(_for("samples"), "greedy decoding without --temperature")
    sampling.add_argument("--temperature", type=float, default=_ABSENT, metavar="T")
    sampling.add_argument("--top-k", type=int, default=_ABSENT, metavar="INT")
    sampling.add_argument("--top-p", type=float, default=_ABSENT, metavar="P")
    _add_drafts(record.add_argument_group(_for("needs_draft") + ", prompt-lookup"))
    _add_jacobi(record.add_argument_group("for the Jacobi methods"))
    _add_lookahead(record.add_argument_group("for --method lookahead"))


def _for(quality: str) -> str:
    return "for " + ", ".join(name for name, m in METHODS.items() if getattr(m, quality))


def _add_common(every: argparse._ArgumentGroup) -> None:
    _whole(every, "--max-new-tokens")
    _whole(every, "--seed")
    _whole(every, "--alternatives", help="most likely tokens kept per used slot, 0 to 100")
    stops = every.add_mutually_exclusive_group()
    stops.add_argument(
        "--stop-id",
        dest="stop_ids",
        type=int,
        action="append",
        default=_ABSENT,
        metavar="ID",
        help="end at this token instead of the model's own end tokens; may be repeated",
    )
    stops.add_argument(
        "--no-stop", dest="stop_ids", action="store_const", const=(), default=_ABSENT
    )


def _add_drafts(drafts: argparse._ArgumentGroup) -> None:
    drafts.add_argument(
        "--draft",
        type=_draft,
        default=_ABSENT,
        metavar="K|MODEL",
        help="a number = the first K layers of the model itself, else another model",
    )
    _whole(drafts, "--gamma", help="tokens drafted for a pass")
    _whole(drafts, "--match-size", help="prompt-lookup: last tokens looked for")


def _add_jacobi(jacobi: argparse._ArgumentGroup) -> None:
    _whole(jacobi, "--block-size", help="n")
    jacobi.add_argument("--init", choices=BLOCK_FILLS, default=_ABSENT)
    _whole(jacobi, "--blocks", help="multiblock-jacobi: K, blocks in flight")
    jacobi.add_argument(
        "--activation",
        type=float,
        default=_ABSENT,
        metavar="SHARE",
        help="multiblock-jacobi: how far a block has converged when the next one starts",
    )


def _add_lookahead(lookahead: argparse._ArgumentGroup) -> None:
    sizes = {"-W": "window-size", "-N": "ngram-size", "-G": "max-candidates"}
    also = {"-N": "also of multiblock-jacobi", "-G": "also of multiblock-jacobi"}
    for flag, name in sizes.items():
        _whole(lookahead, flag, f"--{name}", help=also.get(flag))
    _whole(lookahead, "--pool-per-key", help="also of multiblock-jacobi")
    lookahead.add_argument(
        "--preset",
        choices=tuple(PRESETS),
        default=_ABSENT,
        help="the settings below as an engine has them; those given besides win",
    )
    for flag, values in (
        ("--window-fill", WINDOW_FILLS),
        ("--warm-up", WARM_UPS),
        ("--shift", SHIFTS),
        ("--column-key", COLUMN_KEYS),
        ("--pool-policy", POOL_POLICIES),
        ("--accept", ACCEPTS),
    ):
        lookahead.add_argument(flag, choices=values, default=_ABSENT)
    _whole(lookahead, "--fill-token", help="with --window-fill constant")
    for flag in (
        "--pool-from-prompt",
        "--pool-from-generated",
        "--merge-candidates",
        "--verify-window",
    ):
        lookahead.add_argument(flag, action=argparse.BooleanOptionalAction, default=_ABSENT)


def _whole(group: argparse._ArgumentGroup, *flags: str, help: str | None = None) -> None:
    group.add_argument(*flags, type=int, default=_ABSENT, metavar="INT", help=help)


def _draft(value: str) -> int | str:
    return int(value) if value.isascii() and value.isdecimal() else value
