"""Troubles of Jacobi decoding, counted by hand on four tokens."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lookahead_viz import visibility
from lookahead_viz.config import JacobiConfig
from lookahead_viz.layout import pack
from lookahead_viz.records import JacobiStep, ModelInfo, Run
from lookahead_viz.troubles import (
    TROUBLES,
    Trouble,
    displaced,
    displaced_ngrams,
    flips,
    in_place,
    low_yield,
    overwritten_ngrams,
    trouble_sentence,
    troubles,
)
from lookahead_viz.views.jacobi import jacobi_view
from tests.toy_runs import toy_run

A, B, C, D, X, Y = range(6)


def drawn(*iterates: tuple[int, ...]) -> Run:
    """A Jacobi run of one block from its iterates, start fill first; the last one is final."""
    steps, frozen = [], 0
    for index, (before, after) in enumerate(zip(iterates, iterates[1:], strict=False)):
        same = next((i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b), 4)
        now = min(len(after), same + 1)
        layout = pack([(Y, *before[:-1])], position=0)
        steps.append(
            JacobiStep(
                index=index,
                block=0,
                iteration=index,
                layout=layout,
                predictions=after,
                iterate=before,
                next_iterate=after,
                frozen=now,
                accepted=after[frozen:now],
                kept_slots=(),
                mask_sha256=visibility.mask_digest(layout),
            )
        )
        frozen = now
    return Run(
        method="jacobi",
        config=JacobiConfig(block_size=4, max_new_tokens=4),
        model=ModelInfo("drawn"),
        prompt_ids=(Y,),
        stop_ids=(),
        prompt_pool_changes=(),
        steps=tuple(steps),
        token_text=dict(enumerate("ABCDXY")),
    )


#  output token 0  1  2  3
DISPLACED = drawn((X, X, X, X),   # start fill
                  (A, C, D, X),   # pass 0: A is final; CD is right, but one place too far left
                  (A, B, X, D),   # pass 1: CD was overwritten; D is right by luck
                  (A, B, C, X),   # pass 2: D, which was right, is lost
                  (A, B, C, D))  # pass 3  # fmt: skip
IN_PLACE = drawn((X, X, X, X),
                 (A, X, C, D),    # pass 0: CD stands right, but nothing holds it
                 (A, B, X, D),    # pass 1: the n-gram CD was overwritten, C is lost
                 (A, B, C, X),    # pass 2: D is lost
                 (A, B, C, D))  # pass 3  # fmt: skip
LUCKY = drawn((X, X, X, X),
              (A, X, C, D),
              (A, B, C, D),
              (A, B, C, D))  # pass 2: C and D were right, both are final now  # fmt: skip


@pytest.mark.parametrize("run", [DISPLACED, IN_PLACE, LUCKY])
def test_the_drawn_runs_are_possible_ones(run: Run) -> None:
    assert run.token_ids == (A, B, C, D)


def test_a_token_that_was_right_is_lost() -> None:
    assert flips(DISPLACED) == (Trouble("flip", step=2, x=3),)
    assert flips(IN_PLACE) == (Trouble("flip", step=1, x=2), Trouble("flip", step=2, x=3))
    assert flips(LUCKY) == ()


def test_an_ngram_stands_at_the_wrong_place() -> None:
    assert displaced_ngrams(DISPLACED) == (Trouble("displaced", 0, x=1, length=2, shift=1),)
    assert displaced_ngrams(IN_PLACE) == displaced_ngrams(LUCKY) == ()


def test_an_ngram_is_overwritten() -> None:
    assert overwritten_ngrams(DISPLACED) == (Trouble("overwritten", 1, x=1, length=2, shift=1),)
    assert overwritten_ngrams(IN_PLACE) == (Trouble("overwritten", 1, x=2, length=2, shift=0),)
    assert overwritten_ngrams(LUCKY) == ()


def test_a_pass_gives_one_token() -> None:
    assert [one.step for one in low_yield(DISPLACED)] == [0, 1, 2, 3]
    assert low_yield(LUCKY) == (Trouble("low yield", 0, x=0), Trouble("low yield", 1, x=1))


def test_every_trouble_in_words() -> None:
    assert [trouble_sentence(DISPLACED, one) for one in troubles(DISPLACED)[:4]] == [
        "pass 2, output token 3: the right ‘D’ became ‘X’",
        "pass 0, output token 1: ‘CD’ belongs 1 place to the right",
        "pass 1, output token 1: the right ‘CD’ (which belongs 1 place to the right) became ‘BX’",
        "pass 0, output token 0: one token",
    ]
    assert {one.kind for one in troubles(DISPLACED)} == set(TROUBLES)


def test_what_is_right_in_place_is_not_displaced() -> None:
    """In a text that repeats itself, the same tokens stand at many places."""
    assert displaced((A, A, A, A), (A, A, A, A)) == ()
    assert displaced((B, A, B, A), (A, B, A, B)) != ()
    (ngram,) = displaced((B, A, B, A), (A, B, A, B))
    assert (ngram.start, ngram.length, ngram.shift) == (0, 3, 1)  # the fourth has no place left


def test_the_longest_then_the_nearest_place_wins() -> None:
    final = (A, B, C, A, B, D)
    (ngram,) = displaced((X, X, A, B, X, X), final)
    assert (ngram.start, ngram.length, ngram.shift) == (2, 2, 1)
    (longer,) = displaced((X, A, B, C, X, X), final)
    assert (longer.start, longer.length, longer.shift) == (1, 3, -1)


def test_runs_in_place_end_where_a_token_is_wrong() -> None:
    found = in_place((A, B, X, C, D, D), (A, B, C, C, D, D), since=0)
    assert [(ngram.start, ngram.length) for ngram in found] == [(0, 2), (3, 3)]
    assert in_place((A, B, X), (A, B, C), since=1) == ()


@pytest.mark.parametrize("text", ["code", "story"])
def test_counts_agree_with_the_sheet(text: str) -> None:
    """The flips are the sheet's; an n-gram in place is overwritten only where a token flips."""
    run = toy_run("jacobi", text=text, block_size=8)
    sheet = jacobi_view(run, 0)
    assert {(one.step, one.x) for one in flips(run)} == {
        (cell.y, cell.x) for cell in sheet.cells if cell.flipped
    }
    places = {(one.step, one.x) for one in flips(run)}
    for one in overwritten_ngrams(run):
        if not one.shift:
            assert any((one.step, x) in places for x in range(one.x, one.x + one.length))
    for one in troubles(run):
        assert trouble_sentence(run, one).startswith(f"pass {one.step}, output token {one.x}")


def test_a_stopped_run_has_no_final_text() -> None:
    run = toy_run("jacobi", stop_after=8)
    assert {one.kind for one in troubles(run)} <= {"low yield"}
    assert troubles(toy_run("greedy")) == troubles(toy_run("lookahead")) == ()


def test_what_a_stop_id_cut_off_counts_as_proven() -> None:
    run = toy_run("jacobi", block_size=8)
    step = run.steps[0]
    cut = replace(step, accepted=step.accepted[:1], discarded=(*step.accepted[1:], X))
    assert low_yield(replace(run, steps=(cut,))) == ()
