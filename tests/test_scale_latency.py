"""Measured latency: the file's schema, damaged files, a real measurement of a tiny model."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lookahead_viz.scale.latency import SIZES, latency_from, measure, merged, read_latency
from lookahead_viz.scale.sizes import Sizes
from tests.random_models import POSITIONS, random_model
from tests.scale_rows import latency

POINT = {"model": "m", "params": 7, "dtype": "bfloat16", "context": 512, "slots": 1, "ms": 2.5}


def document(**changes: Any) -> dict[str, Any]:
    return {"machine": {"name": "NVIDIA H200"}, "date": "2026-01-31", "latency": [POINT]} | changes


def test_the_agreed_schema_is_read_whatever_else_it_holds() -> None:
    found = latency_from(document(latency=[POINT | {"repeats": 5}, POINT | {"slots": 8}], more=1))
    assert found.name == "NVIDIA H200" and found.note == ""
    assert list(found.series) == [("m", "bfloat16", 512)]
    assert found.series["m", "bfloat16", 512].points == ((1.0, 2.5), (8.0, 2.5))


def test_a_measurement_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "latency_cpu.json"
    path.write_text(latency().as_json(), encoding="utf-8")
    assert read_latency(path) == latency()


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "[]",
        "{}",
        json.dumps(document(latency=[])),
        json.dumps(document(latency=[POINT | {"ms": 0}])),
        json.dumps(document(latency=[POINT | {"slots": "many"}])),
        json.dumps(document(latency=[{"slots": 1}])),
        json.dumps(document(machine=3)),
    ],
)
def test_another_file_is_refused_in_one_sentence(tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "latency_other.json"
    path.write_text(wrong)
    with pytest.raises(ValueError, match=r"'latency_other\.json' is no latency measurement"):
        read_latency(path)


def test_a_busy_machine_is_told() -> None:
    assert latency(load_before=0.2, cores=2).note == ""
    assert "busy (load 1.5 on 2 cores)" in latency(load_before=1.5, cores=2).note
    both = merged([latency(load_before=0.2, cores=2), latency(load_before=1.5, cores=2)])
    assert "busy (load 1.5" in both.note
    assert len(both.points) == 2 * len(latency().points)


def test_each_model_is_named_with_its_own_threads() -> None:
    two = latency(name="here, 2 threads", threads=2)
    one = latency(name="here, 1 thread", threads=1)
    small = replace(one, points=tuple(replace(point, model="small") for point in one.points))
    both = merged([small, two])
    assert both.name_for("small") == "here, 1 thread"
    assert both.name_for(two.points[0].model) == both.name == "here, 2 threads"
    assert latency_from(json.loads(both.as_json())) == both
    broken = replace(both, machine={**both.machine, "models": "no table"})
    assert broken.name_for("small") == both.name


def test_a_real_measurement_has_one_point_a_size() -> None:
    model = random_model("llama")
    told: list[float] = []
    found = measure(
        model, sizes=SIZES[:4], context=20, repeats=2, on_round=lambda share: told.append(share)
    )
    assert found is not None
    assert [point.slots for point in found.points] == [1, 2, 4, 8, 12]
    assert all(point.ms > 0 and point.context == 20 for point in found.points)
    assert found.points[0].params == model.network.num_parameters()
    assert told == [0, 1 / 3, 2 / 3]
    assert latency_from(json.loads(found.as_json())) == found


def test_a_measurement_can_be_cancelled_and_leaves_out_what_does_not_fit() -> None:
    model = random_model("gpt2")
    assert measure(model, context=8, on_round=lambda share: False) is None
    sizes = (Sizes(1, 2, 1), Sizes(POSITIONS, 2, 1))
    found = measure(model, sizes=sizes, context=8, repeats=1)
    assert found is not None
    assert [point.slots for point in found.points] == [1, 2]
