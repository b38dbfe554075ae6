"""``sweep`` on the command line: the plan that its options mean, its table, every refusal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lookahead_viz import cli_sweep
from lookahead_viz.classroom import PROMPTS
from lookahead_viz.cli import build_parser, main
from lookahead_viz.models import smollm2
from lookahead_viz.models.loading import load_model
from lookahead_viz.scale.plan import Plan
from lookahead_viz.scale.rows import read_rows
from lookahead_viz.scale.sizes import Sizes
from lookahead_viz.scale.sweep import SweepResult, sweep
from tests.model_folders import write_folder

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(smollm2.CACHE_VARIABLE, str(tmp_path / "cache"))


def planned(*options: str) -> Plan:
    arguments = build_parser().parse_args(["sweep", "--model", "m", "--out", "o.csv", *options])
    return cli_sweep.plan_from(arguments)


def test_without_options_all_classroom_prompts_are_swept() -> None:
    plan = planned()
    assert [name for name, _ in plan.prompts] == [prompt.name for prompt in PROMPTS]
    assert {size.window_size for size in plan.sizes} == {1, 2, 4, 8, 16}
    assert all(size.max_candidates == size.window_size for size in plan.sizes)


def test_options_become_a_plan(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("one two", encoding="utf-8")
    plan = planned(
        *("--prompts", "stack, loop", "--prompt-file", str(tmp_path / "own.txt")),
        *("-W", "2", "-N", "3", "-G", "W,0", "--max-new-tokens", "9", "--seed", "4"),
    )
    assert [name for name, _ in plan.prompts] == ["stack", "loop", "own"]
    assert plan.prompts[2][1] == "one two"
    assert plan.sizes == (Sizes(2, 3, 0), Sizes(2, 3, 2))
    assert (plan.max_new_tokens, plan.seed) == (9, 4)
    assert [cell.sizes for cell in plan.cells[:3]] == [None] * 3


def test_a_sweep_writes_its_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """In this process: worker processes are tested with the sweep itself."""
    folder = str(write_folder(tmp_path / "small"))

    def here(plan: Plan, *, workers: int | None, **settings: Any) -> SweepResult:
        return sweep(plan, model=load_model(folder, device="cpu"), **settings)

    monkeypatch.setattr(cli_sweep, "sweep", here)
    (tmp_path / "long").write_text("word " * 300)
    out = tmp_path / "rows.csv"
    fixed = ["sweep", "--model", folder, "--out", str(out), "-W", "2", "-N", "3"]
    assert main([*fixed, "--prompts", "stack", "--max-new-tokens", "8"]) == 0
    assert "rows.csv: 2 rows, 1 of 1 with greedy's text" in capsys.readouterr().out
    assert [row.method for row in read_rows(out)] == ["greedy", "lookahead"]
    assert main([*fixed, "--prompt-file", str(tmp_path / "long")]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("error: 2 decodings failed, the first: the prompt has")
    assert len(read_rows(out)) == 2  # the failed ones are in the table, with their sentences


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["-W", "1,x"], "-W is '1,x'; it must be whole numbers separated by commas."),
        (["-W", "0"], "window_size (W) is 0; it must be a whole number of at least 1."),
        (["-N", ","], "the sweep has no (W, N, G); give at least one of each."),
        (["-G", "w"], "-G is 'w'; it must be whole numbers separated by commas."),
        (["--prompts", "nope"], "there is no classroom prompt 'nope'; --prompts takes all or"),
        (["--prompt-file", "missing.txt"], "there is no prompt file missing.txt."),
        (["--workers", "0"], "--workers is 0; it must be at least 1."),
        (["--model", "smollm2-135m"], "SmolLM2-135M-Instruct is not here yet; fetch it once"),
        (["--out", "rows.txt"], "--out rows.txt must end in .csv or .parquet."),
    ],
)
def test_a_bad_option_is_one_line(options: list[str], sentence: str, capsys: Capture) -> None:
    assert main(["sweep", "--model", "tiny", "--out", "rows.csv", *options]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {sentence}") and said.count("\n") == 1
    assert not Path("rows.csv").exists()
