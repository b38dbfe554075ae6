"""The one-file player as a person meets it: from disk, keys at once, nothing runs or leaves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lookahead_viz.explain import step_sentence, why
from lookahead_viz.figures.theme import theme
from lookahead_viz.player.bundle import theme_data
from lookahead_viz.records import LookaheadStep
from lookahead_viz.tokens import printable, printable_text
from tests.player_pages import Watched, exported, hostile_run
from tests.toy_runs import toy_run

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture
def page(watched: Watched) -> Iterator[Watched]:
    """The page; after each test nothing may have gone wrong."""
    yield watched
    assert watched.take_problems() == []


def test_keys_work_at_once_and_every_step_says_its_sentence(page: Watched, folder: Path) -> None:
    run = toy_run("lookahead")
    page.open(exported(run, folder, "keys"))
    sentence = page.page.locator(".sentence")
    for index in range(len(run.steps)):
        assert sentence.inner_text() == step_sentence(run, index)
        page.press("ArrowRight")
    assert page.step == len(run.steps) - 1
    page.press("ArrowLeft", "ArrowLeft")
    assert page.step == len(run.steps) - 3
    page.press("Home")
    assert page.step == 0
    accepting = [i for i, step in enumerate(run.steps) if len(step.accepted) > 1]
    page.press("Shift+ArrowRight", "Shift+ArrowRight")
    assert page.step == accepting[1]
    page.press("Shift+ArrowLeft")
    assert page.step == accepting[0]
    page.press("End")
    assert page.step == len(run.steps) - 1


def test_thirty_presses_in_a_row_lose_nothing(page: Watched, folder: Path) -> None:
    run = toy_run("lookahead", max_new_tokens=80)
    page.open(exported(run, folder, "fast"))
    page.page.evaluate(
        "() => { const root = document.querySelector('.lv'); for (let i = 0; i < 30; i++) "
        "root.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true})); }"
    )
    page.page.wait_for_timeout(80)
    assert page.step == 30


def test_hovering_the_mask_says_why_and_a_click_locks(page: Watched, folder: Path) -> None:
    run = toy_run("lookahead")
    page.open(exported(run, folder, "mask"), "#step=12&view=mask")
    step = run.steps[12]
    assert isinstance(step, LookaheadStep)
    for row, column in ((7, 1), (6, 7), (16, 15), (2, 9)):
        point_at_mask(page, row, column)
        assert why(run, 12, row, column) in page.why
    page.page.mouse.down()
    page.page.mouse.up()
    page.page.mouse.move(5, 5)
    page.page.wait_for_timeout(80)
    assert why(run, 12, 2, 9) in page.why and "Locked" in page.why
    page.press("ArrowRight")
    assert why(run, 13, 2, 9) in page.why


def point_at_mask(page: Watched, row: int, column: int) -> None:
    """Move the pointer onto a mask cell; the page's own geometry is measured, not assumed."""
    box = page.page.locator(".mask-box").bounding_box()
    assert box is not None
    wanted = f"m:{row}:{column}"
    for y in range(int(box["y"]) + 20, int(box["y"] + box["height"]), 7):
        page.page.mouse.move(box["x"] + box["width"] / 2, y)
        page.page.wait_for_timeout(20)
        label = page.page.locator(".mask-box").get_attribute("aria-label") or ""
        if mask_row(page) == row and label:
            break
    for x in range(int(box["x"]) + 60, int(box["x"] + box["width"]), 5):
        page.page.mouse.move(x, y)
        page.page.wait_for_timeout(20)
        if hovered(page) == wanted:
            page.page.wait_for_timeout(60)
            return
    raise AssertionError(f"cell {wanted} was not found")


def hovered(page: Watched) -> str:
    return str(page.page.locator(".lv").get_attribute("data-hover"))


def mask_row(page: Watched) -> int:
    found = re.match(r"[ms]:(\d+)", hovered(page))
    return int(found.group(1)) if found else -1


