"""The app as a person meets it: real Chromium, light and dark, keys, links, nothing leaves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lookahead_viz.run_io import save_run
from tests.browser import ROOT, Visitor, Visitors
from tests.toy_runs import toy_run

pytestmark = pytest.mark.browser

QUESTIONS = {
    "/": "Does it pay, and is it exact?",
    "/learn": "How does it work?",
    "/jacobi": "Can all tokens be guessed at once?",
    "/window": "Where do n-grams come from?",
    "/mask": "Who may look at whom, and why?",
    "/candidates": "Which guess was right, and how far?",
    "/acceptance": "What did each pass give?",
    "/pool": "What is remembered?",
    "/mask-lab": "Is my mask right?",
    "/scale": "When does it pay?",
}
RUNLESS = {"/mask-lab", "/scale"}
"""Pages that draw no recorded run."""
STEPPED = [path for path in QUESTIONS if path not in RUNLESS | {"/", "/learn"}]


def test_a_long_prompt_is_not_cut_and_too_long_a_one_is_told_so(visitor: Visitor) -> None:
    visitor.open("/window")
    page = visitor.page
    page.get_by_text("Decode your own prompt").click()
    box = page.get_by_label("Prompt", exact=True)
    for length in (5_000, 200_001):
        box.fill("x" * length)
        assert len(box.input_value()) == length
        box.blur()
    visitor.wait_for_text("The prompt has 200,001 characters; at most 200,000 are allowed")


def test_the_first_visitor_may_come_by_a_deep_link(visitor: Visitor) -> None:
    """On a fresh server Streamlit would run the page's file alone, with a menu of file names."""
    visitor.open("/window?run=toy/story&step=12")
    menu = visitor.page.get_by_test_id("stSidebarNavLink").all_inner_texts()
    assert menu == [
        "Race",
        "Learn",
        "Jacobi",
        "Window",
        "Mask",
        "Candidates",
        "Acceptance",
        "Pool",
        "Mask lab",
        "Scale",
    ]
    visitor.wait_for_text("Step 12:")
    assert comparison(visitor) == "Toy: story"


@pytest.mark.parametrize(("look", "run"), [("light", "toy/story"), ("dark", "toy/hostile")])
@pytest.mark.parametrize("path", QUESTIONS)
def test_every_page_opens(visitors: Visitors, look: str, run: str, path: str) -> None:
    """In both themes, with nothing in the console; hostile tokens are text and run no script."""
    visitor = visitors[look]
    page = visitor.page
    visitor.open(f"{path}?run={run}&step=9")
    assert page.get_by_role("heading", level=1).inner_text() == QUESTIONS[path]
    page.locator(picture_of(path)).first.wait_for(timeout=60_000)
    if path not in RUNLESS:
        assert comparison(visitor) == f"Toy: {run.removeprefix('toy/')}"
        assert page.locator(".lv-badge").count() >= 1
    assert page.get_by_role("alert").count() == 0
    background = page.get_by_test_id("stApp").evaluate(
        "app => getComputedStyle(app).backgroundColor"
    )
    assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(14, 17, 23)"}[look]
    main = page.get_by_test_id("stMain")
    assert main.locator("a[href^='javascript'], script, .lane-text b, .lane-text a").count() == 0
    assert page.locator("mjx-container, .MathJax").count() == 0
    assert visitor.take_problems() == []


def picture_of(path: str) -> str:
    """A selector of what a page draws."""
    own = {
        "/": ".race .lane-svg",
        "/learn": ".lv .asked",
        "/mask-lab": ".lvd-canvas",
        "/scale": ".js-plotly-plot .main-svg",
    }
    return own.get(path, ".lv .panel")


def comparison(visitor: Visitor) -> str:
    """What the menu of comparisons shows."""
    return visitor.page.locator(".st-key-source_menu input").input_value()


@pytest.mark.parametrize("path", STEPPED)
def test_arrow_keys_step_without_a_click(visitor: Visitor, path: str) -> None:
    visitor.open(f"{path}?run=toy/code&step=3")
    visitor.wait_for_text("Step 3 /")
    visitor.page.keyboard.press("ArrowRight")
    visitor.wait_for_text("Step 4 /")
    visitor.page.keyboard.press("ArrowLeft")
    visitor.wait_for_text("Step 3 /")
    visitor.page.keyboard.press("Home")
    visitor.wait_for_text("Step 0 /")
    assert visitor.page.get_by_role("alert").count() == 0


