"""One token a pass: greedy decoding, which every other method must reproduce, or sampling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from time import perf_counter

from lookahead_viz import visibility
from lookahead_viz.config import GreedyConfig
from lookahead_viz.engine.ending import cut
from lookahead_viz.engine.interface import Runner
from lookahead_viz.engine.walk import own_token, random_stream
from lookahead_viz.layout import pack
from lookahead_viz.records import GreedyStep


def greedy_steps(
    runner: Runner, prompt_ids: Sequence[int], config: GreedyConfig, stop_ids: frozenset[int]
) -> Iterator[GreedyStep]:
    """One ``Step`` a token. ``prompt_ids`` must not be empty; ``stop_ids`` are resolved."""
    text = list(prompt_ids)
    rng = random_stream(config.seed)
    runner.prefill(prompt_ids[:-1])
    for index in count():
        started = perf_counter()
        layout = pack([[text[-1]]], position=len(text) - 1)
        result = runner.forward(layout, visibility.mask(layout), used=(0,))
        draws = () if result.distribution is None else (own_token(result.distribution(0), 0, rng),)
        emitted = cut(
            [draws[0].token if draws else result.token(0)],
            room=config.max_new_tokens - (len(text) - len(prompt_ids)),
            stop_ids=stop_ids,
        )
        runner.keep((0,))
        text += emitted.accepted
        yield GreedyStep(
            index=index,
            layout=layout,
            predictions=result.predictions,
            accepted=emitted.accepted,
            discarded=emitted.discarded,
            kept_slots=(0,),
            mask_sha256=result.mask_sha256,
            top_k=result.top_k,
            gap=result.gaps_at((0,)),
            draws=draws,
            forward_ms=result.forward_ms,
            step_ms=(perf_counter() - started) * 1000,
        )
        if emitted.ends:
            return
