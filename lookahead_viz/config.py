"""Settings of one decoding, one frozen dataclass a method, checked once at birth.

Every ``ValueError`` raised here is one sentence: what is wrong (with the value), what is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from lookahead_viz.config_checks import (
    BLOCK_FILLS,
    BlockFill,
    CanSample,
    Sampling,
    check_bool,
    check_choice,
    check_common,
    check_int,
    check_sampling,
    ids_of,
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
    "BLOCK_FILLS",
    "Config",
    "DraftJacobiConfig",
    "BlockFill",
    "GreedyConfig",
    "JacobiConfig",
    "LookaheadConfig",
    "MultiblockJacobiConfig",
    "PromptLookupConfig",
    "Sampling",
    "SpeculativeConfig",
    "SpeculativeJacobiConfig",
]

WindowFill = Literal["prompt", "random", "repeat", "constant"]
Accept = Literal["full", "original"]
Shift = Literal["reanchor", "slide", "level"]
PoolPolicy = Literal["lru", "ring", "unlimited"]
ColumnKey = Literal["current", "stale", "next"]
WarmUp = Literal["gradual", "none"]

WINDOW_FILLS: tuple[WindowFill, ...] = (*BLOCK_FILLS, "constant")
ACCEPTS: tuple[Accept, ...] = ("full", "original")
SHIFTS: tuple[Shift, ...] = ("reanchor", "slide", "level")
POOL_POLICIES: tuple[PoolPolicy, ...] = ("lru", "ring", "unlimited")
COLUMN_KEYS: tuple[ColumnKey, ...] = ("current", "stale", "next")
WARM_UPS: tuple[WarmUp, ...] = ("gradual", "none")


@dataclass(frozen=True)
class GreedyConfig(CanSample):
    """Plain autoregressive decoding, the baseline every other method must equal.

    ``temperature`` 0 takes the most likely token; above 0 the token is drawn by ``seed`` from the
    model's distribution after temperature, ``top_k`` and ``top_p`` (None = off).
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
        check_sampling(self)


@dataclass(frozen=True)
class JacobiConfig:
    """Pure Jacobi decoding: ``block_size`` (n) tokens are solved together (Santilli et al. 2023).

    ``init`` writes the first iterate: "prompt" = random prompt tokens, "random" = random tokens of
    the vocabulary, "repeat" = the last prompt token.
    """

    method: ClassVar[str] = "jacobi"

    block_size: int = 16
    max_new_tokens: int = 64
    init: BlockFill = "prompt"
    seed: int = 0
    stop_ids: tuple[int, ...] | None = None
    alternatives: int = 5

    def __post_init__(self) -> None:
        check_common(self)
        check_int("block_size (n)", self.block_size, 1)
        check_choice("init", self.init, BLOCK_FILLS)


