"""The attention mask of one pass: who may read whom, why, and who is where in the packed input.

Lines read, columns are read. The cached prefix, which every slot sees whole, is one column.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal

import pandas as pd

from lookahead_viz import visibility
from lookahead_viz.explain import (
    RULE_NAMES,
    cached_count,
    rule_ids,
    slot_name,
    step_sentence,
    why,
    why_committed,
)
from lookahead_viz.records import Role, Run, Step, StepLayout
from lookahead_viz.replay import step_at
from lookahead_viz.tokens import printable
from lookahead_viz.views.common import place
from lookahead_viz.words import count

LONG = 200
"""From so many slots on the cells carry a few words instead of a sentence."""

SLOT_COLUMNS = ("slot", "kind", "where", "position", "parent", "token", "prediction")


@dataclass(frozen=True)
class MaskGroup:
    """Slots ``start`` to ``stop`` - 1 belong together: a window row, a candidate."""

    name: str  # "row 0", "candidate 1"
    short: str  # "r0", "c1"
    branch: Literal["window", "guess"]
    start: int
    stop: int


@dataclass(frozen=True)
class MaskView:
    """Everything the mask picture shows; ``slots`` is 0 when there is nothing to draw."""

    sentence: str
    slots: int = 0  # S
    cached: int = 0  # tokens of the prefix
    tokens: tuple[str, ...] = ()  # [S], visible
    names: tuple[str, ...] = ()  # [S], where the slot is
    groups: tuple[MaskGroup, ...] = ()
    rules: tuple[tuple[str, ...], ...] = ()  # [S][S], "R0".."R5" visible, "X1".."X8" hidden
    sentences: tuple[tuple[str, ...], ...] = ()  # [S][S]
    prefix: str = ""  # what the column of the prefix is called
    prefix_sentence: str = ""
    slot_table: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(SLOT_COLUMNS)), compare=False
    )


def mask_view(run: Run, index: int) -> MaskView:
    """The mask of step ``index`` of a run of any method."""
    if not run.steps:
        return MaskView("This run has no passes yet.")
    step, index = step_at(run, index), place(run, index)
    layout, cached = step.layout, cached_count(run, index)
    return MaskView(
        sentence=step_sentence(run, index),
        slots=layout.slots,
        cached=cached,
        tokens=tuple(printable(run.token_text, token) for token in layout.token_ids),
        names=tuple(slot_name(layout, slot) for slot in range(layout.slots)),
        groups=_groups(layout),
        rules=rule_ids(layout),
        sentences=_sentences(run, index, layout),
        prefix=f"the committed text in the cache ({count(cached, 'token')})",
        prefix_sentence=why_committed(run, index),
        slot_table=slot_table(run, step),
    )


def slot_table(run: Run, step: Step) -> pd.DataFrame:
    """One line per slot: where it is, its position and parent, its token, its prediction."""
    layout = step.layout
    kinds = {Role.CURRENT: "current", Role.WINDOW: "window", Role.GUESS: "guess"}
    lines = [
        (
            slot,
            kinds[layout.roles[slot]],
            slot_name(layout, slot),
            layout.positions[slot],
            "the cache" if parent < 0 else str(parent),
            printable(run.token_text, layout.token_ids[slot]),
            _prediction(run, step, slot),
        )
        for slot, parent in enumerate(visibility.parents(layout))
    ]
    return pd.DataFrame(lines, columns=list(SLOT_COLUMNS))


def _prediction(run: Run, step: Step, slot: int) -> str:
    token = step.predictions[slot]
    return "not used" if token is None else printable(run.token_text, token)


def _sentences(run: Run, index: int, layout: StepLayout) -> tuple[tuple[str, ...], ...]:
    slots = range(layout.slots)
    if layout.slots > LONG:
        return tuple(tuple(RULE_NAMES[rule] for rule in line) for line in rule_ids(layout))
    return tuple(tuple(why(run, index, q, k) for k in slots) for q in slots)


def _groups(layout: StepLayout) -> tuple[MaskGroup, ...]:
    def place(slot: int) -> tuple[bool, int]:
        return layout.roles[slot] is Role.GUESS, layout.rows[slot]

    groups = []
    for (guess, row), members in groupby(range(layout.slots), key=place):
        slots = list(members)
        start, stop = slots[0], slots[-1] + 1
        if guess:
            groups.append(MaskGroup(f"candidate {row + 1}", f"c{row + 1}", "guess", start, stop))
        else:
            groups.append(MaskGroup(f"row {row}", f"r{row}", "window", start, stop))
    return tuple(groups)
