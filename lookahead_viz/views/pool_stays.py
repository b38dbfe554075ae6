"""The lives of n-grams in the pool: the passes of a run folded into stays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from lookahead_viz.records import (
    LookaheadStep,
    PoolChange,
    Run,
    Step,
    pool_changes_of,
    verification_of,
)
from lookahead_viz.views.text import token_sources

Now = Literal["", "won", "tried", "added", "refreshed", "evicted"]


@dataclass
class Stay:
    """One stay of an n-gram in the pool, while the passes are folded; see ``PoolEntry``."""

    key: int
    ngram: tuple[int, ...]
    inserted_at: int
    origin: str
    refreshed: int = 0
    tried: int = 0
    matched: int = 0
    won: int = 0
    evicted_at: int | None = None
    now: Now = ""


_Held = dict[tuple[int, tuple[int, ...]], Stay]


def stays_until(run: Run, index: int) -> list[Stay]:
    """Every stay in the pool up to and including step ``index``, in order of insertion."""
    stays: list[Stay] = []
    held: _Held = {}
    _insert(stays, held, run.prompt_pool_changes, -1, now=False)
    for number, step in enumerate(run.steps[: index + 1]):
        _verify(held, step, now=number == index)
        _insert(stays, held, pool_changes_of(step), number, now=number == index)
    return stays


def _verify(held: _Held, step: Step, *, now: bool) -> None:
    """Count the candidates of a pass; it looked them up before its own inserts."""
    verification = verification_of(step)
    assert verification is not None
    pairs = list(zip(verification.candidates, verification.matched, strict=True))
    if isinstance(step, LookaheadStep):
        pairs = pairs[: step.pool_candidates]  # the others were read from the window
    for number, (candidate, matched) in enumerate(pairs):
        stay = held[(step.layout.token_ids[0], candidate)]
        won = number == verification.winner and "guess" in token_sources(step)
        stay.tried += 1
        stay.matched += matched > 0
        stay.won += won
        if now:
            stay.now = "won" if won else "tried"


def _insert(
    stays: list[Stay], held: _Held, changes: tuple[PoolChange, ...], step: int, *, now: bool
) -> None:
    column = 0  # all columns of the window are inserted, in order
    for change in changes:
        place = (change.key, change.ngram)
        if change.kind == "refreshed":
            held[place].refreshed += 1
        elif change.kind == "added":
            if change.evicted is not None:
                evicted = held.pop((change.key, change.evicted))
                evicted.evicted_at = step
                evicted.now = "evicted" if now else ""
            held[place] = Stay(change.key, change.ngram, step, _origin(change, column))
            stays.append(held[place])
        if now and change.kind != "ignored":
            held[place].now = held[place].now or change.kind
        column += change.source == "window"


def _origin(change: PoolChange, column: int) -> str:
    if change.source == "window":
        return f"window column {column}"
    origins = {"prompt": "prompt", "rejected": "rejected iterate"}
    return origins.get(change.source, "generated text")


def growth(changes: Iterable[PoolChange]) -> int:
    """By how many n-grams these changes let the pool grow."""
    return sum(change.kind == "added" and change.evicted is None for change in changes)
