"""Settings of one decoding, one frozen dataclass a method, checked once at birth.

Every ``ValueError`` raised here is one sentence: what is wrong (with the value), what is allowed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal

Fill = Literal["prompt", "random", "repeat"]
Accept = Literal["full", "original"]
Shift = Literal["reanchor", "slide"]

FILLS: tuple[Fill, ...] = ("prompt", "random", "repeat")


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
        _check_common(self)
        _refuse_sampling(self.temperature, self.top_k, self.top_p)


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
        _check_common(self)
        _check_int("block_size (n)", self.block_size, 1)
        _check_choice("init", self.init, FILLS)


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
        _check_common(self)
        _check_int("window_size (W)", self.window_size, 1)
        _check_int("ngram_size (N)", self.ngram_size, 2)
        _check_int("max_candidates (G)", self.max_candidates, 0)
        if self.pool_per_key is not None:
            _check_int("pool_per_key", self.pool_per_key, 1)
        _check_choice("window_fill", self.window_fill, FILLS)
        _check_choice("accept", self.accept, ("full", "original"))
        _check_choice("shift", self.shift, ("reanchor", "slide"))
        _check_bool("pool_from_prompt", self.pool_from_prompt)
        _check_bool("merge_candidates", self.merge_candidates)
        if self.merge_candidates:
            raise ValueError("merge_candidates=True is not built yet; use merge_candidates=False.")
        _refuse_sampling(self.temperature, self.top_k, self.top_p)
        if self.initial_window is not None:
            object.__setattr__(self, "initial_window", _ids("initial_window", self.initial_window))
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


Config = GreedyConfig | JacobiConfig | LookaheadConfig
CONFIGS: dict[str, type[Config]] = {
    kind.method: kind for kind in (GreedyConfig, JacobiConfig, LookaheadConfig)
}


def _check_common(config: Config) -> None:
    _check_int("max_new_tokens", config.max_new_tokens, 1)
    _check_int("seed", config.seed, 0)
    _check_int("alternatives", config.alternatives, 0)
    if config.stop_ids is not None:
        object.__setattr__(config, "stop_ids", _ids("stop_ids", config.stop_ids))


def _check_int(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} is {value!r}; it must be a whole number of at least {least}.")


def _check_bool(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise ValueError(f"{name} is {value!r}; it must be True or False.")


def _check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        choices = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"{name} is {value!r}; it must be one of {choices}.")


def _ids(name: str, value: object) -> tuple[int, ...]:
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value,)
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{name} is {value!r}; it must be a list of token ids.")
    ids = tuple(value)
    for token in ids:
        if isinstance(token, bool) or not isinstance(token, int) or token < 0:
            raise ValueError(f"{name} contains {token!r}; token ids are whole numbers from 0 up.")
    return ids


def _refuse_sampling(temperature: float, top_k: int | None, top_p: float | None) -> None:
    if isinstance(temperature, bool) or not isinstance(temperature, (int, float)):
        raise ValueError(f"temperature is {temperature!r}; it must be a number.")
    if temperature != 0.0 or top_k is not None or top_p is not None:
        raise ValueError(
            f"sampling (temperature={temperature!r}, top_k={top_k!r}, top_p={top_p!r}) is not "
            "built yet; use temperature=0.0 without top_k and top_p."
        )
