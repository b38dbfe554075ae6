"""Sentences: why a mask cell is on or off, what a line reads, what a pass did.

Plain text, in the words of the glossary. Steps, iterations, rows and columns count from 0 as in
the records; candidates and blocks are named "candidate 1", "block 1".
"""

from __future__ import annotations

from lookahead_viz.explain_mask import (
    RULE_NAMES,
    cached_count,
    read_row,
    rule_id,
    rule_ids,
    slot_name,
    why,
    why_cells,
    why_committed,
)
from lookahead_viz.explain_steps import (
    Phase,
    no_ngram,
    phase,
    step_sentence,
    why_nothing_drafted,
    why_nothing_verified,
)

__all__ = [
    "RULE_NAMES",
    "Phase",
    "cached_count",
    "no_ngram",
    "phase",
    "read_row",
    "rule_id",
    "rule_ids",
    "slot_name",
    "step_sentence",
    "why",
    "why_cells",
    "why_committed",
    "why_nothing_drafted",
    "why_nothing_verified",
]
