"""The race's data and its JavaScript, in node: axes, cost, cursor places."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from lookahead_viz.comparison import Comparison, run_label
from lookahead_viz.lanes.payload import lanes_payload
from lookahead_viz.methods import METHODS
from lookahead_viz.player.bundle import LANES, theme_data
from lookahead_viz.records import DraftStep, Run
from lookahead_viz.views.cost import cost_of_60_more, draft_share, machine
from tests.node import ask, needs_node
from tests.toy_runs import toy_comparison, toy_run


def timed(run: Run, ms: float) -> Run:
    return replace(run, steps=tuple(replace(step, step_ms=ms) for step in run.steps))


def test_the_payload_is_what_the_runs_hold() -> None:
    comparison = toy_comparison()
    data = json.loads(json.dumps(lanes_payload(comparison)))
    for run, lane in zip(comparison.runs, data["lanes"], strict=True):
        assert lane["label"] == run_label(run)
        assert [one[0] for one in lane["passes"]] == [step.layout.slots for step in run.steps]
        words = [data["texts"][token] for one in lane["passes"] for token in one[2]]
        assert "".join(words) == run.text.replace(" ", "·").replace("\n", "⏎")
        assert all(len(one[2]) == len(one[3]) for one in lane["passes"])
        assert lane["identical"] in (None, True) and lane["differs"] is None
        assert lane["sentences"][3].startswith("Step 3")
    assert data["machine"] == "cpu, imaginary, 2 threads"


def test_the_first_difference_is_marked() -> None:
    greedy = toy_run("greedy")
    other = replace(greedy.steps[4], accepted=(0,), gap=(0.002,))
    tied = replace(greedy, steps=(*greedy.steps[:4], other, *greedy.steps[5:]))
    lanes = lanes_payload(Comparison("x", (tied, toy_run("lookahead"))))["lanes"]
    assert [lane["differs"] for lane in lanes] == [None, 4]
    assert lanes[1]["identical"] is False and "top-2 gap 0.002" in lanes[1]["equality"]


@pytest.mark.parametrize("method", [name for name in METHODS if name != "speculative-jacobi"])
def test_every_method_can_race(method: str) -> None:
    run = toy_run(method, text="story")
    (lane,) = lanes_payload(Comparison("x", (run,)))["lanes"]
    assert sum(len(one[2]) for one in lane["passes"]) == 40
    assert lane["fill"] in theme_data()["light"]


def test_nothing_to_race() -> None:
    assert lanes_payload(Comparison("x", ()))["lanes"] == []
    assert lanes_payload(Comparison("x", (toy_run("greedy", stop_after=0),)))["cost"] is None


def test_what_60_more_slots_cost_here() -> None:
    """A pass of 21 slots that takes 1.5 times as long: +50 % by 20 slots, +150 % by 60."""
    greedy = timed(toy_run("greedy"), 20.0)
    wide = timed(toy_run("jacobi", block_size=21, max_new_tokens=21), 30.0)
    assert {step.layout.slots for step in wide.steps} == {21}
    assert cost_of_60_more(Comparison("x", (greedy, wide))) == 150
    assert cost_of_60_more(Comparison("x", (greedy,))) is None
    assert cost_of_60_more(Comparison("x", (timed(greedy, 0.0), wide))) is None
    elsewhere = replace(wide, model=replace(wide.model, device="cuda", hardware="H"))
    assert machine(Comparison("x", (greedy, elsewhere))) == "cpu, imaginary, 2 threads / cuda, H"


def test_what_a_pass_of_the_draft_model_costs_here() -> None:
    """Greedy passes of 20 ms, draft passes of 5 ms: a draft pass counts as a quarter."""
    greedy = timed(toy_run("greedy"), 20.0)
    run = toy_run("speculative")
    steps = tuple(
        replace(step, draft_ms=5.0 * step.draft_passes)
        for step in run.steps
        if isinstance(step, DraftStep)
    )
    drafted = replace(run, steps=steps)
    assert draft_share(drafted, greedy) == pytest.approx(0.25)
    assert draft_share(drafted, None) is None and draft_share(greedy, greedy) is None
    (_, lane) = lanes_payload(Comparison("x", (greedy, drafted)))["lanes"]
    assert lane["draft"] == pytest.approx(0.25)
    assert [one[4] for one in lane["passes"]] == [step.draft_passes for step in steps]


@needs_node
def test_axes_moments_and_the_cursor() -> None:
    answer = """(data) => {
      const model = readRace(data), lanes = model.lanes;
      const ends = (axis, cost) => lanes.map((lane) => laneEnds(lane, axis, cost));
      const totals = (axis, cost) => ends(axis, cost).map((all) => all[all.length - 1]);
      const passes = ends("passes", 0);
      return {
        passes: totals("passes", 0), slots: totals("slots", 0), free: totals("modelled", 0),
        doubled: totals("modelled", 100), time: totals("time", 0),
        moments: raceMoments(passes).length,
        done: lanes.map((lane, i) => passesDone(passes[i], 12)),
        tokens: lanes.map((lane, i) => tokensAfter(lane, passesDone(passes[i], 12))),
        none: passesDone(passes[0], 0),
      };
    }"""
    comparison = toy_comparison()
    found = ask(answer, lanes_payload(comparison), source=LANES.script)
    runs = comparison.runs
    assert found["passes"] == found["free"] == [len(run.steps) for run in runs]
    assert found["slots"] == [run.slots_fed for run in runs]
    assert found["time"] == pytest.approx([run.seconds for run in runs])
    assert found["doubled"] == pytest.approx(
        [sum(1 + (step.layout.slots - 1) / 60 for step in run.steps) for run in runs]
    )
    assert found["moments"] == 41  # 0 and every pass of the longest lane
    assert found["done"] == [12, 12, 12] and found["none"] == 0
    assert found["tokens"] == [sum(len(step.accepted) for step in run.steps[:12]) for run in runs]