def test_one_thing_lights_in_every_view(page: Watched, folder: Path) -> None:
    run = toy_run("lookahead")
    page.open(exported(run, folder, "links"), "#step=12")
    # guess 1 is shared by both candidates of step 12
    node = page.page.locator('[data-cell="trie"][data-ref="g:15,18"]')
    node.hover()
    page.page.wait_for_timeout(80)
    assert "shared by candidates 1, 2" in page.why
    assert (
        page.page.locator(".token.lit")
        .inner_text()
        .startswith(printable(run.token_text, run.steps[12].accepted[0]))
    )
    assert page.page.locator(".candidates tr.lit").count() == 2


def test_an_output_token_leads_back_to_the_window_column(page: Watched, folder: Path) -> None:
    run = toy_run("lookahead")
    page.open(exported(run, folder, "origin"))
    page.press("End")
    first = sum(len(step.accepted) for step in run.steps[:11])
    page.page.locator(f'.token[data-ref="o:{first}"]').click()
    page.page.wait_for_timeout(80)
    assert page.step == 11 and "guess 1 of candidate 1" in page.why
    page.page.get_by_role("button", name=re.compile("where its n-gram entered")).click()
    page.page.wait_for_timeout(80)
    column = page.page.locator(".why-title").inner_text()
    assert page.step < 11 and column.startswith("Column ")
    page.page.get_by_role("button", name=re.compile("tokens? of the text")).click()
    page.page.wait_for_timeout(80)
    assert page.step == 11 and "candidate 1" in page.why


def test_the_timeline_scrubs(page: Watched, folder: Path) -> None:
    run = toy_run("lookahead")
    page.open(exported(run, folder, "scrub"))
    box = page.page.locator(".timeline").bounding_box()
    assert box is not None
    y = box["y"] + 20
    page.page.mouse.move(box["x"] + box["width"] * 0.5, y)
    page.page.mouse.down()
    page.page.wait_for_timeout(80)
    assert page.step == len(run.steps) // 2
    page.page.mouse.move(box["x"] + box["width"] * 0.99, y)
    page.page.wait_for_timeout(80)
    assert page.step == len(run.steps) - 1
    page.page.mouse.up()


def test_play_goes_on_by_itself_and_space_stops_it(page: Watched, folder: Path) -> None:
    page.open(exported(toy_run("lookahead"), folder, "play"))
    page.press("Space")
    page.page.wait_for_timeout(2000)
    page.press("Space")
    stopped = page.step
    assert stopped >= 2
    page.page.wait_for_timeout(1100)
    assert page.step == stopped


def test_help_words_views_lecture_and_bookmarks_have_keys(page: Watched, folder: Path) -> None:
    page.open(exported(toy_run("lookahead"), folder, "sheets"))
    page.press("h")
    assert page.page.locator(".sheet h2").inner_text() == "Keys"
    page.press("g")
    assert page.page.locator(".sheet h2").inner_text() == "Words"
    page.press("g")
    assert page.page.locator(".sheet").count() == 0
    for key, view in (("1", "window"), ("2", "mask"), ("3", "trie"), ("4", "pool")):
        page.press(key)
        assert page.page.locator(".views > section").first.get_attribute("class") == (
            f"panel {view}"
        )
    page.press("4", "l")
    assert page.page.locator(".lv.lecture").count() == 1
    assert page.page.locator(".views > section").count() == 1
    size = page.page.locator('[data-cell="window"] text').first.get_attribute("font-size")
    assert float(str(size)) >= 18
    page.press("l", "ArrowRight", "m", "ArrowRight", "ArrowRight", "b")
    assert page.step == 1


def test_the_step_view_fits_1280_by_720(page: Watched, folder: Path) -> None:
    page.open(exported(toy_run("lookahead"), folder, "fit"), "#step=12")
    inside = page.page.evaluate(
        "() => [document.documentElement.scrollHeight <= innerHeight, "
        "document.documentElement.scrollWidth <= innerWidth, "
        "[...document.querySelectorAll('.panel')].every((panel) => "
        "panel.getBoundingClientRect().bottom <= innerHeight + 1)]"
    )
    assert inside == [True, True, True]


