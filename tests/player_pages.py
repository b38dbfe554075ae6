"""Exported player pages in a real Chromium, opened from disk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Locator, Page, Playwright

from lookahead_viz.player.export import save_html
from lookahead_viz.records import Run
from tests.browser import CHROMIUM, FLAGS
from tests.toy_runs import toy_run

HOSTILE_TEXTS: tuple[str | bytes, ...] = (
    "<img src=x onerror=\"document.title='hit'\">",
    "</script><script>document.title='hit'</script>",
    "<svg onload=alert(1)>",
    "\u202e\u2066 right to left",
    "\x00",
    "long " * 2000,
    "\u2028\u2029",
    "]]>--><!--",
    "\ud800",
    b"\xff\xfe",
    "{{7*7}}${7*7}",
    "&lt;b&gt;",
)


def hostile_run() -> Run:
    """A run whose every token text is an attack or a nuisance."""
    run = toy_run("lookahead")
    texts = {
        token: HOSTILE_TEXTS[number % len(HOSTILE_TEXTS)]
        for number, token in enumerate(sorted(run.token_text))
    }
    return replace(run, token_text=texts, model=replace(run.model, name="</title><b>x"))


class Watched:
    """A page that remembers whatever must not happen: errors, dialogs, requests."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.problems: list[str] = []
        self.own = ""
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("dialog", lambda dialog: self.problems.append(f"dialog {dialog.message}"))
        page.on(
            "console",
            lambda message: (
                self.problems.append(message.text) if message.type == "error" else None
            ),
        )
        page.on(
            "request",
            lambda request: (
                None
                if request.url.split("#")[0] == self.own
                or request.url.startswith("data:image/svg")
                else self.problems.append(f"request {request.url}")
            ),
        )

    def open(self, file: Path, fragment: str = "") -> None:
        """Open an exported file and wait until it has drawn itself."""
        self.own = file.as_uri()
        self.page.goto("about:blank")
        self.page.goto(self.own + fragment)
        self.page.locator(".panel svg, .panel p").first.wait_for(timeout=20_000)
        self.page.wait_for_timeout(150)

    def take_problems(self) -> list[str]:
        """What went wrong since the last time somebody asked."""
        found, self.problems = self.problems, []
        return found

    @property
    def step(self) -> int:
        return int(self.page.locator(".lv .title b").inner_text().split()[1])

    @property
    def why(self) -> str:
        return self.page.locator(".panel.why").inner_text()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.page.wait_for_timeout(80)

    def cell(self, row: int, col: int, cols: int) -> Locator:
        return self.page.locator(f'[data-cell="window"][data-ref="s:{row * cols + col}"]')


@contextmanager
def browsing(playwright: Playwright, profile: Path, *, reduced: bool = False) -> Iterator[Watched]:
    """A page of a fresh browser, 1280 x 720."""
    context = playwright.chromium.launch_persistent_context(
        str(profile),
        executable_path=str(CHROMIUM),
        headless=True,
        args=FLAGS,
        viewport={"width": 1280, "height": 720},
        reduced_motion="reduce" if reduced else "no-preference",
        permissions=["clipboard-read", "clipboard-write"],
        accept_downloads=True,
    )
    try:
        yield Watched(context.new_page())
    finally:
        context.close()


def exported(run: Run, folder: Path, name: str) -> Path:
    file = folder / f"{name}.html"
    save_html(run, file)
    return file
