"""Speculative Jacobi decoding: Jacobi iterations that sample (Teng et al. 2025).

arXiv 2410.01699, made for autoregressive *image* models. Every token of the iterate remembers the
distribution q of the pass that drew it. The next pass gives p; from the frozen prefix on, a token
is accepted with min(1, p / q), the first rejected one is replaced by a sample of max(0, p - q)
and all behind it are drawn anew from their p, which is their next q. A start fill was not drawn:
it counts as q = 1 on itself.

Different from the paper: blocks of n tokens as in pure Jacobi instead of a window that moves on,
so that the two can be compared pass by pass; and the start fill is text, not a neighbouring row
of an image.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from time import perf_counter

from lookahead_viz import visibility
from lookahead_viz.config import SpeculativeJacobiConfig
from lookahead_viz.engine.drafting import Draft
from lookahead_viz.engine.ending import cut
from lookahead_viz.engine.fill import Filler
from lookahead_viz.engine.interface import Distribution, Runner
from lookahead_viz.engine.jacobi import block_steps
from lookahead_viz.engine.rejection import rejection_walk
from lookahead_viz.engine.walk import own_token, random_stream
from lookahead_viz.layout import pack
from lookahead_viz.records import JacobiStep


def speculative_jacobi_steps(
    runner: Runner,
    prompt_ids: Sequence[int],
    config: SpeculativeJacobiConfig,
    stop_ids: frozenset[int],
) -> Iterator[JacobiStep]:
    """One step per pass, block after block. ``prompt_ids`` must not be empty.

    At temperature 0 the passes are those of pure Jacobi.
    """
    filler = Filler(
        config.init, seed=config.seed, prompt_ids=prompt_ids, vocab_size=runner.vocab_size
    )
    rng = random_stream(config.seed)
    text = list(prompt_ids)
    runner.prefill(prompt_ids[:-1])
    index = block = 0
    room = config.max_new_tokens
    while room:
        iterate = filler.tokens(min(config.block_size, room))
        if config.sampling is None:
            passes = block_steps(runner, text[-1], Draft(iterate), stop_ids, index, block)
        else:
            passes = _sampled_block(runner, text[-1], iterate, stop_ids, index, block, rng)
        for step in passes:
            yield step
            text += step.accepted
            index += 1
        block += 1
        room = config.max_new_tokens - (len(text) - len(prompt_ids))
        if text[-1] in stop_ids:
            return


def _sampled_block(
    runner: Runner,
    current: int,
    iterate: tuple[int, ...],
    stop_ids: frozenset[int],
    index: int,
    block: int,
    rng: random.Random,
) -> Iterator[JacobiStep]:
    """The passes of one block, until all of it, or a stop id in it, is frozen."""
    size, frozen, stopped = len(iterate), 0, False
    position = runner.cached
    slots = tuple(range(size))
    drawn_from: list[Distribution | None] = [None] * size
    for iteration in range(size):
        started = perf_counter()
        layout = pack([(current, *iterate[:-1])], position=position)
        result = runner.forward(layout, visibility.mask(layout), used=slots)
        assert result.distribution is not None, "the runner was not asked to sample"
        after = [result.distribution(slot) for slot in slots[frozen:]]
        walk = rejection_walk(
            iterate[frozen:], drawn_from[frozen:], after.__getitem__, rng, bonus=False
        )
        now_frozen = frozen + len(walk.tokens)
        drawn_from[now_frozen:] = after[len(walk.tokens) :]
        anew = [own_token(p, 0, rng).token for p in after[len(walk.tokens) :]]
        next_iterate = (*iterate[:frozen], *walk.tokens, *anew)
        emitted = cut(walk.tokens, room=size, stop_ids=stop_ids)
        stopped = emitted.stopped
        kept = slots if now_frozen == size and not stopped else ()
        runner.keep(kept)
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
            gap=result.gaps_at(range(frozen, frozen + len(emitted.accepted))),
            draws=walk.draws,
            forward_ms=result.forward_ms,
            step_ms=(perf_counter() - started) * 1000,
        )
        iterate, frozen = next_iterate, now_frozen
        if stopped or frozen == size:
            return
