"""The window and the pool, as examples one can draw."""

from __future__ import annotations

import random

import pytest

from lookahead_viz.engine.fill import Filler
from lookahead_viz.engine.pool import NgramPool, ngrams_ending_in
from lookahead_viz.engine.verify import matched_length, verify
from lookahead_viz.engine.window import Ngram, Window, first_window
from lookahead_viz.records import PoolChange


def test_columns_read_downwards_are_the_ngrams() -> None:
    """W=5, N=4: the insertion vector of the original implementation."""
    window = Window(
        ((10, 11, 12, 13, 14), (21, 22, 23, 24, 25), (31, 32, 33, 34, 35)),
        full=True,
    )
    assert window.ngrams((41, 42, 43, 44, 45)) == [
        Ngram(10, (21, 31, 41)),
        Ngram(11, (22, 32, 42)),
        Ngram(12, (23, 33, 43)),
        Ngram(13, (24, 34, 44)),
        Ngram(14, (25, 35, 45)),
    ]


def test_warm_up_adds_a_row_and_drops_the_left_column() -> None:
    """W=2, N=4: R grows 1, 2, 3 while C shrinks 4, 3, 2."""
    window = first_window(0, (1, 2, 3), ngram_size=4)
    assert window == Window(((0, 1, 2, 3),), full=False)
    window = window.grown((10, 11, 12, 13), ngram_size=4).standing_at(10)
    assert window == Window(((10, 2, 3), (11, 12, 13)), full=False, covered=1)
    window = window.grown((20, 21, 22), ngram_size=4).standing_at(50)
    assert window == Window(((50, 3), (12, 13), (21, 22)), full=True, covered=2)


def test_rolling_up_drops_the_oldest_row() -> None:
    window = Window(((0, 1, 2), (3, 4, 5)), full=True).rolled((6, 7, 8)).standing_at(9)
    assert window == Window(((9, 4, 5), (6, 7, 8)), full=True, covered=3)


def test_bigrams_need_no_warm_up() -> None:
    window = first_window(0, (1, 2), ngram_size=2)
    assert window.full
    assert window.ngrams((7, 8, 9)) == [Ngram(0, (7,)), Ngram(1, (8,)), Ngram(2, (9,))]


def test_sliding_refills_every_row_at_the_right() -> None:
    filler = Filler("repeat", seed=0, prompt_ids=(4, 99), vocab_size=100)
    window = Window(((0, 1, 2), (3, 4, 5)), full=True)
    assert window.slid(2, filler).rows == ((2, 99, 99), (5, 99, 99))
    assert window.slid(7, filler).rows == ((99, 99, 99), (99, 99, 99))


def test_prompt_fill_draws_one_choice_per_cell() -> None:
    prompt = (1, 42, 74, 90, 26, 16)
    rng = random.Random(3)
    expected = tuple(rng.choice(prompt) for _ in range(6))
    filler = Filler("prompt", seed=3, prompt_ids=prompt, vocab_size=100)
    assert filler.tokens(6) == expected


def test_pool_evicts_the_least_recently_inserted() -> None:
    """One key, capacity 2, insertions 1, 2, 1, 3 end as {1, 3}."""
    pool = NgramPool(2)
    changes = [pool.insert(Ngram(0, (tail,)), "window") for tail in (1, 2, 1, 3)]
    assert changes == [
        PoolChange(0, (1,), "added", "window"),
        PoolChange(0, (2,), "added", "window"),
        PoolChange(0, (1,), "refreshed", "window"),
        PoolChange(0, (3,), "added", "window", evicted=(2,)),
    ]
    assert pool.newest(0, 5) == ((1,), (3,))
    assert pool.newest(0, 1) == ((3,),)
    assert pool.newest(0, 0) == pool.newest(7, 3) == ()


def test_ngrams_of_a_text_in_order() -> None:
    text = (0, 1, 2, 3, 4, 5)
    assert [ngram.key for ngram in ngrams_ending_in(text, 6, 4)] == [0, 1, 2]
    assert ngrams_ending_in(text, 1, 3) == [Ngram(3, (4, 5))]
    assert ngrams_ending_in((0, 1), 2, 3) == []


@pytest.mark.parametrize(
    ("candidate", "predictions", "matched"),
    [
        ((5, 6, 7), (6, 7, 8), 3),  # all three right, 8 is the bonus
        ((5, 6, 9), (6, 7, 8), 2),
        ((5, 9, 7), (6, 7, 8), 1),
        ((9, 6, 7), (6, 7, 8), 0),
    ],
)
def test_walk(candidate: tuple[int, ...], predictions: tuple[int, ...], matched: int) -> None:
    assert matched_length(candidate, 5, predictions) == matched


def test_the_first_longest_match_wins_and_brings_a_bonus() -> None:
    candidates, predictions = [(9, 9), (5, 1), (5, 2)], [(0, 0), (6, 0), (6, 0)]
    seen = verify(candidates, 5, predictions)
    assert (seen.matched, seen.winner) == ((0, 1, 1), 1)
    assert seen.proven(5) == (5, 6)


def test_original_accept_caps_before_it_compares() -> None:
    """A full match counts N - 2 = 1 and so loses to an earlier candidate of the same length."""
    candidates, predictions = [(5, 9), (5, 6)], [(6, 0), (6, 7)]
    assert verify(candidates, 5, predictions).proven(5) == (5, 6, 7)
    seen = verify(candidates, 5, predictions, cap=1)
    assert (seen.matched, seen.winner, seen.proven(5)) == ((1, 1), 0, (5, 6))


def test_without_candidates_only_the_models_own_token_is_proven() -> None:
    seen = verify([], 5, [])
    assert (seen.winner, seen.proven(5)) == (None, (5,))
