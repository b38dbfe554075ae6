"""What the values of a mask mean: booleans, 0/1, additive floats, and which way round.

Nothing here knows lookahead decoding, except to tell the polarity of a two-valued array: in every
layout a token reads itself and nothing that is packed after it.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.masklab.arrays import UnreadableMask
from lookahead_viz.visibility import BoolMatrix
from lookahead_viz.words import count

Polarity = Literal["auto", "keep=1", "keep=0", "additive"]
POLARITIES: tuple[Polarity, ...] = ("auto", "keep=1", "keep=0", "additive")

WEAK = 1000.0
"""An added value closer to zero than this can be made up for by a large enough score."""

EAGER_WARNING = (
    'A boolean mask is right with transformers\' attention "sdpa" and silently wrong with '
    '"eager", which adds it: give eager an additive float mask.'
)
_CLEAR = 4
"""Another reading of the values is taken where at most one in so many cells speaks against it."""


class Values(NamedTuple):
    """What the values of an array say."""

    visible: BoolMatrix  # under the reading that ``said`` names
    two_valued: bool  # the opposite reading is possible too
    said: str
    warnings: list[str]


def visible_cells(array: NDArray[Any], polarity: Polarity) -> Values:
    """Which cells of [T, K] are visible; ``UnreadableMask`` where its values are no mask's."""
    kind = array.dtype.kind
    if kind == "f":
        with np.errstate(invalid="ignore"):  # of NaNs, refused below
            array = array.astype(np.float64)
        if np.isnan(array).any():
            raise UnreadableMask(
                f"the mask holds NaN ({count(int(np.isnan(array).sum()), 'cell')}); a mask cell "
                "is visible or hidden."
            )
    if kind == "b":
        if polarity == "additive":
            raise UnreadableMask("polarity is 'additive', but the mask holds booleans.")
        return _two_values(array, array.dtype, polarity)
    lowest, highest = array.min().item(), array.max().item()
    if polarity == "additive" or (polarity == "auto" and _is_additive(array, lowest, highest)):
        return _additive(array, lowest, highest)
    ones = array == 1
    if lowest < 0 or highest > 1 or not np.logical_or(ones, array == 0).all():
        return _other_values(array, lowest, highest, polarity)
    return _two_values(ones, array.dtype, polarity)


def _is_additive(array: NDArray[Any], lowest: float, highest: float) -> bool:
    """Zero and negative values; a float array of zeros alone hides nothing.

    Beside a value that hides for certain small positive ones are biases.
    """
    if highest > 0:
        return array.dtype.kind == "f" and lowest <= -WEAK and highest < WEAK
    return lowest < 0 or array.dtype.kind == "f"


def _two_values(ones: BoolMatrix, dtype: np.dtype[Any], polarity: Polarity) -> Values:
    warnings = []
    name = {"b": "True", "f": "1.0"}.get(dtype.kind, "1")
    if dtype.kind == "b":
        warnings.append(EAGER_WARNING)
    if dtype.kind == "f":
        warnings.append(
            "A float mask of 0 and 1: transformers adds float masks to the scores, so this one "
            "would hide nothing, silently; give booleans (sdpa) or 0 and the dtype's minimum."
        )
    if polarity == "keep=0":
        said = f"Read as told: {name} = hidden."
        return Values(~ones, False, said, warnings)
    told = "as told: " if polarity == "keep=1" else "as: "
    return Values(ones, polarity == "auto", f"Read {told}{name} = may attend.", warnings)


def inverted_statement(array: NDArray[Any]) -> str:
    """How an array was read that looks inverted."""
    name = "True" if array.dtype.kind == "b" else f"{array.max():g}"
    if array.dtype.kind != "b" and array.min() < 0:
        return (
            "Read as: 0 = hidden and the negative value = may attend, the opposite of what adding "
            "it to the scores does."
        )
    return (
        f"Read as: {name} = hidden (as in torch's nn.MultiheadAttention): read the other way, "
        "tokens would see later ones and not themselves."
    )


