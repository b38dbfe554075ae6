"""Every classic mistake is named at every size, or what cannot be told apart is said."""

from __future__ import annotations

import itertools
from functools import lru_cache

import numpy as np
import pytest

from lookahead_viz.masklab import MISTAKES, Mistake, Report, check, packed
from lookahead_viz.masklab.diagnosis import separating_size
from lookahead_viz.masklab.lint import whole
from lookahead_viz.masklab.mistakes import APPENDIX_A
from lookahead_viz.masklab.positions import POSITION_MISTAKES, position_suspects
from lookahead_viz.masklab.scene import Masks, Scene
from lookahead_viz.masklab.suspects import (
    ORDERS,
    cut_masks,
    other_orders,
    stale_prefix,
    window_by_index,
    window_by_position,
)

SIZES = [(5, 4, 2), (3, 3, 1), (7, 4, 3), (4, 5, 2), (5, 6, 2), (2, 3, 2)]
LAYOUTS = ["lade", "llama.cpp", "trt"]
P = 6  # committed columns

Size = tuple[int, int, int]


@lru_cache(maxsize=64)
def scene(size: Size, layout: str = "lade", committed: int = P) -> Scene:
    return Scene.of(packed(layout, *size), committed)


def made(mistake: Mistake, size: Size, layout: str = "lade", committed: int = P) -> Masks:
    masks = mistake.rule(scene(size, layout, committed))
    assert masks is not None
    return masks


def report_of(mistake: Mistake, size: Size, layout: str = "lade") -> Report:
    return check(whole(made(mistake, size, layout), P), *size, layout=layout)


def drawn(name: str) -> list[str]:
    mask = made(MISTAKES[name], (3, 4, 1), committed=0).packed
    return ["".join("1" if on else "." for on in row) for row in mask]


