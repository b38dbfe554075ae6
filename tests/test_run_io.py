"""Run files: what is saved is loaded again; any other file is answered in one sentence."""

from __future__ import annotations

import gzip
import json
import tomllib
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import lookahead_viz as lv
from lookahead_viz import run_io
from lookahead_viz.config import Config
from lookahead_viz.records import LookaheadStep, Run, TokenText
from lookahead_viz.ui import files
from tests.random_models import random_model

PROMPT = (1, 5, 2, 8, 3, 1, 5, 2)

CONFIGS: dict[str, Config] = {
    "greedy": lv.GreedyConfig(max_new_tokens=12),
    "jacobi": lv.JacobiConfig(block_size=5, max_new_tokens=12),
    "lookahead": lv.LookaheadConfig(max_new_tokens=40, pool_from_prompt=True, stop_ids=(9, 10)),
}


def recorded(method: str) -> Run:
    return lv.record(random_model("llama"), PROMPT, CONFIGS[method])


def document(run: Run) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(gzip.decompress(run_io.dump_run(run)))
    return data


def packed(data: dict[str, Any]) -> bytes:
    return gzip.compress(json.dumps(data).encode())


@pytest.mark.parametrize("method", CONFIGS)
def test_saved_and_loaded_runs_are_equal(method: str, tmp_path: Path) -> None:
    run = recorded(method)
    lv.save_run(run, tmp_path / "run.json.gz")
    again = lv.load_run(tmp_path / "run.json.gz")
    assert again == run
    assert again.token_ids == run.token_ids and again.compression == run.compression
    assert [step.step_ms for step in again.steps] == [step.step_ms for step in run.steps]
    assert hash(again) == hash(run)


@pytest.mark.parametrize("method", CONFIGS)
def test_recorded_twice_with_one_seed_is_equal(method: str) -> None:
    assert recorded(method) == recorded(method)


def test_bytes_that_are_no_text_survive(tmp_path: Path) -> None:
    whole = recorded("greedy")
    odd: dict[int, TokenText] = {0: "a\n", 1: b"\xe2\x82", 2: b"\xac", 3: "⟨3⟩"}
    run = replace(whole, token_text={**whole.token_text, **odd})
    lv.save_run(run, tmp_path / "run.json.gz")
    assert lv.load_run(tmp_path / "run.json.gz").token_text == run.token_text


