"""How long a check with its diagnosis takes: ``python -m benchmarks.masklab`` on a quiet machine.

The promise is one second for a mask of 1,000 tokens behind 400 committed ones.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from lookahead_viz.masklab import MISTAKES, check, packed, right_mask
from lookahead_viz.masklab.lint import whole
from lookahead_viz.masklab.scene import Scene
from lookahead_viz.visibility import BoolMatrix

SIZES = (((5, 4, 2), 37), ((15, 7, 15), 500), ((100, 6, 100), 400), ((400, 6, 400), 0))


def main() -> None:
    for size, committed in SIZES:
        layout = packed("llama.cpp", *size)
        right = right_mask(layout, committed)
        print(f"W, N, G = {size}: {right.shape[0]} x {right.shape[1]}")
        for name, mask in masks(right, Scene.of(layout, committed)).items():
            times = []
            for _ in range(5):
                started = perf_counter()
                check(mask, *size, layout="llama.cpp")
                times.append(perf_counter() - started)
            print(f"  {name:<10} median {sorted(times)[2]:.3f} s, worst {max(times):.3f} s")


def masks(right: BoolMatrix, scene: Scene) -> dict[str, BoolMatrix]:
    """Right, a known mistake, a few wrong cells, and noise."""
    rng = np.random.default_rng(0)
    known = MISTAKES["same-row"].rule(scene)
    assert known is not None
    spoiled = right.copy()
    rows, columns = rng.integers(0, right.shape[0], 50), rng.integers(0, right.shape[1], 50)
    spoiled[rows, columns] ^= True
    return {
        "right": right,
        "same-row": whole(known, scene.committed),
        "spoiled": spoiled,
        "noise": rng.random(right.shape) < 0.5,
    }


if __name__ == "__main__":
    main()
