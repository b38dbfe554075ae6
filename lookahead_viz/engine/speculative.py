"""Speculative decoding: a draft is verified in one pass (Leviathan et al. 2023, Algorithm 1).

The draft is one candidate behind the current token, so layout, mask and greedy verification are
those of lookahead decoding with a single candidate and no window.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from time import perf_counter

from lookahead_viz import visibility
from lookahead_viz.config import PromptLookupConfig, SpeculativeConfig
from lookahead_viz.engine.drafting import Draft, Drafter
from lookahead_viz.engine.ending import cut
from lookahead_viz.engine.interface import PassResult, Runner
from lookahead_viz.engine.rejection import rejection_walk
from lookahead_viz.engine.verify import verify
from lookahead_viz.engine.walk import Walk, random_stream
from lookahead_viz.layout import pack
from lookahead_viz.records import DraftStep, StepLayout

MaskOf = Callable[[StepLayout], visibility.BoolMatrix]


def speculative_steps(
    runner: Runner,
    prompt_ids: Sequence[int],
    config: SpeculativeConfig | PromptLookupConfig,
    stop_ids: frozenset[int],
    drafter: Drafter,
    mask_of: MaskOf = visibility.mask,
) -> Iterator[DraftStep]:
    """One ``Step`` a pass of the model. ``prompt_ids`` must not be empty.

    A draft is at most ``config.gamma`` tokens and leaves room for the model's own one.
    """
    rng = random_stream(config.seed)
    text = list(prompt_ids)
    runner.prefill(prompt_ids[:-1])
    for index in count():
        started = perf_counter()
        room = config.max_new_tokens - (len(text) - len(prompt_ids))
        draft = drafter.draft(text, min(config.gamma, room - 1))
        candidates = (draft.tokens,) if draft.tokens else ()
        layout = pack([[text[-1]]], candidates, position=len(text) - 1)
        result = runner.forward(layout, mask_of(layout), used=range(layout.slots))
        own = [result.token(slot) for slot in range(layout.slots)]
        verification = verify(candidates, own[0], [own[1:]] if candidates else [])
        walk = _sampled(draft, result, rng)
        if walk.draws:
            verification = replace(verification, matched=_accepted(walk, candidates))
        proven = walk.tokens or verification.proven(own[0])
        emitted = cut(proven, room=room, stop_ids=stop_ids)
        kept = tuple(range(len(emitted.accepted)))  # the token after each was accepted
        runner.keep(kept)
        text += emitted.accepted
        yield DraftStep(
            index=index,
            layout=layout,
            predictions=result.predictions,
            source=drafter.source,
            verification=verification,
            accepted=emitted.accepted,
            discarded=emitted.discarded,
            kept_slots=kept,
            mask_sha256=result.mask_sha256,
            top_k=result.top_k,
            gap=result.gaps_at(kept),
            draws=walk.draws,
            draft_passes=draft.passes,
            draft_ms=draft.ms,
            copied_from=draft.copied_from,
            matched_tail=draft.matched_tail,
            forward_ms=result.forward_ms,
            step_ms=(perf_counter() - started) * 1000,
        )
        if emitted.ends:
            return


def _sampled(draft: Draft, result: PassResult, rng: random.Random) -> Walk:
    """The draws of a pass that samples; empty for a greedy one."""
    if result.distribution is None:
        return Walk((), ())
    drawn_from = draft.drawn_from or (None,) * len(draft.tokens)
    return rejection_walk(draft.tokens, drawn_from, result.distribution, rng)


def _accepted(walk: Walk, candidates: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """How many tokens of the draft its draws accepted; empty without a draft."""
    return (len(walk.tokens) - 1,) if candidates else ()
