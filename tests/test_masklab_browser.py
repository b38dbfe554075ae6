"""The mask lab in a real Chromium: drop a file, read the answer, jump, look closer, save it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookahead_viz.labview.report import report_html
from lookahead_viz.masklab import check, packed
from lookahead_viz.views.masklab import difference_view, report_view
from tests.browser import Visitor, Visitors
from tests.masklab_files import npy, npz, right_mask

pytestmark = pytest.mark.browser


def words(visitor: Visitor) -> str:
    """What the difference view says of the cell looked at."""
    return str(visitor.page.locator(".lvd-words").inner_text())


def drop(visitor: Visitor, name: str, data: bytes) -> None:
    page = visitor.page
    if not page.locator('.st-key-lab_file input[type="file"]').count():
        page.get_by_text("Upload", exact=True).click()
        visitor.settle()
    page.locator('.st-key-lab_file input[type="file"]').set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    )
    visitor.page.wait_for_timeout(300)
    visitor.settle()


@pytest.mark.parametrize("look", ["light", "dark"])
def test_the_page_answers_above_the_fold(visitors: Visitors, look: str) -> None:
    """The first visitor of a fresh server comes by a deep link."""
    visitor = visitors[look]
    visitor.open("/mask-lab")
    assert visitor.page.get_by_role("heading", level=1).inner_text() == "Is my mask right?"
    visitor.page.locator(".lvd-canvas").wait_for(timeout=60_000)
    for found in (".lv-verdict", '[data-testid="stCode"] >> nth=0', ".lvd-bar"):
        box = visitor.page.locator(found).first.bounding_box()
        assert box is not None and box["y"] + box["height"] < 1000, found
    assert visitor.page.get_by_text("Page not found").count() == 0
    background = visitor.page.locator(".lvd").evaluate("e => getComputedStyle(e).backgroundColor")
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(14, 17, 23)"}[look]
    assert visitor.take_problems() == []


def test_a_dropped_mask_its_differences_and_the_keys(visitor: Visitor) -> None:
    mask = right_mask().copy()
    mask[3, 9], mask[20, 19] = True, False
    evil = "</b><img src=x onerror=alert(1)>"
    data = npz({"mask": mask, "tokens": np.array([evil] * 21)})
    visitor.open("/mask-lab")
    drop(visitor, "step.npz", data)
    visitor.wait_for_text("Wrong: 2 of 441 cells differ")
    page = visitor.page
    assert "LEAK" in words(visitor) and "Line 3 (L03" in words(visitor)
    assert evil.split()[0] in words(visitor)
    assert page.locator(".lvd img, .stMain img").count() == 0
    page.locator(".lvd").focus()
    page.keyboard.press("n")
    assert "BLIND" in words(visitor) and "Line 20 (V12" in words(visitor)
    assert "difference 2 of 2" in page.locator(".lvd-bar").inner_text()
    page.keyboard.press("n")
    assert "Line 3 (L03" in words(visitor)  # round to the first
    page.keyboard.press("p")
    assert "Line 20" in words(visitor)
    page.keyboard.press("ArrowLeft")
    assert "Line 20 (V12" in words(visitor) and "seen, as it must be" in words(visitor)
    page.keyboard.press("r")  # the app's own key: must not run it again
    page.keyboard.press("b")
    assert "tiles of 16×16" in page.locator(".lvd-legend").inner_text()
    assert "difference – of 2" in page.locator(".lvd-bar").inner_text()


def test_pointing_at_a_cell_tells_its_sentence(visitor: Visitor) -> None:
    visitor.open("/mask-lab")
    canvas = visitor.page.locator(".lvd-canvas")
    canvas.wait_for(timeout=60_000)
    visitor.page.wait_for_timeout(300)
    seen = set()
    box = canvas.bounding_box()
    assert box is not None
    for step in range(4, 20):
        visitor.page.mouse.move(box["x"] + 60 + 22 * step, box["y"] + 60 + 20 * step)
        seen.add(words(visitor))
    assert len(seen) > 4
    assert any("Every token sees itself." in one or "(X" in one for one in seen)


def test_rude_files_are_one_sentence(visitor: Visitor) -> None:
    visitor.open("/mask-lab")
    for name, data in (
        ("a.npy", b"\x93NUMPY" + b"\xff" * 40),
        ("b.pt", b"\x80\x04cos\nsystem\n."),
        ("c.csv", b"1,2\n3"),
        ("<img src=x onerror=alert(1)>.json", b"{"),
    ):
        drop(visitor, name, data)
        visitor.page.get_by_role("alert").first.wait_for(timeout=30_000)
        assert visitor.page.get_by_text("Traceback").count() == 0
    assert visitor.page.get_by_role("alert").count() == 4


def test_a_large_mask_is_in_sight_at_once_and_can_be_looked_into(visitor: Visitor) -> None:
    step = packed("lade", 60, 11, 40)
    mask = np.hstack([np.ones((1000, 400), dtype=bool), step.mask])
    mask[700, 500] ^= True
    mask[3, 1300] ^= True
    visitor.open("/mask-lab")
    drop(visitor, "large.npy", npy(mask))
    page = visitor.page
    visitor.wait_for_text("It has 1,000 lines")
    for label, value in (("W", "60"), ("N", "11"), ("G", "40")):
        page.get_by_role("spinbutton", name=label, exact=True).fill(value)
        page.keyboard.press("Enter")
        visitor.settle()
    visitor.wait_for_text("Wrong: 2 of 1,400,000 cells differ")
    page.locator(".lvd").focus()
    page.keyboard.press("n")
    page.keyboard.press("n")
    assert "Line 3" in words(visitor) or "Line 700" in words(visitor)
    assert page.locator(".lvd-canvas").evaluate("c => c.width") < 2800


def test_the_report_is_one_file_that_draws_itself(visitor: Visitor, tmp_path: Path) -> None:
    visitor.open("/mask-lab")
    visitor.page.locator(".lvd-canvas").wait_for(timeout=60_000)
    with visitor.page.expect_download(timeout=60_000) as waiting:
        visitor.page.get_by_role("button", name="Save the report").click()
    file = tmp_path / "report.html"
    waiting.value.save_as(file)
    visitor.take_problems()
    visitor.page.goto(file.as_uri())
    visitor.page.locator(".lvd-canvas").wait_for()
    assert "Wrong: 25 of 441" in visitor.page.get_by_role("heading", level=1).inner_text()
    visitor.page.locator(".lvd").focus()
    visitor.page.keyboard.press("n")
    assert "difference 2 of 25" in visitor.page.locator(".lvd-bar").inner_text()
    problems = [one for one in visitor.take_problems() if one != file.as_uri()]
    assert problems == []


@pytest.mark.parametrize("look", ["light", "dark"])
def test_axe_on_a_report(visitors: Visitors, look: str, tmp_path: Path) -> None:
    script = pytest.importorskip("axe_playwright_python.base").AXE_SCRIPT
    layout = packed("llama.cpp", 5, 4, 2)
    mask = layout.mask.copy()
    mask[2, 5] = True
    report = check(mask, layout=layout)
    file = tmp_path / "report.html"
    file.write_text(report_html(report_view(report), difference_view(report)), "utf-8")
    page = visitors[look].page
    page.goto(file.as_uri())
    page.locator(".lvd-canvas").wait_for()
    page.evaluate(script)
    found: list[Any] = page.evaluate("async () => (await axe.run()).violations")
    visitors[look].take_problems()
    assert json.dumps([(one["id"], one["nodes"][0]["html"][:200]) for one in found]) == "[]"
