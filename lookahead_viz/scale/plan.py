"""What a sweep decodes: prompts x (W, N, G), each with greedy decoding beside it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from lookahead_viz.config import Config, GreedyConfig
from lookahead_viz.scale.sizes import Sizes

FORMAT = 1
"""Part of every cache key: raised when the rows or the decoders change their meaning."""

AS_WINDOW = "W"
"""Stands for G = W in a list of candidates."""


@dataclass(frozen=True)
class Cell:
    """One decoding of a sweep: greedy where ``sizes`` is None."""

    prompt_name: str
    prompt: str
    sizes: Sizes | None
    max_new_tokens: int
    seed: int = 0

    def config(self) -> Config:
        """The settings of this decoding; nothing is recorded that a sweep does not need."""
        if self.sizes is None:
            return GreedyConfig(max_new_tokens=self.max_new_tokens, seed=self.seed, alternatives=0)
        return self.sizes.config(max_new_tokens=self.max_new_tokens, seed=self.seed)

    def key(self, model_digest: str, prompt_ids: Sequence[int]) -> str:
        """SHA-256 of all that the result depends on: settings, model, prompt."""
        config = self.config()
        content = {
            "format": FORMAT,
            "method": config.method,
            "config": asdict(config),
            "model": model_digest,
            "prompt": list(prompt_ids),
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Plan:
    """One model, named prompts (name, text), sizes; ``model`` is what ``load_model`` takes.

    ValueError in one sentence when there is nothing to decode.
    """

    model: str
    prompts: tuple[tuple[str, str], ...]
    sizes: tuple[Sizes, ...]
    max_new_tokens: int = 64
    seed: int = 0
    device: str = "auto"
    dtype: str = "auto"
    attention: str = "auto"

    def __post_init__(self) -> None:
        if not self.prompts:
            raise ValueError("the sweep has no prompt; choose at least one.")
        if not self.sizes:
            raise ValueError("the sweep has no (W, N, G); give at least one of each.")
        names = [name for name, _ in self.prompts]
        if len(set(names)) < len(names):
            raise ValueError("two prompts of the sweep have the same name; each needs its own.")

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Greedy first, then size after size: an interrupted sweep has whole sizes."""
        sizes: tuple[Sizes | None, ...] = (None, *self.sizes)
        return tuple(
            Cell(name, text, size, self.max_new_tokens, self.seed)
            for size in sizes
            for name, text in self.prompts
        )


def grid(
    windows: Iterable[int], ngrams: Iterable[int], candidates: Iterable[int | str]
) -> tuple[Sizes, ...]:
    """Every (W, N, G) once, the smallest first; ``candidates`` may hold "W" for G = W."""
    ngrams, candidates = tuple(ngrams), tuple(candidates)
    found = {
        Sizes(w, n, w if g == AS_WINDOW else int(g))
        for w in windows
        for n in ngrams
        for g in candidates
    }
    return tuple(sorted(found, key=lambda size: (size.slots, size)))
