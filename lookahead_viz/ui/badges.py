"""Self-checks, on every page: is the text greedy's own, is the drawn mask the one that ran?"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import NamedTuple

import streamlit as st

from lookahead_viz.comparison import Comparison
from lookahead_viz.records import Run
from lookahead_viz.replay import mask_proved
from lookahead_viz.ui import session
from lookahead_viz.views.race import equality
from lookahead_viz.words import capitalised, count


class Badge(NamedTuple):
    """One checked fact: ``good`` is None where it could not be checked."""

    good: bool | None
    sentence: str


def self_check(run: Run, index: int) -> None:
    """The two facts about ``run`` at one step."""
    comparison = session.comparison()
    found = [equality_badge(run, comparison)] if comparison else []
    show([*found, mask_badge(run, index)])


def show(badges: Iterable[Badge]) -> None:
    """A line of badges; a glyph and words, never colour alone."""
    glyphs = {True: "✓", False: "✗", None: "–"}
    pieces = [
        f'<span class="lv-badge lv-{"bad" if badge.good is False else "good"}">'
        f"{glyphs[badge.good]} {escape(badge.sentence)}</span>"
        for badge in badges
    ]
    st.html(f'<div class="lv-badges">{"".join(pieces)}</div>')


def mask_badge(run: Run, index: int) -> Badge:
    """The digest of the drawn mask, recomputed, against the recorded one."""
    if mask_proved(run, index):
        return Badge(True, "The mask of this pass is the one the model was given")
    return Badge(False, "The mask of this pass is NOT the one the model was given")


def masks_badge(comparison: Comparison) -> Badge:
    """``mask_badge`` for all passes of all runs at once."""
    masks = 0
    for run in comparison.runs:
        for index in range(len(run.steps)):
            masks += 1
            if not mask_proved(run, index):
                which = f"The mask of step {index} of {comparison.label(run)}"
                return Badge(False, f"{which} is NOT the one the model was given")
    return Badge(True, f"All {count(masks, 'mask')} of these runs are those the model was given")


def equality_badge(run: Run, comparison: Comparison) -> Badge:
    """Is the text of ``run`` the one greedy decoding gives, or without it the first other run?"""
    identical, sentence = equality(run, comparison.reference)
    return Badge(identical, capitalised(sentence))
