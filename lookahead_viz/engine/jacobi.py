"""Pure Jacobi decoding: a block of unknown tokens solved as a fixed point y = F(y).

Santilli et al. 2023, "Accelerating Transformer Inference for Translation via Parallel Decoding",
Algorithm 1; Fu et al. 2024, section 2. One pass computes every token of the block from the last
iterate; the triangular system is solved after at most n passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from time import perf_counter

from lookahead_viz import visibility
from lookahead_viz.config import DraftJacobiConfig, JacobiConfig
from lookahead_viz.engine.drafting import Draft, Drafter, common_prefix
from lookahead_viz.engine.ending import cut
from lookahead_viz.engine.fill import Filler
from lookahead_viz.engine.interface import Runner
from lookahead_viz.layout import pack
from lookahead_viz.records import JacobiStep


def jacobi_steps(
    runner: Runner,
    prompt_ids: Sequence[int],
    config: JacobiConfig | DraftJacobiConfig,
    stop_ids: frozenset[int],
    drafter: Drafter | None = None,
) -> Iterator[JacobiStep]:
    """One step per pass, block after block. ``prompt_ids`` must not be empty.

    With ``drafter`` it writes each block's first iterate; where it ends early, at a stop id or
    its position limit, its last token is repeated.
    """
    filler = None
    if isinstance(config, JacobiConfig):
        filler = Filler(
            config.init, seed=config.seed, prompt_ids=prompt_ids, vocab_size=runner.vocab_size
        )
    text = list(prompt_ids)
    runner.prefill(prompt_ids[:-1])
    index = block = 0
    room = config.max_new_tokens
    while room:
        size = min(config.block_size, room)
        draft = Draft(filler.tokens(size)) if filler else _drafted(drafter, text, size)
        for step in block_steps(runner, text[-1], draft, stop_ids, index, block):
            yield step
            text += step.accepted
            index += 1
        block += 1
        room = config.max_new_tokens - (len(text) - len(prompt_ids))
        if text[-1] in stop_ids:
            return


def _drafted(drafter: Drafter | None, text: Sequence[int], size: int) -> Draft:
    assert drafter is not None, "draft-initialised Jacobi needs a drafter"
    draft = drafter.draft(text, size)
    last = draft.tokens[-1] if draft.tokens else text[-1]
    return replace(draft, tokens=draft.tokens + (last,) * (size - len(draft.tokens)))


def block_steps(
    runner: Runner,
    current: int,
    draft: Draft,
    stop_ids: frozenset[int],
    index: int,
    block: int,
) -> Iterator[JacobiStep]:
    """The passes of one block, until all of it, or a stop id in it, is frozen."""
    iterate = draft.tokens
    size, frozen, stopped = len(iterate), 0, False
    position = runner.cached
    slots = tuple(range(size))
    for iteration in range(size):
        started = perf_counter()
        layout = pack([(current, *iterate[:-1])], position=position)
        result = runner.forward(layout, visibility.mask(layout), used=slots)
        next_iterate = tuple(result.token(slot) for slot in slots)
        now_frozen = min(size, common_prefix(iterate, next_iterate) + 1)
        assert now_frozen > frozen, "every pass freezes at least one more token"
        emitted = cut(next_iterate[frozen:now_frozen], room=size, stop_ids=stop_ids)
        stopped = emitted.stopped
        kept = slots if now_frozen == size and not stopped else ()
        runner.keep(kept)
        accepted_slots = range(frozen, frozen + len(emitted.accepted))
        yield JacobiStep(
            index=index + iteration,
            block=block,
            iteration=iteration,
            layout=layout,
            predictions=result.predictions,
            iterate=iterate,
            next_iterate=next_iterate,
            frozen=now_frozen,
            accepted=emitted.accepted,
            discarded=emitted.discarded,
            kept_slots=kept,
            mask_sha256=result.mask_sha256,
            top_k=result.top_k,
            gap=result.gaps_at(accepted_slots),
            draft_passes=draft.passes,
            draft_ms=draft.ms,
            forward_ms=result.forward_ms,
            step_ms=(perf_counter() - started) * 1000 + draft.ms,
        )
        iterate, frozen, draft = next_iterate, now_frozen, Draft()
        if stopped or frozen == size:
            return
