"""Reading logits: the same tokens and probabilities as by the plain operations, ties included."""

from __future__ import annotations

import pytest
import torch

from lookahead_viz.engine.readout import (
    BLOCK,
    FEW,
    first,
    largest,
    probabilities,
    rounded,
    significant,
    spread,
)

WIDE = BLOCK * BLOCK + 37  # searched in blocks, with a rest
assert 40 * WIDE > FEW  # so that 40 rows are read in blocks


@pytest.mark.parametrize("width", [11, 500, WIDE - 37, WIDE])
@pytest.mark.parametrize("count", [2, 5, 11])
@pytest.mark.parametrize("rows", [7, 40])  # of WIDE ones 40 are more than FEW
def test_the_largest_are_those_of_topk(width: int, count: int, rows: int) -> None:
    torch.manual_seed(0)
    logits = torch.randn(rows, width)
    values, ids = largest(logits, count)
    expected = logits.topk(count)
    assert torch.equal(values, expected.values) and torch.equal(ids, expected.indices)
    chances = probabilities(logits, ids)
    assert torch.allclose(chances, logits.softmax(-1).gather(1, ids))


@pytest.mark.parametrize("width", [11, WIDE])
@pytest.mark.parametrize("places", [(3, 7), (7, 3, 10), tuple(range(11))])
@pytest.mark.parametrize("end", [False, True])
def test_of_equal_logits_the_lowest_id_is_first(
    width: int, places: tuple[int, ...], end: bool
) -> None:
    """As argmax and so generate have it; in the last columns behind the blocks too."""
    logits = torch.zeros(40, width)  # of WIDE ones more than FEW
    shift = width - 11 if end else 0
    for place in places:
        logits[0, place + shift] = 1
    values, ids = largest(logits, 5)
    assert ids[:, 0].tolist() == logits.argmax(-1).tolist() == [min(places) + shift, *[0] * 39]
    assert torch.equal(logits.gather(1, ids), values)
    assert all(len(set(row)) == 5 for row in ids.tolist())


@pytest.mark.parametrize("value", [float("inf"), -float("inf")])
def test_infinite_logits_are_read(value: float) -> None:
    logits = torch.full((40, WIDE), -float("inf"))
    logits[0, WIDE // 2] = value
    assert largest(logits, 2)[1][0, 0] == logits.argmax()


@pytest.mark.parametrize("rows", [1, 40])  # 40: more than FEW, so in blocks
@pytest.mark.parametrize("place", [0, WIDE // 2, WIDE - 1])
def test_a_logit_that_is_no_number_comes_first(rows: int, place: int) -> None:
    """So that the runner need not walk all logits once more to find it."""
    torch.manual_seed(0)
    logits = torch.randn(rows, WIDE)
    logits[-1, place] = float("nan")
    assert largest(logits, 2)[0].isnan().any(-1).tolist() == [False] * (rows - 1) + [True]


def test_the_predicted_token_is_put_first() -> None:
    ids = torch.tensor([[4, 9, 2], [4, 9, 2]])
    assert first(ids, torch.tensor([[4], [4]])) is ids
    assert first(ids, torch.tensor([[9], [7]])).tolist() == [[9, 4, 2], [7, 4, 9]]


def test_four_digits_and_places() -> None:
    assert significant(0.000123456) == 0.0001235
    assert spread([5, 6], (0, 2), 4) == (5, None, 6, None)


def test_many_probabilities_round_as_one() -> None:
    torch.manual_seed(0)
    values = torch.cat([torch.rand(300), torch.rand(300) * 1e-9, torch.tensor([0.0, 1.0, 1e-30])])
    values = torch.cat([values, torch.tensor([0.1, 0.00099996, 0.5])]).double()
    found = rounded(values[None])[0]
    for value, got in zip(values.tolist(), found, strict=True):
        assert got == pytest.approx(value, rel=6e-4, abs=1e-21)
        assert value < 1e-18 or len(f"{got:.15g}") <= len(f"{significant(value):.15g}") + 1
