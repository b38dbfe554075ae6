"""Is a Jacobi pass consistent with its block or blocks? Used by ``validate``."""

from __future__ import annotations

from collections.abc import Sequence

from lookahead_viz.config import (
    Config,
    DraftJacobiConfig,
    JacobiConfig,
    MultiblockJacobiConfig,
    SpeculativeJacobiConfig,
)
from lookahead_viz.contradiction import require
from lookahead_viz.layout import pack
from lookahead_viz.multiblock import advanced
from lookahead_viz.prefix import common_prefix
from lookahead_viz.records import JacobiStep
from lookahead_viz.validate_drafts import check_draws


def check_block(step: JacobiStep, before: JacobiStep | None, where: str) -> None:
    """A pass continues the block of the pass before it, or begins the next block."""
    if before is None or before.frozen == len(before.next_iterate):
        expected = (0 if before is None else before.block + 1, 0)
    else:
        expected = (before.block, before.iteration + 1)
        require(step.iterate == before.next_iterate, f"{where} begins with another iterate")
        require(step.frozen > before.frozen, f"{where} freezes no further token")
    require((step.block, step.iteration) == expected, f"{where} is out of its block's order")


def check_size(step: JacobiStep, where: str, config: Config, room: int) -> None:
    """A block has n tokens, or what remained of ``max_new_tokens`` where it began."""
    assert isinstance(config, (JacobiConfig, DraftJacobiConfig, SpeculativeJacobiConfig))
    require(
        len(step.iterate) == min(config.block_size, room),
        f"the block of {where} has another size than its settings give",
    )


def check_jacobi(
    step: JacobiStep, where: str, context: Sequence[int], stops: Sequence[int]
) -> None:
    """``context`` is the text before the block."""
    size = len(step.iterate)
    require(len(step.next_iterate) == size > 0, f"the iterates of {where} differ in length")
    require(
        step.layout == pack([(context[-1], *step.iterate[:-1])], position=len(context) - 1),
        f"the layout of {where} is not its block",
    )
    require(
        bool(step.draws) or step.predictions == step.next_iterate,
        f"{where} has predictions that are not its next iterate",
    )
    proven = step.accepted + step.discarded
    require(0 < step.frozen <= size, f"{where} freezes more tokens than its block has")
    require(
        step.next_iterate[step.frozen - len(proven) : step.frozen] == proven,
        f"{where} accepts other tokens than it froze",
    )
    if not step.draws:
        same = common_prefix(step.iterate, step.next_iterate)
        require(
            step.frozen == min(size, same + 1), f"{where} freezes other tokens than are proven"
        )
    whole = step.frozen == size and not step.discarded and step.accepted[-1] not in stops
    require(
        step.kept_slots == (tuple(range(size)) if whole else ()),
        f"{where} keeps other slots than a solved block's",
    )


def check_drafted_block(step: JacobiStep, where: str, config: object) -> None:
    """Only draft-initialised Jacobi drafts: a block's first iterate, one token a pass at most."""
    drafts = isinstance(config, DraftJacobiConfig) and step.iteration == 0
    require(
        0 <= step.draft_passes <= (len(step.iterate) if drafts else 0),
        f"{where} miscounts the passes of its draft model",
    )
    require(step.draft_ms >= 0, f"{where} took less than no time")


def check_multiblock(
    step: JacobiStep,
    before: JacobiStep | None,
    where: str,
    text: Sequence[int],
    config: MultiblockJacobiConfig,
) -> None:
    """The row of all blocks and the candidates, and what the pass proves of the first block."""
    seen, done = step.verification, step.frozen_before
    if seen is None:
        raise ValueError(f"this run file contradicts itself: {where} has no verification.")
    size = len(step.iterate)
    require(0 <= done < step.frozen <= size, f"{where} freezes more tokens than its block has")
    require(len(step.ahead) < config.blocks, f"{where} has more than K blocks in flight")
    longest = max(map(len, (step.iterate, *step.ahead)))
    require(longest <= config.block_size, f"{where} has a block of more than n tokens")
    if before is not None:
        expected = before.next_ahead
        if step.iteration == 0 and expected:
            require(step.iterate == expected[0], f"{where} begins with another iterate")
            expected = expected[1:]
        require(step.ahead[: len(expected)] == expected, f"{where} begins with other blocks ahead")
    pending = (*step.iterate[done:], *(token for block in step.ahead for token in block))
    require(
        step.layout == pack([(text[-1], *pending[:-1])], seen.candidates, position=len(text) - 1),
        f"the layout of {where} is not its blocks and candidates",
    )
    require(None not in step.predictions, f"{where} has a slot without a prediction")
    found = advanced(step)
    require(found.verification == seen, f"{where} counts a wrong matched length")
    require(
        found.proven == step.accepted + step.discarded,
        f"{where} accepts other tokens than its verification proves",
    )
    require(
        (found.next_iterate, found.next_ahead) == (step.next_iterate, step.next_ahead),
        f"{where} has other next iterates than it predicts",
    )
    kept = found.kept_slots[: len(step.accepted)]
    require(step.kept_slots == kept, f"{where} keeps other slots than the accepted ones")


def check_sampled_jacobi(step: JacobiStep, where: str, config: SpeculativeJacobiConfig) -> None:
    """The newly frozen tokens are those that the draws accepted."""
    if config.sampling is None:
        require(not step.draws, f"{where} has draws at temperature 0")
        return
    check_draws(step.draws, step.iterate[step.frozen_before :], where)
    require(
        step.sampled == step.accepted + step.discarded,
        f"{where} freezes other tokens than its draws accepted",
    )