def parameter_mistakes(size: Size, layout: str) -> list[Mistake]:
    here = scene(size, layout)
    stale = [stale_prefix(1), stale_prefix(3), stale_prefix(-2)]
    return [*other_orders(here), *stale, window_by_index(4), window_by_index(6)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_mistake_is_named_at_every_size(size: Size, layout: str) -> None:
    right = scene(size, layout).masks
    for mistake in [*MISTAKES.values(), *parameter_mistakes(size, layout)]:
        report = report_of(mistake, size, layout)
        masks = made(mistake, size, layout)
        if masks.equals(right):
            assert report and mistake.name in [one.name for one in report.diagnosis.unseen]
            assert f"{len(report.diagnosis.unseen)} known mistake" in str(report)
        else:
            assert not report
            assert mistake.name in report.known_names, (mistake.name, report.known_names)
            assert mistake.title in str(report) or len(report.known_names) > 6
            if len(report.known_names) == 1 and mistake.name != "inverted":
                assert mistake.fix in str(report)


@pytest.mark.parametrize("size", SIZES)
def test_two_mistakes_that_look_alike_are_both_named(size: Size) -> None:
    for one, other in itertools.combinations(MISTAKES.values(), 2):
        if not made(one, size).equals(made(other, size)) or "inverted" in (one.name, other.name):
            continue
        report = report_of(one, size)
        names = [mistake.name for mistake in report.diagnosis.exact or report.diagnosis.unseen]
        assert {one.name, other.name} <= set(names)
        retry = report.diagnosis.retry
        assert retry is not None and f"W={retry[0]}, N={retry[1]}, G={retry[2]}" in str(report)
        assert not made(one, retry, committed=8).equals(made(other, retry, committed=8))


def test_all_pairs_can_be_told_apart_somewhere() -> None:
    for pair in itertools.combinations(MISTAKES.values(), 2):
        for layout in LAYOUTS:
            assert separating_size(pair, packed(layout)) is not None, [one.name for one in pair]


@pytest.mark.parametrize("size", [(5, 4, 2), (6, 4, 2), (5, 5, 3), (9, 4, 4), (5, 6, 2)])
def test_the_thirteen_are_apart_from_each_other_and_from_right(size: Size) -> None:
    masks = [scene(size).masks, *(made(MISTAKES[name], size) for name in APPENDIX_A)]
    assert len(APPENDIX_A) == 13
    assert not any(one.equals(other) for one, other in itertools.combinations(masks, 2))


def test_what_cannot_be_seen_at_n_3_and_g_1() -> None:
    unseen = [one.name for one in check(packed("lade", 5, 3, 1).mask, 5, 3, 1).diagnosis.unseen]
    for name in ("column-above-missing", "prefix-not-shortened", "candidates-see-each-other"):
        assert name in unseen


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        # row 0: 0..2, row 1: 3..5, row 2: 6..8, the candidate: 9..11
        ("same-row", {4: "11.11.......", 8: "111...111...", 6: "1.....1....."}),
        ("same-row-too", {4: "11.11.......", 8: "111..1111..."}),
        ("same-iteration", {3: "1..1........", 5: "1..111......", 8: "11....111..."}),
        ("column-above-missing", {6: "1.....1.....", 8: "111.....1..."}),
        ("prefix-short", {3: "1..1........", 4: "1...1.......", 8: "11...1..1..."}),
        ("prefix-long", {3: "11.1........", 7: "111.1..1...."}),
        ("prefix-not-shortened", {3: "1..1........", 6: "11.1..1.....", 7: "111.1..1...."}),
        ("prefix-missing", {1: "11..........", 5: "1.1..1......", 8: "1.1..1..1..."}),
        ("row-zero-missing", {5: "1....1......", 7: "1...1..1...."}),
        ("row-zero-not-causal", {0: "1...........", 1: "111.........", 4: "11..1......."}),
        ("older-rows-whole", {8: "111111..1...", 7: "11.11..1....", 6: "1..1..1....."}),
        ("column-left", {6: "1..1..1.....", 8: "111.1...1..."}),
        ("candidates-see-window", {9: "1111111111..", 11: "111111111111"}),
        ("candidates-see-row-zero", {9: "1........1..", 11: "111......111"}),
        ("window-sees-candidates", {0: "1...........", 4: "11..1....111"}),
        ("candidates-miss-current", {9: ".........1..", 11: ".........111"}),
        ("candidate-not-causal", {9: "1........111", 11: "1........111"}),
        ("candidate-only-previous", {11: "1.........11"}),
        ("current-missing", {0: "1...........", 4: ".1..1.......", 9: ".........1.."}),
        ("current-reads-all", {0: "111111111111", 1: "11.........."}),
        ("causal", {0: "1...........", 5: "111111......", 11: "111111111111"}),
    ],
)
def test_rules_by_hand(name: str, rows: dict[int, str]) -> None:
    """Three rows of three columns and one candidate of three guesses."""
    mask = drawn(name)
    assert {row: mask[row] for row in rows} == rows


def test_mixtures_name_the_parts_or_the_nearest() -> None:
    size = (5, 4, 2)
    right = scene(size).right
    one, two = MISTAKES["prefix-short"], MISTAKES["candidates-see-each-other"]
    mixed = right & made(one, size).packed | made(two, size).packed & ~right
    report = check(mixed, *size)
    assert set(report.known_names) == {one.name, two.name}
    assert one.fix in str(report) and two.fix in str(report)
    spoiled = made(MISTAKES["same-row"], size).packed.copy()
    spoiled[20, 5] = True
    report = check(spoiled, *size)
    assert report.diagnosis.nearest is MISTAKES["same-row"] and report.diagnosis.differing == 1
    assert not report.known_names and "1 cell away" in str(report)
    noise = right.copy()
    noise[20, 5] = True
    report = check(noise, *size)
    assert report.diagnosis.nearest is None and "nearer than the right mask" in str(report)


