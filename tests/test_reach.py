"""Where the model's positions end: which passes fed the current token alone, and who says so."""

from __future__ import annotations

from pathlib import Path

import pytest

import lookahead_viz as lv
from lookahead_viz.cli import main
from lookahead_viz.reach import passes_without_window, reach, window_dropped, window_fits
from lookahead_viz.records import LookaheadStep, Run
from tests.model_folders import write_folder
from tests.toy_runs import toy_run


def alone(run: Run) -> list[int]:
    """The passes whose window was one cell, where no full window is."""
    return [
        step.index
        for step in run.steps
        if isinstance(step, LookaheadStep) and step.layout.slots == 1
    ]


def test_the_window_and_the_guesses_reach_as_far_as_drawn() -> None:
    """W=5 N=4: cell (2, 4) stands at offset 6. W=1 N=3: guess 2 stands at offset 2, cell at 1."""
    assert reach(lv.LookaheadConfig(window_size=5, ngram_size=4)) == 6
    assert reach(lv.LookaheadConfig(window_size=1, ngram_size=3)) == 2
    assert reach(lv.LookaheadConfig(window_size=1, ngram_size=3, max_candidates=0)) == 1
    config = lv.LookaheadConfig(window_size=5, ngram_size=4)
    assert window_fits(3, config, 10) and not window_fits(4, config, 10)
    assert window_fits(10**9, config, None)


def test_a_window_that_stops_fitting_is_told_with_its_passes() -> None:
    run = toy_run("lookahead", position_limit=30, max_new_tokens=24)
    passes = passes_without_window(run)
    assert list(passes) == alone(run) and 0 < passes[0] <= passes[-1] == len(run.steps) - 1
    first = run.steps[passes[0]].layout.positions[0]
    assert window_dropped(run) == (
        f"From pass {passes[0]} on the window and its candidates reach position {first + 6} or "
        f"beyond, but {run.model.name} has only 30 positions: passes {passes[0]} to {passes[-1]} "
        "fed the current token alone."
    )


def test_a_window_that_never_fits_is_told_from_pass_0_on() -> None:
    run = toy_run("lookahead", position_limit=30, max_new_tokens=24, window_size=2000)
    assert list(passes_without_window(run)) == alone(run) == list(range(24))
    said = window_dropped(run)
    assert said is not None and said.startswith("From pass 0 on the window and its candidates")
    assert "position 2,006 or" in said  # 5 + 2000 + 4 - 3
    bare = toy_run(
        "lookahead", position_limit=30, max_new_tokens=24, window_size=2000, max_candidates=0
    )
    assert str(window_dropped(bare)).startswith("From pass 0 on the window reaches position 2,006")


def test_one_last_pass_is_one() -> None:
    runs = (
        toy_run("lookahead", position_limit=limit, max_new_tokens=24) for limit in range(30, 40)
    )
    said = [str(window_dropped(run)) for run in runs if len(passes_without_window(run)) == 1]
    assert said and all(": pass " in sentence for sentence in said)


def test_other_runs_have_nothing_to_tell() -> None:
    assert window_dropped(toy_run("lookahead")) is None
    assert window_dropped(toy_run("lookahead", stop_after=0, position_limit=30)) is None
    for method in ("greedy", "jacobi"):
        assert window_dropped(toy_run(method, position_limit=30, max_new_tokens=24)) is None


def test_the_command_line_tells_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = write_folder(tmp_path / "small"), tmp_path / "run.json.gz"
    given = ["record", "--model", str(folder), "--prompt", "def add(a", "--out", str(out)]
    given += ["--device", "cpu", "--max-new-tokens", "3", "--no-stop"]
    assert main([*given, "-W", "2000"]) == 0
    said = window_dropped(lv.load_run(out))
    assert said is not None and "passes 0 to 2 fed the current token alone." in said
    assert f"note: {said}\n" in capsys.readouterr().out
    assert main(["info", str(out)]) == 0
    assert f"window    {said}\n" in capsys.readouterr().out
    assert main(given) == 0 and "note" not in capsys.readouterr().out
    assert main(["info", str(out)]) == 0 and "alone" not in capsys.readouterr().out
