"""The Scale page in real Chromium, with what ships: every part, both themes, axe, the keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.browser import CHROMIUM, Visitor, served, visiting
from tests.toy_gallery import write_gallery

pytestmark = pytest.mark.browser

PARTS = {"Cost": 1, "Time": 2, "Calculator": 0, "Claims": 0, "Sweep": 0}
"""The number of pictures of each part; the scaling law is met in the tests of all pages."""


@pytest.fixture(scope="module")
def visitors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Visitor]]:
    playwright = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM.exists():
        pytest.skip(f"there is no {CHROMIUM}")
    folder = tmp_path_factory.mktemp("app")
    with ExitStack() as stack:
        address = stack.enter_context(served(write_gallery(folder / "runs"), folder / "log"))
        driver = stack.enter_context(playwright.sync_playwright())
        yield {
            name: stack.enter_context(
                visiting(driver, address, tmp_path_factory.mktemp(name), dark=name == "dark")
            )
            for name in ("light", "dark")
        }


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("part", PARTS)
def test_a_part_opens_by_its_link_and_axe_finds_nothing(
    visitors: dict[str, Visitor], part: str, theme: str
) -> None:
    script = pytest.importorskip("axe_playwright_python.base").AXE_SCRIPT
    visitor = visitors[theme]
    page = visitor.page
    visitor.open(f"/scale?part={part}")
    assert page.get_by_role("heading", level=1).inner_text() == "When does it pay?"
    pictures = page.locator(".js-plotly-plot")
    if PARTS[part]:
        pictures.nth(PARTS[part] - 1).wait_for(timeout=60_000)
    assert page.get_by_role("alert").count() == 0
    assert visitor.take_problems() == []
    page.evaluate(script)
    found = page.evaluate("async () => (await axe.run()).violations")
    visitor.take_problems()
    assert [(one["id"], [n["html"][:150] for n in one["nodes"][:3]]) for one in found] == []


def test_parts_are_chosen_and_kept_in_the_address(visitors: dict[str, Visitor]) -> None:
    visitor = visitors["light"]
    page = visitor.page
    visitor.open("/scale")
    page.get_by_role("radio", name="Calculator").click()
    page.get_by_text("TensorRT-LLM max_draft_len").wait_for(timeout=60_000)
    page.wait_for_url("**/scale?part=Calculator")
    box = page.get_by_role("spinbutton", name="W", exact=True)
    box.fill("7")
    box.press("Enter")
    page.get_by_text("(N − 2) + (W − 1 + G)(N − 1) = 2 + (7 − 1 + 5)·3").wait_for(timeout=60_000)
    page.get_by_role("link", name="Pool").click()
    page.get_by_role("heading", name="What is remembered?").wait_for(timeout=60_000)
    visitor.settle()
    assert "part=" not in page.url
    assert visitor.take_problems() == []


def test_a_wrong_part_opens_the_first_one(visitors: dict[str, Visitor]) -> None:
    visitor = visitors["light"]
    visitor.open("/scale?part=<script>alert(1)</script>")
    visitor.wait_for_text("steps")
    assert visitor.page.get_by_role("alert").count() == 0
    assert visitor.take_problems() == []
