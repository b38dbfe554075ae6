"""The shipped runs of the tiny model, recorded again here: the same records, number by number.

Integers must be equal, floats within 1e-3, times are left out. Another kernel may round another
way: where the two runs first part, the recorded top-2 gap must be a tie, and is reported.
"""

from __future__ import annotations

import warnings
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

import pytest

import lookahead_viz as lv
from lookahead_viz import gallery
from lookahead_viz.models.registry import TINY, tiny_installed
from lookahead_viz.records import Alternatives, Draw, Run, Step

TOLERANCE = 1e-3
TIES = 1e-3
"""Logits this close may change places under another kernel."""

pytestmark = pytest.mark.skipif(not tiny_installed(), reason="the tiny model is not shipped yet")

SHIPPED = [
    (exhibit, file)
    for exhibit in gallery.exhibits()
    if exhibit.key.startswith(f"{TINY}/")
    for file in exhibit.files
]


@lru_cache
def tiny() -> lv.Model:
    return lv.load_model(TINY, device="cpu", dtype="float32")


@pytest.mark.parametrize(
    ("exhibit", "file"), SHIPPED, ids=[f"{e.key}/{f.name.partition('.')[0]}" for e, f in SHIPPED]
)
def test_recorded_again_it_is_the_same_run(exhibit: gallery.Exhibit, file: Any) -> None:
    shipped = lv.load_run(file)
    again = lv.record(tiny(), shipped.prompt_ids, shipped.config)
    parted = first_difference(shipped, again)
    if parted is None:
        assert again.token_ids == shipped.token_ids
        assert again.prompt_pool_changes == shipped.prompt_pool_changes
        assert again.finish_reason == shipped.finish_reason
    else:
        index, name = parted
        assert smallest_margin(shipped.steps[index]) < TIES, f"step {index} differs in {name}"
        warnings.warn(f"{exhibit.key}: a tie at step {index} went the other way", stacklevel=1)


def test_there_are_runs_to_compare() -> None:
    assert len(SHIPPED) >= 24


def first_difference(shipped: Run, again: Run) -> tuple[int, str] | None:
    """Step and field where the two runs first differ by more than rounding."""
    for index, (one, other) in enumerate(zip(shipped.steps, again.steps, strict=False)):
        for field in fields(one):
            if not field.compare:  # times
                continue
            if not same(getattr(one, field.name), getattr(other, field.name)):
                return index, field.name
    return None if len(shipped.steps) == len(again.steps) else (len(again.steps) - 1, "steps")


def same(one: Any, other: Any) -> bool:
    if isinstance(one, Alternatives):
        return isinstance(other, Alternatives) and same_alternatives(one, other)
    if isinstance(one, Draw):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if isinstance(one, float):
        return bool(one == pytest.approx(other, rel=TOLERANCE, abs=TOLERANCE))
    if isinstance(one, tuple) and not hasattr(one, "_fields"):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def same_alternatives(one: Alternatives, other: Alternatives) -> bool:
    """The same probabilities in order; two tokens of equal probability may change places."""
    if one.slot != other.slot or not same(one.probabilities, other.probabilities):
        return False
    return all(
        a == b or near_neighbour(one.probabilities, place)
        for place, (a, b) in enumerate(zip(one.ids, other.ids, strict=True))
    )


def near_neighbour(probabilities: tuple[float, ...], place: int) -> bool:
    """Is there a neighbour of almost the same probability? Behind the last one always."""
    if place == len(probabilities) - 1:
        return True
    own = probabilities[place]
    neighbours = probabilities[max(place - 1, 0) : place] + probabilities[place + 1 : place + 2]
    return any(abs(own - near) <= TOLERANCE for near in neighbours)


def smallest_margin(step: Step) -> float:
    """Smallest probability margin between the first two alternatives of any used slot."""
    margins = [
        entry.probabilities[0] - entry.probabilities[1]
        for entry in step.top_k
        if len(entry.probabilities) > 1
    ]
    return min([*margins, *step.gap])


def test_a_changed_number_is_noticed() -> None:
    exhibit, file = SHIPPED[0]
    shipped = lv.load_run(file)
    step = shipped.steps[3]
    other = (step.accepted[0] + 1, *step.accepted[1:])
    steps = (*shipped.steps[:3], replace(step, accepted=other), *shipped.steps[4:])
    assert first_difference(shipped, replace(shipped, steps=steps)) == (3, "accepted")
    slower = tuple(replace(step, forward_ms=9e9) for step in shipped.steps)
    assert first_difference(shipped, replace(shipped, steps=slower)) is None
