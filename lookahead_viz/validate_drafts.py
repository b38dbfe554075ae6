"""Is a pass of a drafting method consistent in itself? Used by ``validate``."""

from __future__ import annotations

from collections.abc import Sequence

from lookahead_viz.config import (
    MultiblockJacobiConfig,
    PromptLookupConfig,
    SpeculativeConfig,
    SpeculativeJacobiConfig,
)
from lookahead_viz.contradiction import require
from lookahead_viz.layout import pack
from lookahead_viz.multiblock import advanced
from lookahead_viz.records import DraftStep, Draw, JacobiStep


def check_draft(
    step: DraftStep,
    where: str,
    text: Sequence[int],
    config: SpeculativeConfig | PromptLookupConfig,
) -> None:
    """One candidate at most, verified as its predictions or its draws say."""
    seen = step.verification
    require(len(seen.candidates) <= 1, f"{where} verifies more than one draft")
    draft = seen.candidates[0] if seen.candidates else ()
    require(len(draft) <= config.gamma, f"{where} drafts more than gamma tokens")
    require(
        step.layout == pack([[text[-1]]], seen.candidates, position=len(text) - 1),
        f"the layout of {where} is not the current token and its draft",
    )
    require(None not in step.predictions, f"{where} has a slot without a prediction")
    require(
        seen.predictions == ((step.predictions[1:],) if draft else ()),
        f"{where} has other predictions in its verification than at its slots",
    )
    require(bool(step.draws) == (config.sampling is not None), f"{where} samples or not, wrongly")
    check_draws(step.draws, where)
    walked = _walked(draft, step.predictions)
    if step.draws:
        walked = sum(draw.accepted for draw in step.draws if draw.candidates)
    require(seen.matched == ((walked,) if draft else ()), f"{where} counts a wrong matched length")
    require(seen.winner == (0 if draft else None), f"the winner of {where} is not its draft")
    proven = step.sampled or seen.proven(step.predictions[0] or 0)
    require(
        proven == step.accepted + step.discarded and proven[:walked] == draft[:walked],
        f"{where} accepts other tokens than its verification proves",
    )
    kept = tuple(range(len(step.accepted)))
    require(step.kept_slots == kept, f"{where} keeps other slots than the accepted ones")
    if step.source == "prompt" and draft:
        _check_copy(step, draft, where, text)


def check_draws(draws: Sequence[Draw], where: str) -> None:
    """A guess is accepted exactly where the number drawn is below its threshold."""
    for draw in draws:
        require(0 <= draw.threshold <= 1 + 1e-9, f"{where} has a draw without a probability")
        if draw.candidates:
            certain = draw.drawn is None and draw.threshold in (0.0, 1.0)
            require(certain or draw.drawn is not None, f"{where} tests a token without a draw")
            below = (draw.drawn or 0.0) < draw.threshold
            require(draw.accepted == below, f"{where} accepts or rejects against its draw")


def check_sampled_jacobi(step: JacobiStep, where: str, config: SpeculativeJacobiConfig) -> None:
    """The newly frozen tokens are those that the draws accepted."""
    if config.sampling is None:
        require(not step.draws, f"{where} has draws at temperature 0")
        return
    check_draws(step.draws, where)
    require(
        step.sampled == step.accepted + step.discarded,
        f"{where} freezes other tokens than its draws accepted",
    )


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


def _walked(draft: Sequence[int], predictions: Sequence[int | None]) -> int:
    for length, (token, wanted) in enumerate(zip(draft, predictions, strict=False)):
        if token != wanted:
            return length
    return len(draft)


def _check_copy(step: DraftStep, draft: Sequence[int], where: str, text: Sequence[int]) -> None:
    start, tail = step.copied_from, step.matched_tail
    require(
        start is not None
        and 0 < tail <= start
        and tuple(text[start : start + len(draft)]) == tuple(draft)
        and tuple(text[start - tail : start]) == tuple(text[-tail:]),
        f"{where} copies tokens from where they do not stand",
    )
