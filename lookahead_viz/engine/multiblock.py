"""Multi-block Jacobi with rejection recycling: the inference side of Jacobi Forcing.

Hu et al., arXiv 2512.14681 (December 2025), works with any model. What happens in a pass:

- One row holds the current token and the tokens of all blocks in flight, left to right. The first
  block is the real one, the others are speculative: their context is not final yet.
- Beside the row, up to G recycled n-grams that begin with the current token are candidates.
- ``multiblock.advance`` says which path proves more of the real block. Those tokens are accepted
  and only their rows stay in the cache, so that the row always begins at the last accepted token
  (the published code feeds candidates in the batch dimension; here they are guess slots).
- What the pass rejected of the iterate it was given goes into the pool as n-grams; tokens of a
  start fill, which no model predicted, do not.
- When the real block is all frozen, the next one becomes real; its tokens are verified in the
  passes that follow, as any others. A further block starts, up to K, as soon as the last one in
  flight has converged far enough: ``activation`` * n of its tokens frozen or left unchanged.

The text is exactly greedy: only tokens that the model itself predicts after final text are
accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from time import perf_counter

from lookahead_viz import visibility
from lookahead_viz.config import MultiblockJacobiConfig
from lookahead_viz.engine.ending import cut
from lookahead_viz.engine.fill import Filler, block_filler
from lookahead_viz.engine.interface import Runner
from lookahead_viz.engine.pool import NgramPool, ngrams_ending_in
from lookahead_viz.layout import pack
from lookahead_viz.multiblock import Advance, Tokens, advance
from lookahead_viz.records import JacobiStep, PoolChange, StepLayout

MaskOf = Callable[[StepLayout], visibility.BoolMatrix]


@dataclass
class _Block:
    """One block in flight; ``predicted`` once a pass has written its tokens."""

    tokens: Tokens
    frozen: int = 0
    unchanged: int = 0  # tokens that the last pass left as they were
    predicted: bool = False


def multiblock_steps(
    runner: Runner,
    prompt_ids: Sequence[int],
    config: MultiblockJacobiConfig,
    stop_ids: frozenset[int],
    mask_of: MaskOf = visibility.mask,
) -> Iterator[JacobiStep]:
    """One ``Step`` a pass. ``prompt_ids`` must not be empty; ``mask_of`` may plant a mask."""
    filler = block_filler(config, prompt_ids, runner.vocab_size)
    pool = NgramPool(config.pool_capacity)
    text = list(prompt_ids)
    blocks: list[_Block] = []
    number = iteration = 0
    runner.prefill(prompt_ids[:-1])
    for index in count():
        started = perf_counter()
        room = config.max_new_tokens - (len(text) - len(prompt_ids))
        _start_blocks(blocks, filler, config, room)
        real, ahead = blocks[0], tuple(block.tokens for block in blocks[1:])
        pending = (*real.tokens[real.frozen :], *chain.from_iterable(ahead))
        candidates = _candidates(pool, text, config, runner.position_limit)
        layout = pack([(text[-1], *pending[:-1])], candidates, position=len(text) - 1)
        result = runner.forward(layout, mask_of(layout), used=range(layout.slots))
        own = [result.token(slot) for slot in range(layout.slots)]
        found = advance(real.tokens, real.frozen, ahead, candidates, own)
        emitted = cut(found.proven, room=room, stop_ids=stop_ids)
        kept = found.kept_slots[: len(emitted.accepted)]
        runner.keep(kept)
        changes = _recycle(pool, blocks, len(found.proven), config)
        text += emitted.accepted
        yield JacobiStep(
            index=index,
            block=number,
            iteration=iteration,
            layout=layout,
            predictions=result.predictions,
            iterate=real.tokens,
            next_iterate=found.next_iterate,
            frozen=real.frozen + len(found.proven),
            ahead=ahead,
            next_ahead=found.next_ahead,
            verification=found.verification,
            pool_changes=changes,
            accepted=emitted.accepted,
            discarded=emitted.discarded,
            kept_slots=kept,
            mask_sha256=result.mask_sha256,
            top_k=result.top_k,
            gap=result.gaps_at(kept),
            forward_ms=result.forward_ms,
            step_ms=(perf_counter() - started) * 1000,
        )
        if emitted.ends:
            return
        _write_back(blocks, found)
        iteration += 1
        if blocks[0].frozen == len(blocks[0].tokens):
            del blocks[0]
            number, iteration = number + 1, 0


def _start_blocks(
    blocks: list[_Block], filler: Filler, config: MultiblockJacobiConfig, room: int
) -> None:
    """A block where there is none, and one more where the last has converged far enough.

    ``room`` tokens are still to be emitted: no block reaches beyond them.
    """
    left = room - sum(len(block.tokens) - block.frozen for block in blocks)
    converged = not blocks or max(
        blocks[-1].frozen, blocks[-1].unchanged
    ) >= config.activation * len(blocks[-1].tokens)
    if converged and left > 0 and len(blocks) < config.blocks:
        blocks.append(_Block(filler.tokens(min(config.block_size, left))))


def _candidates(
    pool: NgramPool, text: Sequence[int], config: MultiblockJacobiConfig, limit: int | None
) -> tuple[Tokens, ...]:
    """Recycled n-grams of the current token, unless they reach beyond the position limit."""
    if limit is not None and len(text) - 1 + config.ngram_size - 1 >= limit:
        return ()
    return pool.newest(text[-1], config.max_candidates)


def _recycle(
    pool: NgramPool, blocks: Sequence[_Block], proven: int, config: MultiblockJacobiConfig
) -> tuple[PoolChange, ...]:
    """Put the n-grams of what this pass rejected into the pool, left to right."""
    rejected: list[int] = []
    for block in blocks:
        if block.predicted:
            rejected += block.tokens[block.frozen :]
    rejected = rejected[proven:]
    ngrams = ngrams_ending_in(rejected, len(rejected), config.ngram_size)
    return tuple(pool.insert_all(ngrams, "rejected"))


def _write_back(blocks: list[_Block], found: Advance) -> None:
    written = (found.next_iterate, *found.next_ahead)
    for block, tokens in zip(blocks, written, strict=True):
        block.unchanged = sum(a == b for a, b in zip(block.tokens, tokens, strict=True))
        block.tokens = tokens
        block.predicted = True
    blocks[0].frozen += len(found.proven)