@pytest.mark.parametrize("method", CONFIGS)
def test_the_shipped_schema_describes_the_files(method: str) -> None:
    path = Path(run_io.__file__).with_name("run_schema.json")
    shipped = json.loads(path.read_text(encoding="utf-8"))
    assert shipped == json.loads(json.dumps(run_io.schema()))
    data = document(recorded(method))
    jsonschema.validate(data, shipped)
    del data["steps"][0]["accepted"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, shipped)


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.json.gz"
    run = recorded("greedy")
    lv.save_run(run, path)
    before = path.read_bytes()

    def fail(_: Run) -> bytes:
        raise OSError("disk full")

    monkeypatch.setattr(run_io, "dump_run", fail)
    with pytest.raises(OSError, match="disk full"):
        lv.save_run(run, path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def sentence(data: bytes) -> str:
    with pytest.raises(ValueError) as raised:
        run_io.read_run(data)
    text = str(raised.value)
    assert text.endswith(".") and "\n" not in text and len(text) < 300
    return text


def test_damaged_and_foreign_files() -> None:
    whole = run_io.dump_run(recorded("lookahead"))
    assert "empty" in sentence(b"")
    assert "follows its end" in sentence(whole + b"more")
    assert "cut off" in sentence(whole[: len(whole) // 2])
    assert "unpacked" in sentence(whole[:20] + b"garbage" * 9 + whole[90:])
    assert "not a readable run file" in sentence(b"PK\x03\x04 not json")
    assert "not a run file" in sentence(gzip.compress(b"[" * 100_000))
    assert "not a run file" in sentence(b'{"steps": []}')
    assert "newer" in sentence(packed(document(recorded("greedy")) | {"format_version": 99}))
    assert "unknown method" in sentence(packed(document(recorded("greedy")) | {"method": "magic"}))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no run file at .*none.json.gz"):
        lv.load_run(tmp_path / "none.json.gz")


def test_a_gzip_bomb_does_not_fill_the_memory() -> None:
    bomb = gzip.compress(b" " * (run_io.MAX_JSON_BYTES + 2**20), compresslevel=1)
    tracemalloc.start()
    try:
        assert "larger than" in sentence(bomb)
        assert tracemalloc.get_traced_memory()[1] < 2.5 * run_io.MAX_JSON_BYTES
    finally:
        tracemalloc.stop()
    assert "larger than" in sentence(b"\x1f\x8b" + bytes(run_io.MAX_FILE_BYTES))


def step_with_candidates(data: dict[str, Any]) -> dict[str, Any]:
    steps: list[dict[str, Any]] = data["steps"]
    return next(step for step in steps if step["verification"]["candidates"])


def mispredict(step: dict[str, Any]) -> None:
    """The verification says another prediction after the last guess than its slot does."""
    step["verification"]["predictions"][-1][-1] += 1


def unknown_candidate(step: dict[str, Any]) -> None:
    """Change the last guess of a candidate everywhere in its step, free of contradiction."""
    losers = list(range(len(step["verification"]["matched"])))
    losers.remove(step["verification"]["winner"])
    chosen = losers[-1] if losers else step["verification"]["winner"]
    size = len(step["verification"]["candidates"][0])
    slot = len(step["layout"]["rows"]) - size * (len(losers) + 1 - chosen) + size - 1
    other = (step["layout"]["token_ids"][slot] + 1) % 11
    step["layout"]["token_ids"][slot] = other
    step["verification"]["candidates"][chosen][-1] = other


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda d: d["steps"][0].update(index=7), "calls itself step 7"),
        (lambda d: d["steps"][2]["gap"].append(0.0), "gap"),
        (lambda d: step_with_candidates(d)["accepted"].__setitem__(0, 77), "verification proves"),
        (lambda d: step_with_candidates(d)["layout"]["rows"].__setitem__(3, 2), "layout"),
        (lambda d: step_with_candidates(d)["verification"].update(winner=99), "winner"),
        (lambda d: d["steps"][1]["window"][0].pop(), "W and N do not give"),
        (lambda d: d["steps"][1]["layout"]["positions"].pop(), "layout"),
        (lambda d: d["steps"].pop(1), "calls itself"),
        (lambda d: d["steps"][1]["predictions"].pop(), "predictions for"),
        (lambda d: d["steps"][1]["kept_slots"].append(500), "slot that does not exist"),
        (lambda d: d["steps"][1]["top_k"][0].update(slot=500), "alternatives"),
        (lambda d: d["prompt_pool_changes"][0].update(kind="refreshed"), "another insertion"),
        (lambda d: d["prompt_pool_changes"][0]["ngram"].pop(), "another insertion"),
        (lambda d: unknown_candidate(step_with_candidates(d)), "verifies an n-gram"),
        (lambda d: d["steps"][2]["window"].pop(), "W and N do not give"),
        (lambda d: d["steps"][0]["window"][0].extend([1] * 60_000), "W and N do not give"),
        (lambda d: d["config"].update(max_candidates=0), "more than G"),
        (lambda d: d["steps"][1]["predictions"].__setitem__(-1, None), "at other slots"),
        (lambda d: d["steps"][1]["kept_slots"].clear(), "keeps other slots"),
        (lambda d: mispredict(step_with_candidates(d)), "at its slots"),
        (lambda d: d.update(prompt_ids=[]), "prompt is empty"),
        (lambda d: d.update(finish_reason="because"), "finish_reason"),
        (lambda d: d.update(finish_reason="length"), "it is complete"),
        (lambda d: d.update(stop_ids=[4]), "none did"),
        (lambda d: d["config"].update(max_new_tokens=3), "max_new_tokens"),
        (lambda d: d["config"].update(window_size=0), "window_size"),
        (lambda d: d["steps"][0].update(forward_ms="fast"), "readable run file"),
        (lambda d: d.pop("model"), "readable run file"),
        (lambda d: d["token_bytes"].update({"300": "zz"}), "hex"),
        (lambda d: d["token_bytes"].update({"3": "c3"}), "token 3 is in token_text and in token"),
        (lambda d: d["token_text"].pop("5"), "incomplete: token 5 occurs in it"),
        (lambda d: d["steps"][1].update(mask_sha256=""), "not 64 hex digits"),
        (lambda d: d["steps"][1].update(mask_sha256="<b>" + "0" * 61), "not 64 hex digits"),
        (lambda d: d["model"].update(name="m" * 1001), "the model's name has 1,001 characters"),
        (lambda d: d["model"]["versions"].update(a="m" * 1001), "the model's versions has 1,002"),
        (lambda d: d.update(finish_reason="error: " + "m" * 1000), "finish_reason has 1,007"),
        (lambda d: d["token_text"].update({"5": "m" * 10_001}), "token 5 has 10,001 characters"),
    ],
)
def test_a_file_that_contradicts_itself(spoil: Any, fault: str) -> None:
    data = document(recorded("lookahead"))
    spoil(data)
    assert fault in sentence(packed(data))


