"""Every page alone, over recorded toy runs: opens, steps, controls, links, hostile text."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lookahead_viz import gallery
from lookahead_viz.reach import window_dropped
from lookahead_viz.records import Run
from lookahead_viz.run_io import save_run
from lookahead_viz.ui import session
from tests.app_pages import (
    LOOKAHEAD,
    PAGES,
    ROOT,
    STEPPED,
    charts,
    fine,
    html,
    moved,
    opened,
    sentences,
    start,
)
from tests.toy_gallery import add_exhibit, menu, write_gallery
from tests.toy_runs import toy_run

pytestmark = pytest.mark.usefixtures("over_toy_runs")


@pytest.mark.parametrize("page", PAGES)
def test_page_opens(page: str) -> None:
    at = fine(opened(page))
    assert at.title[0].value.endswith("?")
    assert charts(at)  # the still picture is open
    assert "lv-badge" in sentences(at)


def test_the_window_page_tells_which_passes_had_no_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the model's name is text there, whatever it holds."""
    whole, late = (toy_run("lookahead", max_new_tokens=24, position_limit=at) for at in (None, 30))
    late = replace(late, model=replace(late.model, name="<b>toy"))
    monkeypatch.setattr(gallery, "RUNS", write_gallery(tmp_path))
    add_exhibit(tmp_path, "whole", [whole])
    add_exhibit(tmp_path, "late", [late])
    assert "fed the current token alone" not in sentences(fine(opened("window", run="toy/whole")))
    said = escape(str(window_dropped(late)))
    assert "fed the current token alone" in said and "&lt;b&gt;toy has only 30" in said
    assert said in sentences(fine(opened("window", run="toy/late")))


def test_the_race_is_drawn_without_plotly() -> None:
    at = AppTest.from_file(str(ROOT / "pages" / "race.py"), default_timeout=60).run()
    assert not charts(fine(at))
    *_, lanes = at.get("bidi_component")
    assert [lane["label"] for lane in json.loads(lanes.proto.json)["race"][0]["lanes"]][:2] == [
        "Greedy",
        "Jacobi n=8",
    ]
    assert "<caption>What each run needed</caption>" in sentences(at)


def test_the_app_opens_on_the_race() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert not at.exception
    assert at.title[0].value == "Does it pay, and is it exact?"


@pytest.mark.parametrize("page", STEPPED)
def test_the_step_moves(page: str) -> None:
    at = opened(page, step="2")
    assert start(at)["step"] == 2
    before = charts(at)
    fine(moved(at, 3))
    assert charts(at) != before
    assert at.query_params["step"] == "3"


@pytest.mark.parametrize("page", STEPPED)
def test_the_player_is_sent_the_run_once(page: str) -> None:
    """What it is given changes only when something else than the player moved."""
    at = opened(page, step="2")
    sent = at.get("bidi_component")[0].proto.json
    moved(at, 5)
    assert at.get("bidi_component")[0].proto.json == sent
    at.session_state["step"] = 7  # a link, another page
    at.run()
    assert start(at)["step"] == 7


def test_the_mark_of_the_reader_is_in_the_address() -> None:
    at = opened("mask", step="12", cell="7,1", lecture="1")
    assert start(at) | {"nonce": 0} == {
        "step": 12,
        "focus": "mask",
        "cell": "7,1",
        "lecture": True,
        "nonce": 0,
    }
    assert at.query_params["cell"] == "7,1" and at.query_params["lecture"] == "1"
    for thing in ("n3", "g15,18", "p7", "o5", "j3,4"):
        assert start(fine(opened("mask", cell=thing)))["cell"] == thing
    for wrong in ("<b>", "1,2,3", "99999999,1", "1;2", "x3", "n", "n3,"):
        assert start(fine(opened("mask", cell=wrong)))["cell"] == ""


def test_the_sizes_in_the_address_choose_the_run() -> None:
    at = fine(opened("window", run="toy/story", W="8", N="3", G="6"))
    assert at.main.button_group[0].value == "Lookahead W=8 N=3 G=6"
    assert at.query_params["W"] == "8"
    at = fine(opened("window", run="toy/story", W="80", N="3", G="6"))
    assert at.main.button_group[0].value == "Lookahead W=5 N=4 G=5"