def test_a_link_shows_the_same_thing(page: Watched, folder: Path) -> None:
    run = toy_run("lookahead")
    file = exported(run, folder, "link")
    page.open(file, "#step=12&cell=7,1")
    assert page.step == 12 and why(run, 12, 7, 1) in page.why
    page.press("ArrowRight")
    page.page.wait_for_timeout(600)
    assert "step=13" in page.page.url and "cell=7%2C1" in page.page.url
    page.page.get_by_role("button", name="Copy a link to this step").click()
    link = page.page.evaluate("() => navigator.clipboard.readText()")
    page.open(file, "#" + link.partition("#")[2])
    assert page.step == 13 and why(run, 13, 7, 1) in page.why
    page.open(file, "#step=99999&cell=9999,<b>")
    assert page.step == len(run.steps) - 1


SAVED = ["window", "trie", "mask", "pool", "jacobi", "timeline", "text"]


def save(page: Watched, view: str, kind: str) -> bytes:
    with page.page.expect_download() as waiting:
        page.page.locator(f'[data-save="{view}.{kind}"]').click()
    assert waiting.value.suggested_filename.startswith(f"lookahead_viz-{view}-step-")
    return Path(str(waiting.value.path())).read_bytes()


@pytest.mark.parametrize("kind", ["svg", "png"])
@pytest.mark.parametrize("view", SAVED)
def test_every_view_can_be_saved(page: Watched, folder: Path, view: str, kind: str) -> None:
    run = toy_run("jacobi", text="hostile") if view == "jacobi" else hostile_run()
    shown = f"&view={view}" if view in SAVED[:5] else ""
    page.open(exported(run, folder, f"save-{view}"), f"#step=12{shown}")
    saved = save(page, view, kind)
    if kind == "png":
        assert saved.startswith(b"\x89PNG") and len(saved) > 3000
        return
    root = ElementTree.fromstring(saved)
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    shapes = {"rect", "path", "line", "polyline", "circle"}
    assert tags <= {"svg", "g", "text", "defs", "pattern"} | shapes
    assert b"var(--" not in saved
    inside = [element.attrib for element in root.iter()]
    assert any("DejaVu Sans" in one.get("font-family", "") for one in inside)
    assert {one["fill"] for one in inside if one.get("fill", "").startswith("#")} <= set(colours())


def colours() -> list[str]:
    """Every colour of the light theme."""
    data = theme_data()["light"]
    ramps = [fill for ramp in data["ages"] for fill in ramp] + data["probabilities"]
    return [
        *(one for one in data.values() if isinstance(one, str)),
        *(c for r in ramps for c in r),
    ]


def test_the_saved_text_is_the_text_and_marks_where_its_tokens_came_from(
    page: Watched, folder: Path
) -> None:
    run = toy_run("lookahead")
    step = next(i for i, one in enumerate(run.steps) if len(one.accepted) > 2)
    page.open(exported(run, folder, "save-words"), f"#step={step}")
    root = ElementTree.fromstring(save(page, "text", "svg"))
    title, *words = ["".join(one.itertext()) for one in root.iter() if one.tag.endswith("}text")]
    assert title == f"The text after step {step}"
    output = [token for one in run.steps[: step + 1] for token in one.accepted]
    text = printable_text(run.token_text, (*run.prompt_ids, *output))
    marked = "".join(words)
    assert marked.translate({ord(mark): None for mark in "✓★"}) == text
    accepted = len(run.steps[step].accepted)
    assert (marked.count("✓"), marked.count("★")) == (accepted - 1, 1)
    assert text.count("⏎") > 1, "the example has several lines"
    bottom = max(float(one.attrib["y"]) for one in root.iter() if one.tag.endswith("}text"))
    assert float(root.attrib["height"]) > bottom > 13 * text.count("⏎")


def test_the_saved_timeline_says_its_numbers(page: Watched, folder: Path) -> None:
    run = toy_run("lookahead")
    page.open(exported(run, folder, "save-bars"), "#step=7")
    root = ElementTree.fromstring(save(page, "timeline", "svg"))
    words = " ".join("".join(one.itertext()) for one in root.iter() if one.tag.endswith("}text"))
    assert f"at most {max(len(one.accepted) for one in run.steps)}" in words
    assert "step 7" in words and f"step {len(run.steps) - 1}" in words
    assert "the model's own token" in words and "accepted guesses" in words


