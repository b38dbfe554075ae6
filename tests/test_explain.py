"""The sentence of every mask cell and of every pass."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from lookahead_viz import visibility
from lookahead_viz.explain import (
    RULE_NAMES,
    phase,
    read_row,
    rule_id,
    rule_ids,
    step_sentence,
    why,
    why_cells,
    why_committed,
    why_nothing_verified,
)
from lookahead_viz.layout import pack
from lookahead_viz.records import LookaheadStep, Run
from lookahead_viz.replay import mask_at
from tests.toy_runs import toy_run


@pytest.fixture(scope="module")
def run() -> Run:
    return toy_run("lookahead")


def test_rules_of_three_columns_three_rows_one_candidate() -> None:
    # slots: 0..2 row 0, 3..5 row 1, 6..8 row 2, 9..11 the candidate; read along a line, column
    # by column
    layout = pack([[0] * 3] * 3, [[0] * 3], position=7)
    drawn = [" ".join(line) for line in rule_ids(layout)]
    assert drawn == [
        "R0 X6 X6 X6 X6 X6 X6 X6 X6 X6 X6 X6",
        "R1 R0 X1 X7 X1 X1 X1 X1 X1 X5 X5 X5",
        "R1 R2 R0 X7 X7 X1 X7 X1 X1 X5 X5 X5",
        "R1 X8 X1 R0 X1 X1 X1 X1 X1 X5 X5 X5",
        "R1 R3 X8 X2 R0 X1 X7 X1 X1 X5 X5 X5",
        "R1 R3 R3 X2 X2 R0 X7 X7 X1 X5 X5 X5",
        "R1 X8 X8 R4 X3 X1 R0 X1 X1 X5 X5 X5",
        "R1 R3 X8 X3 R4 X3 X2 R0 X1 X5 X5 X5",
        "R1 R3 R3 X3 X3 R4 X2 X2 R0 X5 X5 X5",
        "R1 X5 X5 X5 X5 X5 X5 X5 X5 R0 X1 X1",
        "R1 X5 X5 X5 X5 X5 X5 X5 X5 R5 R0 X1",
        "R1 X5 X5 X5 X5 X5 X5 X5 X5 R5 R5 R0",
    ]


@pytest.mark.parametrize("config", [*itertools.product((1, 2, 5), (2, 3, 4, 6), (0, 1, 3))])
def test_every_cell_has_one_reason_and_the_counts_add_up(config: tuple[int, int, int]) -> None:
    window, ngram, candidates = config
    for rows in range(1, ngram):
        found = candidates if rows == ngram - 1 else 0
        layout = pack(
            [[0] * (window + ngram - 1 - rows)] * rows, [[0] * (ngram - 1)] * found, position=3
        )
        counts = Counter(rule for line in rule_ids(layout) for rule in line)
        on = sum(count for rule, count in counts.items() if rule.startswith("R"))
        off = sum(count for rule, count in counts.items() if rule.startswith("X"))
        assert set(counts) <= set(RULE_NAMES)
        assert on == int(visibility.mask(layout).sum())
        assert on + off == layout.slots**2


def test_every_cell_of_a_run_has_one_sentence(run: Run) -> None:
    for index, step in enumerate(run.steps):
        visible = mask_at(run, index)
        for q, k in itertools.product(range(step.layout.slots), repeat=2):
            sentence = why(run, index, q, k)
            assert sentence.endswith(".") and len(sentence) > 20
            assert rule_id(step.layout, q, k).startswith("R") == visible[q, k]


def test_sentences_of_some_cells_alone(run: Run) -> None:
    layout = run.steps[12].layout
    cells = list(itertools.product(range(layout.slots), range(layout.slots)))
    assert why_cells(layout, cells, run.token_text) == tuple(
        (rule_id(layout, q, k), why(run, 12, q, k)) for q, k in cells
    )
    assert why_cells(layout, [], run.token_text) == ()


def test_sentences_name_the_tokens(run: Run) -> None:
    # step 12, W=5, N=4: slots 0..4 row 0, 5..9 row 1, 10..14 row 2, then two candidates
    assert [why(run, 12, q, k) for q, k in ((0, 0), (0, 1), (2, 0), (2, 1), (6, 1))] == [
        "Every token sees itself.",
        "Committed text never reads guesses: that is why this line's output is exactly the greedy "
        "token, and every pass accepts at least one.",
        "‘·fib’ is the current token, committed text: every line may read it.",
        "Row 0 is ordinary left-to-right text: offset +1 comes before +2.",
        "‘····’ is the key of this n-gram, its first token (column 1).",
    ]
    assert why(run, 12, 6, 5).startswith("Same row, other n-gram: ‘····’ (+1) was guessed")
    assert why(run, 12, 7, 1) == (
        "This n-gram starts at offset +2: ‘····’ and all of row 0 up to there are its left "
        "context."
    )
    assert why(run, 12, 12, 7) == (
        "Same n-gram, 1 token earlier: ‘·fib’. Together they are ‘·fib(’."
    )
    assert why(run, 12, 16, 15) == "Earlier token of the same candidate 1: ‘(’."
    assert why(run, 12, 18, 15).startswith("Another candidate (1):")
    assert why(run, 12, 18, 3).startswith("Window and candidates are separate branches")
    assert why_committed(run, 12).startswith("Committed text (20 tokens in the cache)")


def test_reading_a_row(run: Run) -> None:
    assert read_row(run, 12, 12) == (
        "‘(’ (row 2, column 2) reads: [in the cache: 20 tokens] + current token ‘·fib’ + row 0 "
        "‘····’ ‘return’ + its own column ‘·fib’ + itself."
    )
    assert read_row(run, 12, 17) == (
        "‘):’ (candidate 1, guess 3) reads: [in the cache: 20 tokens] + current token ‘·fib’ + "
        "its own candidate ‘(’ ‘n’ + itself."
    )
    assert read_row(run, 0, 0) == ("‘⏎’ (current token) reads: [in the cache: 5 tokens] + itself.")


def test_step_sentences_of_lookahead(run: Run) -> None:
    assert step_sentence(run, 0) == (
        "Step 0 (warm-up 1 of 2): the window grows by one row, nothing is verified yet, "
        "1 token accepted."
    )
    assert step_sentence(run, 2) == (
        "Step 2: 5 n-grams entered, 0 evicted, 1 token accepted. No n-gram in the pool starts "
        "with ‘if’: this pass can only accept 1 token."
    )
    assert step_sentence(run, 12) == (
        "Step 12: 5 n-grams entered (2 refreshed), 0 evicted, 2 candidates start with ‘·fib’, "
        "longest match 3 of 3, 4 tokens accepted."
    )
    assert "1 candidate starts with ‘" in step_sentence(run, 11)
    assert step_sentence(run, -1).endswith(
        "2 tokens accepted, 2 more proven but cut off because the run ends here."
    )


def test_step_sentences_of_the_others() -> None:
    assert step_sentence(toy_run("jacobi"), 9) == (
        "Step 9, block 1, iteration 9: 6 tokens became final, 16 of 16 are final."
    )
    assert step_sentence(toy_run("greedy"), 1) == (
        "Step 1: the model's next token is ‘if’, 1 token accepted."
    )
    nothing = toy_run("lookahead", window_size=1, ngram_size=2, max_candidates=0)
    assert step_sentence(nothing, 0).endswith(
        "With G = 0 nothing is verified: each pass accepts 1 token."
    )


def test_why_nothing_is_verified(run: Run) -> None:
    for index, step in enumerate(run.steps):
        assert isinstance(step, LookaheadStep)
        assert bool(why_nothing_verified(run, index)) == (not step.verification.candidates)


def test_phases() -> None:
    def phases(run: Run) -> list[str]:
        return [phase(run, i) for i in range(len(run.steps))]

    assert phases(toy_run("lookahead"))[:3] == ["warm-up", "warm-up", "full"]
    assert phases(toy_run("lookahead", window_size=1, ngram_size=2))[0] == "full"
    assert phases(toy_run("lookahead", window_size=1, ngram_size=3))[:2] == ["warm-up", "full"]
    near = toy_run("lookahead", position_limit=30, max_new_tokens=24)
    assert phases(near)[-1] == "alone" and isinstance(near.steps[-1], LookaheadStep)
    assert "position limit is near" in step_sentence(near, -1)


def test_hostile_tokens_stay_on_one_line() -> None:
    run = toy_run("lookahead", text="hostile")
    for index in range(len(run.steps)):
        sentences = [step_sentence(run, index), read_row(run, index, 3), why(run, index, 6, 1)]
        assert all(sentence.isprintable() for sentence in sentences)
