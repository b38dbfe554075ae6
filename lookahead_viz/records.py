"""What a decoding leaves behind: plain frozen values, one record per pass.

Records hold ints, floats and tuples only, so that ``==``, ``hash`` and JSON come for free and
every picture can be drawn without torch. What is bounded is stored whole (window, layout,
predictions, verification); what grows is stored as changes (the pool) and folded by ``replay``;
what is implied is computed (mask, reasons).

Times (``forward_ms``, ``step_ms``, milliseconds) never take part in equality.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lookahead_viz.config import Config
from lookahead_viz.records_parts import (
    Alternatives,
    Draw,
    PoolChange,
    Role,
    StepLayout,
    Verification,
)
from lookahead_viz.records_steps import (
    STEPS,
    DraftSource,
    DraftStep,
    GreedyStep,
    JacobiStep,
    LookaheadStep,
    Step,
    pool_changes_of,
    verification_of,
)

__all__ = [
    "ERROR",
    "FORMAT_VERSION",
    "STEPS",
    "STOPPED",
    "Alternatives",
    "DraftSource",
    "DraftStep",
    "Draw",
    "GreedyStep",
    "JacobiStep",
    "LookaheadStep",
    "ModelInfo",
    "PoolChange",
    "Role",
    "Run",
    "Step",
    "StepLayout",
    "TokenText",
    "Verification",
    "join_text",
    "pool_changes_of",
    "verification_of",
]

FORMAT_VERSION = 1

STOPPED = "stopped by user"
ERROR = "error: "
"""``finish_reason`` is "length", "stop", ``STOPPED``, or ``ERROR`` and one sentence."""

TokenText = str | bytes
"""A token as text, or its bytes where they are no valid UTF-8 by themselves."""


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
        """Accepted tokens divided by passes (prefill is no pass); 0.0 for a run without passes."""
        return len(self.token_ids) / len(self.steps) if self.steps else 0.0


def join_text(token_text: Mapping[int, TokenText], ids: tuple[int, ...]) -> str:
    """The text of ``ids``; characters split over several tokens are put together again."""
    raw = b"".join(
        piece if isinstance(piece, bytes) else piece.encode("utf-8", "surrogatepass")
        for piece in (token_text.get(token, f"⟨{token}⟩") for token in ids)
    )
    return raw.decode("utf-8", "replace")
