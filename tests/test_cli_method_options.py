"""``record`` with the methods that draft: options, another model as the draft, refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

import lookahead_viz as lv
from lookahead_viz.cli import main
from tests.model_folders import write_folder

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("models") / "small")


def recorded(folder: Path, out: Path, *options: str) -> lv.Run:
    source = ("record", "--model", str(folder), "--prompt", "def add(a", "--no-stop")
    assert main([*source, "--max-new-tokens", "9", "--out", str(out), *options]) == 0
    return lv.load_run(out)


@pytest.mark.parametrize(
    ("method", "options", "config"),
    [
        ("speculative", ("--draft", "1", "--gamma", "3"), {"draft": 1, "gamma": 3}),
        ("prompt-lookup", ("--gamma", "2", "--match-size", "3"), {"gamma": 2, "match_size": 3}),
        ("draft-jacobi", ("--draft", "1", "--block-size", "4"), {"draft": 1, "block_size": 4}),
        ("speculative-jacobi", ("--temperature", "0.5", "--seed", "3"), {"temperature": 0.5}),
        (
            "multiblock-jacobi",
            ("--blocks", "3", "-N", "3", "-G", "2", "--activation", "0.5"),
            {"blocks": 3, "ngram_size": 3, "max_candidates": 2, "activation": 0.5},
        ),
    ],
)
def test_every_method_is_recorded_with_its_options(
    folder: Path, tmp_path: Path, method: str, options: tuple[str, ...], config: dict[str, object]
) -> None:
    run = recorded(folder, tmp_path / "run.json.gz", "--method", method, *options)
    assert run.method == method and len(run.token_ids) == 9
    assert {name: getattr(run.config, name) for name in config} == config


def test_another_model_can_draft_and_info_names_it(
    folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "run.json.gz"
    run = recorded(folder, out, "--method", "speculative", "--draft", str(folder))
    assert run.draft is not None and run.draft.name == run.model.name
    assert len(run.steps) == 2  # the model itself is always right: 5 tokens a pass
    assert main(["info", str(out)]) == 0
    assert any(line.startswith("draft ") for line in capsys.readouterr().out.splitlines())


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (("--method", "greedy", "--gamma", "3"), "--gamma means nothing to --method greedy"),
        (("--method", "speculative", "--draft", "0"), "draft is 0; it must be a number of layers"),
        (("--method", "speculative", "--draft", "99"), "a self-draft can have"),
        (("--method", "speculative", "--draft", "/no/model"), "there is no model '/no/model'"),
        (("--method", "speculative", "--draft", " "), "draft is empty"),
        (("--method", "multiblock-jacobi", "--activation", "2"), "activation is 2.0; it must be"),
        (("--method", "speculative", "--top-k", "3"), "need a temperature"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    folder: Path, tmp_path: Path, capsys: Capture, options: tuple[str, ...], fault: str
) -> None:
    out = tmp_path / "run.json.gz"
    source = ["record", "--model", str(folder), "--prompt", "x", "--out", str(out)]
    assert main([*source, *options]) == 2
    error = capsys.readouterr().err
    assert fault in error and error.count("\n") == 1 and not out.exists()
