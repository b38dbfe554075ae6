"""Checking a mask: right ones pass in every layout, wrong ones are named, in words."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest
import torch

import lookahead_viz as lv
from lookahead_viz.masklab import (
    LAYOUTS,
    MISTAKES,
    UnreadableMask,
    assert_mask,
    check,
    check_sizes,
    packed,
    right_mask,
)
from lookahead_viz.masklab.lint import QUESTIONS
from lookahead_viz.masklab.scene import Scene

RIGHT = packed("lade", 5, 4, 2).mask


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("committed", [0, 37])
def test_the_right_mask_is_right(name: str, committed: int) -> None:
    layout = packed(name, 5, 4, 2)
    mask = right_mask(layout, committed)
    for given in (mask, mask.astype(int), np.where(mask, 0, -np.inf), mask[None, None]):
        report = check(given, 5, 4, 2, layout=name, positions=layout.positions)
        assert report and report.read.committed == committed
        assert report.verdict.startswith("Right") and not report.known_names
        assert_mask(given, 5, 4, 2, layout=name)
    absolute = [place + committed + layout.refed for place in layout.positions]
    assert check(mask, 5, 4, 2, layout=name, positions=absolute)


def test_every_single_wrong_cell_is_found() -> None:
    for name in ("lade", "llama.cpp"):
        layout = packed(name, 3, 3, 1)
        for row in range(layout.size):
            for column in range(layout.size):
                mask = layout.mask.copy()
                mask[row, column] ^= True
                report = check(mask, 3, 3, 1, layout=name)
                assert not report and report.wrong_cells == 1
                cell = report.first_wrong
                assert cell is not None and (cell.row, cell.column) == (row, column)
                assert cell.state == ("leak" if mask[row, column] else "blind")
                assert cell.rule[0] == ("X" if mask[row, column] else "R")
                assert cell.sentence.endswith(".")


def test_an_exchanged_cell_of_the_same_position_is_a_fault_of_the_path() -> None:
    mask = RIGHT.copy()
    mask[11, 6], mask[11, 10] = False, True  # L21 reads L20 for L11, both at +2
    report = check(mask)
    failed = {finding.check: finding for finding in report.findings if finding.passed is False}
    assert set(failed) == {"path", "comparison"}
    assert failed["path"].rows == (11,) and failed["path"].cell_count == 2
    assert [cell.state for cell in failed["path"].cells] == ["blind", "leak"]


def test_the_checks_come_in_their_order_and_name_rows() -> None:
    report = check(RIGHT & ~np.eye(21, dtype=bool), positions=range(21))
    assert [finding.check for finding in report.findings] == list(QUESTIONS)
    found = {finding.check: finding for finding in report.findings}
    assert found["self"].rows == tuple(range(21)) and found["later"].passed
    assert found["positions"].rows == tuple(range(5, 21))
    assert report.known_names == ("self-missing", "positions-arange")


def test_token_texts_are_in_the_sentences_and_hostile_ones_stay_plain() -> None:
    mask = RIGHT.copy()
    mask[10, 5] = False
    tokens = [f"<b>{i}</b>\n" for i in range(21)]
    report = check(mask, tokens=tokens)
    assert "‘<b>5</b>⏎’" in str(report) and "line 10 (L20 ‘<b>10</b>⏎’, row" in str(report)
    assert "<b>" not in report._repr_html_() and "&lt;b&gt;" in report._repr_html_()
    with pytest.raises(UnreadableMask, match="3 texts"):
        check(mask, tokens=["a", "b", "c"])


def test_another_layout_or_size_is_named() -> None:
    report = check(packed("llama.cpp").mask)
    assert report.known_names == ("order-of-llama.cpp",) and report.diagnosis.fits is not None
    assert report.diagnosis.fits.name == "llama.cpp"
    for size in ((6, 4, 3), (5, 4, 1), (5, 4, 0), (4, 5, 2), (3, 4, 4), (1, 2, 0), (7, 3, 2)):
        for layout in ("lade", "trt"):
            other = check(packed(layout, *size).mask, layout=layout)
            assert not other and other.diagnosis.fits is not None
            fits = other.diagnosis.fits
            assert (fits.mask == other.read.mask).all() and fits.settings in str(other)
    partial = check(packed("trt-fill", 5, 4, 2, fill=1).mask, layout="trt")
    assert partial.diagnosis.fits is not None and partial.diagnosis.fits.name == "trt-fill"
    again = check(packed("lade-parallel", 5, 4, 2, rank=1, refed=2).mask)
    assert again.diagnosis.fits is not None and "refed=2" in again.diagnosis.fits.settings


def test_a_start_up_step_is_told_before_a_full_step_of_another_size() -> None:
    for name, variant in (("lade-warmup", {"step": 1}), ("trt-fill", {"fill": 2})):
        layout = packed(name, 5, 4, 2, **variant)
        fits = check(layout.mask).diagnosis.fits
        assert fits is not None and (fits.window_size, fits.ngram_size) == (5, 4)
        assert np.array_equal(fits.mask, layout.mask)


def test_another_number_of_candidates_is_proposed() -> None:
    """Which candidates a step has is easily mistaken, with a wrong mask too."""
    masks = MISTAKES["same-row"].rule(Scene.of(packed("lade", 5, 4, 3)))
    assert masks is not None
    report = check(masks.packed, 5, 4, 2)
    assert "a pass with 3 candidates: check with G=3." in str(report)
    assert check(masks.packed, 5, 4, 3).known_names == ("same-row",)
    for size, layout in ((22, "lade"), (12, "lade"), (24, "causal")):
        assert "check with G=" not in str(check(np.tri(size)[::-1], layout=layout))


def test_wrong_positions_make_a_right_mask_wrong() -> None:
    layout = packed("trt")
    assert check(layout.mask, layout="trt", positions=layout.positions)
    report = check(layout.mask, layout="trt", positions=packed("lade").positions)
    assert not report and report.known_names == ("positions-of-lade",)
    assert report.wrong_cells == 0 and report.verdict.startswith("Wrong positions")
    shifted = check(
        right_mask(layout, 37), layout="trt", positions=[p + 36 for p in layout.positions]
    )
    assert not shifted and "stands at 36 behind 37 committed tokens" in str(shifted)
    for positions in ([1, 2], "abc", [[0.5] * 21], [None] * 21, [2**40] * 21):
        with pytest.raises(UnreadableMask, match="positions"):
            check(layout.mask, positions=positions)


@pytest.mark.parametrize("shift", [1, -1, 64])
def test_positions_that_are_all_moved_can_change_the_text(shift: int) -> None:
    layout = packed("llama.cpp")
    places = [37 + place + shift for place in layout.positions]
    report = check(right_mask(layout, 37), layout=layout, positions=places)
    assert report.known_names == (f"positions-shifted{shift:+d}",) and report.can_change_text
    assert report.diagnosis_sentences[0].startswith(f"The positions are all {abs(shift)} too")
    assert "can change the text" in report.effect
    assert check(right_mask(layout), layout=layout, positions=places), "nothing is in a cache"


def test_a_static_cache_with_unused_slots_is_told_of() -> None:
    mask = np.hstack([right_mask(packed(), 37), np.zeros((21, 64), dtype=bool)])
    report = check(mask)
    assert report.known_names == ("stale-prefix-64",)
    assert "a static cache with 64 unused slots" in report.diagnosis_sentences[0]
    assert check(mask[:, :-64])


@pytest.mark.parametrize("mask", [np.eye(21), np.full((21, 30), -np.inf)])
def test_a_mask_that_hides_nearly_all_is_no_sliding_window(mask: Any) -> None:
    assert "sliding" not in str(check(mask))


def test_a_padded_batch_is_not_called_right() -> None:
    mask = np.hstack([np.zeros((21, 5), dtype=bool), right_mask(packed(), 37)])
    report = check(mask)
    assert report.wrong_cells == 105 and "is right" not in str(report.diagnosis_sentences)


def test_a_sliding_window() -> None:
    layout = packed("lade")
    place = np.array([*range(-37, 0), *layout.positions])
    near = place[37:, None] - place[None, :] < 20
    windowed = right_mask(layout, 37) & near
    assert check(windowed, sliding_window=20)
    assert not check(right_mask(layout, 37), sliding_window=20)
    report = check(windowed)
    assert not report and report.known_names == ("window-by-position-20",)
    for wrong in (0, 1.5, True, "20"):
        with pytest.raises(UnreadableMask, match="sliding_window"):
            check(windowed, sliding_window=wrong)  # type: ignore[arg-type]


def test_committed_tokens_may_have_rows_of_their_own() -> None:
    for name, committed in (("lade", 1), ("lade", 3), ("lade", 9), ("llama.cpp", 30), ("trt", 4)):
        layout = packed(name)
        square = np.tri(committed + 21, dtype=bool)
        square[committed:] = right_mask(layout, committed)
        places = [*range(committed), *(place + committed for place in layout.positions)]
        report = check(square, layout=name, positions=places, tokens=list(map(str, places)))
        assert report and report.read.committed == committed
        assert "fed without a cache" in str(report)
        assert check(square, layout=name, committed=committed)
        if committed == 3:
            continue  # with a fault in the committed columns it could be one candidate more
        square[-1, committed - 1] = False
        wrong = check(square, layout=name)
        cell = wrong.first_wrong
        assert not wrong and cell is not None and (cell.row, cell.column) == (20, -1)
    with pytest.raises(UnreadableMask, match="at most 20"):
        check(RIGHT, committed=21)


def test_the_effect_on_the_text() -> None:
    window, guess = RIGHT.copy(), RIGHT.copy()
    window[12, 7] = False
    guess[17, 3] = True
    assert not check(window).can_change_text and "cannot change the text" in str(check(window))
    assert check(guess).can_change_text and "can change the text" in str(check(guess))
    trt = packed("trt").mask.copy()
    trt[8, 7] = False  # TensorRT-LLM accepts tokens of the window as well
    assert check(trt, layout="trt").can_change_text


def test_an_inverted_mask_is_wrong_unless_it_is_told() -> None:
    report = check(~RIGHT)
    assert not report and report.known_names == ("inverted",)
    assert check(~RIGHT, polarity="keep=0")
    told = check(~RIGHT, polarity="keep=1")
    assert not told and told.known_names == ("inverted",)


def test_the_advice_about_an_inverted_mask_can_be_followed() -> None:
    for mask in (~RIGHT, ~RIGHT * 255, np.where(RIGHT, 0, 1e9)):
        report = check(mask)
        assert report.known_names == ("inverted",) and "polarity='keep=0'" in str(report)
        assert check(mask, polarity="keep=0")
        assert f"Read as: {mask.max():g} = hidden" in str(report) or mask.dtype == bool
    report = check(np.where(RIGHT, np.finfo(np.float32).min, 0))  # adding has one meaning only
    assert report.known_names == ("inverted",) and "keep=0" not in str(report)
    assert "add 0 where a token may attend" in report.diagnosis_sentences[0]


def test_numbers_are_in_the_grammar_of_their_sentences() -> None:
    mask = RIGHT.copy()
    mask[8, 3] = False
    report = check(mask)
    assert report.verdict.startswith("Wrong: 1 of 441 cells differs from")
    assert "(1 cell differs)" in str(report)
    assert "1 rows" not in str(check([[1]], 1, 2, 0)) and "1 cells" not in str(
        check([[0]], 1, 2, 0)
    )


def test_json_and_printing() -> None:
    for mask in (RIGHT, ~RIGHT, RIGHT.T, np.tri(20), right_mask(packed("trt"), 5)):
        report = check(mask)
        data = json.loads(report.to_json())
        assert data["ok"] is bool(report) and data["mistakes"] == list(report.known_names)
        assert data["findings"][0]["check"] == "shape"
        assert str(report).splitlines()[0] == data["verdict"]
        assert report._repr_html_().startswith("<div>")


def test_assert_mask_reads_well_in_pytest() -> None:
    assert_mask(torch.from_numpy(RIGHT.copy()), 5, 4, 2)
    with pytest.raises(AssertionError) as failure:
        assert_mask(RIGHT.T, 5, 4, 2)
    assert "‘transposed’" in str(failure.value) and "First wrong cell" in str(failure.value)
    namespace = {"lv": lv, "mask": packed("trt-fill", fill=2).mask}
    exec(check(namespace["mask"], layout="trt-fill", fill=2).assertion, namespace)


def test_a_mask_function_is_checked_at_several_sizes() -> None:
    right = check_sizes(
        lambda *size: (packed("trt", *size).mask, packed("trt", *size).positions), layout="trt"
    )
    assert right and str(right).startswith("Right at 7 sizes.")

    def same_row(*size: int) -> Any:
        masks = MISTAKES["same-row"].rule(Scene.of(packed("lade", *size)))
        assert masks is not None
        return masks.packed

    wrong = check_sizes(same_row)
    assert not wrong and wrong.everywhere == ("same-row",)
    assert "Wrong at 6 of 7 sizes." in str(wrong) and "‘same-row attention’" in str(wrong)
    assert "[same-row]" in wrong._repr_html_()
    with pytest.raises(ValueError, match="no full pass"):
        check_sizes(same_row, layout="causal")


def test_unreadable_masks_and_settings_are_one_sentence() -> None:
    settings: list[dict[str, Any]] = [
        {"layout": "vllm"},
        {"window_size": 0},
        {"polarity": "yes"},
        {"committed": -1},
        {"committed": 21},
        {"step": 1},
        {"tokens": 5},
        {"tokens": "x" * 21},
        {"positions": object()},
    ]
    for setting in settings:
        with pytest.raises(ValueError) as refused:
            check(RIGHT, **setting)
        assert "\n" not in str(refused.value)
    with pytest.raises(UnreadableMask):
        check([[1, 0], [1]])


def random_array(rng: random.Random) -> Any:
    """A right mask with a few cells, rows, values, types or the shape changed; or noise."""
    layout = packed(
        rng.choice(["lade", "lade-flash", "llama.cpp", "trt", "lade-parallel"]),
        rng.randint(1, 5),
        rng.randint(2, 4),
        rng.randint(0, 2),
    )
    mask: Any = right_mask(layout, rng.choice([0, 0, 1, 9]))
    for _ in range(rng.randint(0, 6)):
        row, column = rng.randrange(len(mask)), rng.randrange(mask.shape[1])
        kind = rng.randrange(6)
        if kind == 0:
            mask[row, column] ^= True
        elif kind == 1:
            mask[row] = rng.random() < 0.5
        elif kind == 2:
            mask[:, column] = rng.random() < 0.5
        elif kind == 3:
            mask = np.roll(mask, rng.randint(-2, 2), axis=rng.randrange(2))
        elif kind == 4:
            mask = ~mask
        else:
            mask = mask[: rng.randint(1, len(mask)), :]
    kinds = ["bool", "int8", "float16", "float32", "floor", "weak", "noise", "list", "heads"]
    kind_of = rng.choice(kinds)
    if kind_of in ("int8", "float16", "float32"):
        return mask.astype(kind_of)
    if kind_of in ("floor", "weak"):
        return np.where(mask, 0.0, rng.choice([-np.inf, -1e9, -65504.0, -10.0, np.nan, 3.0]))
    if kind_of == "noise":
        return np.random.default_rng(rng.randrange(2**32)).normal(size=mask.shape)
    if kind_of == "list":
        rows = mask.tolist()
        if rng.random() < 0.3:
            rows[-1] = rows[-1][:-1]
        return rows
    return np.stack([mask] * rng.randint(1, 3)) if kind_of == "heads" else mask


@pytest.mark.parametrize("seed", range(20))
def test_random_arrays_are_answered_or_refused(seed: int) -> None:
    rng = random.Random(seed)
    answered = 0
    for _ in range(110):
        array = random_array(rng)
        size: dict[str, Any] = {"window_size": rng.randint(1, 5), "ngram_size": rng.randint(2, 4)}
        size["candidates"] = rng.randint(0, 2)
        try:
            report = check(array, layout=rng.choice([*LAYOUTS][:10]), **size)
        except UnreadableMask as refused:
            assert "\n" not in str(refused) and str(refused).endswith(".")
            continue
        except ValueError as refused:  # this layout has no such size
            assert "N=2" in str(refused)
            continue
        answered += 1
        assert bool(report) == (report.to_dict()["ok"]) and str(report)
        if report.scene is not None and not report.read.inverted:
            assert bool(report) == (report.wrong_cells == 0)
    assert answered > 20
