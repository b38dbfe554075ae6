"""Pure Jacobi decoding: a block of unknown tokens solved as a fixed point y = F(y).

Santilli et al. 2023, "Accelerating Transformer Inference for Translation via Parallel Decoding",
Algorithm 1; Fu et al. 2024, section 2. One pass computes every token of the block from the last
iterate; the triangular system is solved after at most n passes.

What every method that solves block after block shares is here too (``solve_blocks``): methods
differ in the first iterate of a block and in what a pass makes of an iterate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter

from lookahead_viz import visibility
from lookahead_viz.config import DraftJacobiConfig, JacobiConfig, SpeculativeJacobiConfig
from lookahead_viz.engine.drafting import Draft, Drafter
from lookahead_viz.engine.ending import cut
from lookahead_viz.engine.fill import block_filler
from lookahead_viz.engine.interface import Distribution, PassResult, Runner
from lookahead_viz.layout import pack
from lookahead_viz.prefix import common_prefix
from lookahead_viz.records import Draw, JacobiStep


@dataclass(frozen=True)
class Iterate:
    """The tokens of a block at one moment, and how far they are final."""

    tokens: tuple[int, ...]  # [n]
    frozen: int = 0  # leading tokens that are final
    drawn_from: tuple[Distribution | None, ...] = ()  # [n] where tokens are drawn; None: filled
    draws: tuple[Draw, ...] = ()  # of the pass that made this iterate


FirstIterate = Callable[[Sequence[int], int], Draft]
"""(text so far, n) -> the n tokens that the next block starts with."""

Update = Callable[[PassResult, Iterate], Iterate]
"""(what a pass said, the iterate it was fed) -> the next iterate, with more tokens frozen."""


def jacobi_steps(
    runner: Runner,
    prompt_ids: Sequence[int],
    config: JacobiConfig | DraftJacobiConfig,
    stop_ids: frozenset[int],
    drafter: Drafter | None = None,
) -> Iterator[JacobiStep]:
    """One ``Step`` a pass, block after block. ``prompt_ids`` must not be empty.

    With ``drafter`` it writes each block's first iterate; where it ends early, at a stop id or
    its position limit, its last token is repeated.
    """
    if isinstance(config, JacobiConfig):
        first_iterate = start_fill(config, prompt_ids, runner.vocab_size)
    else:
        assert drafter is not None, "draft-initialised Jacobi needs a drafter"
        first_iterate = partial(_drafted, drafter)
    yield from solve_blocks(runner, prompt_ids, config, stop_ids, first_iterate, fixed_point)


def start_fill(
    config: JacobiConfig | SpeculativeJacobiConfig, prompt_ids: Sequence[int], vocab_size: int
) -> FirstIterate:
    """Fills every block as ``config.init`` says, from one generator."""
    filler = block_filler(config, prompt_ids, vocab_size)
    return lambda text, size: Draft(filler.tokens(size))


def _drafted(drafter: Drafter, text: Sequence[int], size: int) -> Draft:
    draft = drafter.draft(text, size)
    last = draft.tokens[-1] if draft.tokens else text[-1]
    return replace(draft, tokens=draft.tokens + (last,) * (size - len(draft.tokens)))


def fixed_point(result: PassResult, iterate: Iterate) -> Iterate:
    """y = F(y): tokens that stay were computed from themselves, so they are final.

    The one after them was computed from those alone, so it is final as well.
    """
    tokens = tuple(result.token(slot) for slot in range(len(iterate.tokens)))
    unchanged = common_prefix(iterate.tokens, tokens)
    return Iterate(tokens, frozen=min(len(tokens), unchanged + 1))


def solve_blocks(
    runner: Runner,
    prompt_ids: Sequence[int],
    config: JacobiConfig | DraftJacobiConfig | SpeculativeJacobiConfig,
    stop_ids: frozenset[int],
    first_iterate: FirstIterate,
    update: Update,
) -> Iterator[JacobiStep]:
    """Solve a block, write it, go on with the next one."""
    text = list(prompt_ids)
    runner.prefill(prompt_ids[:-1])
    index = block = 0
    room = config.max_new_tokens
    while room:
        draft = first_iterate(text, min(config.block_size, room))
        for step in block_steps(runner, text[-1], draft, stop_ids, index, block, update):
            yield step
            text += step.accepted
            index += 1
        block += 1
        room = config.max_new_tokens - (len(text) - len(prompt_ids))
        if text[-1] in stop_ids:
            return


def block_steps(
    runner: Runner,
    current: int,
    draft: Draft,
    stop_ids: frozenset[int],
    index: int,
    block: int,
    update: Update,
) -> Iterator[JacobiStep]:
    """The passes of one block, until all of it, or a stop id in it, is frozen."""
    iterate = Iterate(draft.tokens)
    size, frozen = len(iterate.tokens), 0
    position = runner.cached
    slots = tuple(range(size))
    for iteration in range(size):
        started = perf_counter()
        layout = pack([(current, *iterate.tokens[:-1])], position=position)
        result = runner.forward(layout, visibility.mask(layout), used=slots)
        following = update(result, iterate)
        assert following.frozen > frozen, "every pass freezes at least one more token"
        proven = following.tokens[frozen : following.frozen]
        emitted = cut(proven, room=size, stop_ids=stop_ids)
        solved = following.frozen == size
        kept = slots if solved and not emitted.stopped else ()
        runner.keep(kept)
        yield JacobiStep(
            index=index + iteration,
            block=block,
            iteration=iteration,
            layout=layout,
            predictions=result.predictions,
            iterate=iterate.tokens,
            next_iterate=following.tokens,
            frozen=following.frozen,
            accepted=emitted.accepted,
            discarded=emitted.discarded,
            kept_slots=kept,
            mask_sha256=result.mask_sha256,
            top_k=result.top_k,
            gap=result.gaps_at(range(frozen, frozen + len(emitted.accepted))),
            draws=following.draws,
            draft_passes=draft.passes,
            draft_ms=draft.ms,
            forward_ms=result.forward_ms,
            step_ms=(perf_counter() - started) * 1000 + draft.ms,
        )
        if emitted.stopped or solved:
            return
        iterate, frozen, draft = following, following.frozen, Draft()
