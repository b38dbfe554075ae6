"""Sweeps: exact rows, failures as rows, cancelled and killed sweeps that go on where they were."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import pytest

import lookahead_viz as lv
from lookahead_viz.models import smollm2
from lookahead_viz.models.loading import load_model
from lookahead_viz.scale import decode, worker
from lookahead_viz.scale.decode import model_digest
from lookahead_viz.scale.plan import Cell, Plan, grid
from lookahead_viz.scale.processes import Worker, WorkerDied
from lookahead_viz.scale.rows import (
    COLUMNS,
    SweepRow,
    csv_bytes,
    frame_of,
    read_rows,
    write_rows,
)
from lookahead_viz.scale.sizes import Sizes
from lookahead_viz.scale.store import Store
from lookahead_viz.scale.sweep import SweepProgress, identical_to_greedy, sweep
from tests.model_folders import write_folder

ROOT = Path(__file__).resolve().parent.parent
PROMPTS = (("add", "def add(a, b):\n"), ("list", "x = [1, 2, 3]\n"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("models") / "small")


@pytest.fixture(scope="module")
def model(folder: Path) -> lv.Model:
    return load_model(folder, device="cpu")


def plan(folder: Path, **settings: object) -> Plan:
    sizes = grid([1, 3], [2, 3], ["W", 2])
    made = Plan(str(folder), PROMPTS, sizes, max_new_tokens=12, device="cpu")
    return replace(made, **settings)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def rows(folder: Path, model: lv.Model) -> tuple[SweepRow, ...]:
    """The whole sweep without a cache, in this process."""
    return sweep(plan(folder), model=model).rows


def test_a_grid_holds_every_size_once_the_smallest_first() -> None:
    found = grid([1, 2], [3], ["W", 2])
    assert found == (Sizes(1, 3, 1), Sizes(1, 3, 2), Sizes(2, 3, 2))


def test_rows_are_what_a_recorded_run_says(
    folder: Path, model: lv.Model, rows: tuple[SweepRow, ...]
) -> None:
    wanted = next(row for row in rows if (row.W, row.N, row.G, row.prompt) == (3, 3, 2, "add"))
    config = lv.LookaheadConfig(
        window_size=3, ngram_size=3, max_candidates=2, max_new_tokens=12, alternatives=0
    )
    run = lv.record(model, PROMPTS[0][1], config)
    assert (wanted.tokens, wanted.steps) == (len(run.token_ids), len(run.steps))
    assert wanted.slots == run.slots_fed
    cached, scores = len(run.prompt_ids) - 1, 0
    for step in run.steps:
        scores += step.layout.slots * (cached + step.layout.slots)
        cached += len(step.accepted)
    assert wanted.scores == scores
    assert wanted.compression == run.compression


def test_every_text_is_greedys(rows: tuple[SweepRow, ...]) -> None:
    assert len(rows) == 2 * (1 + 8)
    assert identical_to_greedy(rows) == (16, 16)
    wrong = [replace(row, text="") if row.method == "lookahead" else row for row in rows]
    assert identical_to_greedy(wrong) == (0, 16)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_is_read_as_it_was_written(
    rows: tuple[SweepRow, ...], tmp_path: Path, ending: str
) -> None:
    failed = replace(rows[0], error='a "quoted", sentence\nof two lines', finish="error")
    path = tmp_path / f"sweep.{ending}"
    write_rows([*rows, failed], path)
    if ending == "csv":
        assert read_rows(path) == (*rows, failed)
    else:
        import pandas as pd

        assert pd.read_parquet(path).equals(frame_of([*rows, failed]))


def test_foreign_tables_are_refused_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    for text in ("a,b\n1,2\n", ",".join(COLUMNS) + "\n" + ",".join("x" * len(COLUMNS))):
        path.write_text(text)
        with pytest.raises(ValueError, match="this is no row of a sweep"):
            read_rows(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"'other\.csv' is no CSV file of a sweep"):
        read_rows(path)
    with pytest.raises(ValueError, match=r"'rows.txt' must end in \.csv or \.parquet"):
        write_rows((), tmp_path / "rows.txt")


def test_a_plan_without_anything_to_decode_is_refused(folder: Path) -> None:
    for settings, wrong in (
        ({"prompts": ()}, "no prompt"),
        ({"sizes": ()}, "no \\(W, N, G\\)"),
        ({"prompts": (PROMPTS[0], PROMPTS[0])}, "same name"),
    ):
        with pytest.raises(ValueError, match=wrong):
            plan(folder, **settings)


def test_what_fails_is_a_row_and_the_others_are_there(folder: Path, model: lv.Model) -> None:
    """The second prompt does not fit into the model's 256 positions."""
    found = sweep(plan(folder, prompts=(PROMPTS[0], ("long", "word " * 300))), model=model).rows
    failed = [row for row in found if row.error]
    assert {row.prompt for row in failed} == {"long"} and len(failed) == 9
    assert "positions; shorten one of them" in failed[0].error
    assert all(row.steps for row in found if row.prompt == "add")


