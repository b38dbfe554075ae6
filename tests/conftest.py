"""Shared by all tests: one thread a process, what needs SmolLM2, the app in a browser."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lookahead_viz.models import smollm2

if TYPE_CHECKING:
    from playwright.sync_api import Playwright

    from tests.browser import Visitor, Visitors
    from tests.player_pages import Watched

os.environ.setdefault("HF_HUB_OFFLINE", "1")
# The models of the tests are tiny: a second thread only waits, and on a busy machine very long.
os.environ.setdefault("OMP_NUM_THREADS", "1")

needs_smollm2 = pytest.mark.skipif(
    not smollm2.installed(),
    reason="SmolLM2 is not fetched: python -m lookahead_viz models get smollm2-135m",
)


@pytest.fixture(scope="module")
def toy_gallery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorded runs that the app opens in a test: toy runs."""
    from tests.toy_gallery import write_gallery

    return write_gallery(tmp_path_factory.mktemp("gallery"))


@pytest.fixture
def over_toy_runs(toy_gallery: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An AppTest sees the toy runs, no model, and no decoding of a test before it."""
    from lookahead_viz import gallery
    from lookahead_viz.models import registry
    from lookahead_viz.ui import session
    from lookahead_viz.ui.decoding import Worker

    monkeypatch.setattr(gallery, "RUNS", toy_gallery)
    monkeypatch.setattr(registry, "available", list)
    worker = Worker()  # AppTest has one session for all tests
    monkeypatch.setattr(session, "worker", lambda: worker)


@pytest.fixture(scope="module")
def driver() -> Iterator[Playwright]:
    """What drives Chromium; where either is missing, the test is skipped."""
    playwright = pytest.importorskip("playwright.sync_api")
    from tests.browser import CHROMIUM

    if not CHROMIUM.exists():
        pytest.skip(f"there is no {CHROMIUM}")
    with playwright.sync_playwright() as found:
        yield found


@pytest.fixture(scope="module")
def address(
    driver: Playwright, toy_gallery: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A fresh server of the app over ``toy_gallery``."""
    from tests.browser import served

    with served(toy_gallery, tmp_path_factory.mktemp("app") / "log") as found:
        yield found


@pytest.fixture(scope="module")
def visitors(
    driver: Playwright, address: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Visitors]:
    from tests.browser import Visitors

    with ExitStack() as stack:
        yield Visitors(driver, address, tmp_path_factory.mktemp("profiles"), stack)


@pytest.fixture
def visitor(visitors: Visitors) -> Iterator[Visitor]:
    """The one who prefers light; after each test nothing may have gone wrong."""
    yield visitors["light"]
    assert visitors["light"].take_problems() == []


@pytest.fixture(scope="module")
def watched(driver: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """A page for files from disk, without the app."""
    from tests.player_pages import browsing

    with browsing(driver, tmp_path_factory.mktemp("profile")) as found:
        yield found
