"""What the player is sent: small and whole."""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import replace

from lookahead_viz.player.payload import payload, to_json
from lookahead_viz.records import LookaheadStep
from lookahead_viz.tokens import printable
from lookahead_viz.ui import player
from tests.toy_runs import toy_run

MOST_PER_STEP = 2048


def test_a_large_window_takes_less_than_two_kilobytes_a_step() -> None:
    run = toy_run("lookahead", window_size=15, ngram_size=5, max_candidates=15, max_new_tokens=200)
    sent = len(to_json(payload(run, alternatives=False)).encode())
    assert sent / len(run.steps) < MOST_PER_STEP


def test_texts_are_sent_once_as_readers_see_them() -> None:
    run = toy_run("lookahead", text="hostile")
    data = payload(run)
    assert data["texts"] == [printable(run.token_text, token) for token in data["ids"]]
    assert len(set(data["ids"])) == len(data["ids"])
    assert not re.search(r"[\x00-\x1f\u200b\u202e]", to_json(data))


def test_only_the_first_window_is_sent_where_the_others_follow() -> None:
    data = payload(toy_run("lookahead"))
    assert ["w" in step for step in data["steps"]] == [True] + [False] * 23
    slid = payload(toy_run("lookahead", shift="slide"))
    assert sum("w" in step for step in slid["steps"]) > 1


def test_alternatives_come_packed() -> None:
    run = toy_run("lookahead")
    data = payload(run)
    packed = json.loads(gzip.decompress(base64.b64decode(data["packed"])))
    texts = data["ids"] + packed["ids"]
    for step, found in zip(run.steps, packed["steps"], strict=True):
        entries = [
            (entry.slot, list(entry.ids), list(entry.probabilities)) for entry in step.top_k
        ]
        assert [(slot, [texts[i] for i in ids], chances) for slot, ids, chances in found] == (
            entries
        )
    assert "packed" not in payload(run, alternatives=False)
    assert "packed" not in payload(replace(run, steps=()))


def test_a_step_whose_mask_is_not_proved_is_named() -> None:
    run = toy_run("lookahead")
    assert payload(run)["unproved"] == []
    steps = (*run.steps[:3], replace(run.steps[3], mask_sha256="0" * 64), *run.steps[4:])
    assert payload(replace(run, steps=steps))["unproved"] == [3]


def test_changes_that_do_not_follow_from_the_window_are_sent_whole() -> None:
    run = toy_run("lookahead", pool_from_prompt=True, pool_per_key=1)
    for step, sent in zip(run.steps, payload(run)["steps"], strict=True):
        assert isinstance(step, LookaheadStep)
        whole = [change for change in sent.get("o", []) if isinstance(change, dict)]
        assert len(whole) == sum(change.source != "window" for change in step.pool_changes)


def test_a_payload_lives_as_long_as_its_run() -> None:
    run = replace(toy_run("lookahead"))
    many = [replace(run) for _ in range(20)]
    keys = [player.sent(one)["key"] for one in many]
    assert len(set(keys)) == 20
    assert [player.sent(one)["key"] for one in many] == keys, "whoever else reads, it stays"
    before = len(player._payloads)
    del many
    assert len(player._payloads) == before - 20
