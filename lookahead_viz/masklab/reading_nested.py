"""Nested lists as arrays, once they are known to be even and of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from lookahead_viz.masklab.normalise import UnreadableMask
from lookahead_viz.masklab.reading_model import Array, check_shape


def to_array(tree: object, name: str) -> Array:
    """A nested list as an array, once it is known to be even. Booleans stay booleans."""
    shape, level = [], [tree]
    while isinstance(level[0], list):
        lengths = {len(item) if isinstance(item, list) else -1 for item in level}
        if len(lengths) > 1 or -1 in lengths:
            first = len(level[0])
            odd = next(
                (i for i, x in enumerate(level) if not isinstance(x, list) or len(x) != first), 0
            )
            got = len(level[odd]) if isinstance(level[odd], list) else 0  # type: ignore[arg-type]
            raise UnreadableMask(ragged_rows(odd, got, first))
        shape.append(lengths.pop())
        if not shape[-1] or len(shape) > 4:
            check_shape(shape, 1, name)
        level = [item for part in level for item in part]  # type: ignore[attr-defined]
        check_shape(shape, 8, name) if shape[-1] else None
    return checked(_flat(level, name).reshape(shape), name)


def _flat(values: list[Any], name: str) -> Array:
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return np.array(values, dtype=np.bool_)
    if not kinds <= {bool, int, float}:
        what = "an empty value" if type(None) in kinds else "a text"
        raise UnreadableMask(f"The list holds {what}; only numbers, true and false are allowed.")
    try:
        if float not in kinds:
            return np.array(values, dtype=np.int64)
        return np.array(values, dtype=np.float64)
    except OverflowError as error:
        raise UnreadableMask("A number of this list is too large for 64 bits.") from error


def checked(array: Array, name: str) -> Array:
    check_shape(array.shape, array.itemsize, name)
    return array


def ragged_rows(row: int, got: int, expected: int) -> str:
    return f"Row {row} has {got} cells and row 0 has {expected}; every row must be equally long."
