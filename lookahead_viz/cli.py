"""The command line: ``python -m lookahead_viz record | info | export | models | sweep | ...``.

An error is one line on stderr and exit code 2. Importing this module imports no torch; a command
imports what it needs when it runs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NoReturn

from lookahead_viz.cli_divergence import add_divergence_command
from lookahead_viz.cli_mask_options import add_mask_commands, with_negative_lists
from lookahead_viz.cli_method_options import add_method_options
from lookahead_viz.cli_text import INTERRUPTED, PROGRAM, fail, printable


class Parser(argparse.ArgumentParser):
    """Reports a bad command line in one line, as every other error."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """An unknown option is told by the command that it was given to, with its nearest."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            near = "".join(self._nearest(option) for option in unknown)
            self.error(f"unrecognized arguments: {' '.join(unknown)}{near}")
        return found, unknown

    def _nearest(self, given: str) -> str:
        option = given.partition("=")[0]
        known = self._option_string_actions if option.startswith("--") else ()
        found = get_close_matches(option, known, n=1, cutoff=0.7)
        return f"; did you mean {found[0]} instead of {option}?" if found else ""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {printable(message)} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    if sys.stdout is None or sys.stderr is None:  # closed by the caller: nobody listens
        nowhere = open(os.devnull, "w", encoding="utf-8")
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a character
            stream.reconfigure(errors="backslashreplace")
    arguments = build_parser().parse_args(
        with_negative_lists(sys.argv[1:] if argv is None else argv)
    )
    module, function = arguments.command
    try:
        code: int = getattr(import_module(module), function)(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has gone: there is nobody left to tell
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt as stop:
        return fail(str(stop) or "stopped by user", INTERRUPTED)
    except (ValueError, RuntimeError, OSError) as error:
        return fail(str(error))
    except Exception as error:  # a mistake of ours; still no traceback
        return fail(f"unexpected {type(error).__name__}: {error}")
    return code


def build_parser() -> Parser:
    """The whole command line."""
    parser = Parser(prog=PROGRAM, description="See parallel decoding happen.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    record = commands.add_parser("record", help="decode a prompt and save every pass")
    record.set_defaults(command=("lookahead_viz.cli_record", "record_command"))
    _add_inputs(record)
    add_method_options(record)

    info = commands.add_parser("info", help="say what is in a recorded run")
    info.set_defaults(command=("lookahead_viz.cli_info", "info_command"))
    info.add_argument("run", metavar="RUN", help="a file written by record (.json.gz)")

    export = commands.add_parser("export", help="write the player of a run as one HTML file")
    export.set_defaults(command=("lookahead_viz.cli_export", "export_command"))
    export.add_argument("run", metavar="RUN", help="a file written by record (.json.gz)")
    export.add_argument("--html", required=True, metavar="FILE", help="e.g. run.html")
    export.add_argument(
        "--no-alternatives",
        dest="alternatives",
        action="store_false",
        help="leave out the recorded probabilities: a smaller file",
    )

    models = commands.add_parser("models", help="list the known models, or fetch one")
    models.set_defaults(command=("lookahead_viz.cli_models", "list_command"))
    actions = models.add_subparsers(title="actions", metavar="ACTION")
    get = actions.add_parser("get", help="download a model once, for use without a network")
    get.set_defaults(command=("lookahead_viz.cli_models", "get_command"))
    get.add_argument("name", metavar="NAME", help="e.g. smollm2-135m")

    add_mask_commands(commands)

    sweep = commands.add_parser("sweep", help="decode many (W, N, G) and write a table")
    sweep.set_defaults(command=("lookahead_viz.cli_sweep", "sweep_command"))
    _add_sweep_options(sweep)

    add_divergence_command(commands)
    return parser


def _add_inputs(record: argparse.ArgumentParser) -> None:
    source = record.add_argument_group("model and prompt")
    source.add_argument(
        "--model",
        required=True,
        metavar="MODEL",
        help="a known name, folder, .gguf file or hub id",
    )
    prompt = source.add_mutually_exclusive_group(required=True)
    prompt.add_argument("--prompt", metavar="TEXT")
    prompt.add_argument(
        "--prompt-file", metavar="FILE", help="UTF-8 text, taken as it is; - reads standard input"
    )
    source.add_argument(
        "--chat", action="store_true", help="wrap the prompt in the model's chat template"
    )
    for name in ("device", "dtype", "attention"):
        source.add_argument(f"--{name}", default="auto", metavar="NAME")
    source.add_argument("--device-map", choices=["auto"], help="the layers over several GPUs")
    source.add_argument("--tp-plan", choices=["auto"], help="each layer over torchrun's processes")
    source.add_argument("--out", required=True, metavar="FILE", help="e.g. run.json.gz")


def _add_sweep_options(sweep: argparse.ArgumentParser) -> None:
    what = sweep.add_argument_group("model and prompts")
    what.add_argument(
        "--model",
        required=True,
        metavar="MODEL",
        help="a known name, folder, .gguf file or hub id",
    )
    what.add_argument(
        "--prompts", metavar="NAMES", help="classroom prompts, separated by commas, or all"
    )
    what.add_argument(
        "--prompt-file", action="append", default=[], metavar="FILE", help="may be repeated"
    )
    for name in ("device", "dtype", "attention"):
        what.add_argument(f"--{name}", default="auto", metavar="NAME")
    what.add_argument("--out", required=True, metavar="FILE", help="sweep.csv or sweep.parquet")
    sizes = sweep.add_argument_group("settings, every combination of which is decoded")
    sizes.add_argument("-W", default="1,2,4,8,16", metavar="LIST", help="default: %(default)s")
    sizes.add_argument("-N", default="3,4,5", metavar="LIST", help="default: %(default)s")
    sizes.add_argument("-G", default="W", metavar="LIST", help="numbers, or W for G = W")
    for flag, value in (("--max-new-tokens", 64), ("--seed", 0)):
        sizes.add_argument(flag, type=int, default=value, metavar="INT")
    how = sweep.add_argument_group("how")
    how.add_argument(
        "--workers", type=int, metavar="INT", help="processes of one thread; default: one a core"
    )
    how.add_argument("--no-cache", action="store_true", help="decode everything anew")
