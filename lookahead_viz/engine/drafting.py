"""Where a draft comes from: another model's tokens, or a copy of what stands in the text."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

from lookahead_viz import visibility
from lookahead_viz.engine.interface import Distribution, Runner
from lookahead_viz.engine.walk import own_token
from lookahead_viz.layout import pack
from lookahead_viz.prefix import common_prefix
from lookahead_viz.records import DraftSource


@dataclass(frozen=True)
class Draft:
    """The drafted tokens, possibly none, and what they cost.

    ``drawn_from`` has the distribution each token was drawn from; empty where none was.
    """

    tokens: tuple[int, ...] = ()
    drawn_from: tuple[Distribution, ...] = ()
    passes: int = 0  # of the draft model
    ms: float = 0.0
    copied_from: int | None = None
    matched_tail: int = 0


class Drafter(Protocol):
    """Writes drafts for a text that only grows."""

    @property
    def source(self) -> DraftSource: ...

    def draft(self, text: Sequence[int], count: int) -> Draft:
        """Up to ``count`` tokens to follow ``text``."""
        ...


class ModelDrafter:
    """A draft model, one pass a token; its cache follows the text.

    Where its runner samples, the tokens are drawn from its own distributions by ``rng``.
    """

    source: DraftSource = "draft model"

    def __init__(
        self, runner: Runner, stop_ids: frozenset[int], rng: random.Random | None = None
    ) -> None:
        self._runner = runner
        self._rng = rng
        self._stop_ids = stop_ids
        self._fed: list[int] = []  # the tokens whose rows are in the cache

    def draft(self, text: Sequence[int], count: int) -> Draft:
        """Its own next tokens, ending behind a stop id or at its own position limit."""
        started = perf_counter()
        count = min(count, self._positions_left(len(text)))
        if count <= 0:
            return Draft()
        waiting = self._catch_up(text)
        tokens: list[int] = []
        drawn_from: list[Distribution] = []
        while len(tokens) < count and not (tokens and tokens[-1] in self._stop_ids):
            tokens.append(self._next(waiting, drawn_from))
            waiting = tokens[-1:]
        ms = (perf_counter() - started) * 1000
        return Draft(tuple(tokens), tuple(drawn_from), passes=len(tokens), ms=ms)

    def _catch_up(self, text: Sequence[int]) -> list[int]:
        """Drop the rows of rejected drafts; the tokens of ``text`` that are not fed yet."""
        if not self._fed:
            self._runner.prefill(text[:-1])
            self._fed = list(text[:-1])
        same = common_prefix(self._fed, text)
        same = min(same, len(text) - 1)
        self._runner.truncate(same)
        del self._fed[same:]
        return list(text[same:])

    def _next(self, waiting: Sequence[int], drawn_from: list[Distribution]) -> int:
        layout = pack([waiting], position=len(self._fed))
        last = len(waiting) - 1
        result = self._runner.forward(layout, visibility.mask(layout), used=(last,))
        self._runner.keep(range(len(waiting)))
        self._fed += waiting
        if result.distribution is None or self._rng is None:
            return result.token(last)
        drawn_from.append(result.distribution(last))
        return own_token(drawn_from[-1], 0, self._rng).token

    def _positions_left(self, length: int) -> int:
        limit = self._runner.position_limit
        return length + 10**9 if limit is None else limit - length + 1


class PromptDrafter:
    """Copies what followed the last few tokens where they stood before (Saxena 2023).

    The rule of transformers' ``PromptLookupCandidateGenerator``: the longest tail first, the
    first place from the left.
    """

    source: DraftSource = "prompt"

    def __init__(self, match_size: int) -> None:
        self._match_size = match_size

    def draft(self, text: Sequence[int], count: int) -> Draft:
        if count <= 0:
            return Draft()
        for size in range(min(self._match_size, len(text) - 1), 0, -1):
            tail = tuple(text[-size:])
            for start in range(len(text) - size):
                if tuple(text[start : start + size]) == tail:
                    first = start + size
                    copied = tuple(text[first : first + count])
                    return Draft(copied, copied_from=first, matched_tail=size)
        return Draft()
