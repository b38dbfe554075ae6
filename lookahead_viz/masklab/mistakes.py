"""The library of classic mistakes, each a rule over a packed pass: what it gives instead.

A rule takes a ``Scene`` and returns the wrong ``Masks``, for any size and any layout. Thirteen are
UX, appendix A; the others are mistakes of the same family that engines or public threads have
shown. Those with a parameter (``suspects``) are made from the mask itself.
"""

from __future__ import annotations

from lookahead_viz.masklab.mistake_kinds import Library, Mistake
from lookahead_viz.masklab.mistakes_candidates import CANDIDATES
from lookahead_viz.masklab.mistakes_whole import WHOLE
from lookahead_viz.masklab.mistakes_window import WINDOW

MISTAKES: Library = {**WHOLE, **WINDOW, **CANDIDATES}
"""Every mistake without a parameter, by name."""

APPENDIX_A = (
    "causal",
    "transposed",
    "inverted",
    "same-row",
    "column-above-missing",
    "prefix-short",
    "prefix-not-shortened",
    "candidates-see-each-other",
    "candidates-see-window",
    "window-sees-candidates",
    "candidates-miss-current",
    "candidate-not-causal",
    "self-missing",
)
"""The thirteen of UX, appendix A."""

__all__ = ["APPENDIX_A", "MISTAKES", "Mistake"]
