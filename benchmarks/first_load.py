"""The first load of the tiny model, imports included, beside the libraries' own imports.

   python -m benchmarks.first_load [--times 6] [--against OTHER_CHECKOUT]

Every figure comes from a fresh process; the kinds alternate, so that a busy machine slows all of
them. Below the libraries' imports nothing can be won: transformers' model base class imports
torch._dynamo and torch.distributed.tensor (half a second each) whatever is asked of it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
LOAD = "import lookahead_viz as lv; lv.load_model('tiny')"
LIBRARIES = """
import gc; gc.disable()
import torch
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast
"""
TIMED = """
import time; started = time.perf_counter()
{code}
print(time.perf_counter() - started)
"""


def seconds(code: str, checkout: Path) -> float:
    """How long ``code`` takes in a fresh process that imports the package from ``checkout``."""
    done = subprocess.run(
        [sys.executable, "-c", TIMED.format(code=code)],
        cwd=checkout,
        env=os.environ | {"HF_HUB_OFFLINE": "1", "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=6)
    parser.add_argument("--against", type=Path, help="another checkout to compare with")
    arguments = parser.parse_args()
    kinds = {"load_model('tiny')": (LOAD, HERE), "the libraries alone": (LIBRARIES, HERE)}
    if arguments.against:
        kinds["load_model('tiny') there"] = (LOAD, arguments.against)
    found: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(arguments.times):
        for name, (code, checkout) in kinds.items():
            found[name].append(seconds(code, checkout))
    for name, values in found.items():
        print(f"{name}: {statistics.median(values):.2f} s (best {min(values):.2f})")


if __name__ == "__main__":
    main()
