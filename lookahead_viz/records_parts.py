"""What the record of a pass is made of: layout, verification, draws, pool changes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal


class Role(IntEnum):
    """What a slot of the packed input is for."""

    CURRENT = 0
    WINDOW = 1
    GUESS = 2


@dataclass(frozen=True)
class StepLayout:
    """The table of all slots of one pass, in canonical order; every field is ``[S]``.

    Slot 0 is the current token (row 0, col 0). A window slot has its row and column in the
    window; a guess has row = candidate number, col = its index j in the candidate. Where
    candidates are merged, a guess that several share has the first one's number, and ``parents``
    says which slot stands before each (-1: none); else it is None: rows and columns say it.
    """

    token_ids: tuple[int, ...]
    positions: tuple[int, ...]  # absolute position ids
    roles: tuple[Role, ...]
    rows: tuple[int, ...]
    cols: tuple[int, ...]
    parents: tuple[int, ...] | None = None

    @property
    def slots(self) -> int:
        return len(self.token_ids)


@dataclass(frozen=True)
class Alternatives:
    """The most likely next tokens after one slot, most likely first (4 significant digits)."""

    slot: int
    ids: tuple[int, ...]
    probabilities: tuple[float, ...]


@dataclass(frozen=True)
class Draw:
    """One decision of sampling: is this guess accepted, or which token does the model give?

    A guess is accepted where ``drawn`` < ``threshold``: its probability in what then remained of
    the distribution p, or min(1, p / q) where the draft was itself drawn from a distribution q.
    ``drawn`` is None where nothing was left to chance (threshold 0 or 1). The model's own token
    has no ``candidates``; its threshold is the probability it was drawn with.
    """

    depth: int  # how many guesses were accepted before
    token: int
    threshold: float
    drawn: float | None  # from [0, 1)
    accepted: bool
    candidates: tuple[int, ...] = ()  # the surviving candidates whose next guess it was
    pruned: tuple[int, ...] = ()  # the candidates that did not survive this decision
    draft_probability: float | None = None  # q of a drafted token; None: it was not drawn


@dataclass(frozen=True)
class Verification:
    """How the candidates of one pass fared against the model's own predictions.

    ``matched[g]`` is the proven prefix length of candidate g (capped at N - 2 under
    ``accept="original"``); ``winner`` is the first candidate with the greatest one. A sampled
    run's matched length is the number of its leading guesses that were accepted.
    """

    candidates: tuple[tuple[int, ...], ...]  # [G'][N - 1], oldest first, without the key
    predictions: tuple[tuple[int, ...], ...]  # [G'][N - 1], the model's token after each guess
    matched: tuple[int, ...]  # [G']
    winner: int | None
    # [G'][N - 1], where each guess stands in the layout: merged candidates share slots, and those
    # read from the window (the last ones, maybe shorter) stand there. Empty: one candidate after
    # another behind the window
    slots: tuple[tuple[int, ...], ...] = ()

    @property
    def longest(self) -> int:
        """Length of the winner's match; 0 without candidates."""
        return max(self.matched, default=0)

    def proven(self, expected: int) -> tuple[int, ...]:
        """The winner's matched tokens and the model's own next one (the bonus): 1 .. N tokens.

        ``expected`` is the model's prediction at slot 0, the only proven token without a winner.
        """
        if self.winner is None:
            return (expected,)
        matched = self.matched[self.winner]
        own = (expected, *self.predictions[self.winner])
        return (*self.candidates[self.winner][:matched], own[matched])


@dataclass(frozen=True)
class PoolChange:
    """One insertion into the pool; ``ngram`` and ``evicted`` are the N - 1 after the key."""

    key: int
    ngram: tuple[int, ...]
    kind: Literal["added", "refreshed", "ignored"]  # ignored: present, a ring does not refresh it
    source: Literal["window", "generated", "prompt", "rejected"]
    evicted: tuple[int, ...] | None = None
