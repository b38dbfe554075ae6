"""The n-gram pool at one step: what is remembered, where it came from, what it was good for."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal

import pandas as pd

from lookahead_viz.explain import step_sentence
from lookahead_viz.records import LookaheadStep, PoolChange, Run
from lookahead_viz.tokens import visible
from lookahead_viz.views.common import NothingToDraw, place, step_of
from lookahead_viz.views.text import token_sources

Now = Literal["", "won", "tried", "entered", "known already", "replaced"]

COLUMNS = (
    "key",
    "n-gram",
    "inserted at",
    "from",
    "refreshed",
    "tried",
    "matched",
    "won",
    "evicted at",
    "in this step",
)
KEY_COLUMNS = ("key", "n-grams held", "looked up", "won")


@dataclass(frozen=True)
class PoolEntry:
    """One stay of an n-gram in the pool; counts run up to and including the step shown."""

    key: int
    key_text: str  # visible
    tokens: tuple[str, ...]  # [N - 1], visible, after the key
    inserted_at: int  # step; -1 = from the prompt, before the first step
    origin: str  # "window column 2", "prompt", "generated text"
    refreshed: int  # times it was inserted again
    tried: int  # times it was a candidate
    matched: int  # times at least its first guess was right
    won: int  # times its guesses became text
    evicted_at: int | None
    now: Now  # what happened to it in this step
    current: bool  # its key is the current token of this step


@dataclass(frozen=True)
class PoolView:
    """Everything the pool picture shows; ``sizes`` is empty when there is nothing to draw."""

    sentence: str
    current: str = ""  # the current token, visible: the key this step looks up
    cursor: int = 0
    only_current: bool = False
    entries: tuple[PoolEntry, ...] = ()  # in order of insertion; evicted ones too
    sizes: tuple[int, ...] = ()  # n-grams held after each step of the run
    held: int = 0  # after this step
    keys: int = 0  # different keys held after this step
    table: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(COLUMNS)), compare=False
    )
    hot_keys: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(KEY_COLUMNS)), compare=False
    )


def pool_view(run: Run, index: int, *, only_current: bool = False) -> PoolView:
    """The pool after step ``index``; ``only_current`` keeps the n-grams of its current token."""
    try:
        step = step_of(run, index, LookaheadStep, "n-gram pool")
    except NothingToDraw as nothing:
        return PoolView(str(nothing))
    index = place(run, index)
    stays = _fold(run, index)
    current = step.window[0][0]
    entries = tuple(
        stay.entry(run, current) for stay in stays if not only_current or stay.key == current
    )
    held = [stay for stay in stays if stay.evicted_at is None]
    return PoolView(
        sentence=step_sentence(run, index),
        current=visible(run.token_text, current),
        cursor=index,
        only_current=only_current,
        entries=entries,
        sizes=_sizes(run),
        held=len(held),
        keys=len({stay.key for stay in held}),
        table=_table(entries),
        hot_keys=_hot_keys(run, stays, index),
    )


@dataclass
class _Stay:
    """A ``PoolEntry`` while the steps are folded."""

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

    def entry(self, run: Run, current: int) -> PoolEntry:
        return PoolEntry(
            key=self.key,
            key_text=visible(run.token_text, self.key),
            tokens=tuple(visible(run.token_text, token) for token in self.ngram),
            inserted_at=self.inserted_at,
            origin=self.origin,
            refreshed=self.refreshed,
            tried=self.tried,
            matched=self.matched,
            won=self.won,
            evicted_at=self.evicted_at,
            now=self.now,
            current=self.key == current,
        )


_Held = dict[tuple[int, tuple[int, ...]], _Stay]


def _fold(run: Run, index: int) -> list[_Stay]:
    """Every stay in the pool up to and including step ``index``, in order of insertion."""
    stays: list[_Stay] = []
    held: _Held = {}
    _insert(stays, held, run.prompt_pool_changes, -1, now=False)
    for number, step in enumerate(run.steps[: index + 1]):
        assert isinstance(step, LookaheadStep)
        _verify(held, step, now=number == index)
        _insert(stays, held, step.pool_changes, number, now=number == index)
    return stays


def _verify(held: _Held, step: LookaheadStep, *, now: bool) -> None:
    """Count the candidates of a step; it looked them up before its own inserts."""
    verification = step.verification
    for number, (candidate, matched) in enumerate(
        zip(verification.candidates, verification.matched, strict=True)
    ):
        stay = held[(step.window[0][0], candidate)]
        won = number == verification.winner and "guess" in token_sources(step)
        stay.tried += 1
        stay.matched += matched > 0
        stay.won += won
        if now:
            stay.now = "won" if won else "tried"


def _insert(
    stays: list[_Stay], held: _Held, changes: tuple[PoolChange, ...], step: int, *, now: bool
) -> None:
    column = 0  # all columns of the window are inserted, in order
    for change in changes:
        place = (change.key, change.ngram)
        if change.kind == "refreshed":
            held[place].refreshed += 1
        else:
            if change.evicted is not None:
                evicted = held.pop((change.key, change.evicted))
                evicted.evicted_at = step
                evicted.now = "replaced" if now else ""
            held[place] = _Stay(change.key, change.ngram, step, _origin(change, column))
            stays.append(held[place])
        if now:
            again = change.kind == "refreshed"
            held[place].now = held[place].now or ("known already" if again else "entered")
        column += change.source == "window"


def _origin(change: PoolChange, column: int) -> str:
    if change.source == "window":
        return f"window column {column}"
    return "prompt" if change.source == "prompt" else "generated text"


def _sizes(run: Run) -> tuple[int, ...]:
    def growth(changes: tuple[PoolChange, ...]) -> int:
        return sum(change.kind == "added" and change.evicted is None for change in changes)

    steps = [step for step in run.steps if isinstance(step, LookaheadStep)]
    grown = accumulate(
        (growth(step.pool_changes) for step in steps), initial=growth(run.prompt_pool_changes)
    )
    return tuple(grown)[1:]


def _table(entries: tuple[PoolEntry, ...]) -> pd.DataFrame:
    """Keyed by first token: the keys in order of their first n-gram."""
    first: dict[int, int] = {}
    for number, entry in enumerate(entries):
        first.setdefault(entry.key, number)
    lines = [
        (
            entry.key_text,
            "".join(entry.tokens),
            "prompt" if entry.inserted_at < 0 else f"step {entry.inserted_at}",
            entry.origin,
            entry.refreshed,
            entry.tried,
            entry.matched,
            entry.won,
            "" if entry.evicted_at is None else f"step {entry.evicted_at}",
            entry.now,
        )
        for entry in sorted(entries, key=lambda entry: first[entry.key])
    ]
    return pd.DataFrame(lines, columns=list(COLUMNS))


def _hot_keys(run: Run, stays: list[_Stay], index: int) -> pd.DataFrame:
    """The keys that were looked up with success, most often first."""
    looked_up: dict[int, int] = {}
    for step in run.steps[: index + 1]:
        if isinstance(step, LookaheadStep) and step.verification.candidates:
            key = step.window[0][0]
            looked_up[key] = looked_up.get(key, 0) + 1
    lines = [
        (
            visible(run.token_text, key),
            sum(stay.key == key and stay.evicted_at is None for stay in stays),
            times,
            sum(stay.won for stay in stays if stay.key == key),
        )
        for key, times in sorted(looked_up.items(), key=lambda pair: -pair[1])
    ]
    return pd.DataFrame(lines, columns=list(KEY_COLUMNS))
