"""The glossary on pages without a player, in a real Chromium: G, the button, typing."""

from __future__ import annotations

import pytest

from tests.browser import Visitor

pytestmark = pytest.mark.browser
SHEET = ".glossary .sheet"


@pytest.mark.parametrize("path", ["/", "/mask-lab", "/scale?part=Calculator"])
def test_g_and_the_button_open_the_glossary_and_escape_closes_it(
    visitor: Visitor, path: str
) -> None:
    page = visitor.page
    visitor.open(path)
    button = page.get_by_role("button", name="Words")
    button.wait_for(timeout=30_000)
    assert page.locator(SHEET).count() == 0
    page.keyboard.press("g")
    page.locator(SHEET).wait_for(timeout=30_000)
    assert page.locator(f"{SHEET} dt").count() > 30
    page.keyboard.press("Escape")
    assert page.locator(SHEET).count() == 0
    button.click()
    assert page.locator(SHEET).is_visible()
    page.locator(f"{SHEET} .close").click()
    assert page.locator(SHEET).count() == 0


def test_typing_g_into_a_field_opens_nothing(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("/scale?part=Calculator")
    page.locator(".st-key-calc_w input").click()
    page.keyboard.press("g")
    page.wait_for_timeout(300)
    assert page.locator(SHEET).count() == 0


def test_in_the_lesson_the_player_takes_the_key(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("/learn?card=luck")
    page.locator(".lv .asked").wait_for(timeout=30_000)
    page.keyboard.press("g")
    page.locator(".lv .sheet").wait_for(timeout=30_000)
    assert page.locator(SHEET).count() == 0


def test_a_link_beside_the_title_leads_to_what_people_ask_and_keeps_the_session(
    visitor: Visitor,
) -> None:
    page = visitor.page
    visitor.open("/learn?card=luck")
    page.get_by_role("link", name="Mask", exact=True).click()
    page.get_by_role("heading", name="Who may look at whom, and why?").wait_for(timeout=30_000)
    visitor.settle()
    page.get_by_role("link", name="Questions people ask").click()
    page.get_by_role("button", name="Green 1 is conditioned").click(timeout=30_000)
    page.locator(".lv .asked", has_text="Green 1 is ").wait_for(timeout=30_000)
    visitor.settle()
    assert "card=verify" in page.url and "question=3" in page.url and "people" not in page.url
