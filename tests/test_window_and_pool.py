"""The window and the pool, as examples one can draw."""

from __future__ import annotations

import random

import pytest

from lookahead_viz import visibility
from lookahead_viz.engine.fill import Filler
from lookahead_viz.engine.pool import NgramPool, ngrams_ending_in
from lookahead_viz.engine.verify import matched_length, verify
from lookahead_viz.engine.window import Ngram, Window, filled_window, first_window
from lookahead_viz.layout import guess_slots, pack, window_paths
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


# --- what engines do differently


def test_a_ring_ignores_repetitions_and_evicts_the_first_inserted() -> None:
    """One key, capacity 2, insertions 1, 2, 1, 3 end as {2, 3}; least recently used is {1, 3}."""
    pool = NgramPool(2, "ring")
    changes = [pool.insert(Ngram(0, (tail,)), "window") for tail in (1, 2, 1, 3)]
    assert [change.kind for change in changes] == ["added", "added", "ignored", "added"]
    assert changes[-1].evicted == (1,)
    assert pool.newest(0, 5) == ((2,), (3,))


def test_an_unlimited_pool_evicts_nothing() -> None:
    pool = NgramPool(None, "unlimited")
    for tail in range(50):
        assert pool.insert(Ngram(0, (tail,)), "window").evicted is None
    assert len(pool.newest(0, 99)) == 50


def test_levels_roll_up_once_per_token() -> None:
    """After the pass's own roll, each further token rolls again and copies the new row 0."""
    rolled = Window(((0, 1), (2, 3), (4, 5)), full=True).rolled((6, 7))
    assert rolled.rows == ((2, 3), (4, 5), (6, 7))
    assert rolled.leveled(1).rows == ((4, 5), (6, 7), (4, 5))
    assert rolled.leveled(2).rows == ((6, 7), (4, 5), (6, 7))
    assert Window(((1, 2),), full=True).leveled(3).rows == ((1, 2),)


def test_the_key_of_column_0_can_be_another_token() -> None:
    window = Window(((7, 1), (2, 3)), full=True).standing_at(9)
    assert (window.rows[0], window.covered) == ((9, 1), 7)
    assert window.ngrams((4, 5), window.covered) == [Ngram(7, (2, 4)), Ngram(1, (3, 5))]


def test_a_window_without_warm_up_is_all_fill() -> None:
    filler = Filler("constant", seed=0, prompt_ids=(4,), vocab_size=100, fill_token=8)
    window = filled_window(4, filler, window_size=3, ngram_size=3)
    assert window == Window(((4, 8, 8), (8, 8, 8)), full=True, covered=8)


def test_the_texts_that_a_window_holds() -> None:
    """Slots of a window of 3 rows and 4 columns; at most 3 tokens of each text.

    0  1  2  3
    4  5  6  7
    8  9 10 11
    """
    window = [[0] * 4] * 3
    assert window_paths(window, 3) == ((4, 8), (1, 5, 9), (1, 2, 6), (1, 2, 3))
    assert window_paths([[0, 0, 0]], 1) == ((1,),)
    assert window_paths([[0]], 1) == ()


def test_merged_candidates_by_hand() -> None:
    """Behind a window of two slots: a b c, a b d, a e f, g h i share the first a and its b."""
    a, b, c, d, e, f, g, h, i = range(10, 19)
    candidates = [(a, b, c), (a, b, d), (a, e, f), (g, h, i)]
    layout = pack([(0, 1)], candidates, position=5, merge=True)
    assert layout.token_ids == (0, 1, a, b, c, d, e, f, g, h, i)
    assert layout.parents == (-1, 0, 0, 2, 3, 3, 2, 6, 0, 8, 9)
    assert layout.positions == (5, 6, 6, 7, 8, 8, 7, 8, 6, 7, 8)
    assert layout.rows[2:] == (0, 0, 0, 1, 2, 2, 3, 3, 3)
    assert guess_slots(candidates, 2, merge=True) == ((2, 3, 4), (2, 3, 5), (2, 6, 7), (8, 9, 10))
    drawn = ["".join("1" if on else "." for on in row) for row in visibility.mask(layout)]
    assert drawn[5] == "1.11.1....."  # d sees a and b, not c
    assert drawn[7] == "1.1...11..."
    reasons = visibility.reasons(layout)
    assert reasons[5][3] == "guess_causal" and reasons[5][4] == "X4" and reasons[3][5] == "X1"
