"""Every question of the lesson in a real Chromium, answered wrongly and rightly."""

from __future__ import annotations

import re

import pytest

from lookahead_viz.lessons.cards import CARDS
from lookahead_viz.lessons.question import Ask, Question, numbers
from lookahead_viz.records import Run
from tests.browser import Visitor
from tests.test_lessons import things
from tests.toy_runs import toy_run

pytestmark = pytest.mark.browser

RUNS = {
    "greedy": toy_run("greedy", text="hostile"),
    "jacobi": toy_run("jacobi", text="hostile", block_size=8),
    "lookahead": toy_run("lookahead", text="hostile"),
}


def question_of(ask: Ask) -> tuple[Run, Question]:
    run = next(RUNS[method] for method in ask.methods)
    step = ask.best_step(run)
    assert step is not None
    question = ask.build(run, step)
    assert question is not None
    return run, question


def shown(visitor: Visitor, question: Question) -> None:
    visitor.page.locator(".lv .asked", has_text=question.text[:40]).wait_for(timeout=30_000)
    assert visitor.page.locator(".lv .asked").inner_text() == question.text


def click(visitor: Visitor, thing: str) -> None:
    """Answer as a person would: a button, a thing of the picture, a cell of the mask by keys."""
    page = visitor.page
    if thing.startswith("c:"):
        page.locator(f'.lv [data-pick="{thing}"]').click()
    elif thing.startswith("m:"):
        on_mask(visitor, *numbers(thing))
    elif thing.startswith("s:") and page.locator(f'.lv [data-ref="{thing}"]').count() == 0:
        slot = re.escape(thing[2:])
        nodes = page.locator('.lv [data-cell="trie"]')
        for number in range(nodes.count()):
            ref = str(nodes.nth(number).get_attribute("data-ref"))
            if re.search(rf"[:,]{slot}(,|$)", ref):
                nodes.nth(number).click()
                return
        raise AssertionError(f"{thing} is nowhere to be clicked")
    else:
        page.locator(f'.lv [data-ref="{thing}"]').first.click()


def on_mask(visitor: Visitor, row: int, column: int) -> None:
    page = visitor.page
    page.mouse.move(5, 5)
    page.locator(".lv .mask-box").focus()
    page.keyboard.press("s")  # the first key stands on some cell
    page.wait_for_timeout(150)
    now = str(page.locator(".lv").get_attribute("data-hover"))
    q, k = numbers(now)
    for key, times in (("s", row - q), ("w", q - row), ("d", column - k), ("a", k - column)):
        for _ in range(times):
            page.keyboard.press(key)
    page.locator(f'.lv[data-hover="m:{row}:{column}"]').wait_for(timeout=30_000)
    page.keyboard.press("Enter")


def wrong_thing(visitor: Visitor, run: Run, question: Question) -> str:
    """A wrong answer that can be clicked."""
    wrong = [one for one in things(run, question) if not question.is_right(one)]
    if question.choices or "m" in question.kinds:
        return next(one for one in wrong if not one.endswith(":-1"))
    there = set(
        visitor.page.locator(".lv [data-ref]").evaluate_all(
            "all => all.map((one) => one.dataset.ref)"
        )
    )
    refs = [one for one in wrong if one in there]
    if "g" in question.kinds:
        refs = [ref for ref in there if ref[0] == "g" and not question.is_right(ref)]
    return refs[-1]


@pytest.mark.parametrize("number", range(len(CARDS)), ids=[card.name for card in CARDS])
def test_a_card_is_answered_wrongly_and_rightly(visitor: Visitor, number: int) -> None:
    page, card = visitor.page, CARDS[number]
    if number == 0 or page.locator(".lv .asked").count() == 0:
        visitor.open(f"/learn?card={card.name}&run=toy/hostile")
    for place, ask in enumerate(card.asks):
        run, question = question_of(ask)
        shown(visitor, question)
        assert page.locator(".lv .said p").count() == 0
        wrong = wrong_thing(visitor, run, question)
        click(visitor, wrong)
        said = page.locator(".lv .said p").first
        said.wait_for(timeout=30_000)
        assert said.inner_text() == question.sentence(wrong).strip()
        (right, *_) = sorted(question.right)
        click(visitor, right)
        page.locator(".lv .said p", has_text="✓ Right.").wait_for(timeout=30_000)
        assert said.inner_text() == f"✓ Right. {question.because}"
        assert page.locator(".lv").get_attribute("class") == "lv lesson"
        if place + 1 < len(card.asks):
            page.get_by_role("button", name="Next question").click()
    visitor.settle()
    if card.equation:
        assert page.locator(".katex-display").is_visible()
    if number + 1 < len(CARDS):
        page.keyboard.press("n")
        shown(visitor, question_of(CARDS[number + 1].asks[0])[1])
    assert "hit" not in page.title()
    assert page.locator(".lv img, .lv a, .lv script").count() == 0


def test_in_lecture_mode_the_question_is_asked_and_cards_turn_by_key(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("/learn?card=certain&lecture=1&reveal=0")
    page.locator(".lv.lecture .asked").wait_for(timeout=30_000)
    choices = page.locator(".lv .choices button")
    assert choices.count() >= 2
    choices.last.click()
    page.locator(".lv .said p").first.wait_for(timeout=30_000)
    before = page.locator(".lv .asked").inner_text()
    page.keyboard.press("n")
    page.locator(".lv.lecture .asked").filter(has_not_text=before).wait_for(timeout=30_000)
    visitor.settle()
    assert page.locator(".lv.lecture").count() == 1
    assert "card=at-most-n" in page.url and "reveal=0" in page.url
    page.keyboard.press("l")
    assert page.locator(".lv.lecture").count() == 0
    assert page.get_by_role("button", name="Show the answer").count() == 0


def test_looking_back_shows_the_picture_and_the_way_to_the_question(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("/learn?card=verify&run=toy/code")
    asked = page.locator(".lv .asked")
    asked.wait_for(timeout=30_000)
    page.keyboard.press("ArrowLeft")
    back = page.get_by_role("button", name="The question is about step")
    back.wait_for(timeout=30_000)
    assert page.locator(".lv .candidates td").count() > 0 or "No n-gram" in page.content()
    back.click()
    asked.wait_for(timeout=30_000)
    page.get_by_role("button", name="Open Candidates at this step").click()
    page.get_by_role("heading", name="Which guess was right, and how far?").wait_for()
    step = CARDS[10].asks[0].best_step(toy_run("lookahead"))
    visitor.wait_for_text(f"Step {step} /")
