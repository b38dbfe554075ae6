"""The sweeps and measurements that ship: whole, greedy's texts, what the decoder does today."""

from __future__ import annotations

import pytest

import lookahead_viz as lv
from benchmarks.sweep import SETTINGS
from lookahead_viz.classroom import PROMPTS, by_name
from lookahead_viz.models.registry import tiny_installed
from lookahead_viz.scale import shipped
from lookahead_viz.scale.arithmetic import shape_of
from lookahead_viz.scale.decode import decode_cell, model_digest
from lookahead_viz.scale.plan import Cell
from lookahead_viz.scale.rows import SweepRow
from lookahead_viz.scale.summary import summarise
from lookahead_viz.scale.sweep import identical_to_greedy

SWEEPS = shipped.sweeps()


def test_both_models_ship_with_a_sweep_and_a_measurement() -> None:
    assert list(SWEEPS) == ["tiny", "SmolLM2-135M-Instruct"]
    measured = {point.model for latency in shipped.latencies() for point in latency.points}
    assert measured >= set(SWEEPS)
    for latency in shipped.latencies():
        assert latency.machine["processor"] and latency.date
        for clock in latency.series.values():
            assert clock.points[0][0] == 1


def test_the_files_are_small() -> None:
    assert sum(path.stat().st_size for path in shipped.FOLDER.iterdir()) <= 300_000


@pytest.mark.parametrize("name", SWEEPS)
def test_a_shipped_sweep_is_whole_and_every_text_is_greedys(name: str) -> None:
    rows = SWEEPS[name]
    assert [row for row in rows if row.error] == []
    same, compared = identical_to_greedy(rows)
    assert same == compared == sum(row.method == "lookahead" for row in rows)
    summary = summarise(rows)
    assert summary is not None and summary.left_out == 0
    assert len(rows) == len(summary.prompts) * (1 + len(summary.settings))
    assert all(by_name(prompt) is not None for prompt in summary.prompts)
    assert shape_of(name) is not None


def test_the_tiny_sweep_covers_what_its_script_says() -> None:
    rows = SWEEPS["tiny"]
    assert {row.prompt for row in rows} == {prompt.name for prompt in PROMPTS}
    swept = [row for row in rows if row.method == "lookahead"]
    assert {row.W for row in swept} == {1, 2, 4, 8, 16, 32}
    assert {row.N for row in swept} == {2, 3, 4, 5, 6, 7}
    assert {row.max_new_tokens for row in rows} == {128}
    assert set(SETTINGS) == {"tiny", "smollm2-135m"}


@pytest.mark.skipif(not tiny_installed(), reason="the tiny model is not shipped yet")
def test_the_decoder_still_takes_the_shipped_steps() -> None:
    """One small and one large setting, and greedy: counts are the same on every machine."""
    model = lv.load_model("tiny", device="cpu", dtype="float32")
    digest = model_digest(model)
    wanted = [(1, 1, 0), (4, 4, 4), (16, 5, 16)]
    found = [row for row in SWEEPS["tiny"] if (row.W, row.N, row.G) in wanted]
    chosen = [row for row in found if row.prompt == "stack"]
    assert len(chosen) == len(wanted)
    for row in chosen:
        assert decoded(model, digest, row) == row


def decoded(model: lv.Model, digest: str, row: SweepRow) -> SweepRow | None:
    """The same decoding, now."""
    prompt = by_name(row.prompt)
    assert prompt is not None
    cell = Cell(row.prompt, prompt.text, row.sizes, row.max_new_tokens)
    return decode_cell(model, digest, cell, None)[0]