# --- the cache


def test_a_cancelled_sweep_goes_on_where_it_was(
    folder: Path, model: lv.Model, rows: tuple[SweepRow, ...], tmp_path: Path
) -> None:
    store = Store(tmp_path)

    def five(progress: SweepProgress) -> bool:
        return progress.done < 5

    cancelled = sweep(plan(folder), model=model, store=store, on_progress=five)
    assert cancelled.cancelled and cancelled.rows == rows[:5]
    seen: list[SweepProgress] = []
    whole = sweep(plan(folder), model=model, store=store, on_progress=seen.append)
    assert whole.rows == rows
    assert seen[-1] == SweepProgress(total=18, done=18, cached=5)
    assert seen[-1].sentence == "18 of 18 decodings, 5 from the cache"


def test_the_cache_knows_settings_model_and_prompt_apart(
    folder: Path, model: lv.Model, tmp_path: Path
) -> None:
    cell = plan(folder).cells[2]
    keys = {
        one.key(digest, ids)
        for one in (cell, replace(cell, seed=1), replace(cell, max_new_tokens=13))
        for digest in ("a", "b")
        for ids in ([1, 2], [1, 3])
    }
    assert len(keys) == 12
    renamed = replace(cell, prompt_name="other")
    assert renamed.key("a", [1]) == cell.key("a", [1])  # the name changes no result
    store = Store(tmp_path)
    first, cached = decode.decode_cell(model, "digest", cell, store)
    again, cached_again = decode.decode_cell(model, "digest", renamed, store)
    assert first is not None and (cached, cached_again) == (False, True)
    assert again == replace(first, prompt="other")


def test_the_digest_of_a_model_is_that_of_its_weights(folder: Path, model: lv.Model) -> None:
    assert model_digest(model) == model_digest(load_model(folder, device="cpu"))
    other = load_model(folder, device="cpu", dtype="float64")
    assert model_digest(other) != model_digest(model)
    changed = load_model(folder, device="cpu")
    changed.network.get_output_embeddings().weight.data[0, 0] += 1
    assert model_digest(changed) != model_digest(model)


def test_a_damaged_or_forbidden_cache_costs_only_time(
    folder: Path, model: lv.Model, rows: tuple[SweepRow, ...], tmp_path: Path
) -> None:
    store = Store(tmp_path / "cache")
    sweep(plan(folder), model=model, store=store)
    for path in (tmp_path / "cache").rglob("*.json"):
        path.write_text('{"model": "half a ro')
    assert sweep(plan(folder), model=model, store=store).rows == rows
    (tmp_path / "file").write_text("in the way")
    assert sweep(plan(folder), model=model, store=Store(tmp_path / "file")).rows == rows


# --- worker processes


def test_a_worker_process_makes_the_same_rows(
    folder: Path, rows: tuple[SweepRow, ...], tmp_path: Path
) -> None:
    found = sweep(plan(folder), workers=1, store=Store(tmp_path))
    assert found.rows == rows
    assert found.shape is not None and found.shape.parameters > 0


class HereWorker:
    """Decodes in this process; its process "ends" at the third cell of all."""

    model: lv.Model
    asked: list[Cell]

    def __init__(self, plan: Plan, store: Path | None) -> None:
        self.name, self.digest, self.shape = "", "", None

    def load(self, told: Callable[[str, float], object]) -> None:
        self.name, self.digest = self.model.name, model_digest(self.model)

    def decode(self, cell: Cell) -> tuple[SweepRow, bool]:
        self.asked.append(cell)
        if len(self.asked) == 3:
            raise WorkerDied("its worker process ended (exit code -9), perhaps for memory.")
        row, cached = decode.decode_cell(self.model, self.digest, cell, None)
        assert row is not None
        return row, cached

    def kill(self) -> None:
        pass


