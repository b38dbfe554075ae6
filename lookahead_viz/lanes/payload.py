"""A comparison as the race gets it: one compact JSON-able dict, nothing else is asked for later.

Token texts are sent once, as readers see them; tokens are indexes into that list. Any kind of
step will do: only its layout, its accepted tokens and their sources are read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lookahead_viz.comparison import Comparison, compare
from lookahead_viz.explain import step_sentence
from lookahead_viz.figures.theme import lane_name
from lookahead_viz.records import Run
from lookahead_viz.tokens import printable
from lookahead_viz.views.cost import cost_of_60_more, draft_passes, draft_share, machine
from lookahead_viz.views.race import equality
from lookahead_viz.views.text import token_sources

VERSION = 1
PROMPT_SHOWN = 16
"""Of the prompt so many last tokens stand before each lane's text."""


def lanes_payload(comparison: Comparison) -> dict[str, Any]:
    """Everything the race shows of ``comparison``, one lane a run."""
    texts = _Texts()
    lanes = [_lane(run, comparison, texts) for run in comparison.runs]
    first = comparison.runs[0] if comparison.runs else None
    return {
        "version": VERSION,
        "lanes": lanes,
        "prompt": texts.all(first, first.prompt_ids[-PROMPT_SHOWN:]) if first else [],
        "cut": bool(first and len(first.prompt_ids) > PROMPT_SHOWN),
        "machine": machine(comparison),
        "cost": cost_of_60_more(comparison),
        "texts": texts.shown,
    }


class _Texts:
    """Numbers visible texts in the order in which they are asked for."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def all(self, run: Run, tokens: Iterable[int]) -> list[int]:
        return [
            self._numbers.setdefault(printable(run.token_text, token), len(self._numbers))
            for token in tokens
        ]

    @property
    def shown(self) -> list[str]:
        return list(self._numbers)


def _lane(run: Run, comparison: Comparison, texts: _Texts) -> dict[str, Any]:
    baseline = comparison.reference
    identical, sentence = equality(run, baseline)
    # where texts need not be equal, or cannot be compared, there is nothing to point at
    difference = compare(run, baseline).difference if baseline and identical is False else None
    return {
        "label": comparison.label(run),
        "fill": lane_name(run.method),
        "identical": identical,
        "equality": sentence,
        "differs": None if difference is None else difference.index,
        "ended": run.ended,
        "finish": run.finish_reason,
        "draft": draft_share(run, comparison.baseline),
        # slots fed, milliseconds, tokens, where each came from, passes of the draft model
        "passes": [
            [
                step.layout.slots,
                round(step.step_ms, 2),
                texts.all(run, step.accepted),
                list(token_sources(step)),
                draft_passes(step),
            ]
            for step in run.steps
        ],
        "sentences": [step_sentence(run, index) for index in range(len(run.steps))],
    }
