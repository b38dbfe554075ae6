"""What a decoder needs of a model: the contract between the algorithms and whatever runs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.records import Alternatives, StepLayout
from lookahead_viz.visibility import BoolMatrix

Distribution = NDArray[np.float64]
"""Probabilities of the next token, [vocabulary], which sum to 1."""


@dataclass(frozen=True)
class PassResult:
    """What one pass said about the slots it was asked about."""

    predictions: tuple[int | None, ...]  # [S], the model's next token; None where not asked
    gaps: tuple[float | None, ...]  # [S], top-1 minus top-2 logit; None where not asked
    top_k: tuple[Alternatives, ...]  # one entry per asked slot, or none at all
    mask_sha256: str  # of the mask as it was handed to the model
    forward_ms: float  # inside the model only
    # what is sampled from after a slot, which must have been asked for (valid until the next
    # pass); None in a greedy run
    distribution: Callable[[int], Distribution] | None = None

    def token(self, slot: int) -> int:
        """The prediction at ``slot``, which must have been asked for."""
        token = self.predictions[slot]
        assert token is not None, f"slot {slot} was not asked for"
        return token

    def gaps_at(self, slots: Sequence[int]) -> tuple[float, ...]:
        """The top-2 gap at each of ``slots``, which must have been asked for."""
        found = tuple(gap for slot in slots if (gap := self.gaps[slot]) is not None)
        assert len(found) == len(slots), "a slot was not asked for"
        return found


class Runner(Protocol):
    """A causal language model with a KV cache of one sequence.

    Between two passes the cache holds ``cached`` rows: the prefix every slot sees whole.
    """

    @property
    def vocab_size(self) -> int: ...

    @property
    def position_limit(self) -> int | None:
        """Number of positions the model knows (ids 0 .. limit - 1); None = no limit."""
        ...

    @property
    def cached(self) -> int: ...

    def prefill(self, token_ids: Sequence[int]) -> None:
        """Put ``token_ids`` (possibly none) into the cache as plain causal text."""
        ...

    def forward(self, layout: StepLayout, visible: BoolMatrix, used: Sequence[int]) -> PassResult:
        """Feed all slots behind the prefix; ``visible`` is bool [S, S], ``used`` slots ascend."""
        ...

    def keep(self, slots: Sequence[int]) -> None:
        """Keep the KV rows of these slots of the last pass, in this order; drop its others."""
        ...

    def truncate(self, rows: int) -> None:
        """Keep the first ``rows`` rows of the cache only."""
        ...
