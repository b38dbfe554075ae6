"""The race's table and its verdict on the texts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lookahead_viz.comparison import Comparison
from lookahead_viz.config import LookaheadConfig
from lookahead_viz.methods import METHODS
from lookahead_viz.records import Run
from lookahead_viz.traits import TRAITS
from lookahead_viz.views.race_table import (
    TRAIT_COLUMNS,
    partings,
    trait_rows,
    verdict_on_texts,
)
from tests.toy_runs import toy_comparison, toy_run


def parted_from(greedy: Run) -> Run:
    """A greedy run that says something else in step 4, where the two best were 0.002 apart."""
    step = replace(greedy.steps[4], accepted=(0,), gap=(0.002,))
    return replace(greedy, steps=(*greedy.steps[:4], step, *greedy.steps[5:]))


def test_every_method_has_its_traits_and_every_quote_its_source() -> None:
    assert set(TRAITS) == set(METHODS)
    for traits in TRAITS.values():
        for quote in traits.quotes:
            assert quote.baseline and quote.setting and quote.source


def test_four_times_is_never_said_of_one_device() -> None:
    """The 4x of lookahead is strong scaling over several GPUs; one device: up to 1.8x."""
    one, several = TRAITS["lookahead"].quotes
    assert one.value == "up to 1.8×" and "one A100 80 GB" in one.setting
    assert several.value == "up to 4×" and "several GPUs" in several.setting
    assert "not one device" in several.sentence


def test_measured_values_stand_beside_quoted_ones() -> None:
    rows = [dict(zip(TRAIT_COLUMNS, row, strict=True)) for row in trait_rows(toy_comparison())]
    assert [row["tokens per pass, here"] for row in rows] == ["1.00", "1.48", "1.67"]
    assert rows[0]["time against greedy, here"] == "–"
    # greedy takes 0.88 s, lookahead 1.17 s
    assert rows[2]["time against greedy, here"] == "0.75× (slower), cpu, imaginary, 2 threads"
    assert "1.8×" in rows[2]["speed-up, quoted"]
    assert "here up to" in rows[2]["memory overhead"]
    assert rows[1]["equivalence"].endswith("Here: identical: 40/40 tokens")


def test_times_of_two_machines_are_not_compared() -> None:
    run = toy_run("lookahead")
    there = replace(run, model=replace(run.model, hardware="another"))
    rows = trait_rows(Comparison("x", (toy_run("greedy"), there)))
    assert "another machine" in rows[1][TRAIT_COLUMNS.index("time against greedy, here")]


def test_the_texts_are_the_same() -> None:
    assert verdict_on_texts(toy_comparison()) == (
        True,
        "The texts of all 3 are identical, 40/40 tokens.",
    )
    assert verdict_on_texts(Comparison("x", (toy_run("jacobi"),)))[0] is None
    stopped = Comparison("x", (toy_run("greedy"), toy_run("jacobi", stop_after=8)))
    assert verdict_on_texts(stopped) == (
        True,
        "The texts of both are identical, as far as each of them goes.",
    )


def test_a_sampled_run_is_left_out_by_name() -> None:
    run = toy_run("lookahead")
    warm = replace(run, config=LookaheadConfig(temperature=0.7))
    same, words = verdict_on_texts(Comparison("x", (toy_run("greedy"), toy_run("jacobi"), warm)))
    assert same and "Sampled and so not compared: Lookahead W=5 N=4 G=5" in words


def test_where_the_texts_part() -> None:
    comparison = Comparison("x", (parted_from(toy_run("greedy")), toy_run("lookahead")))
    assert verdict_on_texts(comparison) == (
        False,
        "Not all texts are the same: Lookahead W=5 N=4 G=5 part from greedy's.",
    )
    (found,) = partings(comparison)
    assert found.sentence.startswith("first difference at token 4")
    assert found.before == "····if·n·<" and (found.expected, found.found) == ("def", "·")
    assert "0.002 apart (logits, float32)" in found.why
    assert partings(toy_comparison()) == []


@pytest.mark.parametrize("runs", [(), (toy_run("greedy", stop_after=0),)])
def test_nothing_to_tell(runs: tuple[Run, ...]) -> None:
    assert verdict_on_texts(Comparison("x", runs))[0] is None
    assert len(trait_rows(Comparison("x", runs))) == len(runs)