def test_a_picture_too_large_for_a_browser_is_drawn_smaller(page: Watched, folder: Path) -> None:
    run = toy_run("lookahead", text="story", max_new_tokens=300)
    page.open(exported(run, folder, "save-large"), "#step=90&view=pool")
    page.page.get_by_role("button", name="Other keys too").click()
    saved = save(page, "pool", "png")
    width, height = (int.from_bytes(saved[at : at + 4]) for at in (16, 20))
    assert max(width, height) <= 16000 and min(width, height) > 100


@pytest.mark.parametrize("method", ["lookahead", "jacobi", "greedy"])
def test_hostile_tokens_are_text_everywhere(page: Watched, folder: Path, method: str) -> None:
    run = hostile_run()
    if method != "lookahead":
        run = replace(toy_run(method), token_text=run.token_text)
    page.open(exported(run, folder, f"hostile-{method}"))
    title = page.page.title()
    for key in ("ArrowRight", "2", "4", "3", "h", "g", "l", "l", "End", "ArrowLeft"):
        page.press(key)
    for selector in (".token", '[data-cell="window"]', '[data-cell="trie"]'):
        found = page.page.locator(selector)
        if found.count():
            found.first.hover(force=True)
            page.page.wait_for_timeout(50)
    assert page.page.title() == title and "hit" not in title
    assert page.page.locator("img, iframe, script[src], .lv script, .lv a").count() == 0
    shown = page.page.locator(".text-box").inner_text()
    assert "\u202e" not in shown and "\x00" not in shown


@pytest.mark.parametrize("size", [(1280, 720), (1024, 768), (700, 760)])
def test_nothing_said_is_cut(page: Watched, folder: Path, size: tuple[int, int]) -> None:
    file = exported(toy_run("lookahead"), folder, "sizes")
    page.page.set_viewport_size({"width": size[0], "height": size[1]})
    try:
        page.open(file, "#step=12")
        for key in ("", "1", "2", "3", "4", "l"):
            if key:
                page.press(key)
            page.page.wait_for_timeout(100)
            cut = page.page.evaluate(
                "() => [...document.querySelectorAll('.lv .panel-title, .lv .title, .lv')].filter("
                "(one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"
            )
            assert cut == [], key
            text = page.page.locator(".text-box").evaluate(
                "(box) => (box.clientHeight - 4) / parseFloat(getComputedStyle(box).lineHeight)"
            )
            assert abs(text - round(text)) < 0.05, "no line of the text is cut in half"
    finally:
        page.page.set_viewport_size({"width": 1280, "height": 720})


def test_a_long_run_opens_and_steps(page: Watched, folder: Path) -> None:
    run = toy_run("lookahead", text="story", max_new_tokens=300)
    page.open(exported(run, folder, "long"))
    page.press("End", "ArrowLeft")
    assert page.step == len(run.steps) - 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colours_follow_the_reader(page: Watched, folder: Path, scheme: str) -> None:
    page.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.open(exported(toy_run("lookahead"), folder, "colours"))
    value = page.page.locator(".lv").evaluate(
        "root => getComputedStyle(root).getPropertyValue('--lv-background')"
    )
    assert value == theme(scheme).background
    page.page.emulate_media(color_scheme="light")


def test_cells_can_be_reached_and_moved_among_by_keyboard(page: Watched, folder: Path) -> None:
    run = toy_run("lookahead")
    page.open(exported(run, folder, "cells"), "#step=12&view=window")
    page.page.locator('[data-cell="window"][tabindex="0"]').focus()
    page.press("d", "s")
    focused = page.page.evaluate("() => document.activeElement.dataset.ref")
    assert focused == "s:6"
    assert "row 1, column 1" in page.why
    page.press("ArrowRight")
    assert page.step == 13
    assert page.page.evaluate("() => document.activeElement.dataset.ref") == "s:6"
    page.press("Enter")
    assert "Locked" in page.why
    page.page.locator('[data-cell="window"]').first.focus()


INTERACTIVE = {"button", "slider", "gridcell", "application", "checkbox", "link"}


