"""``info``: what is in a recorded run, and whether its masks are proved."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from lookahead_viz.cli_text import excerpt, printable
from lookahead_viz.comparison import run_label
from lookahead_viz.reach import window_dropped
from lookahead_viz.records import ModelInfo, Run
from lookahead_viz.replay import mask_proved
from lookahead_viz.run_io import load_run
from lookahead_viz.words import count


def info_command(arguments: Namespace) -> int:
    path = Path(arguments.run)
    for name, text in describe(load_run(path), path.stat().st_size):
        print(f"{name:<9} {text}")
    return 0


def describe(run: Run, file_bytes: int) -> list[tuple[str, str]]:
    """The lines of ``info``: (what, text), the text safe to print."""
    passes, tokens = len(run.steps), len(run.token_ids)
    proved = sum(mask_proved(run, index) for index in range(passes))
    forward = sum(step.forward_ms for step in run.steps) / 1000
    whole = sum(step.step_ms for step in run.steps) / 1000
    return [
        ("method", run_label(run)),
        ("model", model_line(run.model)),
        *([("draft", model_line(run.draft))] if run.draft else []),
        ("prompt", f"{count(len(run.prompt_ids), 'token')}: {excerpt(run.prompt)}"),
        ("text", f"{count(tokens, 'token')}: {excerpt(run.text)}"),
        ("passes", f"{passes:,} ({run.compression:.2f} tokens a pass)"),
        ("finish", printable(run.finish_reason)),
        *([("window", printable(dropped))] if (dropped := window_dropped(run)) else []),
        ("masks", f"{proved}/{passes} proved: drawn mask = mask handed to the model"),
        ("time", f"{whole:.2f} s in passes, {forward:.2f} s of it in the model"),
        ("size", f"{file_bytes / 1000:.1f} kB ({file_bytes / 1000 / max(passes, 1):.2f} a pass)"),
    ]


def model_line(model: ModelInfo) -> str:
    """Which model ran, and how, in one line."""
    name = f"{model.name} ({model.revision})" if model.revision else model.name
    how = [model.architecture, model.dtype, model.device, model.attention, model.hardware]
    return printable(", ".join([name, *(part for part in how if part)]))
