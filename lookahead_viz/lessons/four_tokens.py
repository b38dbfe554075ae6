"""Four tokens that show every trouble of pure Jacobi decoding, small enough to count by hand.

The model of this example looks at one token only: after "the" it writes "cat", and so on. The
passes are computed, not written down.
"""

from __future__ import annotations

from lookahead_viz.config import JacobiConfig
from lookahead_viz.layout import pack
from lookahead_viz.prefix import common_prefix
from lookahead_viz.records import JacobiStep, ModelInfo, Run
from lookahead_viz.visibility import mask_digest

TEXTS = ("Look:", " the", " cat", " sat", " down")
FOLLOWS = {0: 1, 1: 2, 2: 3, 3: 4, 4: 1}
"""The model: token -> its next token."""

PROMPT = 0
START: tuple[int, ...] = (2, 3, 3, 4)


def four_tokens() -> Run:
    """The Jacobi run over one block of four tokens, from ``START``."""
    steps: list[JacobiStep] = []
    iterate, frozen = START, 0
    while frozen < len(START):
        fed = (PROMPT, *iterate[:-1])
        following = tuple(FOLLOWS[token] for token in fed)
        now = min(4, common_prefix(iterate, following) + 1)
        layout = pack([list(fed)], (), position=0)
        steps.append(
            JacobiStep(
                index=len(steps),
                layout=layout,
                predictions=following,
                accepted=following[frozen:now],
                kept_slots=tuple(range(4)) if now == 4 else (),
                mask_sha256=mask_digest(layout),
                gap=(1.0,) * (now - frozen),  # its model is always as sure
                block=0,
                iteration=len(steps),
                iterate=iterate,
                next_iterate=following,
                frozen=now,
            )
        )
        iterate, frozen = following, now
    return Run(
        method="jacobi",
        config=JacobiConfig(block_size=4, max_new_tokens=4, alternatives=0),
        model=ModelInfo(name="four tokens", vocab_size=len(TEXTS)),
        prompt_ids=(PROMPT,),
        stop_ids=(),
        prompt_pool_changes=(),
        steps=tuple(steps),
        token_text=dict(enumerate(TEXTS)),
    )