def _additive(array: NDArray[Any], lowest: float, highest: float) -> Values:
    """Added to the scores: 0 is visible, a large negative value hides.

    Smaller values hide only where there is no large one; beside it they are biases.
    """
    strong = array <= -WEAK
    biased = bool(strong.any())
    if highest > 0 and not (biased and highest < WEAK):
        raise UnreadableMask(
            f"an additive mask holds 0 and negative values, this one also {highest:g}."
        )
    hidden = strong if biased else array < 0
    weak = (array != 0) & ~strong
    warnings = []
    zero = "0"
    if weak.any():
        values = np.unique(array[weak])
        if biased:
            zero = "0 and small values"
            warnings.append(_bias_sentence(values, int(weak.sum())))
        else:
            warnings.append(
                f"{count(int(weak.sum()), 'cell')} hidden by a weak value ({values[0]:g}): a high "
                "score makes up for it; use -inf or the dtype's minimum."
            )
    said = f"Read as additive: {zero} = may attend, {_floor(lowest)} = hidden."
    if not hidden.any():
        said = "Read as additive: every value is 0, nothing is hidden."
    inverse_possible = bool(hidden.any() and not hidden.all())
    return Values(~hidden, inverse_possible, said, warnings)


def _bias_sentence(values: NDArray[Any], cells: int) -> str:
    which = f"{values[0]:g}" if len(values) == 1 else f"from {values[0]:g} to {values[-1]:g}"
    many = count(cells, "cell")
    return (
        f"{many} with a small value ({which}) beside the large ones: read as a bias of visible "
        "cells; if they are to be hidden, use -inf or the dtype's minimum there too."
    )


def hidden_rows(visible: BoolMatrix) -> list[str]:
    """A warning where rows see nothing at all, committed columns included."""
    rows = int((~visible.any(axis=1)).sum())
    if not rows:
        return []
    return [
        f"{count(rows, 'line')} hidden throughout: softmax of such a line is NaN or an average of "
        "everything."
    ]


def _floor(lowest: float) -> str:
    known = {
        -np.inf: "-inf",
        float(np.finfo(np.float32).min): "float32's minimum",
        float(np.finfo(np.float64).min): "float64's minimum",
        float(np.finfo(np.float16).min): "-65504 (float16's minimum)",
        -(2.0**127) * (2 - 2.0**-7): "bfloat16's minimum",
    }
    return known.get(lowest, f"{lowest:g}")


def _other_values(
    array: NDArray[Any], lowest: float, highest: float, polarity: Polarity
) -> Values:
    """0 and one other value is still a mask (255 of a picture, 1e9 that is subtracted)."""
    nonzero = array != 0
    if lowest >= 0 and highest >= 1 and np.unique(array[nonzero]).size == 1:
        subtracted = highest >= WEAK
        values = _two_values(nonzero, np.dtype(np.int8), polarity)
        said = values.said.replace("1 =", f"{highest:g} =")
        if subtracted and polarity == "auto":
            said = f"Read as: {highest:g} = may attend (no engine adds a positive value)."
        return values._replace(said=said)
    if array.dtype.kind == "f" and lowest >= 0 and highest <= 1:
        raise UnreadableMask(
            "the mask holds fractions between 0 and 1: these look like attention weights; give "
            "the mask that was applied before the softmax."
        )
    raise UnreadableMask(
        f"the mask holds values from {lowest:g} to {highest:g}; it must hold booleans, 0 and 1, "
        "or 0 and large negative values."
    )


def looks_inverted(visible: BoolMatrix, committed: int) -> bool:
    """Would the opposite reading be a mask, where this one cannot be?

    By a clear majority tokens miss themselves and see what is packed later; most miss the
    committed columns.
    """
    block, prefix = visible[:, committed:], visible[:, :committed]
    size = len(block)
    if _CLEAR * np.trace(block) > size or 2 * prefix.sum() > prefix.size:
        return False
    later = np.triu(np.ones((size, size), dtype=bool), 1)
    hidden = int(later.sum()) - int((block & later).sum())
    return _CLEAR * hidden <= later.sum()