@dataclass(frozen=True)
class LookaheadConfig(CanSample):
    """Lookahead decoding (Fu et al. 2024, arXiv 2402.02057, Algorithm 2).

    ``window_size`` W, ``ngram_size`` N and ``max_candidates`` G are the paper's. With
    ``temperature`` above 0 the candidates are verified by Algorithm 4 (see ``GreedyConfig``); the
    window stays argmax. The other fields choose between what engines do differently; none of them
    changes the text of a greedy run:

    - ``window_fill``: where the first window comes from: "prompt" = random prompt tokens, "random"
      = random tokens of the vocabulary, "repeat" = the last prompt token, "constant" =
      ``fill_token``. ``initial_window`` gives row 0 without the current token as W + N - 3 ids.
    - ``warm_up``: "gradual" adds one row a pass (N - 2 passes), "none" fills the whole grid.
    - ``shift``: what the window does after several tokens were accepted: "reanchor" keeps its
      tokens and stands at the new position (the published code), "slide" moves it along the text,
      "level" rolls it up once per accepted token (llama.cpp).
    - ``column_key``: the key of column 0's n-gram: "current" = the token that was fed, "stale" =
      the window's own token there, which was not fed (llama.cpp), "next" = the token accepted
      last (TensorRT-LLM).
    - ``pool_policy``: "lru" evicts the least recently inserted n-gram, "ring" the first inserted
      and ignores repetitions, "unlimited" keeps all. ``pool_per_key`` bounds the n-grams kept per
      key (None = max(G, 1)).
    - ``pool_from_prompt`` puts the prompt's n-grams into the pool before the first pass,
      ``pool_from_generated`` those of the new text (None = as ``pool_from_prompt``).
    - ``accept="original"`` reproduces the published code, which cannot see a full match.
    - ``merge_candidates`` feeds equal prefixes of candidates once, as a trie.
    - ``verify_window`` also verifies the window: along row 0 and down a column, at most N - 1
      tokens, as TensorRT-LLM does.
    """

    method: ClassVar[str] = "lookahead"

    window_size: int = 5
    ngram_size: int = 4
    max_candidates: int = 5
    pool_per_key: int | None = None
    max_new_tokens: int = 64
    seed: int = 0
    window_fill: WindowFill = "prompt"
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
    pool_policy: PoolPolicy = "lru"
    pool_from_generated: bool | None = None
    column_key: ColumnKey = "current"
    warm_up: WarmUp = "gradual"
    fill_token: int | None = None
    verify_window: bool = False

    def __post_init__(self) -> None:
        check_common(self)
        check_int("window_size (W)", self.window_size, 1)
        check_int("ngram_size (N)", self.ngram_size, 2)
        check_int("max_candidates (G)", self.max_candidates, 0)
        if self.pool_per_key is not None:
            check_int("pool_per_key", self.pool_per_key, 1)
        check_choice("window_fill", self.window_fill, WINDOW_FILLS)
        check_choice("accept", self.accept, ACCEPTS)
        check_choice("shift", self.shift, SHIFTS)
        check_choice("pool_policy", self.pool_policy, POOL_POLICIES)
        check_choice("column_key", self.column_key, COLUMN_KEYS)
        check_choice("warm_up", self.warm_up, WARM_UPS)
        check_bool("pool_from_prompt", self.pool_from_prompt)
        if self.pool_from_generated is not None:
            check_bool("pool_from_generated", self.pool_from_generated)
        check_bool("merge_candidates", self.merge_candidates)
        check_bool("verify_window", self.verify_window)
        check_sampling(self)
        self._check_combinations()
        if self.initial_window is not None:
            row = ids_of("initial_window", self.initial_window)
            object.__setattr__(self, "initial_window", row)
            self._check_initial_window()

    @property
    def pool_capacity(self) -> int | None:
        """N-grams kept per key; None = all."""
        if self.pool_policy == "unlimited":
            return None
        return max(self.max_candidates, 1) if self.pool_per_key is None else self.pool_per_key

    @property
    def collects_text(self) -> bool:
        """Do the n-grams of new text enter the pool?"""
        if self.pool_from_generated is None:
            return self.pool_from_prompt
        return self.pool_from_generated

    @property
    def most_matched(self) -> int:
        """How many guesses of a candidate can be accepted: N - 1, as published N - 2."""
        return self.ngram_size - (2 if self.accept == "original" else 1)

    @property
    def initial_fill(self) -> int:
        """Tokens of the first row besides the current one: W + N - 3."""
        return self.window_size + self.ngram_size - 3

    def _check_combinations(self) -> None:
        if self.pool_policy == "unlimited" and self.pool_per_key is not None:
            raise ValueError(
                f"pool_per_key is {self.pool_per_key}, but pool_policy='unlimited' has no bound; "
                "use None or another policy."
            )
        if self.fill_token is not None:
            check_int("fill_token", self.fill_token, 0)
        if (self.window_fill == "constant") != (self.fill_token is not None):
            raise ValueError(
                f"window_fill is {self.window_fill!r} and fill_token is {self.fill_token!r}; "
                "'constant' needs a token id, and only it takes one."
            )
        if self.initial_window is not None and self.warm_up == "none":
            raise ValueError(
                "initial_window is the first row of a gradual warm-up; with warm_up='none' use "
                "window_fill."
            )

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
    kind.method: kind
    for kind in (
        GreedyConfig,
        JacobiConfig,
        LookaheadConfig,
        SpeculativeConfig,
        PromptLookupConfig,
        DraftJacobiConfig,
        SpeculativeJacobiConfig,
        MultiblockJacobiConfig,
    )
}
