"""The text by source and the metrics: every number with what is counted and per what."""

from __future__ import annotations

import pytest

from lookahead_viz.records import Run
from lookahead_viz.views.acceptance import acceptance_view
from lookahead_viz.views.text import text_view, token_sources
from tests.toy_runs import toy_run


@pytest.fixture(scope="module")
def run() -> Run:
    return toy_run("lookahead")


def test_sources_of_the_accepted_tokens(run: Run) -> None:
    assert token_sources(run.steps[0]) == ("bonus",)
    assert token_sources(run.steps[12]) == ("guess", "guess", "guess", "bonus")
    assert token_sources(run.steps[-1]) == ("guess", "guess")  # cut by the length
    assert token_sources(toy_run("greedy").steps[0]) == ("greedy",)
    assert token_sources(toy_run("jacobi").steps[9]) == ("jacobi",) * 6


def test_text_after_a_step(run: Run) -> None:
    spans = text_view(run, 12).spans
    assert [span.source for span in spans[:6]] == ["prompt"] * 6
    assert "".join(span.text for span in spans[:6]) == "def·fib(n):⏎"
    assert [(span.text, span.source, span.step) for span in spans if span.this_step] == [
        ("(", "guess", 12),
        ("n", "guess", 12),
        ("·-", "guess", 12),
        ("·", "bonus", 12),
    ]
    assert [span.position for span in spans] == list(range(len(spans)))
    assert [span.line_breaks for span in spans[:6]] == [0, 0, 0, 0, 0, 1]
    assert all(span.final for span in spans)


def test_the_last_text_is_the_whole_text(run: Run) -> None:
    spans = text_view(run, -1).spans
    assert tuple(span.token for span in spans) == run.prompt_ids + run.token_ids


def test_jacobi_guesses_are_not_final() -> None:
    run = toy_run("jacobi")
    spans = text_view(run, 8).spans  # 10 of 16 are frozen
    assert [span.final for span in spans[6:]] == [True] * 10 + [False] * 6
    assert tuple(s.token for s in text_view(run, -1).spans) == run.prompt_ids + run.token_ids


def test_bars_and_sums(run: Run) -> None:
    view = acceptance_view(run, 12)
    assert [(bar.guesses, bar.own) for bar in view.bars[9:14]] == [
        (0, 1),
        (0, 1),
        (3, 1),
        (3, 1),
        (0, 1),
    ]
    assert [bar.warm_up for bar in view.bars[:3]] == [True, True, False]
    assert (view.cumulative[-1], len(view.tokens)) == (40, 40)
    assert view.lengths == ((1, 18), (2, 1), (4, 5))
    assert view.cursor == 12


def test_a_run_without_steps_says_so() -> None:
    empty = toy_run("lookahead", stop_after=0)
    assert acceptance_view(empty, 0).sentence == "This run has no passes yet."
    assert [span.source for span in text_view(empty, 0).spans] == ["prompt"] * 6
