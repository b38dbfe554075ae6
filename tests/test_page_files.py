"""Files in and out of a page: run files that are opened, runs and tables that are saved."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from lookahead_viz import gallery, run_io
from lookahead_viz.records import Run
from lookahead_viz.run_io import dump_run
from lookahead_viz.ui import files, session
from lookahead_viz.ui.kept import Kept
from tests.app_pages import charts, fine, opened, sentences
from tests.toy_gallery import menu
from tests.toy_runs import toy_run

pytestmark = pytest.mark.usefixtures("over_toy_runs")


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


def test_tables_can_be_saved() -> None:
    at = opened("acceptance")
    at.session_state["save_tables"] = True
    fine(at.run())
    names = [one.proto.label for one in at.get("download_button")]
    assert {"metrics.csv", "step_table.parquet", "pool_table.csv"} <= set(names)
