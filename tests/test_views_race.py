"""The race: honest units, equality said in one sentence, who needs least of what."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lookahead_viz.comparison import Comparison
from lookahead_viz.config import GreedyConfig, LookaheadConfig
from lookahead_viz.records import GreedyStep, Run
from lookahead_viz.views.race import equality, race_view
from tests.toy_runs import toy_comparison, toy_run


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return toy_comparison()


def untimed(run: Run) -> Run:
    return replace(run, steps=tuple(replace(step, step_ms=0.0) for step in run.steps))


def test_lanes_along_passes(comparison: Comparison) -> None:
    view = race_view(comparison)
    assert [(lane.label, len(lane.passes), lane.tokens) for lane in view.lanes] == [
        ("Greedy", 40, 40),
        ("Jacobi n=16", 27, 40),
        ("Lookahead W=5 N=4 G=5", 24, 40),
    ]
    assert [lane.total for lane in view.lanes] == [40, 27, 24]
    assert view.lanes[2].passes[11].tokens == ("⏎", "····", "return", "·fib")
    assert (view.lanes[2].passes[11].start, view.lanes[2].passes[11].end) == (11, 12)
    assert view.headline == (
        "Greedy: 40 passes · Jacobi n=16: 27 passes · Lookahead W=5 N=4 G=5: 24 passes"
    )


def test_lanes_along_slots_and_time(comparison: Comparison) -> None:
    slots = race_view(comparison, "slots")
    assert [lane.total for lane in slots.lanes] == [run.slots_fed for run in comparison.runs]
    seconds = race_view(comparison, "time")
    for run, lane in zip(comparison.runs, seconds.lanes, strict=True):
        assert lane.total == pytest.approx(run.seconds)


def test_the_summary_names_what_it_counts(comparison: Comparison) -> None:
    table = race_view(comparison).summary
    assert table["passes"].tolist() == [40, 27, 24]
    assert table["tokens per pass"].tolist() == [1.0, 1.48, 1.67]
    assert table["slots fed"].tolist()[0] == 40
    assert table["same text as greedy"].tolist()[1:] == ["identical: 40/40 tokens"] * 2


def test_without_greedy_the_texts_are_compared_with_another_run_by_name() -> None:
    _, jacobi, lookahead = toy_comparison().runs
    view = race_view(Comparison("x", (jacobi, lookahead)))
    assert view.columns[-1] == "same text as Jacobi n=16" and len(view.rows[0]) == 8
    assert view.summary["same text as Jacobi n=16"][1].startswith("identical: 40/40 tokens")


def test_where_no_texts_can_be_compared_there_is_no_column_for_it() -> None:
    lookahead = toy_run("lookahead")
    for runs in ((lookahead,), ()):
        view = race_view(Comparison("x", runs))
        assert view.columns[-1] == "seconds"
        assert all(len(row) == len(view.columns) for row in view.rows)


def test_the_verdict_says_when_fewer_passes_took_longer(comparison: Comparison) -> None:
    assert race_view(comparison).verdict == (
        "Lookahead W=5 N=4 G=5 needs the fewest passes: 24 for 40 tokens (1.67 tokens per pass). "
        "Greedy took the least time on the machine that recorded it (cpu, imaginary, 2 threads): "
        "0.88 s, against 1.17 s. Fewer passes are not less work: a pass of Lookahead W=5 N=4 G=5 "
        "feeds 19 slots, one of Greedy 1, and where arithmetic is the limit, as on a CPU, a pass "
        "with more slots takes longer."
    )


def test_a_cpu_is_only_named_where_one_ran(comparison: Comparison) -> None:
    first = comparison.runs[0]
    moved = replace(first, model=replace(first.model, device="cuda"))
    verdict = race_view(replace(comparison, runs=(moved, *comparison.runs[1:]))).verdict
    assert "CPU" not in verdict
    assert verdict.endswith(
        "and where arithmetic is the limit a pass with more slots takes longer."
    )


def test_without_times_the_verdict_is_about_passes() -> None:
    runs = tuple(untimed(run) for run in toy_comparison().runs)
    view = race_view(Comparison("x", runs), "time")
    assert view.verdict.endswith("(1.67 tokens per pass).")
    assert view.lanes[0].seconds is None and view.note


def test_a_difference_is_never_hidden() -> None:
    greedy = toy_run("greedy")
    step = greedy.steps[4]
    assert isinstance(step, GreedyStep)
    other = replace(step, accepted=(0,), gap=(0.002,))
    tied = replace(greedy, steps=(*greedy.steps[:4], other, *greedy.steps[5:]))
    assert equality(toy_run("lookahead"), tied) == (
        False,
        "first difference at token 4: ‘·’ instead of ‘def’, top-2 gap 0.002, float32",
    )
    view = race_view(Comparison("x", (tied, toy_run("lookahead"))))
    assert [lane.identical for lane in view.lanes] == [None, False]


def test_equality_of_stopped_and_foreign_runs() -> None:
    greedy = toy_run("greedy")
    assert equality(toy_run("jacobi", stop_after=8), greedy) == (
        True,
        "identical in the 9 tokens that both have",
    )
    assert equality(toy_run("jacobi"), None) == (
        None,
        "equality not checked: there is no greedy run",
    )
    elsewhere = replace(greedy, prompt_ids=(1, 2))
    assert equality(toy_run("jacobi"), elsewhere) == (
        None,
        "equality not checked: another prompt",
    )


def test_no_runs_and_runs_without_steps() -> None:
    assert race_view(Comparison("x", ())).verdict == "There is no run to compare yet."
    view = race_view(Comparison("x", (toy_run("greedy", stop_after=0),)))
    assert view.verdict == "There is no run to compare yet."
    with pytest.raises(ValueError, match="axis is 'watts'"):
        race_view(Comparison("x", ()), "watts")  # type: ignore[arg-type]


def test_a_sampled_run_is_not_compared_with_greedy() -> None:
    run = toy_run("lookahead")
    warm = replace(run, config=LookaheadConfig(temperature=0.7))
    assert equality(warm, toy_run("greedy")) == (
        None,
        "sampled at temperature 0.7: texts need not be equal",
    )
    greedy = toy_run("greedy")
    sampled = replace(greedy, config=GreedyConfig(temperature=1.0))
    assert Comparison("x", (sampled, greedy)).baseline is greedy
