"""What wrong masks do to a decoding, and the oracle: float64, so that equal means equal."""

from __future__ import annotations

import numpy as np
import pytest

import lookahead_viz as lv
from lookahead_viz.config import LookaheadConfig
from lookahead_viz.masklab import LAYOUTS, MISTAKES, check, packed, right_mask
from lookahead_viz.masklab.consequence import (
    COUNTERFACTUALS,
    consequence,
    counterfactuals,
    decode,
    first_difference,
)
from lookahead_viz.masklab.lint import whole
from lookahead_viz.masklab.oracle import oracle
from lookahead_viz.masklab.planting import plant_mistake, plant_of
from lookahead_viz.masklab.positions import POSITION_MISTAKES
from lookahead_viz.masklab.scene import Scene
from lookahead_viz.records import LookaheadStep
from tests.random_models import random_model

PROMPT = (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5)
CONFIG = LookaheadConfig(
    window_size=4, ngram_size=4, max_candidates=3, max_new_tokens=40, alternatives=0
)
SIZE = (4, 4, 3)


@pytest.fixture(scope="module")
def model() -> lv.Model:
    return random_model("llama")


def test_the_right_mask_decodes_as_it_is_recorded(model: lv.Model) -> None:
    run = lv.record(model, PROMPT, CONFIG)
    right = decode(model, PROMPT, CONFIG)
    assert right.token_ids == run.token_ids and right.failure is None
    assert right.accepted == tuple(step.accepted for step in run.steps)
    candidates = [
        len(step.verification.candidates) for step in run.steps if isinstance(step, LookaheadStep)
    ]
    assert max(candidates) == 3, "without candidates the tests below say nothing"


@pytest.mark.parametrize("name", MISTAKES)
def test_only_rows_that_decide_can_change_the_text(model: lv.Model, name: str) -> None:
    mistake = MISTAKES[name]
    masks = mistake.rule(Scene.of(packed("lade", *SIZE), 10))
    assert masks is not None
    report = check(whole(masks, 10), *SIZE)
    found = consequence(model, PROMPT, plant_mistake(mistake), CONFIG)
    if report:  # changes nothing at this size
        assert found.identical and found.wrong == found.right
    if not report.can_change_text:
        assert found.identical and found.wrong.token_ids == found.right.token_ids
    assert found.as_rule and len(found.sentences) == 3


@pytest.mark.parametrize("name", ["causal", "inverted", "candidates-see-window", "prefix-hidden"])
def test_wrong_rows_that_decide_do_change_this_text(model: lv.Model, name: str) -> None:
    found = consequence(model, PROMPT, plant_mistake(MISTAKES[name]), CONFIG)
    assert not found.identical and found.applied > 0
    at = found.first_difference
    assert at is not None and found.wrong.token_ids[:at] == found.right.token_ids[:at]
    assert f"from token {at} on" in found.sentences[1]
    right, wrong = found.right.token_ids[at], found.wrong.token_ids[at]
    assert f"‘⟨{wrong}⟩’ instead of ‘⟨{right}⟩’" in found.sentences[1]


@pytest.mark.parametrize("name", POSITION_MISTAKES)
def test_wrong_positions(model: lv.Model, name: str) -> None:
    found = consequence(model, PROMPT, plant_mistake(POSITION_MISTAKES[name]), CONFIG)
    if "rows" in name:  # of the window alone
        assert found.identical
    assert found.applied > 0 and found.wrong.failure is None


def test_an_unknown_mask_is_used_in_passes_of_its_size_only(model: lv.Model) -> None:
    mask = packed("llama.cpp", *SIZE).mask.copy()
    last = packed("llama.cpp", *SIZE).names.index("V22")
    mask[last, [3, 7, 14]] ^= True
    report = check(mask, *SIZE, layout="llama.cpp")
    assert not report.known_names
    found = consequence(model, PROMPT, report, CONFIG)
    full = sum(
        len(step.verification.candidates) == 3
        for step in lv.record(model, PROMPT, CONFIG).steps
        if isinstance(step, LookaheadStep)
    )
    assert not found.as_rule and 0 < found.applied <= full + 2
    assert "exactly its size" in found.sentences[0]


def test_reports_are_planted_as_what_they_are(model: lv.Model) -> None:
    layout = packed("llama.cpp", *SIZE)
    causal = check(np.tri(layout.size), *SIZE, layout="llama.cpp")
    plant = plant_of(causal)
    assert plant.title == "plain causal" and plant.as_rule
    both = check(~np.tri(layout.size, dtype=bool), *SIZE, layout="llama.cpp", positions=range(21))
    assert plant_of(both).title.startswith("inverted and plain causal and positions")
    swapped = check(packed("trt", *SIZE).mask, *SIZE)
    assert "order of TensorRT-LLM" in plant_of(swapped).title
    moved = check(layout.mask, *SIZE, layout="llama.cpp", positions=[0] * 21)
    assert consequence(model, PROMPT, moved, CONFIG).applied > 0
    with pytest.raises(ValueError, match="the mask is right"):
        plant_of(check(layout.mask, *SIZE, layout="llama.cpp"))
    with pytest.raises(ValueError, match="another size"):
        plant_of(check(np.tri(5), *SIZE))