def test_a_jacobi_file_that_contradicts_itself() -> None:
    data = document(recorded("jacobi"))
    data["steps"][1]["next_iterate"][0] += 1
    assert "next iterate" in sentence(packed(data))
    data = document(recorded("jacobi"))
    data["steps"][1]["frozen"] = 5
    assert "froze" in sentence(packed(data))
    for changes in ({"iteration": 3}, {"block": 9}):
        data = document(recorded("jacobi"))
        data["steps"][1].update(changes)
        assert "out of its block's order" in sentence(packed(data))
    data = document(recorded("jacobi"))
    data["steps"][1]["iterate"].pop()
    assert "another iterate" in sentence(packed(data))


def test_plain_json_is_read_too() -> None:
    run = recorded("lookahead")
    assert run_io.read_run(json.dumps(document(run)).encode()) == run
    assert run_io.read_run(json.dumps(document(run)).encode("utf-8-sig")) == run  # with its mark


@pytest.mark.parametrize("limit", ["MAX_JSON_BYTES", "MAX_FILE_BYTES"])
def test_a_run_that_could_not_be_read_again_is_not_written(
    limit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = recorded("lookahead")
    whole = run_io.dump_run(run)
    size = len(whole if limit == "MAX_FILE_BYTES" else gzip.decompress(whole))
    monkeypatch.setattr(run_io, limit, size)
    assert run_io.read_run(run_io.dump_run(run)) == run  # it just fits
    assert run_io.dump_refusal(run) is None
    monkeypatch.setattr(run_io, limit, size - 1)
    with pytest.raises(ValueError, match="too large to be saved: .*record it with alternatives=0"):
        lv.save_run(run, tmp_path / "run.json.gz")
    assert "record it with alternatives=0" in str(run_io.dump_refusal(run))
    assert list(tmp_path.iterdir()) == []


def test_what_is_saved_can_be_opened_in_the_app() -> None:
    config = tomllib.loads((Path(__file__).parent.parent / ".streamlit/config.toml").read_text())
    assert files.MAX_UPLOAD_BYTES == files.MAX_UPLOAD_MB * 2**20 == run_io.MAX_FILE_BYTES
    assert files.MAX_UPLOAD_MB <= config["server"]["maxUploadSize"]


def test_the_file_does_not_grow_with_what_is_implied() -> None:
    """At most 0.6 KB a step without alternatives and 3 KB with, for W=5 N=4 G=5."""
    for alternatives, bound in ((0, 600), (5, 3000)):
        config = lv.LookaheadConfig(max_new_tokens=100, alternatives=alternatives)
        run = lv.record(random_model("llama"), PROMPT, config)
        assert all(isinstance(step, LookaheadStep) for step in run.steps)
        assert len(run_io.dump_run(run)) / len(run.steps) < bound


def test_a_name_that_no_file_can_have() -> None:
    for name in ("a" * 300, "a\0b"):
        with pytest.raises(ValueError, match="there is no run file"):
            lv.load_run(name)
