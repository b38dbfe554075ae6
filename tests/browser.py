"""The real app in a real Chromium, over a gallery of toy runs."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, sleep

from playwright.sync_api import ConsoleMessage, Page, Playwright

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_LAUNCH = (
    "import sys; from pathlib import Path; from lookahead_viz import gallery; "
    "gallery.RUNS = Path(sys.argv.pop(1)); from streamlit.web.cli import main; main()"
)


@contextmanager
def served(gallery: Path, log: Path) -> Iterator[str]:
    """Run the app over ``gallery`` on a free port; yields its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-c", _LAUNCH, str(gallery), "run", "app.py"]
    command += [f"--server.port={port}"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with (
        log.open("wb") as output,
        subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=output, stderr=output
        ) as process,
    ):
        try:
            _wait_until_ready(f"http://127.0.0.1:{port}/_stcore/health", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _wait_until_ready(health: str, process: subprocess.Popen[bytes]) -> None:
    patience = monotonic() + 60
    while monotonic() < patience:
        assert process.poll() is None, "the app ended at once"
        try:
            with urllib.request.urlopen(health, timeout=2):
                return
        except OSError:
            sleep(0.1)
    raise AssertionError("the app did not start in 60 seconds")


class Visitor:
    """One person looking at the app: a page, and everything that went wrong while looking."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.problems: list[str] = []
        page.on("console", self._read_console)
        page.on("pageerror", lambda error: self._note(True, str(error)))
        page.on("dialog", lambda dialog: self._note(True, f"dialog: {dialog.message}"))
        page.on("request", lambda request: self._note(not self._here(request.url), request.url))
        page.on("websocket", lambda socket: self._note(not self._here(socket.url), socket.url))

    def open(self, path: str = "/") -> None:
        """Open a page and wait until it stands still."""
        self.page.goto(self.address + path)
        self.page.get_by_role("heading", level=1).wait_for(timeout=60_000)
        self.settle()

    def settle(self) -> None:
        """Wait until the script has run to its end."""
        self.page.wait_for_selector(
            '[data-testid="stApp"][data-test-script-state="notRunning"]', timeout=60_000
        )

    def wait_for_text(self, text: str) -> None:
        self.page.get_by_text(text).first.wait_for(timeout=60_000)

    def take_problems(self) -> list[str]:
        """What went wrong since the last time somebody asked."""
        found, self.problems = self.problems, []
        return found

    def _note(self, wrong: bool, what: str) -> None:
        if wrong:
            self.problems.append(what)

    def _read_console(self, message: ConsoleMessage) -> None:
        # On a deep link Streamlit first asks for its own address below the page's: two 404s.
        probe = "/_stcore/" in message.location.get("url", "") and "404" in message.text
        self._note(message.type == "error" and not probe, message.text)

    def _here(self, url: str) -> bool:
        host = self.address.removeprefix("http://")
        return url.startswith((f"http://{host}/", f"ws://{host}/", "data:", "blob:"))


@contextmanager
def visiting(
    playwright: Playwright, address: str, profile: Path, *, dark: bool = False
) -> Iterator[Visitor]:
    """A visitor with a fresh browser profile, who prefers light or dark."""
    context = playwright.chromium.launch_persistent_context(
        str(profile),
        executable_path=str(CHROMIUM),
        headless=True,
        args=FLAGS,
        viewport={"width": 1400, "height": 1000},
        color_scheme="dark" if dark else "light",
    )
    try:
        yield Visitor(context.new_page(), address)
    finally:
        context.close()


class Visitors(dict[str, Visitor]):
    """Those who look at one app, "light" and "dark"; each comes when first asked for."""

    def __init__(self, driver: Playwright, address: str, folder: Path, stack: ExitStack) -> None:
        super().__init__()
        self._driver, self._address, self._folder, self._stack = driver, address, folder, stack

    def __missing__(self, look: str) -> Visitor:
        coming = visiting(self._driver, self._address, self._folder / look, dark=look == "dark")
        self[look] = self._stack.enter_context(coming)
        return self[look]
