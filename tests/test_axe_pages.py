"""axe-core over every card of Learn and every part of Scale, in light and in dark."""

from __future__ import annotations

from typing import Any

import pytest

from lookahead_viz.lessons.cards import CARDS
from tests.browser import Visitor

AXE_SCRIPT = pytest.importorskip("axe_playwright_python.base").AXE_SCRIPT

pytestmark = pytest.mark.browser

PARTS = {"Scaling law": 1, "Cost": 1, "Time": 2, "Calculator": 0, "Claims": 0, "Sweep": 0}
"""The parts of Scale, and how many pictures each of them draws."""

DARK = "rgb(14, 17, 23)"


def violations(visitor: Visitor, look: str, rules: tuple[str, ...] = ()) -> list[Any]:
    """What axe finds, shortened: the colours of the reader, the rule, what breaks it."""
    visitor.settle()
    only = {"runOnly": list(rules)} if rules else {}
    found = visitor.page.evaluate("async (only) => (await axe.run(only)).violations", only)
    return [(look, one["id"], [n["html"][:150] for n in one["nodes"][:3]]) for one in found]


def in_the_dark(visitor: Visitor, rules: tuple[str, ...] = ()) -> list[Any]:
    """The same page for a reader who prefers dark, and back to light."""
    visitor.page.emulate_media(color_scheme="dark")
    try:
        visitor.page.wait_for_function(
            "(dark) => getComputedStyle(document.querySelector('[data-testid=stApp]'))"
            ".backgroundColor === dark",
            arg=DARK,
        )
        return violations(visitor, "dark", rules)
    finally:
        visitor.page.emulate_media(color_scheme="light")


def turn_to(visitor: Visitor, number: int) -> None:
    """By the key N from the card before, where that is what is open."""
    before = f"card={CARDS[number - 1].name}&" if number else "nothing"
    if before in f"{visitor.page.url}&":
        visitor.page.keyboard.press("n")
    else:
        visitor.open(f"/learn?card={CARDS[number].name}&run=toy/story")
        visitor.page.evaluate(AXE_SCRIPT)
    visitor.page.get_by_role("heading", name=CARDS[number].title, exact=True).wait_for()
    visitor.page.locator(".lv .asked").wait_for(timeout=60_000)


@pytest.mark.parametrize("number", range(len(CARDS)), ids=[card.name for card in CARDS])
def test_no_violation_on_a_card_before_and_after_its_answer(visitor: Visitor, number: int) -> None:
    turn_to(visitor, number)
    found = violations(visitor, "light")
    visitor.page.get_by_role("button", name="Show the answer").click()
    visitor.page.locator(".lv .said p").first.wait_for(timeout=60_000)
    found += in_the_dark(visitor)
    visitor.take_problems()
    assert found == []


@pytest.mark.parametrize("part", PARTS)
def test_no_violation_in_a_part_of_scale(visitor: Visitor, part: str) -> None:
    visitor.open(f"/scale?part={part}")
    if PARTS[part]:
        visitor.page.locator(".js-plotly-plot").nth(PARTS[part] - 1).wait_for(timeout=60_000)
    assert visitor.page.get_by_role("alert").count() == 0
    assert visitor.take_problems() == []
    visitor.page.evaluate(AXE_SCRIPT)
    found = violations(visitor, "light")
    found += in_the_dark(visitor, ("color-contrast",))  # all else is as in light
    visitor.take_problems()
    assert found == []
