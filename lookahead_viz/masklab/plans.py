"""Which slots of which canonical grid each layout packs, and in what order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lookahead_viz.masklab.orders import Grid, chain_then_columns, row_major, slice_of_rank


class Plan(NamedTuple):
    """What a layout packs: the canonical grid, its slots in order, committed tokens in front."""

    grid: Grid
    order: list[int]
    refed: int = 0


Planner = Callable[[int, int, int, Mapping[str, Any]], Plan]
"""(W, N, G', settings) -> Plan."""


def steady(order: Callable[[Grid], list[int]]) -> Planner:
    def plan(window: int, ngram: int, candidates: int, settings: Mapping[str, Any]) -> Plan:
        grid = Grid(ngram - 1, window, candidates, ngram - 1)
        return Plan(grid, order(grid))

    return plan


def prefill(window: int, ngram: int, candidates: int, settings: Mapping[str, Any]) -> Plan:
    """The prompt, then W + N - 3 tokens of row 0: plain causal text."""
    grid = Grid(1, window + ngram - 2, 0, ngram - 1)
    return Plan(grid, row_major(grid), settings["prompt_length"] - 1)


def warm_up(window: int, ngram: int, candidates: int, settings: Mapping[str, Any]) -> Plan:
    """k + 1 rows of W + N - 2 - k columns; no candidates even where the pool has some."""
    step = settings["step"]
    if ngram < 3:
        raise ValueError("with N=2 there is no warm-up: the window has one row from the start.")
    grid = Grid(step + 1, window + ngram - 2 - step, 0, ngram - 1)
    return Plan(grid, row_major(grid))


def warm_up_tokens(window: int, ngram: int, candidates: int, step: int) -> int:
    """How many tokens warm-up pass ``step`` packs."""
    return (step + 1) * (window + ngram - 2 - step)


def filling(window: int, ngram: int, candidates: int, settings: Mapping[str, Any]) -> Plan:
    """N - 2 - f chain tokens, then W columns of f tokens from p + N - 1 - f on; candidates too."""
    fill = settings["fill"]
    if ngram < 3:
        raise ValueError("with N=2 there is no filling: the window has one row from the start.")
    grid = Grid(fill, window + ngram - 1 - fill, candidates, ngram - 1)
    return Plan(grid, chain_then_columns(grid))


def filling_tokens(window: int, ngram: int, candidates: int, fill: int) -> int:
    """How many tokens filling pass ``fill`` packs."""
    return ngram - 1 - fill + window * fill + candidates * (ngram - 1)


def parallel(window: int, ngram: int, candidates: int, settings: Mapping[str, Any]) -> Plan:
    grid = Grid(ngram - 1, window, candidates, ngram - 1)
    order = slice_of_rank(grid, settings["rank"], settings["ranks"])
    return Plan(grid, order, settings["refed"])


def causal(window: int, ngram: int, candidates: int, settings: Mapping[str, Any]) -> Plan:
    grid = Grid(1, settings["length"], 0, ngram - 1)
    return Plan(grid, row_major(grid))
