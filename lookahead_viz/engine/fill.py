"""Where tokens come from that nobody has predicted yet: the first window, the first iterate."""

from __future__ import annotations

import random
from collections.abc import Sequence

from lookahead_viz.config import (
    JacobiConfig,
    MultiblockJacobiConfig,
    SpeculativeJacobiConfig,
    WindowFill,
)

BlockConfig = JacobiConfig | SpeculativeJacobiConfig | MultiblockJacobiConfig


class Filler:
    """One token per call, from a seeded generator: the same seed gives the same tokens."""

    def __init__(
        self,
        fill: WindowFill,
        *,
        seed: int,
        prompt_ids: Sequence[int],
        vocab_size: int,
        fill_token: int | None = None,
    ) -> None:
        self._fill = fill
        self._fill_token = fill_token
        self._random = random.Random(seed)
        self._prompt_ids = tuple(prompt_ids)
        self._vocab_size = vocab_size

    def token(self) -> int:
        if self._fill == "prompt":
            return self._random.choice(self._prompt_ids)
        if self._fill == "random":
            return self._random.randrange(self._vocab_size)
        return self._prompt_ids[-1] if self._fill_token is None else self._fill_token

    def tokens(self, count: int) -> tuple[int, ...]:
        return tuple(self.token() for _ in range(count))


def block_filler(config: BlockConfig, prompt_ids: Sequence[int], vocab_size: int) -> Filler:
    """Fills the blocks of a Jacobi method as ``config.init`` says."""
    return Filler(config.init, seed=config.seed, prompt_ids=prompt_ids, vocab_size=vocab_size)
