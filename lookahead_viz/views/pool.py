"""The n-gram pool at one step: what is remembered, where it came from, what it was good for."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate

import pandas as pd

from lookahead_viz.config import LookaheadConfig, MultiblockJacobiConfig
from lookahead_viz.explain import no_ngram, step_sentence
from lookahead_viz.records import (
    JacobiStep,
    LookaheadStep,
    Run,
    pool_changes_of,
    verification_of,
)
from lookahead_viz.tokens import printable
from lookahead_viz.views.common import NothingToDraw, no_picture, place, step_of
from lookahead_viz.views.pool_stays import Now, Stay, growth, stays_until
from lookahead_viz.words import count, quoted

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
    "in this pass",
)
KEY_COLUMNS = ("key", "n-grams held", "looked up", "won")

MOST_SHOWN = 24
"""A picture has room for so many n-grams; the table has all."""


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
    now: Now  # what happened to it in this pass
    current: bool  # its key is the current token of this pass

    @property
    def facts(self) -> str:
        """What happened in this pass, since when, used how often: in a few words."""
        now = f"{self.now} · " if self.now else ""
        since = "prompt" if self.inserted_at < 0 else f"step {self.inserted_at}, {self.origin}"
        used = f" · tried {self.tried}, won {self.won}" if self.tried else ""
        return f"{now}{since}{used}"

    @property
    def hover(self) -> str:
        """Its whole life."""
        ngram, key = quoted(self.key_text + "".join(self.tokens)), quoted(self.key_text)
        step = self.inserted_at
        lines = [
            f"{ngram}, key {key}",
            "from the prompt" if step < 0 else f"inserted at step {step}: {self.origin}",
            f"refreshed {count(self.refreshed, 'time')}, tried {self.tried}, first guess right "
            f"{self.matched}, became text {self.won}",
        ]
        if self.evicted_at is not None:
            lines.append(f"evicted at step {self.evicted_at}")
        return "\n".join(lines)


@dataclass(frozen=True)
class PoolView:
    """Everything the pool picture shows; ``sizes`` is empty when there is nothing to draw."""

    sentence: str
    current: str = ""  # the current token, visible: the key this pass looks up
    cursor: int = 0
    entries: tuple[PoolEntry, ...] = ()  # in order of insertion; evicted ones too
    shown: tuple[PoolEntry, ...] = ()  # what a picture has room for, most important first
    closing: str = ""  # what stands below them: how many more there are, why there are none
    sizes: tuple[int, ...] = ()  # n-grams held after each pass of the run
    held: int = 0  # after this pass
    keys: int = 0  # different keys held after this pass
    most: int | None = None  # n-grams that a key may hold; None = no bound
    table: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(COLUMNS)), compare=False
    )
    hot_keys: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(KEY_COLUMNS)), compare=False
    )


def pool_view(run: Run, index: int, *, only_current: bool = False) -> PoolView:
    """The pool after step ``index``; ``only_current`` keeps the n-grams of its current token."""
    try:
        step = step_of(run, index, (LookaheadStep, JacobiStep), "n-gram pool")
        if not isinstance(run.config, (LookaheadConfig, MultiblockJacobiConfig)):
            raise NothingToDraw(no_picture(run, "n-gram pool"))
    except NothingToDraw as nothing:
        return PoolView(str(nothing))
    index = place(run, index)
    stays = stays_until(run, index)
    current = step.layout.token_ids[0]
    entries = tuple(
        _entry(stay, run, current) for stay in stays if not only_current or stay.key == current
    )
    held = [stay for stay in stays if stay.evicted_at is None]
    shown = _shown(entries)
    return PoolView(
        sentence=step_sentence(run, index),
        current=printable(run.token_text, current),
        cursor=index,
        entries=entries,
        shown=shown,
        closing=_closing(run, entries, shown, current if only_current else None),
        sizes=_sizes(run),
        held=len(held),
        keys=len({stay.key for stay in held}),
        most=run.config.pool_capacity,
        table=_table(entries),
        hot_keys=_hot_keys(run, stays, index),
    )


def _entry(stay: Stay, run: Run, current: int) -> PoolEntry:
    return PoolEntry(
        key=stay.key,
        key_text=printable(run.token_text, stay.key),
        tokens=tuple(printable(run.token_text, token) for token in stay.ngram),
        inserted_at=stay.inserted_at,
        origin=stay.origin,
        refreshed=stay.refreshed,
        tried=stay.tried,
        matched=stay.matched,
        won=stay.won,
        evicted_at=stay.evicted_at,
        now=stay.now,
        current=stay.key == current,
    )


def _shown(entries: tuple[PoolEntry, ...]) -> tuple[PoolEntry, ...]:
    """What fits: the candidates of this pass, what it changed, then what was of most use."""

    def rank(entry: PoolEntry) -> tuple[int, int, int]:
        if entry.current and (entry.now or entry.evicted_at is None):
            return (0, 0, 0)
        return (1, 0, 0) if entry.now else (2, -entry.won, -entry.tried)

    alive = [entry for entry in entries if entry.evicted_at is None or entry.now]
    return tuple(sorted(alive, key=rank)[:MOST_SHOWN])


def _closing(
    run: Run, entries: tuple[PoolEntry, ...], shown: tuple[PoolEntry, ...], key: int | None
) -> str:
    """``key`` is the only one that was asked for, None = all."""
    if not shown:
        return "The pool is empty." if key is None else f"{no_ngram(run, key)}."
    more = _alive(entries) - _alive(shown)
    return f"{more} more in the table" if more else ""


def _alive(entries: tuple[PoolEntry, ...]) -> int:
    return sum(entry.evicted_at is None for entry in entries)


def _sizes(run: Run) -> tuple[int, ...]:
    """N-grams held after each pass."""
    grown = accumulate(
        (growth(pool_changes_of(step)) for step in run.steps),
        initial=growth(run.prompt_pool_changes),
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


def _hot_keys(run: Run, stays: list[Stay], index: int) -> pd.DataFrame:
    """The keys that were looked up with success, most often first."""
    looked_up: dict[int, int] = {}
    for step in run.steps[: index + 1]:
        seen = verification_of(step)
        if seen is not None and seen.candidates:
            key = step.layout.token_ids[0]
            looked_up[key] = looked_up.get(key, 0) + 1
    lines = [
        (
            printable(run.token_text, key),
            sum(stay.key == key and stay.evicted_at is None for stay in stays),
            times,
            sum(stay.won for stay in stays if stay.key == key),
        )
        for key, times in sorted(looked_up.items(), key=lambda pair: -pair[1])
    ]
    return pd.DataFrame(lines, columns=list(KEY_COLUMNS))
