"""Settings of one decoding, one frozen dataclass a method, checked once at birth.

Every ``ValueError`` raised here is one sentence: what is wrong (with the value), what is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from lookahead_viz.config_checks import (
    FILLS,
    Fill,
    check_bool,
    check_choice,
    check_common,
    check_int,
    ids_of,
    refuse_sampling,
)
from lookahead_viz.config_drafts import (
    DraftJacobiConfig,
    MultiblockJacobiConfig,
    PromptLookupConfig,
    SpeculativeConfig,
    SpeculativeJacobiConfig,
)

__all__ = [
    "CONFIGS",
    "FILLS",
    "Config",
    "DraftJacobiConfig",
    "Fill",
    "GreedyConfig",
    "JacobiConfig",
    "LookaheadConfig",
    "MultiblockJacobiConfig",
    "PromptLookupConfig",
    "SpeculativeConfig",
    "SpeculativeJacobiConfig",
]

Accept = Literal["full", "original"]
Shift = Literal["reanchor", "slide"]


@dataclass(frozen=True)
class GreedyConfig:
    """Plain autoregressive decoding, the baseline every other method must equal.

    ``stop_ids``: None = the model's own end ids, () = none.
    ``alternatives``: how many of the most likely tokens are recorded per used slot (0 = none).
    """

    method: ClassVar[str] = "greedy"

    max_new_tokens: int = 64
    temperature: float = 0.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0
    stop_ids: tuple[int, ...] | None = None
    alternatives: int = 5

    def __post_init__(self) -> None:
        check_common(self)
        refuse_sampling(self.temperature, self.top_k, self.top_p)


@dataclass(frozen=True)
class JacobiConfig:
    """Pure Jacobi decoding: ``block_size`` (n) tokens are solved together (Santilli et al. 2023).

    ``init`` writes the first iterate: "prompt" = random prompt tokens, "random" = random tokens of
    the vocabulary, "repeat" = the last prompt token.
    """

    method: ClassVar[str] = "jacobi"

    block_size: int = 16
    max_new_tokens: int = 64
    init: Fill = "prompt"
    seed: int = 0
    stop_ids: tuple[int, ...] | None = None
    alternatives: int = 5

    def __post_init__(self) -> None:
        check_common(self)
        check_int("block_size (n)", self.block_size, 1)
        check_choice("init", self.init, FILLS)


@dataclass(frozen=True)
class LookaheadConfig:
    """Lookahead decoding (Fu et al. 2024, arXiv 2402.02057, Algorithm 2).

    ``window_size`` W, ``ngram_size`` N and ``max_candidates`` G are the paper's; ``pool_per_key``
    bounds the n-grams kept per key (None = max(G, 1)). ``initial_window`` gives row 0 without the
    current token as W + N - 3 ids; None draws it by ``window_fill`` with ``seed``.
    ``accept="original"`` reproduces the published code, which cannot see a full match.
    ``shift`` says what the window does after several tokens were accepted: "reanchor" keeps its
    tokens and stands at the new position (the published code), "slide" moves it along the text.
    """

    method: ClassVar[str] = "lookahead"

    window_size: int = 5
    ngram_size: int = 4
    max_candidates: int = 5
    pool_per_key: int | None = None
    max_new_tokens: int = 64
    seed: int = 0
    window_fill: Fill = "prompt"
    initial_window: tuple[int, ...] | None = None
    pool_from_prompt: bool = False
    accept: Accept = "full"
    shift: Shift = "reanchor"
    merge_candidates: bool = False
    temperature: float = 0.0
    top_k: int | None = None
    top_p: float | None = None
    stop_ids: tuple[int, ...] | None = None
    alternatives: int = 5

    def __post_init__(self) -> None:
        check_common(self)
        check_int("window_size (W)", self.window_size, 1)
        check_int("ngram_size (N)", self.ngram_size, 2)
        check_int("max_candidates (G)", self.max_candidates, 0)
        if self.pool_per_key is not None:
            check_int("pool_per_key", self.pool_per_key, 1)
        check_choice("window_fill", self.window_fill, FILLS)
        check_choice("accept", self.accept, ("full", "original"))
        check_choice("shift", self.shift, ("reanchor", "slide"))
        check_bool("pool_from_prompt", self.pool_from_prompt)
        check_bool("merge_candidates", self.merge_candidates)
        if self.merge_candidates:
            raise ValueError("merge_candidates=True is not built yet; use merge_candidates=False.")
        refuse_sampling(self.temperature, self.top_k, self.top_p)
        if self.initial_window is not None:
            row = ids_of("initial_window", self.initial_window)
            object.__setattr__(self, "initial_window", row)
            self._check_initial_window()

    @property
    def pool_capacity(self) -> int:
        """N-grams kept per key."""
        return max(self.max_candidates, 1) if self.pool_per_key is None else self.pool_per_key

    @property
    def initial_fill(self) -> int:
        """Tokens of the first row besides the current one: W + N - 3."""
        return self.window_size + self.ngram_size - 3

    def _check_initial_window(self) -> None:
        assert self.initial_window is not None
        if len(self.initial_window) != self.initial_fill:
            raise ValueError(
                f"initial_window has {len(self.initial_window)} ids, but W={self.window_size}, "
                f"N={self.ngram_size} needs W + N - 3 = {self.initial_fill} (without the current "
                "token)."
            )


Config = (
    GreedyConfig
    | JacobiConfig
    | LookaheadConfig
    | SpeculativeConfig
    | PromptLookupConfig
    | DraftJacobiConfig
    | SpeculativeJacobiConfig
    | MultiblockJacobiConfig
)
CONFIGS: dict[str, type[Config]] = {
    kind.method: kind for kind in (GreedyConfig, JacobiConfig, LookaheadConfig)
}
