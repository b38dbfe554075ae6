"""The player in the app: keys at once, linked views, links, lecture mode, nothing lost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Playwright

from lookahead_viz.explain import step_sentence, why
from tests.browser import Visitor, Visitors, visiting
from tests.toy_runs import toy_run

pytestmark = pytest.mark.browser

VIEWS = {
    "/window": "window",
    "/mask": "mask",
    "/candidates": "trie",
    "/pool": "pool",
    "/acceptance": "window",
    "/jacobi": "jacobi",
}
RESTED = 1200  # ms: the player tells the page after 400


def open_player(visitor: Visitor, path: str) -> None:
    visitor.open(path)
    visitor.page.locator(".lv .panel").first.wait_for(timeout=60_000)
    visitor.page.wait_for_timeout(200)


def step(visitor: Visitor) -> int:
    return int(visitor.page.locator(".lv .title b").inner_text().split()[1])


def press(visitor: Visitor, *keys: str) -> None:
    for key in keys:
        visitor.page.keyboard.press(key)
    visitor.page.wait_for_timeout(150)


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("path", VIEWS)
def test_every_page_opens_at_its_view_in_the_readers_colours(
    visitors: Visitors, path: str, look: str
) -> None:
    visitor = visitors[look]
    open_player(visitor, f"{path}?run=toy/code&step=12")
    first = visitor.page.locator(".views > section").first
    assert first.get_attribute("class") == f"panel {VIEWS[path]}"
    background = visitor.page.locator(".lv").evaluate("r => getComputedStyle(r).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(14, 17, 23)"}[look]
    press(visitor, "ArrowRight")
    assert step(visitor) == 13
    assert visitor.take_problems() == []


def test_the_page_follows_after_a_rest(visitor: Visitor) -> None:
    open_player(visitor, "/mask?run=toy/code&step=3")
    press(visitor, *["ArrowRight"] * 9)
    run = toy_run("lookahead")
    assert visitor.page.locator(".lv .sentence").inner_text() == step_sentence(run, 12)
    visitor.page.wait_for_url("**step=12*", timeout=20_000)
    digest = run.steps[12].mask_sha256[:16]
    visitor.page.get_by_text(f"of the mask that ran {digest}").wait_for(timeout=20_000)
    assert step(visitor) == 12


def test_thirty_presses_in_a_row_lose_nothing(visitor: Visitor) -> None:
    open_player(visitor, "/jacobi?run=toy/code&step=0")
    last = len(toy_run("jacobi", block_size=8).steps) - 1
    presses = min(25, last)
    visitor.page.evaluate(
        "(presses) => { for (let i = 0; i < presses; i++) document.activeElement.dispatchEvent("
        "new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true, composed: true})); }",
        presses,
    )
    visitor.page.wait_for_timeout(200)
    assert step(visitor) == presses
    visitor.page.wait_for_timeout(RESTED)
    assert step(visitor) == presses, "the page that follows does not move the player"


def test_keys_belong_to_what_has_the_focus(visitor: Visitor) -> None:
    open_player(visitor, "/window?run=toy/code&step=5")
    visitor.page.locator(".st-key-source_menu input").focus()
    visitor.page.keyboard.press("Home")
    visitor.page.wait_for_timeout(200)
    assert step(visitor) == 5
    visitor.page.keyboard.press("Escape")


def test_escape_closes_what_lies_on_top_and_then_lecture_mode(visitor: Visitor) -> None:
    open_player(visitor, "/window?run=toy/code&step=5")
    page = visitor.page
    for key in ("l", "h"):
        page.keyboard.press(key)
    page.locator(".lv.lecture .sheet").wait_for()
    page.keyboard.press("Escape")
    page.locator(".lv .sheet").wait_for(state="detached")
    assert page.locator(".lv.lecture").count() == 1
    page.keyboard.press("Escape")
    page.locator(".lv:not(.lecture)").wait_for()


def test_letters_of_the_app_do_nothing_inside(visitor: Visitor) -> None:
    open_player(visitor, "/window?run=toy/code&step=5")
    visitor.page.locator(".lv").focus()
    visitor.page.evaluate(
        "() => { window.seen = []; addEventListener('keydown', (event) => "
        "window.seen.push(event.key)); }"
    )
    press(visitor, "r", "c", "ArrowRight")
    assert visitor.page.evaluate("() => window.seen") == []
    assert visitor.page.get_by_role("dialog").count() == 0
    assert step(visitor) == 6


def test_a_cell_says_why_and_its_link_shows_it_to_somebody_else(
    visitor: Visitor, driver: Playwright, address: str, tmp_path: Path
) -> None:
    open_player(visitor, "/mask?run=toy/story&step=12&cell=7,1")
    run = toy_run("lookahead", text="story")
    sentence = why(run, 12, 7, 1)
    assert sentence in visitor.page.locator(".panel.why").inner_text()
    press(visitor, "ArrowRight")
    visitor.page.wait_for_url("**step=13*", timeout=20_000)
    with visiting(driver, address, tmp_path) as other:
        open_player(other, visitor.page.url.removeprefix(address))
        assert step(other) == 13
        assert why(run, 13, 7, 1) in other.page.locator(".panel.why").inner_text()
        assert other.take_problems() == []


def test_a_lock_is_in_the_address(visitor: Visitor) -> None:
    open_player(visitor, "/window?run=toy/code&step=12")
    visitor.page.locator('[data-ref="s:7"]').first.click()
    visitor.page.wait_for_url("**cell=7*", timeout=20_000)
    assert "Locked" in visitor.page.locator(".panel.why").inner_text()


def test_play_scrub_and_views(visitor: Visitor) -> None:
    open_player(visitor, "/window?run=toy/code&step=0")
    press(visitor, "Space")
    visitor.page.wait_for_timeout(2200)
    press(visitor, "Space")
    stopped = step(visitor)
    assert stopped >= 2
    box = visitor.page.locator(".timeline").bounding_box()
    assert box is not None
    visitor.page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + 10)
    visitor.page.wait_for_timeout(150)
    assert step(visitor) == 12
    press(visitor, "2")
    assert visitor.page.locator(".views > section").first.get_attribute("class") == "panel mask"


def test_an_output_token_leads_back_to_its_window_column(visitor: Visitor) -> None:
    open_player(visitor, "/candidates?run=toy/code&step=23")
    run = toy_run("lookahead")
    first = sum(len(one.accepted) for one in run.steps[:11])
    visitor.page.locator(f'.token[data-ref="o:{first}"]').click()
    visitor.page.get_by_role("button", name=re.compile("where its n-gram entered")).click()
    visitor.page.wait_for_timeout(150)
    assert step(visitor) < 11
    assert visitor.page.locator(".why-title").inner_text().startswith("Column ")


def test_lecture_mode_covers_the_sidebar_and_is_in_the_address(visitor: Visitor) -> None:
    open_player(visitor, "/window?run=toy/code&step=12")
    for size in ({"width": 1280, "height": 720}, {"width": 1024, "height": 768}):
        visitor.page.set_viewport_size(size)  # type: ignore[arg-type]
        press(visitor, "l")
        box = visitor.page.locator(".lv").bounding_box()
        assert box == {"x": 0, "y": 0, **size}
        at_the_side = visitor.page.evaluate("() => document.elementFromPoint(20, 300).tagName")
        assert at_the_side == "DIV"
        assert visitor.page.evaluate(
            "() => !document.elementFromPoint(20, 300).closest('[data-testid=stSidebar]')"
        )
        visitor.page.wait_for_url("**lecture=1*", timeout=20_000)
        press(visitor, "ArrowRight", "ArrowLeft", "l")
        assert visitor.page.locator(".lv.lecture").count() == 0
        visitor.page.wait_for_timeout(RESTED)
    visitor.page.set_viewport_size({"width": 1400, "height": 1000})


def test_the_default_mask_names_its_tokens_on_a_small_screen(visitor: Visitor) -> None:
    (largest, index) = max(
        (len(one.layout.token_ids), one.index) for one in toy_run("lookahead").steps
    )
    assert largest == 30, "three rows of five, five candidates of three guesses"
    visitor.page.set_viewport_size({"width": 1280, "height": 720})
    open_player(visitor, f"/mask?run=toy/code&step={index}")
    with visitor.page.expect_download() as waiting:
        visitor.page.locator('[data-save="mask.svg"]').click()
    saved = Path(str(waiting.value.path())).read_text(encoding="utf-8")
    assert len(re.findall('font-family="DejaVu Sans Mono', saved)) >= 30
    scrolls = visitor.page.locator('[data-size="mask"]').evaluate(
        "(box) => box.scrollHeight > box.clientHeight || box.scrollWidth > box.clientWidth"
    )
    assert not scrolls
    visitor.page.set_viewport_size({"width": 1400, "height": 1000})


def test_the_player_is_saved_as_one_file(visitor: Visitor) -> None:
    open_player(visitor, "/pool?run=toy/hostile&step=12")
    with visitor.page.expect_download(timeout=60_000) as waiting:
        visitor.page.get_by_role("button", name="Save the player as one file").click()
    assert waiting.value.suggested_filename == "lookahead-w-5-n-4-g-5.html"
    saved = Path(str(waiting.value.path())).read_text(encoding="utf-8")
    assert saved.startswith("<!doctype html>")


def test_the_still_picture_is_drawn_when_it_is_opened(visitor: Visitor) -> None:
    open_player(visitor, "/mask?run=toy/code&step=12")
    assert visitor.page.locator(".js-plotly-plot").count() == 0
    visitor.page.get_by_text("Still picture").click()
    visitor.page.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=60_000)


@pytest.mark.parametrize("path", VIEWS)
def test_hostile_tokens_run_no_script(visitor: Visitor, path: str) -> None:
    open_player(visitor, f"{path}?run=toy/hostile&step=9")
    press(visitor, "ArrowRight", "End", "h", "h")
    assert visitor.page.locator(".lv b").count() == 1, "the step's own"
    assert visitor.page.locator(".lv a, .lv script, .lv img, .lv iframe").count() == 0


@pytest.mark.parametrize("path", VIEWS)
def test_axe_finds_nothing(visitor: Visitor, path: str) -> None:
    script = pytest.importorskip("axe_playwright_python.base").AXE_SCRIPT
    open_player(visitor, f"{path}?run=toy/code&step=12")
    visitor.page.wait_for_timeout(RESTED)
    visitor.page.evaluate(script)
    found = visitor.page.evaluate("async () => (await axe.run()).violations")
    assert [(one["id"], [n["html"][:160] for n in one["nodes"][:3]]) for one in found] == []


def test_a_step_just_taken_is_kept_on_the_next_page(visitor: Visitor) -> None:
    open_player(visitor, "/window?run=toy/code&step=5")
    visitor.page.keyboard.press("ArrowRight")
    visitor.page.get_by_role("link", name="Pool").click()
    visitor.page.locator(".lv .panel.pool").wait_for(timeout=60_000)
    visitor.page.wait_for_timeout(500)
    assert step(visitor) == 6


def test_a_lecture_starts_from_its_link(visitor: Visitor) -> None:
    open_player(visitor, "/window?run=toy/code&step=12&lecture=1")
    assert visitor.page.locator(".lv.lecture").count() == 1
    press(visitor, "ArrowRight", "l")
    assert step(visitor) == 13
    assert visitor.page.locator(".lv.lecture").count() == 0
    visitor.page.wait_for_timeout(RESTED)
    assert "lecture" not in visitor.page.url


def test_the_readers_settings_stay_when_the_run_changes(visitor: Visitor) -> None:
    open_player(visitor, "/window?run=toy/code&step=12")
    visitor.page.get_by_role("button", name="Straighten: each n-gram upright").click()
    press(visitor, "2")
    visitor.page.get_by_text("Lookahead W=8 N=3 G=6").click()
    visitor.page.wait_for_url("**W=8*", timeout=20_000)
    visitor.page.wait_for_timeout(RESTED)
    assert visitor.page.locator(".views > section").first.get_attribute("class") == "panel mask"
    press(visitor, "1", "ArrowRight")
    pressed = visitor.page.get_by_role("button", name="Straighten: each n-gram upright")
    assert pressed.get_attribute("aria-pressed") == "true"
    assert step(visitor) == 13
    assert visitor.page.locator('[data-cell="window"]').count() == 8 * 3
