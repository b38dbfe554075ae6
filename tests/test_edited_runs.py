"""An edited run file is refused, whatever its method: what follows from a pass is made again."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from lookahead_viz.config import COLUMN_KEYS, POOL_POLICIES
from lookahead_viz.records import Run
from lookahead_viz.run_io import dump_run, read_run
from tests.toy_runs import toy_run

Document = dict[str, Any]
Edit = Callable[[Document], object]

RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "greedy": ("greedy", {}),
    "jacobi": ("jacobi", {"block_size": 5}),
    "lookahead": ("lookahead", {"pool_from_prompt": True}),
    "copied": ("prompt-lookup", {}),
    "copied, drawn": ("prompt-lookup", {"temperature": 1.0}),
    "drafted, drawn": ("speculative", {"temperature": 1.0}),
    "jacobi, drawn": ("speculative-jacobi", {"block_size": 5}),
    "multiblock": (
        "multiblock-jacobi",
        {"block_size": 5, "blocks": 3, "activation": 0.2, "ngram_size": 3, "text": "story"},
    ),
}


@cache
def packed(name: str) -> bytes:
    method, settings = RUNS[name]
    return gzip.decompress(dump_run(toy_run(method, **settings)))


def document(name: str) -> Document:
    data: Document = json.loads(packed(name))
    return data


def reread(data: Document) -> Run:
    return read_run(json.dumps(data).encode())


def first(data: Document, field: str) -> Any:
    """The first step that has ``field``."""
    return next(step for step in data["steps"] if step[field])


def with_guess(data: Document) -> Any:
    """The first draw that asks a guess."""
    draws = [draw for step in data["steps"] for draw in step["draws"]]
    return next(draw for draw in draws if draw["candidates"])


def without_draft(data: Document) -> Any:
    return next(step for step in data["steps"] if not step["verification"]["candidates"])


POOLED = ("lookahead", "multiblock")
EDITS: list[tuple[str, Edit, str]] = [
    *(
        (name, lambda d: first(d, "pool_changes")["pool_changes"].pop(), "records")
        for name in POOLED
    ),
    *(
        (name, edit, "another insertion")
        for name in POOLED
        for edit in (
            lambda d: first(d, "pool_changes")["pool_changes"][0].update(key=0),
            lambda d: first(d, "pool_changes")["pool_changes"][0].update(source="prompt"),
            lambda d: first(d, "pool_changes")["pool_changes"][0]["ngram"].__setitem__(-1, 0),
            lambda d: first(d, "pool_changes")["pool_changes"][0].update(kind="ignored"),
        )
    ),
    ("lookahead", lambda d: d["prompt_pool_changes"].reverse(), "another insertion"),
    ("lookahead", lambda d: d["config"].update(pool_from_prompt=False), "insertions"),
    ("lookahead", lambda d: d["config"].update(pool_per_key=1), "pool"),
    ("lookahead", lambda d: d["steps"][4]["window"][1].__setitem__(1, 0), "layout"),
    ("lookahead", lambda d: d["steps"][4]["predictions"].__setitem__(14, 0), "another insertion"),
    ("greedy", lambda d: d["steps"][1]["kept_slots"].clear(), "keeps other slots"),
    ("greedy", lambda d: d["steps"][1]["gap"].__setitem__(0, -1.0), "negative gap"),
    ("greedy", lambda d: d["steps"][1].update(step_ms=-1.0), "no time"),
    ("greedy", lambda d: d["steps"][1]["top_k"][0]["ids"].__setitem__(0, 10**6), "not know"),
    ("greedy", lambda d: d["prompt_ids"].__setitem__(0, 10**6), "not know"),
    ("greedy", lambda d: d.update(stop_ids=d["steps"][1]["accepted"]), "stop id"),
    ("greedy", lambda d: d["config"].update(stop_ids=[0]), "stop ids"),
    ("jacobi", lambda d: d["config"].update(block_size=6), "another size"),
    ("jacobi", lambda d: first(d, "kept_slots")["kept_slots"].pop(), "solved block"),
    ("jacobi", lambda d: d["steps"][0].update(draft_passes=3), "miscounts"),
    ("copied", lambda d: without_draft(d).update(copied_from=1, matched_tail=1), "copied draft"),
    ("copied", lambda d: first(d, "copied_from").update(matched_tail=3), "do not stand"),
    ("copied", lambda d: d["steps"][0].update(source="draft model"), "another method"),
    ("drafted, drawn", lambda d: first(d, "draft_passes").update(draft_passes=99), "miscounts"),
    ("drafted, drawn", lambda d: d["draft"].update(name="another"), "draft model"),
    ("drafted, drawn", lambda d: d["draft"].update(vocab_size=3), "another vocabulary"),
    ("drafted, drawn", lambda d: d.update(draft=None), "no draft model"),
    ("copied", lambda d: d.update(draft=d["model"]), "has none"),
    *(
        (name, edit, fault)
        for name in ("copied, drawn", "drafted, drawn", "jacobi, drawn")
        for edit, fault in (
            (lambda d: with_guess(d).update(depth=7), "out of order"),
            (lambda d: with_guess(d)["candidates"].clear(), "out of order"),
            (lambda d: with_guess(d)["pruned"].append(0), "out of order"),
            (lambda d: with_guess(d).update(drawn=1.5, threshold=0.5), "against its draw"),
        )
    ),
    ("copied, drawn", lambda d: d["steps"][0]["draws"][-1].update(accepted=False), "draw"),
    ("multiblock", lambda d: d["config"].update(block_size=4), "more than n tokens"),
]


@pytest.mark.parametrize(("name", "edit", "fault"), EDITS)
def test_an_edited_file_is_refused_in_one_sentence(name: str, edit: Edit, fault: str) -> None:
    data = document(name)
    edit(data)
    with pytest.raises(ValueError) as raised:
        reread(data)
    said = str(raised.value)
    assert fault in said and said.endswith(".") and "\n" not in said


@pytest.mark.parametrize("name", RUNS)
def test_unedited_it_is_read(name: str) -> None:
    method, settings = RUNS[name]
    assert reread(document(name)) == toy_run(method, **settings)


@pytest.mark.parametrize("policy", POOL_POLICIES)
@pytest.mark.parametrize("key", COLUMN_KEYS)
@pytest.mark.parametrize(("window", "ngram"), [(1, 2), (1, 4), (4, 3)])
def test_the_pool_is_redone_under_every_rule(
    policy: str, key: str, window: int, ngram: int
) -> None:
    run = toy_run(
        "lookahead",
        window_size=window,
        ngram_size=ngram,
        pool_policy=policy,
        column_key=key,
        pool_from_generated=True,
        position_limit=46,  # the last passes feed the current token alone
    )
    assert read_run(dump_run(run)) == run
