"""A language model without weights: its next token is a hash of everything a slot sees.

It keeps the cache as a list of (position, token) and asserts, for every slot of every pass, that
what the slot sees through cache and mask is exactly its path: every position 0 .. its own once,
itself last, the tokens of its parent chain. One missing, extra or exchanged cell is caught.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from lookahead_viz import visibility
from lookahead_viz.engine.interface import PassResult
from lookahead_viz.records import Alternatives, StepLayout

Path = Sequence[tuple[int, int]]
"""What a slot sees: (position, token), in order of position."""

NextToken = Callable[[Path], int]


class WrongPath(AssertionError):
    """A slot sees something else than its path."""


class FakeRunner:
    """Implements ``engine.interface.Runner``; ``strict=False`` does not assert the paths."""

    def __init__(
        self,
        next_token: NextToken,
        *,
        vocab_size: int = 7,
        position_limit: int | None = None,
        strict: bool = True,
    ) -> None:
        self.next_token = next_token
        self.vocab_size = vocab_size
        self.position_limit = position_limit
        self.strict = strict
        self.cache: list[tuple[int, int]] = []
        self.fed: list[tuple[int, int]] = []
        self.passes = 0

    @property
    def cached(self) -> int:
        return len(self.cache)

    def prefill(self, token_ids: Sequence[int]) -> None:
        assert not self.cache
        self.cache = list(enumerate(token_ids))

    def forward(
        self, layout: StepLayout, visible: visibility.BoolMatrix, used: Sequence[int]
    ) -> PassResult:
        assert list(used) == sorted(set(used)) and visible.shape == (layout.slots, layout.slots)
        if self.position_limit is not None:
            assert max(layout.positions) < self.position_limit
        self.fed = list(zip(layout.positions, layout.token_ids, strict=True))
        expected = self._expected_paths(layout) if self.strict else []
        predictions: list[int | None] = [None] * layout.slots
        for slot in range(layout.slots) if self.strict else used:
            seen = self.cache + [self.fed[k] for k in range(layout.slots) if visible[slot, k]]
            seen.sort()
            if self.strict and seen != expected[slot]:
                raise WrongPath(f"slot {slot} sees {seen}, its path is {expected[slot]}")
            if slot in used:
                predictions[slot] = self.next_token(seen)
        self.passes += 1
        asked = set(used)
        return PassResult(
            predictions=tuple(predictions),
            gaps=tuple(1.0 if slot in asked else None for slot in range(layout.slots)),
            top_k=tuple(
                Alternatives(slot, (token,), (0.5,))
                for slot, token in enumerate(predictions)
                if token is not None
            ),
            mask_sha256=visibility.digest(visible),
            forward_ms=1.0,
        )

    def _expected_paths(self, layout: StepLayout) -> list[list[tuple[int, int]]]:
        """Parents' paths plus themselves: independent of the rules that make the mask."""
        cols = 1 + max(c for c, r in zip(layout.cols, layout.roles, strict=True) if r < 2)
        paths: list[list[tuple[int, int]]] = []
        for slot, (role, row, col) in enumerate(
            zip(layout.roles, layout.rows, layout.cols, strict=True)
        ):
            if role == 0:
                before = self.cache
            elif role == 1:
                before = paths[slot - cols] if row else paths[slot - 1]
            elif layout.parents is not None:  # merged: a test of ``pack`` checks the table
                assert layout.roles[layout.parents[slot]] != 1
                before = paths[layout.parents[slot]]
            else:
                before = paths[slot - 1] if col else paths[0]
            path = [*before, self.fed[slot]]
            assert [position for position, _ in path] == list(range(len(path)))
            paths.append(path)
        return paths

    def keep(self, slots: Sequence[int]) -> None:
        self.cache = self.cache + [self.fed[slot] for slot in slots]
        assert [position for position, _ in self.cache] == list(range(len(self.cache)))

    def truncate(self, rows: int) -> None:
        assert 0 <= rows <= len(self.cache)
        self.cache = self.cache[:rows]


def hash_model(vocab_size: int, seed: int = 0, memory: int = 3) -> NextToken:
    """Next token = hash of the last ``memory`` tokens, wherever they stand: text repeats."""

    def next_token(path: Path) -> int:
        tail = [token for _, token in path[-memory:]]
        return hashlib.sha256(repr((seed, tail)).encode()).digest()[0] % vocab_size

    return next_token


def greedy_text(
    next_token: NextToken, prompt: Sequence[int], count: int, stop_ids: Sequence[int] = ()
) -> list[int]:
    """What the model says one token at a time: the text every method must emit."""
    path = list(enumerate(prompt))
    emitted: list[int] = []
    while len(emitted) < count and not (emitted and emitted[-1] in stop_ids):
        emitted.append(next_token(path))
        path.append((len(path), emitted[-1]))
    return emitted
