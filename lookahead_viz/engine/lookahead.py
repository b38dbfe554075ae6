"""Lookahead decoding: guess n-grams in a 2-D window, verify remembered ones, in one pass.

Fu et al. 2024, "Break the Sequential Dependency of LLM Inference Using Lookahead Decoding",
arXiv 2402.02057, Algorithm 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from time import perf_counter

from lookahead_viz import visibility
from lookahead_viz.config import LookaheadConfig
from lookahead_viz.engine.ending import cut
from lookahead_viz.engine.fill import Filler
from lookahead_viz.engine.interface import PassResult, Runner
from lookahead_viz.engine.pool import NgramPool, ngrams_ending_in
from lookahead_viz.engine.verify import verify
from lookahead_viz.engine.window import Window, first_window, lone_window
from lookahead_viz.layout import guess_slot, pack
from lookahead_viz.records import LookaheadStep, PoolChange, StepLayout, Verification

MaskOf = Callable[[StepLayout], visibility.BoolMatrix]


def lookahead_steps(
    runner: Runner,
    prompt_ids: Sequence[int],
    config: LookaheadConfig,
    stop_ids: frozenset[int],
    mask_of: MaskOf = visibility.mask,
) -> Iterator[LookaheadStep]:
    """One step per pass. ``prompt_ids`` must not be empty; ``mask_of`` may plant another mask."""
    filler = Filler(
        config.window_fill, seed=config.seed, prompt_ids=prompt_ids, vocab_size=runner.vocab_size
    )
    pool, _ = prompt_pool(prompt_ids, config)
    text = list(prompt_ids)
    fill = config.initial_window
    if fill is None:
        fill = filler.tokens(config.initial_fill)
    window = first_window(text[-1], fill, ngram_size=config.ngram_size)
    runner.prefill(prompt_ids[:-1])

    for index in count():
        started = perf_counter()
        if not window_fits(len(text) - 1, config, runner.position_limit):
            window = lone_window(text[-1])  # from here to the end: positions only grow
        candidates = pool.newest(window.current, config.max_candidates) if window.full else ()
        layout = pack(window.rows, candidates, position=len(text) - 1)
        result = runner.forward(layout, mask_of(layout), used_slots(window, layout))
        verification = _verify(window, candidates, result, config)
        emitted = cut(
            verification.proven(result.token(0)),
            room=config.max_new_tokens - (len(text) - len(prompt_ids)),
            stop_ids=stop_ids,
        )
        path = accepted_path(window, verification, len(emitted.accepted))
        runner.keep(path)
        text += emitted.accepted
        changes = _collect(pool, window, result, text, len(emitted.accepted), config)
        recorded = window.rows
        window = _next_window(window, result, emitted.accepted, config, filler)
        yield LookaheadStep(
            index=index,
            window=recorded,
            layout=layout,
            predictions=result.predictions,
            verification=verification,
            accepted=emitted.accepted,
            discarded=emitted.discarded,
            kept_slots=path,
            pool_changes=tuple(changes),
            mask_sha256=result.mask_sha256,
            top_k=result.top_k,
            # the token after each slot of the path was accepted
            gap=result.gaps_at(path),
            forward_ms=result.forward_ms,
            step_ms=(perf_counter() - started) * 1000,
        )
        if emitted.ends:
            return


def prompt_pool(
    prompt_ids: Sequence[int], config: LookaheadConfig
) -> tuple[NgramPool, list[PoolChange]]:
    """The pool before the first step, and the insertions that made it."""
    pool = NgramPool(config.pool_capacity)
    if not config.pool_from_prompt:
        return pool, []
    ngrams = ngrams_ending_in(prompt_ids, len(prompt_ids), config.ngram_size)
    return pool, pool.insert_all(ngrams, "prompt")


def window_fits(position: int, config: LookaheadConfig, limit: int | None) -> bool:
    """Does a full window (and its candidates) stay below the model's position limit?"""
    if limit is None:
        return True
    reach = config.initial_fill  # of the last window cell, W + N - 3
    if config.max_candidates:
        reach = max(reach, config.ngram_size - 1)  # W = 1: a guess reaches further
    return position + reach < limit


def used_slots(window: Window, layout: StepLayout) -> tuple[int, ...]:
    """Slots whose prediction is used: the current token, the last window row, every guess."""
    first = window.first_of_last_row
    return ((0,) if first else ()) + tuple(range(first, layout.slots))


def accepted_path(window: Window, verification: Verification, count: int) -> tuple[int, ...]:
    """Slot 0 and the guess slots of the first ``count`` - 1 accepted tokens: rows to keep."""
    if verification.winner is None:
        return (0,)
    window_slots = len(window.rows) * len(window.rows[0])
    guesses = len(verification.candidates[0])
    first = guess_slot(verification.winner, 0, window_slots=window_slots, guesses=guesses)
    return (0, *range(first, first + count - 1))


def _last_row_predictions(window: Window, result: PassResult) -> tuple[int, ...]:
    first, cols = window.first_of_last_row, len(window.rows[0])
    return tuple(result.token(slot) for slot in range(first, first + cols))


def _verify(
    window: Window,
    candidates: Sequence[tuple[int, ...]],
    result: PassResult,
    config: LookaheadConfig,
) -> Verification:
    guesses = config.ngram_size - 1
    slot = len(window.rows) * len(window.rows[0])
    predictions = [
        [result.token(slot + g * guesses + j) for j in range(guesses)]
        for g in range(len(candidates))
    ]
    cap = config.ngram_size - 2 if config.accept == "original" else None
    return verify(candidates, result.token(0), predictions, cap=cap)


def _collect(
    pool: NgramPool,
    window: Window,
    result: PassResult,
    text: Sequence[int],
    count: int,
    config: LookaheadConfig,
) -> list[PoolChange]:
    """Insert the window's n-grams in column order, then those of the text just written."""
    changes = []
    if window.full:
        ngrams = window.ngrams(_last_row_predictions(window, result))
        changes += pool.insert_all(ngrams, "window")
    if config.pool_from_prompt:
        written = ngrams_ending_in(text, count, config.ngram_size)
        changes += pool.insert_all(written, "generated")
    return changes


def _next_window(
    window: Window,
    result: PassResult,
    accepted: Sequence[int],
    config: LookaheadConfig,
    filler: Filler,
) -> Window:
    predictions = _last_row_predictions(window, result)
    if not window.full:
        following = window.grown(predictions, ngram_size=config.ngram_size)
    else:
        following = window.rolled(predictions)
        if config.shift == "slide":
            following = following.slid(len(accepted) - 1, filler)
    return following.standing_at(accepted[-1])
