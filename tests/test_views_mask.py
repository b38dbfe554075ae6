"""The mask view: every cell with its rule and its sentence, every slot in the table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lookahead_viz.records import Run
from lookahead_viz.replay import mask_at, mask_proved
from lookahead_viz.views.mask import LONG, MaskGroup, mask_view
from tests.toy_runs import toy_run


@pytest.fixture(scope="module")
def run() -> Run:
    return toy_run("lookahead")


def test_groups_are_rows_and_candidates(run: Run) -> None:
    view = mask_view(run, 12)  # W=5, N=4, two candidates
    assert view.groups == (
        MaskGroup("row 0", "r0", "window", 0, 5),
        MaskGroup("row 1", "r1", "window", 5, 10),
        MaskGroup("row 2", "r2", "window", 10, 15),
        MaskGroup("candidate 1", "c1", "guess", 15, 18),
        MaskGroup("candidate 2", "c2", "guess", 18, 21),
    )
    assert (view.slots, view.cached) == (21, 20)
    assert view.prefix == "the committed text in the cache (20 tokens)"
    assert view.tokens[:5] == ("·fib", "····", "return", "·fib", "(")


def test_rules_are_the_mask_of_the_step(run: Run) -> None:
    for index in range(len(run.steps)):
        view = mask_view(run, index)
        on = [[rule[0] == "R" for rule in line] for line in view.rules]
        assert on == mask_at(run, index).tolist()
        assert mask_proved(run, index)


def test_a_mask_that_did_not_run_is_not_proved(run: Run) -> None:
    forged = replace(run, steps=(replace(run.steps[0], mask_sha256="0" * 64), *run.steps[1:]))
    assert [mask_proved(forged, i) for i in (0, 1)] == [False, True]


def test_every_cell_has_its_sentence(run: Run) -> None:
    view = mask_view(run, 12)
    assert [len(line) for line in view.sentences] == [21] * 21
    assert view.sentences[12][7].startswith("Same n-gram, 1 token earlier")


def test_the_slot_table_is_the_layout(run: Run) -> None:
    table = mask_view(run, 12).slot_table
    assert list(table.columns) == [
        "slot",
        "kind",
        "where",
        "position",
        "parent",
        "token",
        "prediction",
    ]
    lines = table.to_numpy().tolist()
    assert lines[0] == [0, "current", "current token", 20, "the cache", "·fib", "("]
    assert lines[4] == [4, "window", "row 0, column 4", 24, "3", "(", "not used"]
    assert lines[12] == [12, "window", "row 2, column 2", 24, "7", "(", "1"]
    assert lines[15][:5] == [15, "guess", "candidate 1, guess 1", 21, "0"]
    assert lines[17][:5] == [17, "guess", "candidate 1, guess 3", 23, "16"]


def test_other_methods_have_masks_too() -> None:
    jacobi = mask_view(toy_run("jacobi"), 3)
    assert (jacobi.slots, [group.name for group in jacobi.groups]) == (16, ["row 0"])
    greedy = mask_view(toy_run("greedy"), 3)
    assert (greedy.slots, greedy.rules, greedy.cached) == (1, (("R0",),), 8)


def test_very_long_blocks_have_words_instead_of_sentences() -> None:
    view = mask_view(toy_run("jacobi", block_size=LONG + 1, max_new_tokens=LONG + 1), 0)
    assert view.sentences[1][:3] == ("committed text", "the token itself", "later position")


def test_a_run_without_steps_says_so() -> None:
    view = mask_view(toy_run("lookahead", stop_after=0), 0)
    assert (view.slots, view.sentence) == (0, "This run has no passes yet.")
