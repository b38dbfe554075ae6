"""What recording costs: time outside the model, and bytes of the run file per pass.

    python -m benchmarks.recording [--model smollm2-135m] [--tokens 96]

Prints one line a setting. The cost is (step_ms - forward_ms) / forward_ms, summed over all steps
but the first; both times are of the same run, so a noisy machine disturbs the ratio little.
"""

from __future__ import annotations

import argparse

import lookahead_viz as lv
from lookahead_viz.run_io import dump_run

PROMPT = 'def fibonacci(n):\n    """Return the n-th Fibonacci number."""\n'
SIZES = ((5, 4, 5), (15, 5, 15))


def measure(model: lv.Model, config: lv.LookaheadConfig) -> str:
    """One recorded run in one line."""
    run = lv.record(model, PROMPT, config)
    steps = run.steps[1:]
    forward = sum(step.forward_ms for step in steps)
    cost = sum(step.step_ms for step in steps) / forward - 1
    size = len(dump_run(run)) / len(run.steps)
    return (
        f"W={config.window_size} N={config.ngram_size} G={config.max_candidates} "
        f"alternatives={config.alternatives}: {len(run.steps)} passes, "
        f"{forward / len(steps):.1f} ms in a forward, recording {cost:+.1%}, "
        f"file {size:.0f} bytes a pass"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--tokens", type=int, default=96)
    arguments = parser.parse_args()
    model = lv.load_model(arguments.model)
    lv.record(model, PROMPT, lv.GreedyConfig(max_new_tokens=4))  # warm up
    print(f"{model.name}, {model.info.dtype}, {model.info.hardware}")
    for window_size, ngram_size, max_candidates in SIZES:
        for alternatives in (0, 5):
            config = lv.LookaheadConfig(
                window_size=window_size,
                ngram_size=ngram_size,
                max_candidates=max_candidates,
                max_new_tokens=arguments.tokens,
                alternatives=alternatives,
            )
            print(measure(model, config), flush=True)


if __name__ == "__main__":
    main()
