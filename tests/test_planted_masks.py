"""A wrong mask is caught by the path check, whichever rule or cell is wrong.

Equality with greedy cannot do this: dropping a window rule changes no output token, only the
acceptance. So every rule is removed, one cell added, one cell exchanged for another of the same
position, and each must raise ``WrongPath``.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

import numpy as np
import pytest

from lookahead_viz import visibility
from lookahead_viz.config import LookaheadConfig
from lookahead_viz.engine.lookahead import lookahead_steps
from lookahead_viz.layout import pack
from lookahead_viz.records import StepLayout
from lookahead_viz.visibility import BoolMatrix
from tests.fakes import FakeRunner, WrongPath, hash_model

PROMPT = (3, 1, 4, 1, 5)
SIZES = list(itertools.product(range(1, 9), range(2, 7), range(5)))  # W, N, G

MaskOf = Callable[[StepLayout], BoolMatrix]


def decode(mask_of: MaskOf, window_size: int, ngram_size: int, max_candidates: int) -> int:
    """Decode with a planted mask; the tokens emitted. A memory of one makes candidates abound."""
    model = hash_model(vocab_size=4, memory=1)
    config = LookaheadConfig(
        window_size=window_size,
        ngram_size=ngram_size,
        max_candidates=max_candidates,
        max_new_tokens=24,
    )
    runner = FakeRunner(model, vocab_size=4)
    steps = lookahead_steps(runner, PROMPT, config, frozenset(), mask_of=mask_of)
    return sum(len(step.accepted) for step in steps)


def without(rule: str) -> tuple[MaskOf, list[int]]:
    """The mask without one rule, and a list that collects how many cells that took away."""
    taken: list[int] = []

    def mask_of(layout: StepLayout) -> BoolMatrix:
        holds = visibility.rules(layout)[rule]
        taken.append(int(holds.sum()))
        return visibility.mask(layout) & ~holds

    return mask_of, taken


@pytest.mark.parametrize("rule", visibility.RULES)
def test_every_rule_is_needed_at_every_size_where_it_has_a_cell(rule: str) -> None:
    caught = 0
    for size in SIZES:
        mask_of, taken = without(rule)
        try:
            decode(mask_of, *size)
        except WrongPath:
            caught += 1
            assert taken[-1] > 0
        else:
            assert sum(taken) == 0, f"{rule} removed at W, N, G = {size} went unnoticed"
    assert caught >= 8


def planted(change: Callable[[BoolMatrix, StepLayout, random.Random], bool], seed: int) -> MaskOf:
    """The right mask until the first step where ``change`` finds a cell to change."""
    rng = random.Random(seed)
    done = False

    def mask_of(layout: StepLayout) -> BoolMatrix:
        nonlocal done
        mask = visibility.mask(layout).copy()
        if not done and layout.slots > 4:
            done = change(mask, layout, rng)
        return mask

    return mask_of


def add_cell(mask: BoolMatrix, layout: StepLayout, rng: random.Random) -> bool:
    hidden = np.argwhere(~mask)
    if not len(hidden):
        return False
    row, column = rng.choice(hidden.tolist())
    mask[row, column] = True
    return True


def exchange_cell(mask: BoolMatrix, layout: StepLayout, rng: random.Random) -> bool:
    """See another slot of the same position instead of the right one: density stays right."""
    pairs = [
        (row, right, wrong)
        for row, right, wrong in itertools.product(range(layout.slots), repeat=3)
        if mask[row, right]
        and not mask[row, wrong]
        and layout.positions[right] == layout.positions[wrong]
        and layout.token_ids[right] != layout.token_ids[wrong]
    ]
    if not pairs:
        return False
    row, right, wrong = rng.choice(pairs)
    mask[row, right], mask[row, wrong] = False, True
    return True


@pytest.mark.parametrize("change", [add_cell, exchange_cell])
@pytest.mark.parametrize("seed", range(30))
def test_one_wrong_cell_is_caught(
    change: Callable[[BoolMatrix, StepLayout, random.Random], bool], seed: int
) -> None:
    with pytest.raises(WrongPath):
        decode(planted(change, seed), 5, 4, 3)


def test_the_right_mask_passes() -> None:
    for size in SIZES:
        assert decode(visibility.mask, *size) == 24


def test_three_columns_3_rows_one_candidate_by_hand() -> None:
    """W=3, N=4, one candidate: window 3 x 3 and three guesses, 12 slots."""
    layout = pack([(9, 1, 2), (3, 4, 5), (6, 7, 8)], [(10, 11, 12)], position=20)
    drawn = ["".join("1" if on else "." for on in row) for row in visibility.mask(layout)]
    assert drawn == [
        "1...........",
        "11..........",
        "111.........",
        "1..1........",
        "11..1.......",
        "111..1......",
        "1..1..1.....",
        "11..1..1....",
        "111..1..1...",
        "1........1..",
        "1........11.",
        "1........111",
    ]
    assert layout.positions == (20, 21, 22, 21, 22, 23, 22, 23, 24, 21, 22, 23)


@pytest.mark.parametrize("size", [(1, 1, 0), (1, 4, 0), (3, 2, 2), (3, 4, 2), (2, 5, 3)])
def test_rules_equal_parents(size: tuple[int, int, int]) -> None:
    """A line of the mask is its parent's line plus itself."""
    rows, cols, candidates = size
    window = [[1] * cols for _ in range(rows)]
    layout = pack(window, [[2] * max(rows, 2)] * candidates, position=5)
    mask = visibility.mask(layout)
    for slot, parent in enumerate(visibility.parents(layout)):
        row = mask[parent].copy() if parent >= 0 else np.zeros(layout.slots, dtype=bool)
        row[slot] = True
        assert (mask[slot] == row).all()


def test_rules_are_disjoint_and_every_cell_has_a_reason() -> None:
    layout = pack([(0, 1, 2), (3, 4, 5), (6, 7, 8)], [(9, 10), (11, 12)], position=0)
    assert np.sum([*visibility.rules(layout).values()], axis=0).max() == 1
    reasons = np.array(visibility.reasons(layout))
    assert (np.isin(reasons, visibility.RULES) == visibility.mask(layout)).all()
    assert set(reasons.ravel()) == set(visibility.RULES) | set(visibility.HIDDEN)


@pytest.mark.parametrize(
    ("row", "column", "reason"),
    [
        (0, 3, "X6"),  # the current token reads nothing but itself
        (4, 9, "X5"),  # a window cell reads no guess
        (9, 4, "X5"),  # a guess reads no window cell
        (11, 9, "X4"),  # another candidate
        (1, 2, "X1"),  # later in row 0
        (4, 3, "X2"),  # same row, other n-gram
        (8, 3, "X3"),  # an older row, another column
        (5, 6, "X7"),  # a newer row
        (6, 1, "X8"),  # row 0, right of the own column
        (4, 1, "base_row"),
        (7, 4, "same_column"),
        (10, 9, "guess_causal"),
        (10, 0, "guess_sees_current"),
    ],
)
def test_reasons_by_hand(row: int, column: int, reason: str) -> None:
    """Three rows of three columns and two candidates of two guesses."""
    layout = pack([(0, 1, 2), (3, 4, 5), (6, 7, 8)], [(9, 10), (11, 12)], position=0)
    assert visibility.reasons(layout)[row][column] == reason
