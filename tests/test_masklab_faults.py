"""Masks that were once misjudged: sliding windows left out, biases, masks that hide everything."""

from __future__ import annotations

import numpy as np
import pytest

from lookahead_viz.masklab import check, packed, right_mask
from lookahead_viz.masklab.fits import fitting
from lookahead_viz.masklab.oracle import oracle
from lookahead_viz.masklab.plans import filling_tokens, warm_up_tokens
from lookahead_viz.masklab.planting import plant_of

RIGHT = packed("lade", 5, 4, 2).mask
BEHIND = right_mask(packed("lade", 5, 4, 2), 37)


def _windowed(name: str, window: int, committed: int = 37) -> np.ndarray:
    """The right mask under a sliding window, from the positions alone."""
    layout = packed(name, 5, 4, 2)
    place = np.array([*(np.arange(-committed, 0) - layout.refed), *layout.positions])
    seen: np.ndarray = right_mask(layout, committed)
    seen &= place[committed:, None] - place[None, :] < window
    return seen


# --- the model's sliding window


@pytest.mark.parametrize("window", [1, 4, 16, 37])
@pytest.mark.parametrize("name", ["lade", "llama.cpp", "lade-parallel"])
def test_a_sliding_window_that_is_not_applied_is_named(name: str, window: int) -> None:
    layout = packed(name, 5, 4, 2)
    assert check(_windowed(name, window), layout=layout, sliding_window=window)
    report = check(right_mask(layout, 37), layout=layout, sliding_window=window)
    assert report.known_names[0] == "window-not-applied"
    assert report.wrong_cells == int((right_mask(layout, 37) != _windowed(name, window)).sum())
    cell = report.first_wrong
    assert cell is not None and (cell.state, cell.rule) == ("leak", "SW")
    assert f"last {window} position" in cell.sentence and "Beyond the sliding" in cell.sentence


def test_a_window_left_out_in_one_part_is_told_from_one_left_out_in_both() -> None:
    near = _windowed("lade", 4)
    in_cache, in_step = near.copy(), near.copy()
    in_cache[:, :37] = True
    in_step[:, 37:] = RIGHT
    assert check(in_cache, sliding_window=4).known_names == ("window-not-applied-to-cache",)
    assert check(in_step, sliding_window=4).known_names == ("window-not-applied-to-step",)
    assert check(RIGHT, sliding_window=4).known_names == ("window-not-applied",)
    other = check(near, sliding_window=5)
    assert other.known_names == ("window-by-position-4",)
    assert "4 positions instead of 5" in other.diagnosis_sentences[0]


def test_the_checks_know_the_window() -> None:
    found = {one.check: one for one in check(BEHIND, sliding_window=4).findings}["committed"]
    assert "of its sliding window (4)?" in found.question
    assert "21 lines see columns beyond it, in 761 cells" in found.message
    mixed = _windowed("lade", 6)
    mixed[3, 5], mixed[4, 36] = True, False
    report = check(mixed, sliding_window=6)
    found = {one.check: one for one in report.findings}["committed"]
    assert found.message == "2 lines see 1 beyond it and miss 1 of it: L03, L04."
    beyond, within = found.cells
    assert (beyond.rule, beyond.state, within.rule, within.state) == ("SW", "leak", "R1", "blind")
    assert "-32 is 35 back from +3" in beyond.sentence and "within" in within.sentence
    assert "check behind 50 of them as well" in str(check(BEHIND, sliding_window=50))


@pytest.mark.parametrize("window", [3, 4, 5, 20])
def test_another_layout_or_size_is_named_under_a_window_too(window: int) -> None:
    report = check(_windowed("llama.cpp", window, 0), sliding_window=window)
    assert report.known_names == ("order-of-llama.cpp",)
    assert report.diagnosis.fits is not None and report.diagnosis.fits.name == "llama.cpp"
    small = check(right_mask(packed("lade", 2, 4, 2)), 2, 4, 2, sliding_window=window).expected
    fits = check(small, sliding_window=window).diagnosis.fits
    assert fits is not None and fits.settings == "W=2, N=4, G=2"


def test_a_mask_for_a_window_is_not_tried_on_a_model_without_one() -> None:
    with pytest.raises(ValueError, match="sliding window"):
        plant_of(check(BEHIND, sliding_window=4))


# --- large N


