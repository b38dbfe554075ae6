"""The sweeps that ship with the project, decoded anew.

    python -m benchmarks.sweep tiny            # 20 minutes on one core
    python -m benchmarks.sweep smollm2-135m    # 10 minutes on one core

Writes assets/scale/sweep_MODEL.csv. Counts are exact on every machine in float32, up to rounding
ties; a sweep that was interrupted goes on where it was.
"""

from __future__ import annotations

import argparse

from lookahead_viz.cli import main as command_line
from lookahead_viz.scale.shipped import FOLDER

SETTINGS = {
    "tiny": ["--prompts=all", "-W=1,2,4,8,16,32", "-N=2,3,4,5,6,7", "-G=W,4,16"]
    + ["--max-new-tokens=128"],
    "smollm2-135m": ["--prompts=stack,prose,table", "-W=1,2,4,8,16", "-N=3,4,5", "-G=W"]
    + ["--max-new-tokens=48"],
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=list(SETTINGS))
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    out = FOLDER / f"sweep_{arguments.model}.csv"
    return command_line(
        ["sweep", f"--model={arguments.model}", *SETTINGS[arguments.model]]
        + [f"--workers={arguments.workers}", f"--out={out}"]
    )


if __name__ == "__main__":
    raise SystemExit(main())
