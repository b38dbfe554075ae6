"""``divergence``: one prompt in several precisions and attentions, and where the texts part."""

from __future__ import annotations

import argparse
from argparse import Namespace
from typing import Any

from lookahead_viz.cli_inputs import prompt_text, with_names
from lookahead_viz.cli_loading import PATIENCE, stopped
from lookahead_viz.cli_progress import progress_line
from lookahead_viz.cli_text import printable
from lookahead_viz.config import CONFIGS, Config
from lookahead_viz.divergence import ATTENTIONS, USUAL_DTYPES, Divergence, Progress
from lookahead_viz.divergence_words import OUTCOME_COLUMNS, answer, outcome_rows
from lookahead_viz.models import registry

COMMAND = ("lookahead_viz.cli_divergence", "divergence_command")


def add_divergence_command(commands: Any) -> None:
    """The command, added to the sub-parsers of the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "divergence", help="where and why texts part in half precision"
    )
    parser.set_defaults(command=COMMAND)
    parser.add_argument("--model", default="tiny", metavar="MODEL", help="default: %(default)s")
    prompt = parser.add_mutually_exclusive_group(required=True)
    prompt.add_argument("--prompt", metavar="TEXT")
    prompt.add_argument("--prompt-file", metavar="FILE", help="UTF-8 text; - reads standard input")
    lists = (
        ("--dtypes", ",".join(USUAL_DTYPES)),
        ("--attentions", ",".join(ATTENTIONS)),
        ("--methods", "jacobi,lookahead"),
    )
    for flag, value in lists:
        parser.add_argument(flag, default=value, metavar="LIST", help="default: %(default)s")
    parser.add_argument("--device", default="auto", metavar="NAME")
    parser.add_argument("--max-new-tokens", type=int, default=64, metavar="INT")


def divergence_command(arguments: Namespace) -> int:
    """Prints one line a run, and the answer."""
    configs = [_config(name, arguments.max_new_tokens) for name in _pieces(arguments.methods)]
    text = prompt_text(arguments)
    reason = registry.refusal(arguments.model)
    if reason is not None:
        raise ValueError(reason)
    found = _explored(arguments, text, configs)
    if not found.outcomes:
        reason = found.refused[0].reason if found.refused else "nothing was decoded."
        raise ValueError(with_names(arguments.model, reason))
    _print(found)
    return 0


def _config(method: str, tokens: int) -> Config:
    if method not in CONFIGS:
        raise ValueError(f"--methods has {method!r}; it may have {', '.join(CONFIGS)}.")
    return CONFIGS[method](max_new_tokens=tokens, alternatives=0)


def _pieces(given: str) -> list[str]:
    return [piece.strip() for piece in given.split(",") if piece.strip()]


def _explored(arguments: Namespace, text: str, configs: list[Config]) -> Divergence:
    latest = ""
    with progress_line("Comparing", PATIENCE) as tell:
        from lookahead_viz.models.diverging import diverge
        from lookahead_viz.models.quiet import quiet

        def show(progress: Progress) -> bool:
            nonlocal latest
            latest = progress.sentence
            tell(latest, progress.done / progress.runs)
            return True

        try:
            with quiet():
                return diverge(
                    arguments.model,
                    text,
                    configs,
                    dtypes=_pieces(arguments.dtypes),
                    attentions=_pieces(arguments.attentions),
                    device=arguments.device,
                    on_progress=show,
                )
        except KeyboardInterrupt:
            raise stopped(latest) from None


def _print(found: Divergence) -> None:
    rows = [OUTCOME_COLUMNS, *outcome_rows(found)]
    cells = [[printable("–" if one is None else str(one)) for one in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print("  ".join(padded).rstrip())
    for one in found.refused:
        print(printable(f"{one.setting.label}: {one.reason}"))
    print(f"\n{printable(answer(found))}")
