"""The pool view: where each n-gram came from and what it was good for."""

from __future__ import annotations

import pytest

from lookahead_viz.records import LookaheadStep, Run
from lookahead_viz.replay import fold_pool, pool_at
from lookahead_viz.views.pool import MOST_SHOWN, PoolView, pool_view
from tests.toy_runs import toy_run


@pytest.fixture(scope="module")
def run() -> Run:
    return toy_run("lookahead")


def alive(view: PoolView) -> int:
    return sum(entry.evicted_at is None for entry in view.entries)


def test_the_first_insertions_are_the_columns_of_the_window(run: Run) -> None:
    view = pool_view(run, 2)
    assert [(entry.key_text, "".join(entry.tokens)) for entry in view.entries] == [
        ("if", "):⏎····"),
        ("def", "·fib(n"),
        ("(", "n):⏎"),
        ("):", "⏎····⏎"),
        ("n", "):⏎····"),
    ]
    assert [entry.origin for entry in view.entries] == [f"window column {c}" for c in range(5)]
    assert {(entry.inserted_at, entry.now) for entry in view.entries} == {(2, "added")}
    assert [entry.current for entry in view.entries] == [True, False, False, False, False]


@pytest.mark.parametrize("seeded", [False, True])
@pytest.mark.parametrize("text", ["code", "story", "hostile"])
def test_what_is_held_is_the_folded_pool(text: str, seeded: bool) -> None:
    run = toy_run("lookahead", text=text, pool_from_prompt=seeded, max_candidates=2)
    for index in range(len(run.steps) - 1):
        view = pool_view(run, index)
        pool = pool_at(run, index + 1)
        assert alive(view) == view.held == view.sizes[index] == sum(map(len, pool.values()))
        assert view.keys == len(pool)
        assert view.most == 2 and max(map(len, pool.values()), default=0) <= view.most


def test_tried_matched_and_won_are_counted(run: Run) -> None:
    entries = pool_view(run, 22).entries
    won = next(entry for entry in entries if entry.now == "won")
    assert (won.key_text, "".join(won.tokens)) == ("(", "n):⏎")
    assert (won.inserted_at, won.origin, won.tried, won.matched, won.won) == (
        2,
        "window column 2",
        1,
        1,
        1,
    )
    evicted = next(entry for entry in entries if entry.now == "evicted")
    assert (evicted.evicted_at, evicted.tried, evicted.matched, evicted.won) == (22, 1, 1, 0)
    steps = [step for step in run.steps[:23] if isinstance(step, LookaheadStep)]
    tried = sum(len(step.verification.candidates) for step in steps)
    matched = sum(m > 0 for step in steps for m in step.verification.matched)
    assert sum(entry.tried for entry in entries) == tried
    assert sum(entry.matched for entry in entries) == matched
    assert sum(entry.won for entry in entries) == sum(len(step.accepted) > 1 for step in steps)


def test_every_insertion_is_counted_once() -> None:
    run = toy_run("lookahead", pool_from_prompt=True, max_candidates=1)
    changes = list(run.prompt_pool_changes)
    for step in run.steps:
        assert isinstance(step, LookaheadStep)
        changes += step.pool_changes
    entries = pool_view(run, -1).entries
    assert sum(1 + entry.refreshed for entry in entries) == len(changes)
    assert alive(pool_view(run, -1)) == sum(map(len, fold_pool(changes).values()))
    assert [e.inserted_at for e in entries if e.origin == "prompt"] == [-1] * 3


def test_only_the_key_of_the_current_token(run: Run) -> None:
    view = pool_view(run, 22, only_current=True)
    assert {entry.key_text for entry in view.entries} == {view.current} == {"("}
    assert view.held == pool_view(run, 22).held


def test_the_tables(run: Run) -> None:
    view = pool_view(run, 22)
    assert view.table["key"].tolist()[:4] == ["if", "if", "if", "def"]  # keyed by first token
    line = view.table[view.table["in this pass"] == "evicted"].to_numpy().tolist()[0]
    assert line == [
        "(",
        "n·-·",
        "step 12",
        "window column 4",
        1,
        1,
        1,
        0,
        "step 22",
        "evicted",
    ]
    assert view.hot_keys.to_numpy().tolist()[0][0] in ("⏎", "·fib")


def test_an_ngram_in_words(run: Run) -> None:
    entries = pool_view(run, 22).entries
    won = next(entry for entry in entries if entry.now == "won")
    assert won.facts == "won · step 2, window column 2 · tried 1, won 1"
    evicted = next(entry for entry in entries if entry.now == "evicted")
    assert evicted.hover == (
        "‘(n·-·’, key ‘(’\ninserted at step 12: window column 4\n"
        "refreshed 1 time, tried 1, first guess right 1, became text 0\nevicted at step 22"
    )


def test_the_ngrams_of_this_step_are_shown_first(run: Run) -> None:
    view = pool_view(run, 22)
    assert len(view.shown) == MOST_SHOWN
    assert [entry.current for entry in view.shown[:6]] == [True] * 6
    assert {entry.now for entry in view.shown[6:9]} <= {"added", "refreshed"}
    assert view.closing == "40 more in the table"


def test_an_empty_pool_says_why(run: Run) -> None:
    assert pool_view(run, 0).closing == "The pool is empty."
    assert pool_view(run, 0, only_current=True).closing == (
        "No n-gram in the pool starts with ‘⏎’."
    )


def test_nothing_verified_still_fills_the_pool() -> None:
    view = pool_view(toy_run("lookahead", max_candidates=0), 10)
    assert view.held > 0 and not any(entry.tried for entry in view.entries)


def test_what_has_no_pool_says_so() -> None:
    assert pool_view(toy_run("jacobi"), 0) == PoolView("A Jacobi run has no n-gram pool.")
