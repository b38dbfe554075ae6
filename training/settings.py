"""Everything that decides a training run, the sources of the corpus aside."""

from __future__ import annotations

import math
from dataclasses import dataclass

from training.tokenizer import VOCABULARY


@dataclass(frozen=True)
class Settings:
    """Kept in every checkpoint.  Stage one is likelihood alone; stage two adds unlikelihood."""

    vocabulary: int = VOCABULARY
    width: int = 256
    layers: int = 3
    rows: int = 8  # per batch
    length: int = 256  # tokens per row
    late_length: int = 512  # tokens per row in stage two, as many tokens per batch as before
    split_share: float = 0.2  # of the line ends with an indent are two tokens, not one ...
    split_from: int = 0  # ... from this step on
    seed: int = 1
    steps: int = 4550  # stage one
    loop_steps: int = 420  # stage two
    warm_up: int = 150
    peak_rate: float = 3e-3
    late_rate: float = 3e-4  # where the cosine ends and the straight line to zero begins
    decay: float = 0.1
    loop_rows: int = (
        32  # continuations written per step of stage two, at most half are learnt from
    )
    loop_tokens: int = 128  # length of each
    loop_weight: float = 0.25
    made_rows: int = 0  # loops made of training text per step
    ngram: int = 0  # 0: unlikelihood of loops only; 4: of every repeated 4-gram
    test_every: int = 200
    smoke: bool = False

    @property
    def all_steps(self) -> int:
        """Steps of both stages."""
        return self.steps + self.loop_steps


SMOKE = Settings(
    vocabulary=512, width=128, layers=2, rows=8, length=64, late_length=128, steps=100,
    loop_steps=3, warm_up=10, loop_rows=4, loop_tokens=48, made_rows=2, test_every=50, smoke=True,
)  # fmt: skip


def rate_at(step: int, settings: Settings) -> float:
    """Learning rate: warm-up, cosine to ``late_rate`` over stage one, a line to zero after it."""
    if step < settings.warm_up:
        return settings.peak_rate * (step + 1) / settings.warm_up
    if step < settings.steps:
        done = (step - settings.warm_up) / max(1, settings.steps - settings.warm_up)
        wave = 0.5 * (1 + math.cos(math.pi * done))
        return settings.late_rate + (settings.peak_rate - settings.late_rate) * wave
    return settings.late_rate * (settings.all_steps - step) / max(1, settings.loop_steps)
