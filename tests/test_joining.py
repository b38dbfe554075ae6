"""Run files opened together, and runs of one name: who is compared with whom, and how called."""

from __future__ import annotations

from dataclasses import replace

from lookahead_viz.comparison import Comparison, distinct_labels
from lookahead_viz.config import JacobiConfig, LookaheadConfig
from lookahead_viz.lanes.payload import lanes_payload
from lookahead_viz.records import Run
from lookahead_viz.ui.joining import Opened, joined
from lookahead_viz.views.race import equality, race_view
from lookahead_viz.views.race_table import partings, verdict_on_texts
from tests.toy_runs import toy_run


def opened(*runs: Run) -> list[Opened]:
    return [Opened(f"{'abcd'[number]}.json.gz", run) for number, run in enumerate(runs)]


def test_runs_of_one_prompt_and_model_are_one_comparison_in_the_order_of_methods() -> None:
    (found,) = joined(opened(toy_run("lookahead"), toy_run("jacobi"), toy_run("greedy")))
    assert [run.method for run in found.runs] == ["greedy", "jacobi", "lookahead"]
    assert found.name == "Uploaded files" and found.note.startswith("3 run files of one prompt")
    assert verdict_on_texts(found) == (True, "The texts of all 3 are identical, 40/40 tokens.")


def test_another_prompt_or_model_stands_alone_and_says_why() -> None:
    run = toy_run("jacobi")
    elsewhere = replace(run, model=replace(run.model, name="another"))
    story = replace(run, prompt_ids=run.prompt_ids[1:])
    first, *alone = joined(opened(elsewhere, run, toy_run("greedy"), story))
    assert [one.method for one in first.runs] == ["greedy", "jacobi"]
    assert [one.runs for one in alone] == [(elsewhere,), (story,)]
    assert "‘a.json.gz’ was recorded with another model than the others" in alone[0].note
    assert "‘d.json.gz’ decodes another prompt than the others" in alone[1].note
    assert len({one.name for one in (first, *alone)}) == 3


def test_a_single_file_is_a_single_run() -> None:
    (found,) = joined(opened(toy_run("greedy")))
    assert (found.name, found.note[:12]) == ("Uploaded file", "A single run")


def test_runs_of_one_name_are_told_apart_by_what_differs() -> None:
    run = toy_run("jacobi")
    other = replace(run, config=JacobiConfig(seed=3, max_new_tokens=40))
    half = replace(run, model=replace(run.model, dtype="bfloat16"))
    assert distinct_labels([run, other]) == ["Jacobi n=16, seed 0", "Jacobi n=16, seed 3"]
    assert distinct_labels([run, half]) == ["Jacobi n=16, float32", "Jacobi n=16, bfloat16"]
    assert distinct_labels([run, run, toy_run("greedy")]) == [
        "Jacobi n=16",
        "Jacobi n=16 #2",
        "Greedy",
    ]
    lookahead = toy_run("lookahead")
    bounded = replace(lookahead, config=LookaheadConfig(pool_per_key=2, max_new_tokens=40))
    for runs in ([run, other, half, run], [lookahead, bounded]):
        labels = Comparison("x", tuple(runs)).labels
        assert len(set(labels)) == len(labels), labels


def test_every_lane_has_its_own_name() -> None:
    run = toy_run("jacobi")
    other = replace(run, config=JacobiConfig(seed=3, max_new_tokens=40))
    found = Comparison("x", (toy_run("greedy"), run, other))
    names = ["Greedy", "Jacobi n=16, seed 0", "Jacobi n=16, seed 3"]
    assert [lane.label for lane in race_view(found).lanes] == names
    assert [lane["label"] for lane in lanes_payload(found)["lanes"]] == names


def parted(run: Run, token: int = 0) -> Run:
    """The same run with another token in the first step."""
    first = replace(run.steps[0], accepted=(token, *run.steps[0].accepted[1:]))
    return replace(run, steps=(first, *run.steps[1:]))


def test_without_greedy_the_texts_are_compared_with_each_other() -> None:
    jacobi, lookahead = toy_run("jacobi"), toy_run("lookahead")
    found = Comparison("x", (jacobi, lookahead))
    assert found.baseline is None and found.reference is jacobi
    same, said = verdict_on_texts(found)
    assert same is True and said == (
        "The texts of both are identical, 40/40 tokens. Greedy was not run: the texts are "
        "compared with each other."
    )
    assert equality(lookahead, found.reference) == (
        True,
        "identical: 40/40 tokens (compared with Jacobi n=16: greedy was not run)",
    )
    assert equality(jacobi, found.reference)[0] is None
    assert Comparison("x", (jacobi,)).reference is None


def test_without_greedy_a_difference_is_shown_too() -> None:
    found = Comparison("x", (toy_run("jacobi"), parted(toy_run("lookahead"))))
    same, said = verdict_on_texts(found)
    assert same is False and "Lookahead W=5 N=4 G=5 part from that of Jacobi n=16." in said
    (parting,) = partings(found)
    assert parting.sentence.startswith("first difference at token 0")
    assert [lane["differs"] for lane in lanes_payload(found)["lanes"]] == [None, 0]
