"""The race in a real Chromium: keys, axes, cost, hover, lanes, hostile tokens."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from lookahead_viz.records import Run
from tests.browser import Visitor
from tests.toy_gallery import add_exhibit, write_gallery
from tests.toy_runs import toy_run

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def toy_gallery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy runs, and a comparison of methods that draft."""
    found = write_gallery(tmp_path_factory.mktemp("gallery"))
    add_exhibit(found, "drafts", drafted_runs())
    return found


@pytest.fixture
def race(visitor: Visitor) -> Visitor:
    """The race of the toy code, freshly opened."""
    visitor.page.set_default_timeout(15_000)
    visitor.page.set_viewport_size({"width": 1280, "height": 720})
    visitor.open("/?run=toy/code")
    visitor.page.locator(".race .lane-svg").first.wait_for()
    return visitor


def drafted_runs() -> list[Run]:
    """A greedy run whose last token is another one, and three methods of other kinds."""
    greedy = toy_run("greedy", stop_after=5)
    step = replace(greedy.steps[4], accepted=(0,), predictions=(0,), gap=(0.002,), top_k=())
    parted = replace(greedy, steps=(*greedy.steps[:4], step))
    jacobi = toy_run("jacobi", block_size=8)
    return [parted, jacobi, *(toy_run(name) for name in ("speculative", "multiblock-jacobi"))]


def said(race: Visitor) -> str:
    race.page.wait_for_timeout(60)
    return race.page.locator(".race-say").inner_text()


def press(race: Visitor, *keys: str) -> str:
    for key in keys:
        race.page.keyboard.press(key)
    return said(race)


def headline(race: Visitor) -> str:
    race.page.wait_for_timeout(60)
    return race.page.locator(".race-headline").inner_text()


def test_the_first_picture_needs_no_plotly(race: Visitor) -> None:
    assert race.page.evaluate("typeof window.Plotly") == "undefined"
    assert race.page.locator(".js-plotly-plot").count() == 0
    race.page.get_by_text("Still picture").click()
    race.page.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=60_000)


def test_arrow_keys_move_the_cursor_without_a_click(race: Visitor) -> None:
    assert said(race).startswith("After 40 passes, tokens: Greedy 40 (done)")
    assert press(race, "Home").startswith("After 0 passes, tokens: Greedy 0 · Jacobi n=8 0")
    assert press(race, "ArrowRight", "ArrowRight").startswith("After 2 passes, tokens: Greedy 2")
    assert press(race, "ArrowLeft").startswith("After 1 pass, tokens: Greedy 1")
    several = press(race, "Shift+ArrowRight")
    assert not several.startswith("After 2 passes") or "Jacobi n=8 2" not in several
    assert press(race, "End").startswith("After 40 passes")
    text = race.page.locator(".lane-text").first
    assert text.locator(".box").count() == 40
    press(race, "Home", "ArrowRight")
    assert text.locator(".box").count() == 1


def test_play_runs_to_the_end_and_stops(race: Visitor) -> None:
    press(race, "Home", "Space")
    race.page.get_by_role("button", name="Pause (Space)").wait_for()
    race.page.get_by_role("button", name="Speed 1 times").click()
    race.page.get_by_role("button", name="Speed 2 times").click()
    race.page.get_by_role("button", name="Play (Space)").wait_for(timeout=15_000)
    assert said(race).startswith("After 40 passes")


def test_axes_and_the_cost_of_a_pass(race: Visitor) -> None:
    assert "Greedy: 40 passes" in headline(race)
    press(race, "2")
    assert "Greedy: 40 slots fed" in headline(race)
    press(race, "3")
    slider = race.page.locator(".race-cost input")
    slider.fill("0")
    free = headline(race)
    assert "Greedy: 40.0 modelled" in free and "Lookahead W=5 N=4 G=5: 24.0 modelled" in free
    slider.fill("300")
    lookahead = re.search(r"W=5 N=4 G=5: ([\d.]+) modelled", headline(race))
    assert lookahead and float(lookahead[1]) > 40  # fewer passes, and it loses
    assert "Greedy: 40.0 modelled" in headline(race)
    assert press(race, "4")  # measured
    assert "imaginary, 2 threads" in race.page.locator(".race-unit").inner_text()
    assert "Greedy: 0.88 s" in headline(race)


