"""The n-gram pool: per key a list of n-grams, oldest first.

Fu et al. 2024, section 3.3. Every insertion is reported as a ``PoolChange``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from lookahead_viz.config import PoolPolicy
from lookahead_viz.engine.window import Ngram
from lookahead_viz.records import PoolChange

Source = Literal["window", "generated", "prompt", "rejected"]


class NgramPool:
    """At most ``capacity`` n-grams a key (None = all); the oldest one is evicted.

    An n-gram that is present already is refreshed, that is, becomes the newest; only a "ring"
    ignores it, so that there the oldest is the first inserted one.
    """

    def __init__(self, capacity: int | None, policy: PoolPolicy = "lru") -> None:
        self._capacity = capacity
        self._refreshes = policy != "ring"
        self._tails: dict[int, list[tuple[int, ...]]] = {}

    def newest(self, key: int, count: int) -> tuple[tuple[int, ...], ...]:
        """Up to ``count`` newest n-grams of ``key``, oldest first, without the key."""
        return tuple(self._tails.get(key, [])[-count:]) if count else ()

    def insert(self, ngram: Ngram, source: Source) -> PoolChange:
        """Insert, or refresh or ignore what is present."""
        tails = self._tails.setdefault(ngram.key, [])
        if ngram.tail in tails:
            if not self._refreshes:
                return PoolChange(ngram.key, ngram.tail, "ignored", source)
            tails.remove(ngram.tail)
            tails.append(ngram.tail)
            return PoolChange(ngram.key, ngram.tail, "refreshed", source)
        evicted = tails.pop(0) if len(tails) == self._capacity else None
        tails.append(ngram.tail)
        return PoolChange(ngram.key, ngram.tail, "added", source, evicted)

    def insert_all(self, ngrams: Iterable[Ngram], source: Source) -> list[PoolChange]:
        return [self.insert(ngram, source) for ngram in ngrams]


def ngrams_ending_in(text: Sequence[int], count: int, ngram_size: int) -> list[Ngram]:
    """The n-grams of ``text`` that end in one of its last ``count`` tokens, in text order."""
    first_end = max(len(text) - count, ngram_size - 1)
    return [
        Ngram(text[end - ngram_size + 1], tuple(text[end - ngram_size + 2 : end + 1]))
        for end in range(first_end, len(text))
    ]
