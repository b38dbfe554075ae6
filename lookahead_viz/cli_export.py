"""``export``: a recorded run as one HTML file that opens without a network."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from lookahead_viz.cli_text import printable
from lookahead_viz.player.export import save_html
from lookahead_viz.run_io import load_run
from lookahead_viz.words import count


def export_command(arguments: Namespace) -> int:
    source, target = Path(arguments.run), Path(arguments.html)
    run = load_run(source)
    if target.is_dir():
        raise ValueError(f"--html {target} is a folder; give a file name.")
    if target.exists() and not target.is_file():
        raise ValueError(f"--html {target} is no ordinary file; give a file name.")
    if not target.parent.is_dir():
        raise ValueError(f"--html {target} cannot be written: there is no folder {target.parent}.")
    if target.exists() and target.samefile(source):
        raise ValueError("--html names the run file itself; give another name.")
    save_html(run, target, alternatives=arguments.alternatives)
    print(
        f"{printable(str(target))}: {count(len(run.steps), 'pass', 'passes')}, "
        f"{target.stat().st_size / 1000:.0f} kB"
    )
    return 0
