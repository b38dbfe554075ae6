"""Latency of one forward against its number of slots, for the Scale page.

    python -m benchmarks.latency --out assets/scale/latency_cpu.json [--model tiny ...]

Needs a quiet machine: the load before the start is written into the file, and the page says when
it was high. Takes about two minutes for both models on two cores.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import lookahead_viz as lv
from lookahead_viz.scale.latency import CONTEXT, REPEATS, Latency, measure, merged


def measured(name: str, context: int, repeats: int) -> Latency:
    """One model, loaded and measured."""
    found = measure(lv.load_model(name), context=context, repeats=repeats)
    assert found is not None, "nobody cancels"
    one = found.points[0].ms
    for point in found.points:
        print(f"{point.model} {point.slots:4d} slots {point.ms:8.2f} ms {point.ms / one:6.2f}x")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", action="append", help="may be repeated; tiny and smollm2-135m")
    parser.add_argument("--context", type=int, default=CONTEXT)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    names = arguments.model or ["tiny", "smollm2-135m"]
    found = merged([measured(name, arguments.context, arguments.repeats) for name in names])
    arguments.out.write_text(found.as_json(), encoding="utf-8")
    print(f"{arguments.out}: {found.note or 'the machine was quiet'}")


if __name__ == "__main__":
    main()
