"""Presets of engines, and every pair of settings: none of them changes a greedy text."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from functools import cache
from random import Random
from typing import Any

import pytest

import lookahead_viz as lv
from lookahead_viz.classroom import PROMPTS, by_name
from lookahead_viz.cli import build_parser
from lookahead_viz.cli_record import config_from
from lookahead_viz.comparison import run_label
from lookahead_viz.presets import CHOSEN_BY_PRESETS, PRESETS, preset, preset_of, semantics
from lookahead_viz.validate import check_run
from lookahead_viz.views.presets import PRESET_COLUMNS, preset_counts, preset_rows
from tests.random_models import VOCAB, generate, random_model
from tests.toy_runs import toy_run

FACTORS: Mapping[str, tuple[Any, ...]] = {
    "accept": ("full", "original"),
    "pool_policy": ("lru", "ring", "unlimited"),
    "pool_per_key": (None, 1, 7),
    "column_key": ("current", "stale", "next"),
    "shift": ("reanchor", "slide", "level"),
    "window_fill": ("prompt", "random", "repeat", "constant"),
    "warm_up": ("gradual", "none"),
    "verify_window": (False, True),
    "merge_candidates": (False, True),
    "pool_from_prompt": (False, True),
    "pool_from_generated": (None, False, True),
    "window_size": (1, 2, 5),
    "ngram_size": (2, 3, 5),
    "max_candidates": (0, 1, 4),
    "stop_ids": ((), (3,)),
    "architecture": ("llama", "gpt2", "opt"),
    "prompt": ((1,), (1, 2, 3) * 3, (5, 9, 0, 2, 7, 7, 1)),
}
COMBINATIONS = 300
NEW_TOKENS = 26

Row = dict[str, Any]
Pair = tuple[tuple[str, int], tuple[str, int]]


def allowed(row: Mapping[str, Any]) -> bool:
    """An unlimited pool has no bound."""
    return row.get("pool_policy") != "unlimited" or row.get("pool_per_key") is None


def pairs_of(row: Mapping[str, Any]) -> Iterator[Pair]:
    places = [(name, FACTORS[name].index(row[name])) for name in FACTORS if name in row]
    yield from itertools.combinations(places, 2)


@cache
def covering_rows() -> tuple[Row, ...]:
    """Rows that hold every allowed pair of values, made greedily, and more up to 300.

    Each row begins with a pair that is still missing; every further factor gets the value that
    completes the most missing pairs with those chosen already. No row comes twice.
    """
    rng = Random(0)
    missing = {
        pair
        for pair in itertools.combinations(
            [(name, i) for name, values in FACTORS.items() for i in range(len(values))], 2
        )
        if pair[0][0] != pair[1][0] and allowed({n: FACTORS[n][i] for n, i in pair})
    }
    rows: list[Row] = []
    while missing or len(rows) < COMBINATIONS:
        first = min(missing) if missing else ()
        row = {name: FACTORS[name][i] for name, i in first}
        for name in FACTORS:
            if name not in row:
                row[name] = best_value(row, name, missing, rng)
        if row not in rows:
            rows.append(row)
        missing -= set(pairs_of(row))
    return tuple(rows)


def best_value(row: Row, name: str, missing: set[Pair], rng: Random) -> Any:
    """The allowed value of a factor that completes the most missing pairs with those in ``row``.

    Among equals a random one: taken in turn, all factors would turn together and rows repeat.
    """
    mixed = rng.sample(FACTORS[name], len(FACTORS[name]))
    possible = [value for value in mixed if allowed({**row, name: value})]

    def gain(value: Any) -> int:
        pairs = set(pairs_of({**row, name: value}))
        return len(pairs & missing)

    return max(possible, key=gain)


def test_every_pair_of_settings_occurs_in_at_least_300_combinations() -> None:
    rows = covering_rows()
    assert len({tuple(row[name] for name in FACTORS) for row in rows}) == len(rows) >= COMBINATIONS
    found = {pair for row in rows for pair in pairs_of(row)}
    for one, other in itertools.combinations(FACTORS, 2):
        for i, j in itertools.product(range(len(FACTORS[one])), range(len(FACTORS[other]))):
            if allowed({one: FACTORS[one][i], other: FACTORS[other][j]}):
                assert ((one, i), (other, j)) in found


@cache
def expected(architecture: str, prompt: tuple[int, ...], stops: tuple[int, ...]) -> Any:
    network = random_model(architecture).network
    return generate(network, prompt, NEW_TOKENS, stops)


@pytest.mark.parametrize("part", range(6))
def test_no_combination_of_settings_changes_the_greedy_text(part: int) -> None:
    accepted = 0
    for row in covering_rows()[part::6]:
        settings = dict(row)
        architecture, prompt = settings.pop("architecture"), settings.pop("prompt")
        settings["fill_token"] = VOCAB - 1 if row["window_fill"] == "constant" else None
        config = lv.LookaheadConfig(**settings, max_new_tokens=NEW_TOKENS, alternatives=0)
        run = lv.record(random_model(architecture), prompt, config)
        assert run.failure is None, (row, run.failure)
        assert run.token_ids == expected(architecture, prompt, row["stop_ids"]), row
        check_run(run)
        accepted += sum(len(step.accepted) > 1 for step in run.steps)
    assert accepted > 10  # guesses were right, so that something was tested


# --- presets


def test_a_preset_is_a_config() -> None:
    config = lv.preset("llama.cpp", window_size=3, fill_token=7)
    assert (config.pool_policy, config.shift, config.warm_up) == ("ring", "level", "none")
    assert (config.window_size, config.fill_token) == (3, 7)
    with pytest.raises(ValueError, match="there is no preset 'vLLM'; it must be one of 'LADE'"):
        lv.preset("vLLM")
    with pytest.raises(ValueError, match="no setting 'foo'; what may be set is window_size, "):
        lv.preset("LADE", foo=1)


def test_the_command_line_takes_presets_and_what_is_given_besides() -> None:
    config = config_from("lookahead", {"preset": "llama.cpp", "fill_token": 3, "window_size": 2})
    assert config == preset("llama.cpp", fill_token=3, window_size=2)
    with pytest.raises(ValueError, match="--preset means nothing to --method greedy"):
        config_from("greedy", {"preset": "LADE"})
    given = ["record", "--model", "tiny", "--prompt", "a", "--out", "b", "--temperature", "0.5"]
    given += ["--no-merge-candidates", "--preset", "ours", "--top-k", "4"]
    chosen = config_from("lookahead", vars(build_parser().parse_args(given)))
    assert chosen == preset("ours", merge_candidates=False, temperature=0.5, top_k=4)


def test_presets_differ_and_are_recognised() -> None:
    found = {name: semantics(preset(name)) for name in PRESETS}
    assert len(set(found.values())) == len(PRESETS)
    for name, entry in PRESETS.items():
        assert preset_of(preset(name, window_size=9)) == name
        assert entry.sentence.endswith(".") and set(entry.changes) <= set(CHOSEN_BY_PRESETS)
    assert preset_of(lv.LookaheadConfig(shift="slide")) is None


def test_a_run_is_named_by_its_preset_or_by_what_is_different() -> None:
    def name(**settings: Any) -> str:
        return run_label(toy_run("lookahead", **settings)).removeprefix("Lookahead W=5 N=4 G=5")

    assert name() == ""
    assert name(accept="original") == ", LADE"
    assert name(merge_candidates=True, shift="slide") == ", merged, slides"
    assert name(temperature=0.7, top_k=5, top_p=0.9) == ", T=0.7 k=5 p=0.9"
    sampled = toy_run("greedy", temperature=1.0)
    assert run_label(sampled) == "One by one, T=1"


# --- the shipped table


def test_the_shipped_table_is_what_the_tiny_model_gives() -> None:
    """One prompt is decoded again; the others are as slow."""
    counts = preset_counts()
    assert set(counts["prompts"]) == {prompt.name for prompt in PROMPTS}
    prompt = by_name("children")
    assert prompt is not None
    model = lv.load_model("tiny", device="cpu", dtype="float32")
    for name, passes in counts["prompts"]["children"]["passes"].items():
        run = lv.record(model, prompt.text, preset(name, max_new_tokens=96, alternatives=0))
        assert (len(run.token_ids), len(run.steps)) == (
            counts["prompts"]["children"]["tokens"],
            passes,
        )


def test_ours_takes_fewer_passes_than_the_original_on_every_prompt() -> None:
    rows = preset_rows()
    assert len(rows) == len(PROMPTS) + 1
    assert {len(row) for row in rows} == {len(PRESET_COLUMNS)}
    for row in rows:
        assert isinstance(row[-1], float) and row[-1] > 1
    rates = dict(zip(PRESET_COLUMNS, rows[-1], strict=True))
    assert max(PRESETS, key=lambda name: float(str(rates[name]))) == "ours"
