"""From whatever holds numbers to one matrix [T, K]: shapes, sizes, heads, committed columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.words import count, one_line

MOST_ROWS = 4000
MOST_CELLS = MOST_ROWS * MOST_ROWS
MOST_VALUES = 4 * MOST_CELLS
"""Of all heads together."""


class UnreadableMask(ValueError):
    """The input is no mask; the message is one sentence."""


def as_array(mask: Any) -> NDArray[Any]:
    """numpy's view of ``mask``; torch tensors are recognised by what they can do."""
    if hasattr(mask, "detach") and hasattr(mask, "cpu"):
        mask = _tensor_array(mask)
    elif _is_list(mask):
        _check_lists(mask)
    elif not (hasattr(mask, "__array__") or isinstance(mask, memoryview)):
        raise UnreadableMask(
            f"a mask is an array, a tensor or nested lists, not of type {type(mask).__name__}."
        )
    if isinstance(mask, np.ma.MaskedArray) and np.ma.is_masked(mask):
        raise UnreadableMask("the mask is a masked array with masked cells; fill them first.")
    try:
        array = np.asarray(mask)
    except Exception as error:  # whatever an object says about itself
        raise UnreadableMask(f"the mask cannot be read as an array ({one_line(error)}).") from None
    if array.dtype.hasobject or array.dtype.kind not in "biuf":
        raise UnreadableMask(
            f"the mask holds values of type {_type_name(array.dtype)}; it must hold booleans, 0/1 "
            "or floats."
        )
    return array


def _type_name(dtype: np.dtype[Any]) -> str:
    names = {"O": "object", "U": "text", "S": "bytes", "c": "complex", "V": "record", "M": "date"}
    return names.get(dtype.kind, "object" if dtype.hasobject else str(dtype))


def _tensor_array(tensor: Any) -> Any:
    try:
        if tensor.numel() > MOST_VALUES:
            raise UnreadableMask(_too_large("it"))
        tensor = tensor.detach().cpu()
        if str(tensor.layout) != "torch.strided":  # sparse of some kind
            tensor = tensor.to_dense()
        if str(tensor.dtype) in ("torch.bfloat16",) or "float8" in str(tensor.dtype):
            tensor = tensor.float()  # numpy has no such type
        return tensor.numpy()
    except UnreadableMask:
        raise
    except Exception as error:
        raise UnreadableMask(f"the tensor cannot be read ({one_line(error)}).") from None


def _check_lists(value: Sequence[Any]) -> None:
    """Refuse ragged or huge lists before numpy makes objects of them."""
    lengths: list[int] = []
    level: list[Any] = [value]
    while level and all(_is_list(item) for item in level):
        if len(lengths) == 8:
            raise UnreadableMask("the mask is nested more than 8 levels deep; give [T, T].")
        sizes = {len(item) for item in level}
        if len(sizes) > 1:
            raise UnreadableMask(
                f"the rows of this list differ in length ({min(sizes)} to {max(sizes)} values); "
                "every row needs one value per column."
            )
        lengths.append(sizes.pop())
        level = [inner for item in level for inner in item]
        if len(level) > MOST_VALUES:
            raise UnreadableMask(_too_large("it"))
    if any(_is_list(item) for item in level):
        raise UnreadableMask("the mask mixes single values with lists of values; give [T, T].")


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple, range))


def _too_large(what: str) -> str:
    return (
        f"the mask is too large: {what} holds more than {MOST_ROWS:,} x {MOST_ROWS:,} values; cut "
        "it to the packed tokens."
    )


def one_matrix(array: NDArray[Any], statements: list[str]) -> NDArray[Any]:
    """[T, K]: the leading dimensions (batch, heads) must hold the same matrix throughout."""
    if array.size == 0:
        raise UnreadableMask(f"the mask is empty (shape {_shape(array)}).")
    if array.ndim < 2:
        raise UnreadableMask(
            f"a mask has lines and columns, this array has {count(array.ndim, 'dimension')}; give "
            "[T, T] or [T, P + T]."
        )
    rows, columns = array.shape[-2:]
    if rows > MOST_ROWS or rows * columns > MOST_CELLS:
        raise UnreadableMask(_too_large(f"{rows:,} x {columns:,}"))
    if array.size > MOST_VALUES:
        raise UnreadableMask(_too_large(f"shape {_shape(array)}; one head is enough, it"))
    if array.ndim == 2:
        return array
    heads = array.reshape(-1, rows, columns)
    for index, head in enumerate(heads[1:], 1):
        if not np.array_equal(heads[0], head, equal_nan=array.dtype.kind == "f"):
            cells = int((heads[0] != head).sum())
            raise UnreadableMask(
                f"the {len(heads)} matrices of this {_shape(array)} array differ (number {index} "
                f"from number 0 in {count(cells, 'cell')}); give the mask of one head."
            )
    if len(heads) > 1:
        statements.append(f"{len(heads)} equal matrices (shape {_shape(array)}) read as one mask.")
    return cast(NDArray[Any], heads[0])


def _shape(array: NDArray[Any]) -> str:
    return "[" + ", ".join(str(length) for length in array.shape) + "]"


def committed_columns(
    array: NDArray[Any], committed: int | None, statements: list[str]
) -> tuple[int, int]:
    """(P, of these with lines of their own). ``UnreadableMask`` where it is no [T, P + T].

    ``committed`` is what was told. Without a cache the committed tokens have lines too.
    """
    rows, columns = array.shape
    if columns < rows:
        raise UnreadableMask(
            f"the mask has {count(rows, 'line')} but {count(columns, 'column')}; it must be "
            "square, or have more columns than lines (the committed ones first)."
        )
    found = columns - rows
    told = found if committed is None else _told(committed)
    if not found <= told < columns:
        raise UnreadableMask(
            f"committed is {told}, but a mask of {count(rows, 'line')} and "
            f"{count(columns, 'column')} has at least {found} committed columns "
            f"(columns - lines) and at most {columns - 1}."
        )
    if found:
        verb = "is" if found == 1 else "are"
        statements.append(
            f"{count(rows, 'line')} and {count(columns, 'column')}: the first "
            f"{count(found, 'column')} {verb} read as committed "
            f"(in the cache), the last {rows:,} as the packed tokens."
        )
    else:
        both = "1 line and column" if rows == 1 else f"{rows:,} lines and columns"
        statements.append(f"{both}: the packed tokens, no committed columns.")
    return told, told - found


def _told(committed: Any) -> int:
    if isinstance(committed, bool) or not isinstance(committed, (int, np.integer)):
        raise UnreadableMask(f"committed is {committed!r}; it must be a whole number.")
    return int(committed)
