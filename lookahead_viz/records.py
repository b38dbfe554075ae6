"""What a decoding leaves behind: plain frozen values, one record per forward pass.

Records hold ints, floats and tuples only, so that ``==``, ``hash`` and JSON come for free and
every picture can be drawn without torch. What is bounded is stored whole (window, layout,
predictions, verification); what grows is stored as changes (the pool) and folded by ``replay``;
what is implied is computed (mask, reasons).

Times (``forward_ms``, ``step_ms``, milliseconds) never take part in equality.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

from lookahead_viz.config import Config

FORMAT_VERSION = 1

STOPPED = "stopped by user"
ERROR = "error: "
"""``finish_reason`` is "length", "stop", ``STOPPED``, or ``ERROR`` and one sentence."""

TokenText = str | bytes
"""A token as text, or its bytes where they are no valid UTF-8 by themselves."""


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


def candidate_slots_of(step: Step) -> tuple[tuple[int, ...], ...]:
    """The slot of every guess of every candidate, [G'][N - 1]."""
    if isinstance(step, LookaheadStep):
        return step.candidate_slots
    seen, first = verification_of(step), step.window_slots
    found = []
    for candidate in seen.candidates if seen is not None else ():
        found.append(tuple(range(first, first + len(candidate))))
        first += len(candidate)
    return tuple(found)


def pool_changes_of(step: Step) -> tuple[PoolChange, ...]:
    """What a pass put into the pool."""
    return step.pool_changes if isinstance(step, (LookaheadStep, JacobiStep)) else ()


@dataclass(frozen=True)
class ModelInfo:
    """Which model ran, and how."""

    name: str
    revision: str = ""
    architecture: str = ""
    dtype: str = ""
    device: str = ""
    hardware: str = ""  # e.g. "x86_64, 2 threads": needed to read the times
    attention: str = ""
    vocab_size: int = 0  # 0: not known
    position_limit: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Run:
    """One whole recorded decoding by one method."""

    method: str
    config: Config
    model: ModelInfo
    prompt_ids: tuple[int, ...]
    stop_ids: tuple[int, ...]  # the ids that really ended or would have ended this run
    prompt_pool_changes: tuple[PoolChange, ...]
    steps: tuple[Step, ...]
    token_text: Mapping[int, TokenText] = field(hash=False)
    finish_reason: str = "length"  # length | stop | stopped by user | error: ...
    draft: ModelInfo | None = None  # the draft model, where there was one
    format_version: int = FORMAT_VERSION

    @property
    def token_ids(self) -> tuple[int, ...]:
        """All emitted tokens, without the prompt."""
        return tuple(token for step in self.steps for token in step.accepted)

    @property
    def text(self) -> str:
        """The emitted text, without the prompt."""
        return join_text(self.token_text, self.token_ids)

    @property
    def prompt(self) -> str:
        """The prompt as text."""
        return join_text(self.token_text, self.prompt_ids)

    @property
    def slots_fed(self) -> int:
        """Slots of all passes together: the tokens that were computed."""
        return sum(step.layout.slots for step in self.steps)

    @property
    def seconds(self) -> float:
        """Measured time of all passes together, recording included."""
        return sum(step.step_ms for step in self.steps) / 1000

    @property
    def ended(self) -> bool:
        """Did the run come to its own end, by a stop id or by length?"""
        return self.finish_reason in ("length", "stop")

    @property
    def failure(self) -> str | None:
        """What went wrong, where the run ended by an error."""
        reason = self.finish_reason
        return reason.removeprefix(ERROR) if reason.startswith(ERROR) else None

    @property
    def compression(self) -> float:
        """Accepted tokens divided by steps (prefill is no step); 0.0 for a run without steps."""
        return len(self.token_ids) / len(self.steps) if self.steps else 0.0


def join_text(token_text: Mapping[int, TokenText], ids: tuple[int, ...]) -> str:
    """The text of ``ids``; characters split over several tokens are put together again."""
    raw = b"".join(
        piece if isinstance(piece, bytes) else piece.encode("utf-8", "surrogatepass")
        for piece in (token_text.get(token, f"⟨{token}⟩") for token in ids)
    )
    return raw.decode("utf-8", "replace")
