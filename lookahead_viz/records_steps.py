"""One record per pass, a class for each kind of method; see ``records``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from lookahead_viz.records_parts import (
    Alternatives,
    Draw,
    PoolChange,
    Role,
    StepLayout,
    Verification,
)


@dataclass(frozen=True, kw_only=True)
class _Pass:
    """What every pass records, whatever the method."""

    index: int
    layout: StepLayout
    predictions: tuple[int | None, ...]  # [S], None where unused
    accepted: tuple[int, ...]  # tokens emitted by this pass
    discarded: tuple[int, ...] = ()  # proven too, but cut off by a stop id or the length
    kept_slots: tuple[int, ...]  # slots whose KV rows stay in the cache
    mask_sha256: str  # of np.packbits of the boolean [S, S] mask that was handed to the model
    top_k: tuple[Alternatives, ...] = ()
    gap: tuple[float, ...] = ()  # top-1 minus top-2 logit at each accepted token
    draws: tuple[Draw, ...] = ()  # in order; the last one is the model's own token; none in greedy
    # in the model, and with the work around it; the first pass also reads a short prompt
    forward_ms: float = field(default=0.0, compare=False)
    step_ms: float = field(default=0.0, compare=False)

    @property
    def window_slots(self) -> int:
        """Slots before the first guess, the current token included."""
        return self.layout.slots - self.layout.roles.count(Role.GUESS)

    @property
    def candidate_slots(self) -> tuple[tuple[int, ...], ...]:
        """The slot of every guess of every candidate, [G'][N - 1]."""
        seen: Verification | None = getattr(self, "verification", None)
        if seen is None or seen.slots or not seen.candidates:
            return () if seen is None else seen.slots
        guesses = len(seen.candidates[0])
        starts = range(self.window_slots, self.layout.slots, guesses)
        return tuple(tuple(range(start, start + guesses)) for start in starts)

    @property
    def pool_candidates(self) -> int:
        """How many candidates came from the pool; the others were read from the window."""
        return sum(slots[0] >= self.window_slots for slots in self.candidate_slots)

    @property
    def sampled(self) -> tuple[int, ...]:
        """The tokens that the draws of this pass accepted: what it proves; none in greedy."""
        return tuple(draw.token for draw in self.draws if draw.accepted)


@dataclass(frozen=True, kw_only=True)
class GreedyStep(_Pass):
    """One token by one pass."""


@dataclass(frozen=True, kw_only=True)
class JacobiStep(_Pass):
    """One Jacobi pass over a block of n tokens (DESIGN 2.2; Santilli et al. 2023, Algorithm 1).

    ``frozen`` counts the leading tokens of ``next_iterate`` guaranteed final after this pass.
    ``ahead`` and ``next_ahead`` are the iterates of the speculative blocks behind this one, and
    ``verification`` and ``pool_changes`` belong to recycled n-grams (multi-block Jacobi).
    """

    block: int
    iteration: int  # 0 is the first pass of the block
    iterate: tuple[int, ...]  # [n]
    next_iterate: tuple[int, ...]  # [n]
    frozen: int
    ahead: tuple[tuple[int, ...], ...] = ()
    next_ahead: tuple[tuple[int, ...], ...] = ()
    verification: Verification | None = None
    pool_changes: tuple[PoolChange, ...] = ()
    draft_passes: int = 0  # of the draft model that wrote this block's first iterate
    draft_ms: float = field(default=0.0, compare=False)

    @property
    def frozen_before(self) -> int:
        """Leading tokens of ``iterate`` that were frozen before this pass."""
        return self.frozen - len(self.accepted) - len(self.discarded)


DraftSource = Literal["draft model", "prompt"]


@dataclass(frozen=True, kw_only=True)
class DraftStep(_Pass):
    """One pass that verifies one drafted continuation: slot 0 and one candidate.

    ``verification`` has that candidate, or none where nothing could be drafted. With draws,
    ``matched`` counts the draft tokens they accepted.
    """

    source: DraftSource
    verification: Verification
    draft_passes: int = 0  # forward passes of the draft model before this one
    draft_ms: float = field(default=0.0, compare=False)
    copied_from: int | None = None  # where in prompt + text the copied tokens begin
    matched_tail: int = 0  # how many last tokens were found before that place

    @property
    def window(self) -> tuple[tuple[int, ...], ...]:
        """The current token alone, as in a lookahead pass without a window."""
        return ((self.layout.token_ids[0],),)


@dataclass(frozen=True, kw_only=True)
class LookaheadStep(_Pass):
    """One lookahead pass: lookahead branch and verification branch in one forward."""

    window: tuple[tuple[int, ...], ...]  # [R][C]; cell (r, c) stands at position p + r + c
    verification: Verification
    pool_changes: tuple[PoolChange, ...] = ()

    @property
    def first_of_last_row(self) -> int:
        """Slot of the first cell of the newest window row."""
        return (len(self.window) - 1) * len(self.window[0])

    @property
    def column_keys(self) -> tuple[int, ...]:
        """The key of every column's n-gram, [C]: its token of row 0, but see ``column_key``."""
        changes = self.pool_changes[: len(self.window[0])]
        if any(change.source != "window" for change in changes):
            changes = ()
        keys = tuple(change.key for change in changes)
        return keys + self.window[0][len(keys) :]

    @property
    def last_row_predictions(self) -> tuple[int | None, ...]:
        """What the model predicts after each cell of the newest window row, [C]."""
        first = self.first_of_last_row
        return self.predictions[first : first + len(self.window[0])]


Step = GreedyStep | JacobiStep | LookaheadStep | DraftStep


STEPS: dict[str, type[Step]] = {
    "greedy": GreedyStep,
    "jacobi": JacobiStep,
    "lookahead": LookaheadStep,
    "speculative": DraftStep,
    "prompt-lookup": DraftStep,
    "draft-jacobi": JacobiStep,
    "speculative-jacobi": JacobiStep,
    "multiblock-jacobi": JacobiStep,
}


def verification_of(step: Step) -> Verification | None:
    """How the candidates of a pass fared; None for a pass that can have none."""
    return None if isinstance(step, GreedyStep) else step.verification


def pool_changes_of(step: Step) -> tuple[PoolChange, ...]:
    """What a pass put into the pool."""
    return step.pool_changes if isinstance(step, (LookaheadStep, JacobiStep)) else ()
