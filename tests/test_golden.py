"""The numbers of the original implementation, reproduced one by one.

The fixtures were recorded while running the published code (hao-ai-lab/LookaheadDecoding): greedy
path, float32, eager attention. Its step 0 packs the whole prompt; ours caches all prompt tokens
but the last, so that our first step has the same window and the same tokens.
"""

from __future__ import annotations

import gzip
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoModelForCausalLM

import lookahead_viz as lv
from lookahead_viz import replay, visibility
from lookahead_viz.records import LookaheadStep, Run
from tests.conftest import needs_smollm2

GOLDEN = Path(__file__).parent / "golden"
TINY = sorted(path.name.removesuffix(".json.gz") for path in GOLDEN.glob("A_*.json.gz"))


def dump(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(gzip.decompress((GOLDEN / f"{name}.json.gz").read_bytes()))
    return data


@lru_cache
def tiny_llama() -> lv.Model:
    network = AutoModelForCausalLM.from_pretrained(
        GOLDEN / "tiny_llama", attn_implementation="eager"
    )
    return lv.wrap_model(network, name="tiny_llama")


def rerun(model: lv.Model, golden: dict[str, Any], accept: Any = "original") -> Run:
    config = lv.LookaheadConfig(
        window_size=golden["W"],
        ngram_size=golden["N"],
        max_candidates=golden["G"],
        max_new_tokens=golden["max_new_tokens"],
        initial_window=tuple(golden["initial_window"]),
        accept=accept,
        stop_ids=(golden["eos_token_id"],),
        alternatives=0,
    )
    return lv.record(model, golden["prompt"], config)


def assert_step(ours: LookaheadStep, theirs: dict[str, Any], golden: dict[str, Any]) -> None:
    prompt_rows = 0 if theirs["lst_token"] is not None else len(golden["prompt"]) - 1
    layout = ours.layout
    assert list(layout.token_ids) == theirs["packed_input_ids"][prompt_rows:]
    assert list(layout.positions) == theirs["position_ids"][prompt_rows:]
    mask = visibility.mask(layout).astype(int)
    drawn = ["".join(map(str, row)) for row in mask.tolist()]
    assert drawn == [row[prompt_rows:] for row in theirs["mask"][prompt_rows:]]

    rows = [list(row) for row in theirs["window_before"] if row is not None]
    assert [list(ours.window[0][1:]), *map(list, ours.window[1:])] == rows

    assert ours.predictions[0] == theirs["out_argmax"]
    guesses = [t for candidate in ours.verification.candidates for t in candidate]
    assert guesses == (theirs["guess_tokens"] or [])
    results = [t for own in ours.verification.predictions for t in own]
    assert results == (theirs["guess_results"] or [])
    assert list(ours.accepted + ours.discarded) == theirs["accepted"]
    if theirs["max_hit_idx"] is not None:
        assert ours.verification.winner == theirs["max_hit_idx"]
        assert max(ours.verification.matched) == theirs["max_hit"]
    assert layout.positions[0] + len(theirs["accepted"]) == theirs["kv_len_after"]

    kinds = {"new": "added", "evict": "added", "refresh": "refreshed"}
    changes = [
        (change.key, list(change.ngram), change.kind, list(change.evicted or ()))
        for change in ours.pool_changes
    ]
    assert changes == [
        (key, tail, kinds[op], evicted[0] if evicted else [])
        for _, key, tail, op, *evicted in theirs["pool_ops"]
    ]


def assert_run(run: Run, golden: dict[str, Any]) -> None:
    assert run.finish_reason in ("length", "stop")
    assert len(run.steps) == golden["final"]["steps"]
    for ours, theirs in zip(run.steps, golden["steps"], strict=True):
        assert isinstance(ours, LookaheadStep)
        assert_step(ours, theirs, golden)
    assert list(run.token_ids) == golden["lade_tokens"] == golden["greedy_tokens"]
    last = run.steps[-1]
    assert isinstance(last, LookaheadStep)
    pool = replay.fold_pool([*replay.changes_before(run, -1), *last.pool_changes])
    assert {str(key): [list(t) for t in tails] for key, tails in pool.items()} == golden["final"][
        "pool"
    ]


@pytest.mark.parametrize("name", TINY)
def test_tiny_llama_number_by_number(name: str) -> None:
    golden = dump(name)
    assert_run(rerun(tiny_llama(), golden), golden)


@pytest.mark.parametrize("name", TINY)
def test_full_accept_keeps_the_tokens(name: str) -> None:
    golden = dump(name)
    run = rerun(tiny_llama(), golden, accept="full")
    assert list(run.token_ids) == golden["greedy_tokens"]


@pytest.mark.model
@needs_smollm2
def test_smollm2_number_by_number() -> None:
    golden = dump("B_W5N4G5_code2_pool0")
    model = lv.load_model("smollm2-135m", device="cpu", dtype="float32", attention="eager")
    assert_run(rerun(model, golden), golden)
