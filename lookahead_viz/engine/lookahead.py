"""Lookahead decoding: guess n-grams in a 2-D window, verify remembered ones, in one pass.

Fu et al. 2024, "Break the Sequential Dependency of LLM Inference Using Lookahead Decoding",
arXiv 2402.02057, Algorithm 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from time import perf_counter

from lookahead_viz import visibility
from lookahead_viz.config import LookaheadConfig
from lookahead_viz.engine.ending import cut
from lookahead_viz.engine.fill import Filler
from lookahead_viz.engine.interface import PassResult, Runner
from lookahead_viz.engine.pool import NgramPool, ngrams_ending_in
from lookahead_viz.engine.verify import Candidate, judge
from lookahead_viz.engine.walk import random_stream
from lookahead_viz.engine.window import Window, filled_window, first_window, lone_window
from lookahead_viz.layout import guess_slots, pack, window_paths
from lookahead_viz.reach import window_fits
from lookahead_viz.records import LookaheadStep, PoolChange, StepLayout, Verification

MaskOf = Callable[[StepLayout], visibility.BoolMatrix]


def lookahead_steps(
    runner: Runner,
    prompt_ids: Sequence[int],
    config: LookaheadConfig,
    stop_ids: frozenset[int],
    mask_of: MaskOf = visibility.mask,
) -> Iterator[LookaheadStep]:
    """One ``Step`` a pass. ``prompt_ids`` must not be empty; ``mask_of`` may plant a mask."""
    filler = Filler(
        config.window_fill,
        seed=config.seed,
        prompt_ids=prompt_ids,
        vocab_size=runner.vocab_size,
        fill_token=config.fill_token,
    )
    rng = random_stream(config.seed)
    pool, _ = prompt_pool(prompt_ids, config)
    text = list(prompt_ids)
    window = _start(text[-1], config, filler)
    runner.prefill(prompt_ids[:-1])

    for index in count():
        started = perf_counter()
        if not window_fits(len(text) - 1, config, runner.position_limit):
            window = lone_window(text[-1])  # from here to the end: positions only grow
        candidates, layout = _candidates(pool, window, len(text) - 1, config)
        result = runner.forward(layout, mask_of(layout), used_slots(window, layout, candidates))
        verdict = judge(candidates, result, rng, most=config.most_matched)
        emitted = cut(
            verdict.tokens,
            room=config.max_new_tokens - (len(text) - len(prompt_ids)),
            stop_ids=stop_ids,
        )
        path = accepted_path(candidates, verdict.verification, len(emitted.accepted))
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
            verification=_recorded(verdict.verification, candidates, config),
            accepted=emitted.accepted,
            discarded=emitted.discarded,
            kept_slots=path,
            pool_changes=tuple(changes),
            mask_sha256=result.mask_sha256,
            top_k=result.top_k,
            # the token after each slot of the path was accepted
            gap=result.gaps_at(path),
            draws=verdict.draws,
            forward_ms=result.forward_ms,
            step_ms=(perf_counter() - started) * 1000,
        )
        if emitted.ends:
            return


def prompt_pool(
    prompt_ids: Sequence[int], config: LookaheadConfig
) -> tuple[NgramPool, list[PoolChange]]:
    """The pool before the first pass, and the insertions that made it."""
    pool = NgramPool(config.pool_capacity, config.pool_policy)
    if not config.pool_from_prompt:
        return pool, []
    ngrams = ngrams_ending_in(prompt_ids, len(prompt_ids), config.ngram_size)
    return pool, pool.insert_all(ngrams, "prompt")


def used_slots(
    window: Window, layout: StepLayout, candidates: Sequence[Candidate] = ()
) -> tuple[int, ...]:
    """Slots whose prediction is used: the current token, the last window row, every guess."""
    wanted = {0, *range(window.first_of_last_row, layout.slots)}
    return tuple(sorted(wanted.union(*(candidate.slots for candidate in candidates))))


def accepted_path(
    candidates: Sequence[Candidate], verification: Verification, count: int
) -> tuple[int, ...]:
    """Slot 0 and the guess slots of the first ``count`` - 1 accepted tokens: rows to keep."""
    if verification.winner is None:
        return (0,)
    return (0, *candidates[verification.winner].slots[: count - 1])


def _start(current: int, config: LookaheadConfig, filler: Filler) -> Window:
    if config.warm_up == "none":
        return filled_window(
            current, filler, window_size=config.window_size, ngram_size=config.ngram_size
        )
    fill = config.initial_window
    if fill is None:
        fill = filler.tokens(config.initial_fill)
    return first_window(current, fill, ngram_size=config.ngram_size)


def _candidates(
    pool: NgramPool, window: Window, position: int, config: LookaheadConfig
) -> tuple[list[Candidate], StepLayout]:
    """What this pass verifies, and its layout: first what the pool, then what the window holds."""
    found = pool.newest(window.current, config.max_candidates) if window.full else ()
    layout = pack(window.rows, found, position=position, merge=config.merge_candidates)
    slots = guess_slots(found, window.slots, merge=config.merge_candidates)
    candidates = [Candidate(*both) for both in zip(found, slots, strict=True)]
    if config.verify_window and window.full:
        for path in window_paths(window.rows, config.ngram_size - 1):
            candidates.append(Candidate(tuple(layout.token_ids[slot] for slot in path), path))
    return candidates, layout


def _recorded(
    verification: Verification, candidates: Sequence[Candidate], config: LookaheadConfig
) -> Verification:
    """With the slots of the candidates, where they do not follow from the layout's order."""
    if not (config.merge_candidates or config.verify_window):
        return verification
    return replace(verification, slots=tuple(candidate.slots for candidate in candidates))


def _last_row_predictions(window: Window, result: PassResult) -> tuple[int, ...]:
    first, cols = window.first_of_last_row, len(window.rows[0])
    return tuple(result.token(slot) for slot in range(first, first + cols))


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
        first_key = {"current": None, "stale": window.covered, "next": text[-1]}
        predictions = _last_row_predictions(window, result)
        ngrams = window.ngrams(predictions, first_key[config.column_key])
        changes += pool.insert_all(ngrams, "window")
    if config.collects_text:
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
        elif config.shift == "level":
            following = following.leveled(len(accepted) - 1)
    return following.standing_at(accepted[-1])