def test_a_worker_that_dies_costs_one_row(
    folder: Path,
    model: lv.Model,
    rows: tuple[SweepRow, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(HereWorker, "model", model, raising=False)
    monkeypatch.setattr(HereWorker, "asked", [], raising=False)
    monkeypatch.setattr("lookahead_viz.scale.sweep.Worker", HereWorker)
    found = sweep(plan(folder), workers=2).rows
    (lost,) = [place for place, row in enumerate(found) if row.error]
    assert found[lost].error.startswith("its worker process ended (exit code -9)")
    assert plan(folder).cells[lost] == HereWorker.asked[2]
    others = [(row, whole) for row, whole in zip(found, rows, strict=True) if not row.error]
    assert len(others) == len(rows) - 1 and all(row == whole for row, whole in others)


def test_a_process_that_ends_is_noticed(folder: Path) -> None:
    worker = Worker(plan(folder), None)
    worker.kill()
    with pytest.raises(WorkerDied, match=r"ended \(exit code -9\)"):
        worker.load()


def test_a_worker_refuses_a_model_in_one_sentence(tmp_path: Path) -> None:
    first = {"model": str(tmp_path), "device": "cpu", "dtype": "auto", "attention": "auto"}
    said = io.StringIO()
    worker.serve(io.StringIO(json.dumps(first | {"store": None}) + "\n"), said)
    stage, reason = (json.loads(line) for line in said.getvalue().splitlines())
    assert stage == {"loading": "Reading the settings", "share": 0.0}
    assert reason["refused"].endswith("it has no config.json.")


def test_how_far_the_loading_is_is_told_until_the_first_row(
    folder: Path, model: lv.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard, seen = threading.Event(), list[SweepProgress]()

    class SlowWorker(HereWorker):
        def load(self, told: Callable[[str, float], object]) -> None:
            told("Reading the weights", 0.4)
            assert heard.wait(30)
            super().load(told)

    def show(progress: SweepProgress) -> None:
        seen.append(progress)
        if progress.loading:
            heard.set()

    monkeypatch.setattr(HereWorker, "model", model, raising=False)
    monkeypatch.setattr(HereWorker, "asked", [], raising=False)
    monkeypatch.setattr("lookahead_viz.scale.sweep.Worker", SlowWorker)
    sweep(plan(folder), workers=1, on_progress=show)
    told = list(dict.fromkeys(progress.loading for progress in seen if not progress.done))
    assert told in (["Reading the weights (40%)"], ["", "Reading the weights (40%)"])
    assert "Loading the model: Reading the weights (40%)" in {one.sentence for one in seen}
    assert not any(progress.loading for progress in seen if progress.done)


def test_a_refused_model_ends_the_whole_sweep(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Worker, told: object) -> None:
        self.kill()
        raise ValueError("no such model.")

    monkeypatch.setattr(Worker, "load", refuse)
    with pytest.raises(ValueError, match="no such model"):
        sweep(plan(folder), workers=2)


def test_a_killed_sweep_is_resumed_and_makes_the_same_table(
    folder: Path, model: lv.Model, tmp_path: Path
) -> None:
    """SIGKILL half-way, by the command line; then the same plan again."""
    long = plan(folder, sizes=grid([1, 2, 3, 5], [2, 3, 4], ["W"]), max_new_tokens=40)
    store = Store(tmp_path / "sweeps")
    files = []
    for name, text in PROMPTS:
        (tmp_path / name).write_text(text)
        files += ["--prompt-file", str(tmp_path / name)]
    command = [sys.executable, "-m", "lookahead_viz", "sweep", "--model", str(folder), *files]
    command += ["-W", "1,2,3,5", "-N", "2,3,4", "-G", "W", "--max-new-tokens", "40"]
    command += ["--workers", "1", "--device", "cpu", "--out", str(tmp_path / "rows.csv")]
    environment = os.environ | {smollm2.CACHE_VARIABLE: str(tmp_path)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL) as killed:
        patience = monotonic() + 120
        while len(list(store.folder.rglob("*.json"))) < 6:
            assert killed.poll() is None and monotonic() < patience
            sleep(0.02)
        killed.send_signal(signal.SIGKILL)
    assert not (tmp_path / "rows.csv").exists()
    seen: list[SweepProgress] = []
    resumed = sweep(long, model=model, store=store, on_progress=seen.append)
    assert 6 <= seen[-1].cached < len(long.cells)
    assert csv_bytes(resumed.rows) == csv_bytes(sweep(long, model=model).rows)
