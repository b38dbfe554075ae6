"""Every page alone, over recorded toy runs: opens, steps, controls, bad files, hostile text."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lookahead_viz import gallery, run_io
from lookahead_viz.config import Config
from lookahead_viz.divergence import Divergence, Refused, Setting
from lookahead_viz.figures.theme import theme
from lookahead_viz.models import registry
from lookahead_viz.models.registry import ModelChoice
from lookahead_viz.reach import window_dropped
from lookahead_viz.records import Run, Step
from lookahead_viz.run_io import dump_run, save_run
from lookahead_viz.ui import controls, diverging, files, models, session, style
from lookahead_viz.ui.decoding import Encoder, Worker
from lookahead_viz.ui.kept import Kept
from tests.toy_gallery import add_exhibit, menu, write_gallery
from tests.toy_runs import toy_run

ROOT = Path(__file__).resolve().parent.parent
OTHERS = {"learn", "mask-lab", "scale"}
"""Pages that are no picture of a recorded run; they have tests of their own."""
PAGES = sorted({path.stem for path in (ROOT / "pages").glob("*.py")} - OTHERS)
STEPPED = [page for page in PAGES if page != "race"]
LOOKAHEAD = [page for page in STEPPED if page != "jacobi"]


@pytest.fixture(autouse=True)
def over_toy_runs(toy_gallery: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gallery, "RUNS", toy_gallery)
    monkeypatch.setattr(registry, "available", list)
    worker = Worker()  # AppTest has one session for all tests: leave it no job
    monkeypatch.setattr(session, "worker", lambda: worker)


def opened(page: str, panel: str = "", **query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    at.session_state["still"] = True  # the expander of the still picture
    at.run()
    if panel:
        at.session_state[f"panel_{panel}"] = True
        at.run()
    return at


def start(at: AppTest) -> dict[str, Any]:
    """Where the player of a page was told to begin."""
    data: dict[str, Any] = json.loads(at.get("bidi_component")[0].proto.json)
    found: dict[str, Any] = data["start"][0]
    return found


def moved(at: AppTest, step: int) -> AppTest:
    """As after the reader went to ``step`` in the player and rested."""
    at.session_state["step"] = at.session_state["player_seen"] = step
    return at.run()


def html(at: AppTest) -> list[str]:
    """The bodies of everything drawn by st.html."""
    return [element.proto.body for element in at.get("html")]


def sentences(at: AppTest) -> str:
    return "\n".join(html(at))


def fine(at: AppTest) -> AppTest:
    """No exception, no sentence about trouble."""
    assert not at.exception
    assert "lv-trouble" not in "".join(body for body in html(at) if "<style>" not in body)
    return at


def charts(at: AppTest) -> list[str]:
    return [element.proto.spec for element in at.get("plotly_chart")]


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


# --- run files ---


def upload(at: AppTest, data: bytes, name: str = "run.json.gz") -> AppTest:
    return at.file_uploader("run_file").upload(name, data, "application/gzip").run()


def test_an_uploaded_run_is_shown_with_equality_unchecked() -> None:
    at = fine(upload(opened("window", "open"), dump_run(toy_run("lookahead", text="story"))))
    assert menu(at).value == session.FILE
    assert "Equality not checked" in sentences(at)
    assert charts(at)


def upload_all(at: AppTest, **runs: Run) -> AppTest:
    data = [(f"{name}.json.gz", dump_run(run), "application/gzip") for name, run in runs.items()]
    return fine(at.file_uploader("run_file").set_value(data).run())


def test_run_files_of_one_prompt_become_one_comparison() -> None:
    runs = {method: toy_run(method, text="story") for method in ("lookahead", "jacobi", "greedy")}
    at = upload_all(opened("race", "open"), **runs)
    assert menu(at).value == session.FILE
    assert "The texts of all 3 are identical" in sentences(at)
    upload_all(at, lookahead=runs["lookahead"], jacobi=runs["jacobi"])
    assert "Greedy was not run: the texts are compared with each other." in sentences(at)


def test_run_files_of_several_prompts_are_several_comparisons() -> None:
    story, code = toy_run("greedy", text="story"), toy_run("greedy")
    at = upload_all(opened("race", "open"), a=story, b=toy_run("jacobi", text="story"), c=code)
    names = [name for name in menu(at).options if "Uploaded" in name]
    assert len(names) == 2
    fine(menu(at).set_value(f"{session.FILE}-1").run())
    assert "‘c.json.gz’ decodes another prompt than the others" in sentences(at)
    assert "run" not in at.query_params
    upload_all(at, a=story)
    assert [n for n in menu(at).options if "Uploaded" in n] == ["Uploaded file"]


def test_of_several_files_the_bad_one_is_named_and_the_others_are_opened() -> None:
    data = dump_run(toy_run("greedy"))
    files_given = [
        ("good.json.gz", data, ""),
        ("bad.json.gz", b"x", ""),
        ("twin.json.gz", data, ""),
    ]
    at = opened("race", "open").file_uploader("run_file").set_value(files_given).run()
    assert not at.exception
    assert "Not opened ‘bad.json.gz’: this file is not" in sentences(at)
    assert "Not opened ‘twin.json.gz’: the file is the same as ‘good.json.gz’." in sentences(at)
    assert menu(at).value == session.FILE
    fine(at.file_uploader("run_file").set_value([]).run())
    at.session_state["run_file_problems"] = (("gone",), ["Not opened: too large."])
    assert "Not opened" not in sentences(fine(at.run()))  # of a file that is no longer there


def test_two_runs_of_one_name_can_both_be_chosen() -> None:
    run = toy_run("lookahead")
    other = toy_run("lookahead", seed=7)
    at = upload_all(opened("window", "open"), a=run, b=other)
    menu = at.get("button_group")[0]
    assert [option.content for option in menu.proto.options] == [
        "Lookahead W=5 N=4 G=5, seed 0",
        "Lookahead W=5 N=4 G=5, seed 7",
    ]


@pytest.mark.parametrize(
    "data",
    [b"", b"\x1f\x8b\x08broken", b'{"format": "other"}', b"[" * 100_000, b"\x00" * 1000],
    ids=["empty", "truncated", "foreign", "deep", "binary"],
)
def test_a_bad_file_is_one_sentence_and_changes_nothing(data: bytes) -> None:
    at = upload(opened("window", "open"), data)
    assert not at.exception
    assert "Not opened: " in sentences(at)
    assert menu(at).value == "toy/code"


def test_a_huge_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_UPLOAD_BYTES", 100)
    at = upload(opened("window", "open"), dump_run(toy_run("greedy")))
    assert "larger than" in sentences(at)


def test_every_run_can_be_saved() -> None:
    at = opened("race", "save")
    labels = [element.proto.label for element in at.get("download_button")]
    assert labels[:2] == ["Save Greedy", "Save Jacobi n=8"]
    assert files.file_name("Lookahead W=5 N=4 G=5") == "lookahead-w-5-n-4-g-5.json.gz"


def test_a_run_that_no_file_can_hold_has_a_sentence_instead_of_a_button(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = gallery.load_exhibit(gallery.exhibits(gallery.RUNS)[0]).runs
    sizes = [len(run_io._encoded(run)) for run in runs]
    monkeypatch.setattr(run_io, "MAX_JSON_BYTES", max(sizes) - 1)
    monkeypatch.setattr(files, "_REFUSALS", Kept(run_io.dump_refusal))
    at = opened("race", "save")
    assert not at.exception
    labels = [element.proto.label for element in at.get("download_button")]
    assert labels[:2] == ["Save Greedy", "Save Jacobi n=8"] and len(labels) == len(sizes) - 1
    assert "Lookahead W=8 N=3 G=6: this run is too large to be saved" in sentences(at)
    assert "record it with alternatives=0" in sentences(at)


# --- one's own prompt ---


class ToyModel:
    has_chat_template = False

    def encode_chat(self, text: str) -> Sequence[int]:
        raise AssertionError("not asked for")


def recorded(model: Encoder, prompt: str, config: Config, on_step: Callable[[Step], bool]) -> Run:
    run = toy_run(config.method, max_new_tokens=config.max_new_tokens)
    for step in run.steps:
        on_step(step)
    return run


@pytest.fixture
def toy_model(monkeypatch: pytest.MonkeyPatch) -> None:
    choice = ModelChoice("toy", "Toy model", "", installed=True, needs_fetch=False)
    monkeypatch.setattr(registry, "available", lambda: [choice])
    monkeypatch.setattr(models, "load", lambda name, _: ToyModel())
    monkeypatch.setattr(controls, "_record", recorded)


@pytest.mark.usefixtures("toy_model")
def test_an_own_prompt_is_decoded_by_the_ticked_methods() -> None:
    at = opened("race", "own")
    at.slider("own_tokens").set_value(12)
    at.button("own_run").click().run()
    fine(wait_for_job(at))
    assert menu(at).value == session.OWN
    assert "identical: 12/12 tokens" in sentences(at)
    menu(at).set_value("toy/code").run()
    fine(menu(at).set_value(session.OWN).run())


def wait_for_job(at: AppTest) -> AppTest:
    """Look again until the decoding in the background is over."""
    for _ in range(200):
        at.run()
        if not at.get("progress"):
            return at
    raise AssertionError("the decoding did not end")


@pytest.mark.usefixtures("toy_model")
def test_bad_values_are_explained_where_they_are() -> None:
    at = opened("race", "own")
    at.text_area("own_prompt").set_value("").run()
    assert "it must hold at least one character" in sentences(at)
    assert at.button("own_run").disabled
    at.text_area("own_prompt").set_value("hello").run()
    at.multiselect("own_methods").set_value([]).run()
    assert "Tick at least one method" in sentences(at)
    assert at.button("own_run").disabled


@pytest.mark.usefixtures("toy_model")
def test_the_slots_of_a_pass_are_told_while_choosing() -> None:
    at = opened("race", "own")
    at.slider("own_w").set_value(10)
    at.slider("own_n").set_value(3)
    at.slider("own_g").set_value(0).run()
    assert "up to 20 slots" in sentences(at)
    assert "nothing is verified" in sentences(at)


def test_without_a_model_run_is_off_and_smollm2_is_offered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    choice = ModelChoice("smollm2-135m", "SmolLM2", "Real.", installed=False, needs_fetch=True)
    monkeypatch.setattr(registry, "available", lambda: [choice])
    at = opened("race", "own")
    assert at.button("own_run").disabled
    assert at.button("fetch").label == "Get SmolLM2" and "damaged" not in sentences(at)
    broken = replace(choice, damage="model.safetensors is missing")
    monkeypatch.setattr(registry, "available", lambda: [broken])
    at = opened("race", "own")
    assert "SmolLM2 is damaged (model.safetensors is missing): get it again." in sentences(at)
    assert at.button("fetch").label == "Get SmolLM2"


def test_settings_become_one_config_per_method() -> None:
    settings: dict[str, Any] = {
        "methods": ["greedy", "lookahead"],
        "max_new_tokens": 9,
        "seed": 3,
        "window_size": 2,
        "ngram_size": 3,
        "max_candidates": 1,
        "shift": "slide",
    }
    greedy, lookahead = controls.configs_of(settings)
    assert (greedy.method, greedy.max_new_tokens) == ("greedy", 9)
    assert vars(lookahead).items() >= {"window_size": 2, "shift": "slide", "seed": 3}.items()


# --- configuration ---


def test_the_config_agrees_with_the_theme() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    for name in ("light", "dark"):
        colours, section = theme(name), config["theme"][name]
        assert section["backgroundColor"] == colours.background
        assert section["textColor"] == colours.text
        assert section["primaryColor"] == colours.accepted.colour
        assert section["borderColor"] == colours.faint
    assert config["theme"]["light"]["secondaryBackgroundColor"] == theme("light").guess.colour
    assert config["theme"]["dark"]["secondaryBackgroundColor"] == theme("dark").plain.colour


def test_the_app_listens_on_this_machine_only_and_tells_nobody() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config["server"]["address"] == "127.0.0.1"
    assert config["server"]["maxUploadSize"] <= 80
    assert config["browser"]["gatherUsageStats"] is False


def test_no_colour_is_named_outside_the_theme() -> None:
    sources = [*(ROOT / "pages").glob("*.py"), *(ROOT / "lookahead_viz" / "ui").glob("*.py")]
    named = [path.name for path in sources if re.search(r"#[0-9A-Fa-f]{6}\b", path.read_text())]
    assert named == []
    muted = (theme("light").muted, theme("dark").muted)
    assert f".lv-quiet {{ color: light-dark({muted[0]}, {muted[1]}); }}" in style.css()


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


def test_tables_can_be_saved() -> None:
    at = opened("acceptance")
    at.session_state["save_tables"] = True
    fine(at.run())
    names = [one.proto.label for one in at.get("download_button")]
    assert {"metrics.csv", "step_table.parquet", "pool_table.csv"} <= set(names)


@pytest.fixture
def explorer(monkeypatch: pytest.MonkeyPatch) -> diverging.Explorer:
    found = diverging.Explorer()  # AppTest has one session for all tests
    monkeypatch.setattr(diverging, "explorer", lambda: found)
    monkeypatch.setattr(
        models, "installed", lambda: [ModelChoice("tiny", "Tiny", "", True, False)]
    )
    return found


def explored() -> AppTest:
    """The Race page with the explorer open."""
    at = AppTest.from_file(str(ROOT / "pages" / "race.py"), default_timeout=60)
    at.session_state["divergence"] = True
    return fine(at.run())


def ended(at: AppTest, found: diverging.Explorer) -> AppTest:
    at.button("div_run").click().run()
    assert found.job is not None
    found.job.join(60)
    return at.run()


def test_what_went_wrong_in_the_explorer_is_said_of_the_same_inputs_alone(
    explorer: diverging.Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> Divergence:
        raise ValueError("there is no model <b>x</b>.")

    monkeypatch.setattr(diverging, "_work", broken)
    at = ended(explored(), explorer)
    assert "There is no model &lt;b&gt;x" in sentences(at)
    fine(at.slider("div_tokens").set_value(8).run())
    assert "There is no model" not in sentences(at)


def test_what_was_refused_in_the_explorer_is_said_of_the_same_inputs_alone(
    explorer: diverging.Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = Refused(Setting("float16", "eager"), "no kernel for it.")
    found = Divergence((), (refused,), whole=False)
    monkeypatch.setattr(diverging, "_work", lambda *_: found)
    at = ended(explored(), explorer)
    assert "no kernel for it" in sentences(at) and "Stopped" in sentences(at)
    fine(at.multiselect("div_dtypes").set_value(["float64"]).run())
    assert "Stopped" not in sentences(at)


def test_the_divergence_explorer_answers(explorer: diverging.Explorer) -> None:
    """The whole way with the smallest job: one precision, one attention, one method."""
    at = explored()
    at.multiselect("div_dtypes").set_value([]).run()
    assert "at least one precision" in sentences(at)
    at.multiselect("div_dtypes").set_value(["float64"])
    at.multiselect("div_attentions").set_value(["sdpa"])
    at.multiselect("div_methods").set_value(["lookahead"])
    at.slider("div_tokens").set_value(8)
    at.text_area("div_prompt").set_value("The <b>cat</b> [sat](x)").run()
    assert "2 decodings of 8 tokens" in sentences(at)
    shown = sentences(fine(ended(at, explorer)))
    assert "In float64 (sdpa) the text of one run is greedy&#x27;s own" in shown
    fine(at.selectbox("div_look").select_index(0).run())
    fine(at.button("div_race").click().run())
    assert menu(at).value == session.OWN


def test_a_run_opens_where_lookahead_first_gained_something() -> None:
    lookahead = toy_run("lookahead")
    first = session.opening(lookahead)
    assert len(lookahead.steps[first].accepted) > 1
    assert all(len(step.accepted) == 1 for step in lookahead.steps[:first])
    nothing = toy_run("lookahead", max_candidates=0)
    assert [session.opening(run) for run in (nothing, toy_run("jacobi"))] == [0, 0]