@pytest.mark.parametrize("sizes", [(1, 200, 0), (1, 500, 0), (2, 300, 1), (1, 3999, 0)])
def test_a_small_mask_beside_a_huge_step_is_of_another_shape(sizes: tuple[int, int, int]) -> None:
    report = check(RIGHT, *sizes)
    assert not report and report.scene is None
    assert report.verdict.startswith("Wrong: It has 21 lines; LADE with W=")


@pytest.mark.parametrize("sizes", [(5, 4, 2), (1, 3, 0), (3, 6, 1)])
def test_the_sizes_of_start_up_steps(sizes: tuple[int, int, int]) -> None:
    for step in range(sizes[1] - 2):
        assert warm_up_tokens(*sizes, step) == packed("lade-warmup", *sizes, step=step).size
        fill = step + 1
        assert filling_tokens(*sizes, fill) == packed("trt-fill", *sizes, fill=fill).size
    found = fitting(packed("trt-fill", 5, 4, 2, fill=1).mask, packed("trt", 5, 4, 2))
    assert found is not None and found.name == "trt-fill"


# --- what the values mean


@pytest.mark.parametrize("seed", range(5))
def test_a_random_mask_is_called_nothing(seed: int) -> None:
    for committed in (0, 37):
        mask = np.random.default_rng(seed).random((21, committed + 21)) < 0.5
        report = check(mask)
        assert not report.read.inverted and not report.known_names
        assert "inverted" not in str(report) and "Flip" not in str(report)


@pytest.mark.parametrize("wrong", [0, 1, 9])
def test_an_inverted_mask_is_known_beside_other_faults(wrong: int) -> None:
    mask = ~BEHIND
    cells = np.random.default_rng(wrong).choice(mask.size, wrong, replace=False)
    mask.reshape(-1)[cells] ^= True
    report = check(mask)
    assert report.known_names[0] == "inverted" and report.wrong_cells == wrong


@pytest.mark.parametrize("low", [-np.inf, np.finfo(np.float32).min, -65504.0, -1e9])
def test_small_values_beside_hiding_ones_are_biases(low: float) -> None:
    slopes = -0.5 * np.abs(np.subtract.outer(np.arange(21), np.arange(21)))
    relative = np.random.default_rng(0).normal(size=(21, 21))  # positive ones too
    for bias in (np.full((21, 21), -0.5), np.full((21, 21), 2.5), slopes, relative):
        report = check(np.where(RIGHT, bias, low))
        assert report, report
        assert "read as a bias" in report.read.warnings[0]
    two = np.where(RIGHT, 0.0, low)
    two[3, 0], two[5, 5] = -2, -3
    assert check(two) and "2 cells with a small value (from -3 to -2)" in str(check(two))
    assert check(np.where(RIGHT, 0.0, -10.0)), "a small value hides where no other does"
    assert "weak value" in str(check(np.where(RIGHT, 0.0, -10.0)))


@pytest.mark.parametrize("dtype", [bool, np.int64, np.float32])
def test_rows_that_see_nothing_are_warned_of_in_every_type(dtype: type) -> None:
    mask = RIGHT.copy()
    mask[3] = False
    said = check(mask.astype(dtype)).read.warnings
    assert [one for one in said if one.startswith("1 line hidden throughout")]
    additive = check(np.where(mask, 0, -np.inf)).read.warnings
    assert [one for one in additive if one.startswith("1 line hidden throughout")]
    assert "hidden throughout" not in str(check(RIGHT.astype(dtype)))


@pytest.mark.parametrize("committed", [0, 37])
def test_a_mask_that_hides_everything_is_called_so(committed: int) -> None:
    for dtype in (bool, np.int64):
        report = check(np.zeros((21, 21 + committed), dtype=dtype))
        assert report.known_names == ("nothing-visible",)
        assert "‘hides everything’" in report.diagnosis_sentences[0]
        assert "21 lines hidden throughout" in str(report.read.warnings)


# --- the oracle


@pytest.mark.parametrize("length", [-1, 0, 4001, 1.5, "12", True, None])
def test_the_oracle_refuses_a_prompt_of_no_length(length: object) -> None:
    with pytest.raises(ValueError, match="prompt_length is"):
        oracle(RIGHT, packed("lade"), prompt_length=length)  # type: ignore[arg-type]