def test_end_and_accepting_steps_have_keys(visitor: Visitor) -> None:
    visitor.open("/window?run=toy/code")
    visitor.page.get_by_text("tokens accepted").first.wait_for(timeout=60_000)
    visitor.page.keyboard.press("End")
    visitor.wait_for_text("Step 23 /")
    visitor.page.keyboard.press("Home")
    visitor.wait_for_text("Step 0 /")
    visitor.page.keyboard.press("Shift+ArrowRight")
    visitor.page.get_by_text("tokens accepted").first.wait_for(timeout=60_000)
    assert visitor.page.locator(".lv .title").inner_text().split()[1] != "0"


def test_step_and_comparison_are_kept_across_pages_and_in_the_address(visitor: Visitor) -> None:
    visitor.open("/window?run=toy/story&step=6")
    visitor.wait_for_text("Step 6 /")
    visitor.page.keyboard.press("ArrowRight")
    visitor.wait_for_text("Step 7 /")
    visitor.page.wait_for_url("**step=7*")
    visitor.page.get_by_role("link", name="Pool").click()
    visitor.page.get_by_role("heading", name=QUESTIONS["/pool"]).wait_for()
    visitor.wait_for_text("Step 7 /")
    visitor.page.wait_for_url("**/pool?*step=7*")
    assert comparison(visitor) == "Toy: story"


def test_what_the_reader_brought_stays_on_every_page(visitor: Visitor, tmp_path: Path) -> None:
    """The menu gets an entry and shows it: the browser must not bring back the one before."""
    save_run(toy_run("lookahead", text="story"), tmp_path / "mine.json.gz")
    page = visitor.page
    visitor.open("/window?run=toy/code")
    page.get_by_text("Open a run file").click()
    page.locator('[data-testid="stFileUploader"] input').set_input_files(tmp_path / "mine.json.gz")
    page.wait_for_function(
        "() => document.querySelector('.st-key-source_menu input').value === 'Uploaded file'"
    )
    visitor.settle()
    for name, path in (("Pool", "/pool"), ("Race", "/"), ("Window", "/window")):
        page.get_by_role("link", name=name, exact=True).click()
        page.get_by_role("heading", name=QUESTIONS[path]).wait_for()
        visitor.settle()
        page.wait_for_timeout(300)
        assert comparison(visitor) == "Uploaded file"


def test_looking_at_recorded_runs_imports_no_torch() -> None:
    code = (
        "import sys; from streamlit.testing.v1 import AppTest\n"
        f"for page in {sorted(path.stem for path in (ROOT / 'pages').glob('*.py'))}:\n"
        "    at = AppTest.from_file(f'pages/{page}.py', default_timeout=60).run()\n"
        "    assert not at.exception, page\n"
        "assert 'torch' not in sys.modules and 'transformers' not in sys.modules\n"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-2000:]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("path", QUESTIONS)
def test_axe_finds_no_violation(visitors: Visitors, path: str, theme: str) -> None:
    """Names, roles, contrast, order: what an accessibility checker can see."""
    script = pytest.importorskip("axe_playwright_python.base").AXE_SCRIPT
    visitor = visitors[theme]
    visitor.open(f"{path}?run=toy/story&step=5")
    visitor.page.wait_for_selector(picture_of(path))
    visitor.page.evaluate(script)
    found = visitor.page.evaluate("async () => (await axe.run()).violations")
    visitor.take_problems()
    assert [(one["id"], [n["html"][:150] for n in one["nodes"][:3]]) for one in found] == []


def test_parts_of_scale_are_chosen_and_kept_in_the_address(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("/scale?part=<script>alert(1)</script>")  # no such part: the first one opens
    page.get_by_role("radio", name="Calculator").click()
    page.get_by_text("TensorRT-LLM max_draft_len").wait_for(timeout=60_000)
    page.wait_for_url("**/scale?part=Calculator")
    box = page.get_by_role("spinbutton", name="W", exact=True)
    box.fill("7")
    box.press("Enter")
    visitor.wait_for_text("(N − 2) + (W − 1 + G)(N − 1) = 2 + (7 − 1 + 5)·3")
    visitor.settle()
    page.get_by_role("link", name="Pool").click()
    page.get_by_role("heading", name=QUESTIONS["/pool"]).wait_for(timeout=60_000)
    visitor.settle()
    assert "part=" not in page.url