@pytest.mark.parametrize("page", PAGES)
def test_every_control_of_a_page_can_be_used(page: str) -> None:
    at = opened(page, step="9")
    main = at.main
    for toggle in range(len(main.toggle)):
        fine(at.main.toggle[toggle].set_value(True).run())
    for group in range(len(main.button_group)):
        for option in list(at.main.button_group[group].options):
            fine(at.main.button_group[group].set_value(option).run())
    for box in range(len(main.selectbox)):
        options = at.main.selectbox[box].options
        if at.main.selectbox[box].disabled:  # there is nothing to choose
            continue
        for place in {0, len(options) // 2, len(options) - 1}:
            fine(at.main.selectbox[box].select_index(place).run())
    assert sentences(at)  # whatever was chosen, the page has something to say


@pytest.mark.parametrize("page", LOOKAHEAD)
def test_the_other_lookahead_run_can_be_chosen(page: str) -> None:
    at = opened(page, step="5")
    fine(at.main.button_group[0].set_value("Lookahead W=8 N=3 G=6").run())
    assert at.main.button_group[0].value == "Lookahead W=8 N=3 G=6"


@pytest.mark.parametrize("page", [page for page in STEPPED if page != "acceptance"])
def test_a_page_without_its_method_says_what_to_do(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only" / "greedy").mkdir(parents=True)
    save_run(toy_run("greedy"), tmp_path / "only" / "greedy" / "0.json.gz")
    (tmp_path / "gallery.json").write_text(
        '[{"key": "only/greedy", "title": "Greedy only", "note": "", "runs": ["0.json.gz"]}]'
    )
    monkeypatch.setattr(gallery, "RUNS", tmp_path)
    at = fine(opened(page))
    assert not charts(at)
    assert "“Greedy only” has no" in sentences(at)


@pytest.mark.parametrize("page", PAGES)
def test_without_any_recorded_run_a_page_says_what_to_do(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery, "RUNS", tmp_path)
    assert "Nothing is recorded yet" in sentences(fine(opened(page)))


@pytest.mark.parametrize("page", PAGES)
def test_hostile_tokens_appear_only_as_text(page: str) -> None:
    at = fine(opened(page, run="toy/hostile", step="9"))
    for body in html(at):
        if "<style>" not in body:
            assert not re.search(r"<(script|b|br|a)\b", body)
    shown = [element.value for element in at.markdown] + [at.title[0].value]
    assert not any("red[" in text or "<script" in text for text in shown)


def test_a_link_opens_its_comparison_and_step() -> None:
    at = opened("window", run="toy/story", step="12")
    assert menu(at).value == "toy/story"
    assert start(at)["step"] == 12


@pytest.mark.parametrize(
    ("key", "step", "expected"),
    [("no/such", "99999999999999999999", 23), ("<script>", "-3", None), ("toy/code", "1e3", None)],
)
def test_a_broken_link_opens_what_there_is(key: str, step: str, expected: int | None) -> None:
    at = fine(opened("window", run=key, step=step))
    assert menu(at).value == "toy/code"
    opening = session.opening(toy_run("lookahead"))
    assert opening > 0
    assert start(at)["step"] == (opening if expected is None else expected)


def test_another_comparison_starts_at_its_opening_step() -> None:
    at = opened("window", step="1")
    fine(menu(at).set_value("toy/story").run())
    assert start(at)["step"] == session.opening(toy_run("lookahead", text="story")) > 1
    assert at.query_params["run"] == "toy/story"


def test_a_failing_picture_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(run: Run, index: int) -> None:
        raise KeyError("layers.0")

    monkeypatch.setattr("lookahead_viz.ui.player.badges.self_check", broken)
    at = opened("window")
    assert not at.exception
    assert "This could not be drawn (KeyError)" in sentences(at)


def test_a_trouble_of_jacobi_leads_to_its_cell() -> None:
    at = opened("jacobi")
    menu = at.selectbox("trouble_low_yield")
    assert menu.label.startswith("Passes of one token: ")
    fine(menu.set_value(2).run())
    assert start(at)["step"] == int(at.query_params["step"])
    assert start(at)["cell"] == at.query_params["cell"]
    assert re.fullmatch(r"j\d+,\d+", start(at)["cell"])


def test_the_race_loads_neither_pandas_nor_torch() -> None:
    """Importing pandas takes longer than all the rest of the page."""
    code = (
        "import sys; from streamlit.testing.v1 import AppTest\n"
        "at = AppTest.from_file('pages/race.py', default_timeout=60).run()\n"
        "assert not at.exception and at.get('bidi_component')\n"
        "assert not {'pandas', 'pyarrow', 'torch', 'networkx'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-1500:]


def test_the_metrics_are_defined_in_place() -> None:
    for page in ("acceptance", "race"):
        shown = sentences(fine(opened(page)))
        assert "accepted tokens ÷ passes" in shown and '<th scope="row">compression</th>' in shown


def test_a_run_opens_where_lookahead_first_gained_something() -> None:
    lookahead = toy_run("lookahead")
    first = session.opening(lookahead)
    assert len(lookahead.steps[first].accepted) > 1
    assert all(len(step.accepted) == 1 for step in lookahead.steps[:first])
    nothing = toy_run("lookahead", max_candidates=0)
    assert [session.opening(run) for run in (nothing, toy_run("jacobi"))] == [0, 0]
