"""What the difference view is sent: both masks as bits, and who is where."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from lookahead_viz.views.masklab import DifferenceView
from lookahead_viz.visibility import BoolMatrix


def lab_payload(view: DifferenceView) -> dict[str, Any]:
    """Plain values for the script."""
    return {
        "title": view.title,
        "size": view.size,
        "committed": view.committed,
        "grid": list(view.grid),
        "merged": [list(slots) for slots in view.merged],
        "names": list(view.names),
        "texts": list(view.texts),
        "branches": list(view.branches),
        "positions": list(view.positions),
        "refed": view.refed,
        "sliding_window": view.sliding_window,
        "given": _bits(view.given),
        "expected": _bits(view.expected),
        "tiles": {str(size): sentence for size, sentence in view.tiles.items()},
    }


def _bits(mask: BoolMatrix) -> str:
    """Row-major packed bits, the first cell the highest bit, as base64."""
    return base64.b64encode(np.packbits(mask).tobytes()).decode("ascii")
