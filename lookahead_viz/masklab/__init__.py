"""The mask lab: is this mask, from whatever engine, the right one, and if not, what is wrong?

``check(mask, 5, 4, 2, layout="llama.cpp")`` reports; ``assert_mask`` is for tests; ``packed``
lays one pass out as an engine does. numpy only: a model is loaded where one is asked to run.
"""

from lookahead_viz.masklab.check import assert_mask, check, right_mask
from lookahead_viz.masklab.layouts import LAYOUTS, PackedLayout, Who, packed
from lookahead_viz.masklab.mistakes import MISTAKES, Mistake
from lookahead_viz.masklab.normalise import ReadMask, UnreadableMask, normalise
from lookahead_viz.masklab.report import Report
from lookahead_viz.masklab.sizes import SizesReport, check_sizes

__all__ = [
    "LAYOUTS",
    "MISTAKES",
    "Mistake",
    "PackedLayout",
    "ReadMask",
    "Report",
    "SizesReport",
    "UnreadableMask",
    "Who",
    "assert_mask",
    "check",
    "check_sizes",
    "normalise",
    "packed",
    "right_mask",
]
