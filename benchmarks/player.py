"""How fast the player steps, opens and forgets: painted times in a real Chromium.

    python -m benchmarks.player [--steps 500 2000] [--forget 10000] [-W 15 -N 5 -G 15]

A step is measured from the key press, which follows a frame, until the next frame with it is
painted. The runs are of the tests' toy model.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from lookahead_viz.player.export import save_html
from lookahead_viz.player.payload import payload, to_json
from lookahead_viz.records import LookaheadStep, Run
from tests.player_pages import browsing
from tests.toy_runs import toy_run

STEP_MS = """async (presses) => {
  const root = document.querySelector(".lv"), times = [];
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  for (let i = 0; i < presses; i++) {
    const key = Math.floor(i / 100) % 2 ? "ArrowLeft" : "ArrowRight";
    await frame();
    const start = performance.now();
    root.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    await frame();
    await new Promise((done) => setTimeout(done, 0));
    times.push(performance.now() - start);
  }
  return times;
}"""
FORGET = """async (presses) => {
  const root = document.querySelector(".lv");
  for (let i = 0; i < presses; i++) {
    const key = Math.floor(i / 300) % 2 ? "ArrowLeft" : "ArrowRight";
    root.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    await new Promise((done) => requestAnimationFrame(done));
  }
}"""


def long_run(steps: int, sizes: tuple[int, int, int] = (15, 5, 15)) -> Run:
    """A lookahead run of so many steps at these W, N and G."""
    run = toy_run(
        "lookahead",
        text="story",
        strict=False,
        stop_after=steps,
        window_size=sizes[0],
        ngram_size=sizes[1],
        max_candidates=sizes[2],
        max_new_tokens=steps * sizes[1],  # more than it can accept
    )
    assert len(run.steps) == steps
    return run


def heap(page: Page) -> float:
    """Megabytes of JavaScript heap in use, after collecting garbage."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    size = session.send("Runtime.getHeapUsage")["usedSize"]
    session.detach()
    return float(size) / 1e6


def measure(page: Page, file: Path, run: Run, presses: int, forget: int) -> dict[str, Any]:
    page.goto("about:blank")
    page.goto(file.as_uri())
    page.locator(".panel svg").first.wait_for()
    opened = page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => done(performance.now())))"
    )
    page.wait_for_timeout(500)
    times = sorted(page.evaluate(STEP_MS, presses))
    found = {
        "steps": len(run.steps),
        "most slots": max(step.layout.slots for step in run.steps),
        "candidates a pass": round(
            statistics.mean(
                len(step.verification.candidates)
                for step in run.steps
                if isinstance(step, LookaheadStep)
            ),
            1,
        ),
        "payload bytes a pass": round(
            len(to_json(payload(run, alternatives=False)).encode()) / len(run.steps)
        ),
        "file kB": round(file.stat().st_size / 1000),
        "opened ms": round(opened),
        "step median ms": round(statistics.median(times), 1),
        "step p95 ms": round(times[int(len(times) * 0.95)], 1),
    }
    if forget:
        page.evaluate(FORGET, 500)
        before = heap(page)
        page.evaluate(FORGET, forget)
        found["heap MB before, after"] = (round(before, 2), round(heap(page), 2))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, nargs="+", default=[500, 2000])
    parser.add_argument("--presses", type=int, default=300)
    parser.add_argument("--forget", type=int, default=10000)
    for name, size in (("W", 15), ("N", 5), ("G", 15)):
        parser.add_argument(f"-{name}", type=int, default=size)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        with browsing(driver, folder / "profile") as watched:
            for number, steps in enumerate(chosen.steps):
                run = long_run(steps, (chosen.W, chosen.N, chosen.G))
                file = folder / f"{steps}.html"
                save_html(run, file)
                forget = 0 if number else chosen.forget
                print(
                    json.dumps(measure(watched.page, file, run, chosen.presses, forget)),
                    flush=True,
                )


if __name__ == "__main__":
    main()
