"""The shipped comparisons: what the recorder refuses, and what ``assets/runs`` really holds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import lookahead_viz as lv
from benchmarks import record_gallery
from benchmarks.gallery_prompts import Prompt
from benchmarks.record_gallery import PROMPTS, methods_of
from lookahead_viz import gallery
from lookahead_viz.comparison import compare, run_label, temperature
from lookahead_viz.engine.model import Model
from lookahead_viz.models.loading import load_model
from lookahead_viz.models.registry import SMOLLM2, TINY
from lookahead_viz.records import Run
from lookahead_viz.replay import mask_proved
from tests.model_folders import write_folder

Capture = pytest.CaptureFixture[str]

PROMPT = Prompt("one", "One prompt", "Look at it.", "def add(a")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = write_folder(tmp_path_factory.mktemp("models") / "small")
    return load_model(folder, device="cpu", dtype="float64")


# --- the recorder


def test_a_prompt_is_recorded_and_listed(
    small: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_gallery, "PROMPTS", {SMOLLM2: [PROMPT], TINY: []})
    assert record_gallery.record_prompt(small, PROMPT, tmp_path / SMOLLM2)
    record_gallery.write_index(tmp_path)
    (exhibit,) = gallery.exhibits(tmp_path)
    assert (exhibit.key, exhibit.title, exhibit.note) == (
        "smollm2-135m/one",
        "One prompt",
        "Look at it.",
    )
    comparison = gallery.load_exhibit(exhibit)
    assert [run_label(run) for run in comparison.runs] == [
        "Greedy",
        "Jacobi n=16",
        "Lookahead W=5 N=4 G=5",
        "Lookahead W=15 N=5 G=15",
    ]
    assert len({run.token_ids for run in comparison.runs}) == 1


def test_a_text_that_differs_is_not_written(
    small: Model, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert record_gallery.record_prompt(small, PROMPT, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.gz")}

    def wrong(*arguments: Any) -> Run:
        run = lv.record(*arguments)
        if run.method != "jacobi":
            return run
        last = run.steps[-1]
        token = (last.accepted[-1] + 1) % 200
        return replace(
            run, steps=(*run.steps[:-1], replace(last, accepted=(*last.accepted[:-1], token)))
        )

    monkeypatch.setattr(record_gallery, "record", wrong)
    assert not record_gallery.record_prompt(small, PROMPT, tmp_path)
    assert "NOT WRITTEN: jacobi differs from greedy at token" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.gz")} == before


def test_names_are_unique_and_notes_are_sentences() -> None:
    for prompts in PROMPTS.values():
        assert len({prompt.name for prompt in prompts}) == len(prompts)
        for prompt in prompts:
            assert prompt.note.endswith(".") and prompt.title and "\n" not in prompt.note


# --- what ships


EXHIBITS = gallery.exhibits()


@pytest.mark.skipif(not EXHIBITS, reason="no runs are recorded yet")
def test_the_index_and_the_folders_agree() -> None:
    entries = json.loads((gallery.RUNS / "gallery.json").read_text(encoding="utf-8"))
    listed = {f"{entry['key']}/{name}" for entry in entries for name in entry["runs"]}
    there = {path.relative_to(gallery.RUNS).as_posix() for path in gallery.RUNS.rglob("*.json.gz")}
    assert listed == there
    known = {f"{model}/{prompt.name}": prompt for model in PROMPTS for prompt in PROMPTS[model]}
    for entry in entries:
        assert (entry["title"], entry["note"]) == (
            known[entry["key"]].title,
            known[entry["key"]].note,
        )


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=[exhibit.key for exhibit in EXHIBITS])
def test_every_shipped_run_is_proved_and_equal(exhibit: gallery.Exhibit) -> None:
    comparison = gallery.load_exhibit(exhibit)
    baseline = comparison.baseline
    assert baseline is not None
    model, name = exhibit.key.split("/")
    (prompt,) = (one for one in PROMPTS[model] if one.name == name)
    assert [run.config for run in comparison.runs] == list(methods_of(prompt).values())
    for run in comparison.runs:
        if not temperature(run):
            equality = compare(run, baseline)
            assert equality.identical and equality.complete
        assert all(mask_proved(run, index) for index in range(len(run.steps)))
        assert run.model.hardware and run.model.versions


@pytest.mark.skipif(not EXHIBITS, reason="no runs are recorded yet")
def test_the_shipped_runs_stay_small() -> None:
    total = sum(path.stat().st_size for path in gallery.RUNS.rglob("*.json.gz"))
    assert total < 8_000_000
