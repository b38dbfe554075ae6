"""Arrays of every convention are read as the same booleans; what is no mask is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from lookahead_viz import visibility
from lookahead_viz.layout import pack
from lookahead_viz.masklab.normalise import (
    MOST_ROWS,
    POLARITIES,
    ReadMask,
    UnreadableMask,
    normalise,
)

RIGHT = visibility.mask(pack([[0] * 5] * 3, [[0] * 3] * 2, position=0))
BFLOAT16_MINIMUM = float(torch.finfo(torch.bfloat16).min)


def additive(floor: float, dtype: type = np.float32) -> np.ndarray[Any, Any]:
    return np.where(RIGHT, 0, floor).astype(dtype)


def same(read: ReadMask) -> bool:
    return bool((read.mask == RIGHT).all())


@pytest.mark.parametrize(
    "mask",
    [
        RIGHT,
        RIGHT.astype(np.uint8),
        RIGHT.tolist(),
        RIGHT.astype(int).tolist(),
        torch.from_numpy(RIGHT.copy()),
        additive(-np.inf),
        additive(-1e9),
        additive(-65504, np.float16),
        additive(float(np.finfo(np.float32).min)),
        additive(-1e9, np.float64).tolist(),
        torch.tensor(additive(-np.inf)).to(torch.bfloat16),
        np.where(RIGHT, 0, -10000),
        torch.from_numpy(RIGHT.astype(int)).to_sparse(),
        torch.from_numpy(RIGHT.astype(np.float32)).requires_grad_(),
        memoryview(RIGHT.copy().data),
        [row for row in RIGHT],
        tuple(map(tuple, RIGHT.tolist())),
        RIGHT[None],
        RIGHT[None, None],
        np.stack([RIGHT] * 4),
        RIGHT.astype(np.float32),
        RIGHT * 255,
    ],
)
def test_conventions(mask: Any) -> None:
    read = normalise(mask)
    assert same(read) and read.committed == 0 and not read.inverted
    assert any("may attend" in said for said in read.statements)


@pytest.mark.parametrize("committed", [1, 37])
def test_committed_columns_are_found(committed: int) -> None:
    whole = np.hstack([np.ones((21, committed), dtype=bool), RIGHT])
    read = normalise(whole[None, None])
    assert same(read) and read.committed == committed and read.prefix.all()
    assert f"first {committed} column" in " ".join(read.statements)
    with_rows = normalise(whole, committed=committed + 1)
    assert with_rows.committed == committed + 1 and with_rows.size == 20
    with pytest.raises(UnreadableMask, match="committed"):
        normalise(whole, committed=committed - 1)


@pytest.mark.parametrize(
    "mask", [~RIGHT, 1 - RIGHT.astype(int), np.where(RIGHT, -np.inf, 0), (~RIGHT).astype(float)]
)
def test_the_opposite_polarity_is_seen_and_said(mask: Any) -> None:
    read = normalise(mask)
    assert same(read) and read.inverted
    told = normalise(~RIGHT, polarity="keep=0")
    assert same(told) and not told.inverted
    assert (normalise(~RIGHT, polarity="keep=1").mask == ~RIGHT).all()


def test_an_upside_down_mask_is_not_an_inverted_one() -> None:
    for mask in (RIGHT.T, RIGHT & ~np.eye(21, dtype=bool), np.ones((21, 21)), np.tri(21).T):
        assert not normalise(mask).inverted


@pytest.mark.parametrize(
    ("mask", "words"),
    [
        (RIGHT.astype(float), "transformers adds"),
        (RIGHT, "eager"),
        (additive(-10), "weak"),
        (np.where(np.arange(21) == 3, -np.inf, additive(-np.inf).T).T, "hidden throughout"),
        (additive(-np.inf) - np.arange(21) * 0.25, "bias"),
    ],
)
def test_warnings(mask: Any, words: str) -> None:
    assert words in " ".join(normalise(mask).warnings)


@pytest.mark.parametrize(
    ("mask", "words"),
    [
        (None, "NoneType"),
        ("101", "str"),
        ({"a": 1}, "dict"),
        (3, "int"),
        ([], "empty"),
        ([1, 0], "1 dimension"),
        ([[1, 0], [1]], "differ in length"),
        ([[1, 0], 1], "mixes"),
        ([[1, 0], [1, None]], "object"),
        ([["a", "b"], ["c", "d"]], "text"),
        ([[[[[[[[[1]]]]]]]]], "nested"),
        (np.zeros((0, 4)), "empty"),
        (np.zeros((3, 2)), "3 lines but 2 columns"),
        (np.zeros((3, 3), dtype=complex), "complex"),
        (np.zeros((3, 3), dtype=object), "object"),
        (np.full((3, 3), np.nan), "NaN"),
        (np.full((3, 3), 0.3), "attention weights"),
        (np.arange(9).reshape(3, 3), "0 to 8"),
        (np.broadcast_to(np.False_, (MOST_ROWS + 1, MOST_ROWS + 1)), "too large"),
        (np.broadcast_to(np.False_, (10_000, 4000, 4000)), "too large"),
        (np.stack([RIGHT, ~RIGHT]), "differ"),
        (torch.empty(3, 3, device="meta"), "cannot be read"),
        (torch.sparse_coo_tensor(size=(100_000, 100_000), check_invariants=False), "too large"),
        (np.ma.masked_equal(np.tri(3), 0), "masked cells"),
        (np.zeros((2, 2), dtype="M8[s]"), "date"),
    ],
)
def test_what_is_no_mask_is_refused_in_one_sentence(mask: Any, words: str) -> None:
    with pytest.raises(UnreadableMask, match=words) as refused:
        normalise(mask)
    assert "\n" not in str(refused.value) and str(refused.value).endswith(".")


def test_a_mask_of_weights_is_refused_whatever_is_told() -> None:
    for polarity in POLARITIES:
        with pytest.raises(UnreadableMask):
            normalise(np.full((3, 3), 0.3), polarity=polarity)
    with pytest.raises(UnreadableMask, match="polarity"):
        normalise(RIGHT, polarity="yes")  # type: ignore[arg-type]
