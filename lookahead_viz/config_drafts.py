"""Settings of the methods that draft: by another model, from the text, or in earlier passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lookahead_viz.config_checks import (
    BLOCK_FILLS,
    BlockFill,
    CanSample,
    check_choice,
    check_common,
    check_int,
    check_sampling,
    check_share,
)

Draft = int | str
"""How a draft model is named: a number k = the first k layers of the model itself with its norm
and head (layer-skip self-draft), a text = the name of a model handed over beside it."""


@dataclass(frozen=True)
class SpeculativeConfig(CanSample):
    """Draft-model speculative decoding (Leviathan et al. 2023, arXiv 2211.17192, Algorithm 1).

    The ``draft`` model writes ``gamma`` tokens one by one, the model verifies all of them in one
    pass. Sampling (``temperature`` > 0) accepts a token x with probability min(1, p(x) / q(x))
    and replaces the first rejected one by a sample of max(0, p - q), renormalised.
    """

    method: ClassVar[str] = "speculative"

    draft: Draft = 2
    gamma: int = 4
    max_new_tokens: int = 64
    temperature: float = 0.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0
    stop_ids: tuple[int, ...] | None = None
    alternatives: int = 5

    def __post_init__(self) -> None:
        check_common(self)
        check_draft(self.draft)
        check_int("gamma", self.gamma, 1)
        check_sampling(self)


@dataclass(frozen=True)
class PromptLookupConfig(CanSample):
    """Prompt lookup decoding (Saxena 2023): the draft is copied from prompt and text so far.

    The last ``match_size`` tokens, or fewer when those are not found, are looked for from the
    left; up to ``gamma`` tokens that followed the first place found are the draft. The rule is
    that of transformers' ``prompt_lookup_num_tokens``.
    """

    method: ClassVar[str] = "prompt-lookup"

    gamma: int = 10
    match_size: int = 2
    max_new_tokens: int = 64
    temperature: float = 0.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0
    stop_ids: tuple[int, ...] | None = None
    alternatives: int = 5

    def __post_init__(self) -> None:
        check_common(self)
        check_int("gamma", self.gamma, 1)
        check_int("match_size", self.match_size, 1)
        check_sampling(self)


@dataclass(frozen=True)
class DraftJacobiConfig:
    """Draft-initialised Jacobi: a ``draft`` model writes the first iterate of every block.

    The model then runs Jacobi passes on it as in ``JacobiConfig``. Not to be confused with
    speculative Jacobi decoding, which has no second model.
    """

    method: ClassVar[str] = "draft-jacobi"

    draft: Draft = 2
    block_size: int = 16
    max_new_tokens: int = 64
    stop_ids: tuple[int, ...] | None = None
    alternatives: int = 5

    def __post_init__(self) -> None:
        check_common(self)
        check_draft(self.draft)
        check_int("block_size (n)", self.block_size, 1)


@dataclass(frozen=True)
class SpeculativeJacobiConfig(CanSample):
    """Speculative Jacobi decoding (Teng et al., ICLR 2025, arXiv 2410.01699).

    It comes from autoregressive *image* models. Jacobi with sampling: a token x of the iterate,
    drawn from the distribution q of the pass before, is accepted with probability
    min(1, p(x) / q(x)) under the distribution p of this pass; the first rejected one is replaced
    by a sample of max(0, p - q), renormalised; all behind it are drawn anew from p.
    At temperature 0 it is pure Jacobi.
    """

    method: ClassVar[str] = "speculative-jacobi"

    block_size: int = 16
    max_new_tokens: int = 64
    init: BlockFill = "prompt"
    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0
    stop_ids: tuple[int, ...] | None = None
    alternatives: int = 5

    def __post_init__(self) -> None:
        check_common(self)
        check_int("block_size (n)", self.block_size, 1)
        check_choice("init", self.init, BLOCK_FILLS)
        check_sampling(self)


@dataclass(frozen=True)
class MultiblockJacobiConfig:
    """Multi-block Jacobi with rejection recycling, the inference side of Jacobi Forcing.

    Hu et al., arXiv 2512.14681, which trains models for it; the decoding works with any. Up to
    ``blocks`` (K) blocks of ``block_size`` (n) tokens are in flight. Only the first is real: its
    frozen tokens become text. A further block starts as soon as the last one holds at least
    ``activation`` * n tokens that the pass left as they were. N-grams (``ngram_size`` tokens, the
    first is the key) of the iterates that were rejected go into a pool; up to
    ``max_candidates`` of them that begin with the current token are verified in the same pass.
    """

    method: ClassVar[str] = "multiblock-jacobi"

    block_size: int = 16
    blocks: int = 2
    activation: float = 0.85
    ngram_size: int = 5
    max_candidates: int = 4
    pool_per_key: int | None = None
    max_new_tokens: int = 64
    init: BlockFill = "prompt"
    seed: int = 0
    stop_ids: tuple[int, ...] | None = None
    alternatives: int = 5

    def __post_init__(self) -> None:
        check_common(self)
        check_int("block_size (n)", self.block_size, 1)
        check_int("blocks (K)", self.blocks, 1)
        check_share("activation", self.activation)
        check_int("ngram_size (N)", self.ngram_size, 2)
        check_int("max_candidates (G)", self.max_candidates, 0)
        if self.pool_per_key is not None:
            check_int("pool_per_key", self.pool_per_key, 1)
        check_choice("init", self.init, BLOCK_FILLS)

    @property
    def pool_capacity(self) -> int:
        """N-grams kept per key."""
        return max(self.max_candidates, 1) if self.pool_per_key is None else self.pool_per_key


def check_draft(draft: object) -> None:
    if isinstance(draft, str):
        if not draft.strip():
            raise ValueError(
                "draft is empty; name the draft model, or give a number of layers of the model "
                "itself."
            )
    elif isinstance(draft, bool) or not isinstance(draft, int) or draft < 1:
        raise ValueError(
            f"draft is {draft!r}; it must be a number of layers of the model itself (at least 1) "
            "or the name of another model."
        )
