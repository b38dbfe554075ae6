"""The metrics on three steps counted by hand, on toy runs, and as tables and files."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pandas as pd
import pytest

import lookahead_viz as lv
from lookahead_viz import visibility
from lookahead_viz.config import LookaheadConfig
from lookahead_viz.counting import by_position, ngram_ages
from lookahead_viz.layout import pack
from lookahead_viz.measures import METRICS, measure
from lookahead_viz.methods import METHODS
from lookahead_viz.records import (
    LookaheadStep,
    ModelInfo,
    PoolChange,
    Run,
    Verification,
)
from lookahead_viz.ui.metrics import as_csv, as_parquet
from lookahead_viz.views.tables import position_table
from tests.toy_runs import toy_run

A, B, C, D, E, P = range(6)


def three_steps() -> Run:
    """W=2 N=2 G=2, prompt P, text A B C D. Every number below can be read off here.

    step 0  window P E   2 slots  accepts A; B->C and E->C enter the pool
    step 1  window A C   2 slots  no n-gram starts with A; accepts B; B->E and C->D enter
    step 2  window B D   4 slots  candidates of B: C, which is right, and E; accepts C, bonus D
    """

    def change(key: int, tail: int) -> PoolChange:
        return PoolChange(key, (tail,), "added", "window")

    def step(
        index: int,
        window: tuple[int, int],
        accepted: tuple[int, ...],
        changes: tuple[PoolChange, ...],
        seen: Verification,
    ) -> LookaheadStep:
        layout = pack([window], seen.candidates, position=index)
        own = {0: accepted[0], 1: E, 2: D, 3: P}
        return LookaheadStep(
            index=index,
            layout=layout,
            predictions=tuple(own[slot] for slot in range(layout.slots)),
            accepted=accepted,
            kept_slots=tuple(range(len(accepted))),
            mask_sha256=visibility.mask_digest(layout),
            gap=(0.5,) * len(accepted),
            window=(window,),
            verification=seen,
            pool_changes=changes,
        )

    nothing = Verification((), (), (), None)
    verified = Verification(((C,), (E,)), ((D,), (P,)), (1, 0), 0)
    steps = (
        step(0, (P, E), (A,), (change(B, C), change(E, C)), nothing),
        step(1, (A, C), (B,), (change(B, E), change(C, D)), nothing),
        step(2, (B, D), (C, D), (), verified),
    )
    return Run(
        method="lookahead",
        config=LookaheadConfig(window_size=2, ngram_size=2, max_candidates=2, max_new_tokens=4),
        model=ModelInfo("by hand"),
        prompt_ids=(P,),
        stop_ids=(),
        prompt_pool_changes=(),
        steps=steps,
        token_text=dict(enumerate("ABCDEP")),
    )


def fractions(run: Run) -> dict[str, tuple[int, int]]:
    return {one.metric.name: (one.numerator, one.denominator) for one in measure(run)}


def test_three_steps_counted_by_hand() -> None:
    assert fractions(three_steps()) == {
        "compression": (4, 3),  # A, B, C D
        "slots per pass": (8, 3),  # 2 + 2 + 4
        "wasted slots": (4, 8),  # four of the eight slots gave a token of the text
        "passes with a candidate": (1, 3),
        "mean accepted": (2, 1),  # C and the bonus D
        "mean accepted without the bonus": (1, 1),  # C
        "accepted candidates": (1, 2),  # C, not E
        "accepted guesses": (1, 2),
        "pool hits": (1, 3),  # the window is full from the first step on, so all three looked
        "n-gram age": (2, 1),  # B->C entered in step 0, became text in step 2
    }


def test_three_steps_by_place() -> None:
    places = [
        (one.number, one.guesses, one.tokens, one.passes) for one in by_position(three_steps())
    ]
    assert places == [(1, 1, 1, 1), (2, 0, 1, 1)]
    assert position_table(three_steps())["share of tokens"].tolist() == [1.0, 1.0]


def test_three_steps_as_tables() -> None:
    run = three_steps()
    table = lv.metrics(run)
    assert table.loc[table["metric"] == "compression", "value"].item() == pytest.approx(4 / 3)
    steps = lv.step_table(run)
    assert steps["text"].tolist() == ["A", "B", "CD"]
    assert steps["slots"].tolist() == [2, 2, 4] and steps["guess_slots"].tolist() == [0, 0, 2]
    assert steps["pool_held"].tolist() == [2, 4, 4]
    assert steps["least_gap"].tolist() == [0.5] * 3
    pool = lv.pool_table(run)
    assert pool[["key", "ngram", "added_at", "tried", "won"]].to_numpy().tolist() == [
        ["B", "C", 0, 1, 1],
        ["E", "C", 0, 0, 0],
        ["B", "E", 1, 1, 0],
        ["C", "D", 1, 0, 0],
    ]


def test_every_metric_is_defined_once() -> None:
    names = [metric.name for metric in METRICS]
    assert len(names) == len(set(names))
    for metric in METRICS:
        assert metric.term.name == metric.name and "÷" in metric.definition


def test_metrics_of_the_toy_runs() -> None:
    assert fractions(toy_run("lookahead")) == {
        "compression": (40, 24),
        "slots per pass": (451, 24),
        "wasted slots": (411, 451),
        "passes with a candidate": (11, 24),
        "mean accepted": (27, 11),
        "mean accepted without the bonus": (17, 11),
        "accepted candidates": (6, 34),
        "accepted guesses": (17, 102),
        "pool hits": (11, 22),  # two passes warm up
        "n-gram age": (sum(ngram_ages(toy_run("lookahead"))), 6),
    }
    assert list(fractions(toy_run("greedy"))) == ["compression", "slots per pass", "wasted slots"]
    jacobi = fractions(toy_run("jacobi"))
    assert {"flips", "displaced n-grams", "overwritten n-grams", "low yield"} <= set(jacobi)


def test_guesses_that_were_cut_off_are_not_accepted() -> None:
    # five passes accept a whole n-gram; of the last one two guesses fit into the length
    places = by_position(toy_run("lookahead"))
    assert [one.guesses for one in places] == [6, 6, 5, 0]
    assert [one.passes for one in places] == [11] * 4


def test_nothing_verified_is_no_division_by_zero() -> None:
    run = toy_run("lookahead", max_candidates=0)
    values = {one.metric.name: one.value for one in measure(run)}
    assert values["accepted guesses"] is None and values["pool hits"] is None
    assert by_position(run) == ()
    assert lv.metrics(run)["value"].isna().any()


def test_a_run_without_steps_has_tables() -> None:
    empty = toy_run("lookahead", stop_after=0)
    assert len(lv.step_table(empty)) == len(lv.pool_table(empty)) == 0
    assert lv.metrics(empty)["value"].isna().all()


@pytest.mark.parametrize("method", ["greedy", "jacobi", "lookahead"])
def test_tables_become_files_and_come_back(method: str) -> None:
    run = toy_run(method, text="hostile")
    for table in (lv.metrics(run), lv.step_table(run)):
        back = pd.read_parquet(io.BytesIO(as_parquet(table)))
        pd.testing.assert_frame_equal(back, table, check_dtype=False)
        lines = list(csv.reader(io.StringIO(as_csv(table).decode("utf-8-sig"))))
        assert lines[0] == list(table.columns) and len(lines) == len(table) + 1


def test_a_spreadsheet_computes_no_token() -> None:
    run = three_steps()
    text = {token: text for token, text in run.token_text.items()} | {A: "=1+1"}
    table = lv.step_table(replace(run, token_text=text))
    assert "'=1+1" in as_csv(table).decode("utf-8-sig")


@pytest.mark.parametrize("method", [name for name in METHODS if name != "speculative-jacobi"])
def test_every_method_has_metrics_and_tables(method: str) -> None:
    run = toy_run(method, text="story")
    found = fractions(run)
    assert found["compression"] == (40, len(run.steps))
    shares = [one.value for one in measure(run) if one.metric.unit == "share"]
    assert all(value is None or 0 <= value <= 1 for value in shares)
    table = lv.step_table(run)
    assert table["accepted"].sum() == 40 and len(table) == len(run.steps)
    if "accepted_guesses" in table:
        assert table["accepted_guesses"].sum() == found["accepted guesses"][0]
    assert len(as_parquet(lv.pool_table(run))) > 0
