"""Speculative Jacobi decoding: Jacobi passes that sample (Teng et al. 2025).

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

from lookahead_viz.config import SpeculativeJacobiConfig
from lookahead_viz.engine.interface import PassResult, Runner
from lookahead_viz.engine.jacobi import Iterate, Update, fixed_point, solve_blocks, start_fill
from lookahead_viz.engine.rejection import rejection_walk
from lookahead_viz.engine.walk import own_token, random_stream
from lookahead_viz.records import JacobiStep


def speculative_jacobi_steps(
    runner: Runner,
    prompt_ids: Sequence[int],
    config: SpeculativeJacobiConfig,
    stop_ids: frozenset[int],
) -> Iterator[JacobiStep]:
    """One ``Step`` a pass, block after block. ``prompt_ids`` must not be empty.

    At temperature 0 the passes are those of pure Jacobi.
    """
    first_iterate = start_fill(config, prompt_ids, runner.vocab_size)
    update = fixed_point if config.sampling is None else drawn(random_stream(config.seed))
    yield from solve_blocks(runner, prompt_ids, config, stop_ids, first_iterate, update)


def drawn(rng: random.Random) -> Update:
    """What a pass that samples makes of an iterate: accepted, resampled, drawn anew."""

    def update(result: PassResult, iterate: Iterate) -> Iterate:
        assert result.distribution is not None, "the runner was not asked to sample"
        size, frozen = len(iterate.tokens), iterate.frozen
        p = [result.distribution(slot) for slot in range(frozen, size)]
        q = iterate.drawn_from or (None,) * size
        walk = rejection_walk(iterate.tokens[frozen:], q[frozen:], p.__getitem__, rng, bonus=False)
        behind = p[len(walk.tokens) :]
        anew = [own_token(one, 0, rng).token for one in behind]
        now_frozen = size - len(behind)
        return Iterate(
            tokens=(*iterate.tokens[:frozen], *walk.tokens, *anew),
            frozen=now_frozen,
            drawn_from=(*q[:now_frozen], *behind),
            draws=walk.draws,
        )

    return update