def accessible(page: Watched) -> list[tuple[str, str]]:
    """Role and name of all that can be focused, as Chromium tells a screen reader."""
    session = page.page.context.new_cdp_session(page.page)
    found = []
    for node in session.send("Accessibility.getFullAXTree")["nodes"]:
        focusable = any(one["name"] == "focusable" for one in node.get("properties", ()))
        if focusable and not node["ignored"]:
            found.append((node["role"]["value"], node.get("name", {}).get("value", "")))
    session.detach()
    return found


@pytest.mark.parametrize("view", ["window", "mask", "trie", "pool", "jacobi"])
def test_what_can_be_reached_has_a_role_and_says_what_it_is(
    page: Watched, folder: Path, view: str
) -> None:
    run = toy_run("jacobi" if view == "jacobi" else "lookahead")
    page.open(exported(run, folder, f"reach-{view}"), f"#step=12&view={view}")
    found = accessible(page)
    acting = [name for role, name in found if role in INTERACTIVE]
    assert len(acting) > 40
    for name in acting:
        assert re.search(r"[A-Za-z]{2,} |^(Lecture|Light|Play|Words|Keys)", name), name
        assert "undefined" not in name and "null" not in name
    assert {role for role, _ in found} <= INTERACTIVE | {"RootWebArea", "group", "region"}
    assert all(name for role, name in found)
    assert "Save the timeline as SVG" in acting


def test_a_step_and_a_cell_of_the_mask_are_announced(page: Watched, folder: Path) -> None:
    run = toy_run("lookahead")
    page.open(exported(run, folder, "heard"), "#step=12&view=mask")
    live = page.page.locator('.lv .sentence[role="status"][aria-live="polite"]')
    live.evaluate("(node) => { window.heard = node; }")
    page.press("ArrowRight")
    same = page.page.evaluate("() => window.heard.isConnected && window.heard.textContent")
    assert same == step_sentence(run, 13), "the same element says it, or nobody hears"
    page.page.locator(".mask-box").focus()
    page.press("s", "s", "d")
    assert why(run, 13, 1, 1) in page.page.locator(".mask-box [role=status]").inner_text()


def test_focus_is_seen_wherever_tab_leads(page: Watched, folder: Path) -> None:
    page.open(exported(toy_run("lookahead"), folder, "tabs"), "#step=12")
    page.page.locator(".lv").focus()
    seen = set()
    for _ in range(60):
        page.page.keyboard.press("Tab")
        kind, marked = page.page.evaluate(
            "() => { const at = document.activeElement, style = getComputedStyle(at); "
            "const rect = at.tagName === 'g' && at.querySelector('rect'); "
            "return [at.dataset.cell || at.dataset.do || at.dataset.size || at.tagName, rect "
            "? parseFloat(getComputedStyle(rect).strokeWidth) : style.outlineStyle === 'none' ? 0 "
            ": parseFloat(style.outlineWidth)]; }"
        )
        if kind == "BODY":
            break
        assert marked >= 3, kind
        seen.add(kind)
    assert {"window", "trie", "text", "mask", "play", "link"} <= seen


def test_a_mask_that_is_not_proved_is_called_so(page: Watched, folder: Path) -> None:
    run = toy_run("lookahead")
    forged = replace(run.steps[3], mask_sha256="0" * 64)
    file = exported(replace(run, steps=(*run.steps[:3], forged, *run.steps[4:])), folder, "forged")
    page.open(file, "#step=2&view=mask")
    title = page.page.locator(".panel.mask .panel-title")
    assert "✓ as it ran" in title.inner_text()
    page.press("ArrowRight")
    assert "✗ NOT as it ran" in title.inner_text()


def test_reduced_motion_is_no_motion_at_all(page: Watched, folder: Path) -> None:
    page.open(exported(toy_run("lookahead"), folder, "still"))
    moving = page.page.evaluate(
        "() => [...document.querySelectorAll('.lv, .lv *')].filter((element) => { "
        "const style = getComputedStyle(element); return style.animationName !== 'none' || "
        "!/^0s(, 0s)*$/.test(style.transitionDuration); }).length"
    )
    assert moving == 0
