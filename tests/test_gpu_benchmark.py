"""The CUDA benchmark's dry run: it works on a CPU and writes what the Scale page reads."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks import gpu
from lookahead_viz.scale.latency import Latency, LatencyPoint, read_latency
from lookahead_viz.scale.shipped import is_gpu


def test_the_dry_run_writes_a_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "latency_dry.json"
    monkeypatch.setattr(sys, "argv", ["gpu", "--dry-run", "--out", str(out)])
    gpu.main()
    latency = read_latency(out)
    assert not is_gpu(latency) and latency.points[0].slots == 1
    found = json.loads(out.read_text())
    assert found["left_out"] == [] and found["flat_until"][0]["slots"] >= 1
    assert [entry["slots"] for entry in found["static"]] == [1, 60, 120]
    assert all(entry["step_ms"] >= entry["forward_ms"] > 0 for entry in found["steps"])
    assert {entry["dtype"] for entry in found["exactness"]} == {"float32", "bfloat16"}
    assert all(entry["same"] for entry in found["exactness"] if entry["dtype"] == "float32")
    assert "exactness checks" in capsys.readouterr().out


def test_flat_until_the_first_that_is_a_tenth_slower() -> None:
    times = {1: 10.0, 8: 10.5, 64: 10.9, 128: 11.2, 256: 10.0}
    points = tuple(LatencyPoint("m", 1, "float32", 9, s, ms) for s, ms in times.items())
    found = list(gpu.flat_until(Latency({}, "2026-01-01", points)))
    assert found == [{"model": "m", "context": 9, "slots": 64}]


def test_what_fails_or_has_no_time_is_left_out_with_its_reason() -> None:
    def fail() -> None:
        raise RuntimeError("out of memory")

    clock = gpu.Clock(100)
    assert clock.attempt("a", lambda: 3) == 3 and clock.attempt("b", fail) is None
    assert gpu.Clock(-1).attempt("c", lambda: 3) is None
    assert clock.left_out == ["b: out of memory"]