def test_positions_that_are_all_moved_are_planted_as_a_rule(model: lv.Model) -> None:
    layout = packed("llama.cpp", *SIZE)
    places = [places + 12 + 7 for places in layout.positions]
    report = check(right_mask(layout, 12), *SIZE, layout="llama.cpp", positions=places)
    found = consequence(model, PROMPT, report, CONFIG)
    assert found.as_rule and found.applied >= found.wrong.passes - 2 > 0
    assert "all 7 too large" in found.title and not found.identical
    assert not oracle(right_mask(layout, 12), layout, places)


def test_the_order_of_the_packed_tokens_matters_for_a_rule(model: lv.Model) -> None:
    """In llama.cpp's order plain causal hides the window from the candidates."""
    reports = [check(np.tri(21), *SIZE, layout=name) for name in ("lade", "llama.cpp")]
    one, other = (consequence(model, PROMPT, report, CONFIG) for report in reports)
    assert one.wrong != other.wrong


def test_counterfactual_masks_keep_the_text(model: lv.Model) -> None:
    prompts = (PROMPT, PROMPT[::-1], (1, 2, 3) * 4)
    found = counterfactuals(model, prompts, CONFIG)
    assert [one.name for one in found] == ["right", *COUNTERFACTUALS]
    for one in found:
        assert one.identical == (True,) * 3 and one.compression >= 1.0
        assert len(one.outcomes) == 3
    assert len({one.outcomes for one in found}) > 1, "they must differ somewhere"
    with pytest.raises(ValueError, match="not known"):
        counterfactuals(model, prompts, CONFIG, ["nothing"])
    with pytest.raises(ValueError, match="no prompt"):
        counterfactuals(model, (), CONFIG)
    with pytest.raises(ValueError, match="a single prompt; give a list of prompts"):
        counterfactuals(model, "abc", CONFIG)


def test_a_row_that_sees_nothing_is_a_sentence(model: lv.Model) -> None:
    found = consequence(model, (3,), plant_mistake(MISTAKES["self-missing"]), CONFIG)
    assert found.wrong.failure is None or "sees nothing" in found.wrong.failure


def test_first_difference() -> None:
    assert first_difference((1, 2, 3), (1, 2, 3)) is None
    assert first_difference((1, 2, 3), (1, 5, 3)) == 1
    assert first_difference((1, 2, 3), (1, 2)) == 2


# --- the oracle


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_oracle_agrees_with_every_right_mask(name: str) -> None:
    layout = packed(name, 3, 4, 2)
    assert oracle(layout.mask, layout)
    told = oracle(right_mask(layout, 5), layout, layout.positions)
    assert told.ok and max(told.errors) < 1e-9 and "Right" in str(told)


def test_the_oracle_finds_every_single_wrong_cell() -> None:
    layout = packed("trt", 2, 3, 1)
    for row in range(layout.size):
        for column in range(layout.size):
            mask = layout.mask.copy()
            mask[row, column] ^= True
            found = oracle(mask, layout)
            children = set(found.wrong) - {row}
            assert row in found.wrong or not mask[row].any()
            assert all(layout.mask[child, row] or mask[child, row] for child in children)
            assert not found and f"worst {layout.names[found.worst]}" in str(found)


def test_the_oracle_finds_wrong_positions_and_prefixes() -> None:
    layout = packed("lade", 3, 3, 1)
    assert not oracle(layout.mask, layout, range(layout.size))
    assert oracle(layout.mask, layout, [place + 40 for place in layout.positions])
    hidden = right_mask(layout, 4)
    hidden[3, 1] = False
    assert oracle(hidden, layout).wrong == (3,)
    assert not oracle(~layout.mask, layout)
    with pytest.raises(ValueError, match="packed tokens"):
        oracle(np.tri(4), layout)


def test_the_oracle_takes_a_model(model: lv.Model) -> None:
    assert oracle(packed("lade", 3, 3, 1).mask, packed("lade", 3, 3, 1), model=model)
    eager = random_model("gpt2", "eager")
    assert oracle(packed("lade", 3, 3, 1).mask, packed("lade", 3, 3, 1), model=eager)
    with pytest.raises(ValueError, match="positions are needed"):
        oracle(np.tri(200), packed("causal", length=200), model=model)
