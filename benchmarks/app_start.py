"""From starting the app to its first picture of a recorded run, and to a step on the screen.

    python -m benchmarks.app_start [--times 3]

Server and browser run on the same machine. "Ready" is when the server answers; the picture is
painted when the race's lanes, or the player, are in the page.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path
from time import perf_counter

from playwright.sync_api import Playwright, sync_playwright

from lookahead_viz import gallery
from tests.browser import CHROMIUM, FLAGS, served

PICTURES = {"/": ".race .lane-svg rect", "/window": ".lv svg"}


def once(playwright: Playwright, path: str, log: Path) -> tuple[float, float]:
    """Seconds until the server is ready, and from there to the first picture of ``path``."""
    context = playwright.chromium.launch_persistent_context(
        tempfile.mkdtemp(), executable_path=str(CHROMIUM), headless=True, args=FLAGS
    )
    page = context.pages[0]
    started = perf_counter()
    with served(gallery.RUNS, log) as address:
        ready = perf_counter()
        page.goto(address + path)
        page.wait_for_selector(PICTURES[path])
        seen = perf_counter()
    context.close()
    return ready - started, seen - ready


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=3)
    arguments = parser.parse_args()
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        for path in PICTURES:
            found = [once(playwright, path, Path(folder) / "log") for _ in range(arguments.times)]
            total = [ready + seen for ready, seen in found]
            print(
                f"{path}: first picture after {statistics.median(total):.1f} s (median of "
                f"{len(total)}, best {min(total):.1f}), of it {found[0][0]:.1f} s until ready"
            )


if __name__ == "__main__":
    main()