def test_pointing_at_a_block_says_what_its_step_did(race: Visitor) -> None:
    race.page.locator('[data-pass="2:11"] rect').nth(1).hover()
    assert said(race).startswith("Lookahead W=5 N=4 G=5. Step 11")
    assert race.page.locator(".lane-text .lit").inner_text() == "⏎····return·fib"
    race.page.locator('[data-pass="2:11"] rect').nth(1).click()
    race.page.mouse.move(5, 5)
    assert said(race).startswith("After 12 passes")


def test_the_axis_is_a_slider(race: Visitor) -> None:
    axis = race.page.locator(".race-axis")
    box = axis.bounding_box()
    assert box
    race.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 6)
    race.page.mouse.down()
    race.page.mouse.move(box["x"] + 2, box["y"] + 6)
    race.page.mouse.up()
    race.page.mouse.move(5, 5)
    assert said(race).startswith("After 0 passes")
    assert axis.get_attribute("aria-valuenow") == "0"
    axis.focus()
    assert press(race, "ArrowRight").startswith("After 1 pass,")


def test_two_to_five_lanes(race: Visitor) -> None:
    chips = race.page.locator(".race-chips button")
    assert chips.count() == 4
    chips.nth(0).click()
    chips.nth(1).click()
    race.page.wait_for_timeout(60)
    assert race.page.locator(".lane").count() == 2
    assert chips.nth(2).is_disabled() and not chips.nth(0).is_disabled()


def test_the_passes_as_a_table_and_wide_blocks(race: Visitor) -> None:
    race.page.get_by_role("button", name="The passes as a table").click()
    table = race.page.locator(".race-table")
    table.wait_for()
    assert table.locator("tbody tr").count() == 40
    race.page.get_by_role("button", name="The passes as a table").click()
    race.page.get_by_role("button", name="Blocks wide enough to read").click()
    race.page.wait_for_timeout(100)
    texts = race.page.locator('.lane-svg [data-pass="0:0"] text')
    assert len(texts.first.text_content() or "") >= 1
    widths = race.page.locator(".lane-box").first.evaluate("b => [b.scrollWidth, b.clientWidth]")
    assert widths[0] > widths[1]


def test_hostile_tokens_are_text(race: Visitor) -> None:
    race.open("/?run=toy/hostile")
    race.page.locator(".race .lane-svg").first.wait_for()
    for key in ("3", "Home", "ArrowRight", "End"):
        press(race, key)
    race.page.get_by_role("button", name="The passes as a table").click()
    race.page.wait_for_timeout(100)
    inside = race.page.locator(".race")
    assert inside.locator("a, script, img, .race-table b").count() == 0
    assert "<script>" in inside.inner_text()


def test_another_comparison_keeps_the_axis(race: Visitor) -> None:
    press(race, "2")
    race.page.locator(".st-key-source_menu input").click()
    race.page.get_by_role("option", name="Toy: story").click()
    race.page.locator(".lane-text").first.get_by_text("·cat").first.wait_for()
    assert "slots fed" in headline(race)


def test_other_methods_and_texts_that_part(race: Visitor) -> None:
    race.open("/?run=toy/drafts")
    race.page.locator(".race .lane-svg").first.wait_for()
    heads = race.page.locator(".lane-head").all_inner_texts()
    assert "passes of the draft model" in heads[2] and "✗ first difference" in heads[1]
    assert race.page.locator(".lane-text .bad").first.inner_text().startswith("✗")
    race.wait_for_text("Not all texts are the same")
    race.wait_for_text("Where the texts part")
    press(race, "3")
    assert "a pass of its draft model" in race.page.locator(".race-unit").inner_text() or (
        "was not measured" in race.page.locator(".race-unit").inner_text()
    )


def test_a_trouble_moves_the_player(race: Visitor) -> None:
    race.open("/jacobi?run=toy/code")
    race.wait_for_text("Step 0 /")
    menu = race.page.locator(".st-key-trouble_low_yield input")
    menu.scroll_into_view_if_needed()
    race.page.wait_for_timeout(300)  # scrolling closes a menu
    menu.click()
    option = race.page.get_by_role("option").nth(1)
    step = int(option.inner_text().split(",")[0].split()[1])
    option.click()
    race.wait_for_text(f"Step {step} /")
    race.page.locator(".panel.why").get_by_text("output token").first.wait_for()
    assert race.page.locator(".lv .title").inner_text().split()[1] == str(step)