def test_an_inverted_mixture_says_both() -> None:
    report = check(~made(MISTAKES["same-row"], (5, 4, 2)).packed)
    assert report.known_names == ("inverted", "same-row")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_position_mistakes_are_named(size: Size, layout: str) -> None:
    here = scene(size, layout)
    mask = packed(layout, *size).mask
    for mistake in position_suspects(here):
        places = mistake.rule(here)
        assert places is not None
        for start in (0, 40):
            report = check(mask, *size, layout=layout, positions=places + start)
            if (places == here.position).all():
                assert report
            else:
                assert not report and mistake.name in report.known_names
                assert mistake.title in str(report)


def test_position_mistakes_differ_at_the_usual_size() -> None:
    here = scene((5, 4, 2))
    found = [tuple(np.array(one.rule(here))) for one in POSITION_MISTAKES.values()]
    assert len(set(found)) == len(found) and tuple(here.position) not in found


def test_masks_of_other_orders_by_pairs() -> None:
    for mine, other in itertools.permutations(ORDERS, 2):
        report = check(packed(other).mask, layout=mine)
        assert report.known_names == (f"order-of-{other}",)
        assert report.diagnosis.fits is not None and report.diagnosis.fits.name == other


def test_a_mask_of_another_size_is_named() -> None:
    for size, other in (((5, 4, 2), (4, 4, 3)), ((5, 4, 2), (6, 4, 1)), ((3, 3, 3), (4, 3, 2))):
        report = check(packed("trt", *other).mask, *size, layout="trt")
        assert report.known_names == ("another-step",)
        window, ngram, candidates = other
        assert f"W={window}, N={ngram}, G={candidates}" in report.diagnosis_sentences[0]


def test_a_mask_cut_to_size_is_harmless_only_where_candidates_come_last() -> None:
    for layout in LAYOUTS:
        larger = packed(layout, 5, 4, 4).mask[:21, :21]
        report = check(larger, layout=layout)
        if layout == "llama.cpp":
            assert report.known_names == ("cut+0+2",) and "2 candidates more" in str(report)
        else:
            assert report
    for mistake in cut_masks(scene((5, 4, 2), "trt")):
        report = report_of(mistake, (5, 4, 2), "trt")
        assert mistake.name in report.known_names or report.diagnosis.fits is not None


@pytest.mark.parametrize(
    ("name", "rows", "cells"),
    [
        ("self-missing", 21, 21),
        ("column-above-missing", 5, 5),
        ("same-row", 9, 25),
        ("prefix-short", 8, 8),
        ("prefix-not-shortened", 4, 4),
        ("candidates-see-each-other", 3, 9),
        ("candidates-see-window", 6, 84),
        ("window-sees-candidates", 14, 84),
        ("candidates-miss-current", 6, 6),
        ("candidate-not-causal", 4, 6),
        ("inverted", 21, 441),
    ],
)
def test_how_many_rows_are_wrong(name: str, rows: int, cells: int) -> None:
    wrong = made(MISTAKES[name], (5, 4, 2), committed=0).packed != packed().mask
    assert (int(wrong.any(axis=1).sum()), int(wrong.sum())) == (rows, cells)


def test_a_stale_prefix_says_by_how_many() -> None:
    for missing in (1, 2, 5, -1, -3):
        report = report_of(stale_prefix(missing), (5, 4, 2))
        assert report.known_names == (f"stale-prefix{-missing:+d}",)
        many = "few" if missing > 0 else "many"
        assert f"{abs(missing)} committed column" in str(report) and f"too {many}" in str(report)


def test_windows_by_index_and_by_position_are_told_apart() -> None:
    for committed, size in itertools.product((0, 6, 30), (3, 5, 8, 12, 20)):
        here = Scene.of(packed("lade", 5, 4, 2), committed)
        for make in (window_by_index, window_by_position):
            mistake = make(size)
            masks = mistake.rule(here)
            if masks is None or masks.equals(here.masks):
                continue
            report = check(whole(masks, committed))
            assert mistake.name in report.known_names, (committed, size, report.known_names)


def test_titles_and_fixes_are_sentences() -> None:
    for mistake in MISTAKES.values():
        assert mistake.title[0].islower() and mistake.fix.endswith(".")
