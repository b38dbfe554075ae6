"""Any array that means a mask, read as booleans: True = may attend, and what was assumed.

Nothing here knows lookahead decoding, except to tell the polarity of a two-valued array: in every
layout a token reads itself and nothing that is packed after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.visibility import BoolMatrix
from lookahead_viz.words import count, one_line

Polarity = Literal["auto", "keep=1", "keep=0", "additive"]
POLARITIES: tuple[Polarity, ...] = ("auto", "keep=1", "keep=0", "additive")

MOST_ROWS = 4000
MOST_CELLS = MOST_ROWS * MOST_ROWS
MOST_VALUES = 4 * MOST_CELLS
"""Of all heads together."""

WEAK = 1000.0
"""An added value closer to zero than this can be made up for by a large enough score."""

_BIASES = 2  # more different weak values than this beside strong ones are a bias, not a mask


class UnreadableMask(ValueError):
    """The input is no mask; the message is one sentence."""


@dataclass(frozen=True)
class ReadMask:
    """A mask as it was read.

    ``mask`` is bool [T, T] over the packed tokens, True = may attend. ``prefix`` is bool [T, P]
    over the committed columns in front of them. ``inverted`` tells that the polarity was found
    out, not told: the values mean hidden where sdpa and transformers mean visible.
    """

    mask: BoolMatrix
    prefix: BoolMatrix
    statements: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    inverted: bool = False
    positions: tuple[int, ...] | None = None
    tokens: tuple[str, ...] | None = None

    @property
    def committed(self) -> int:
        """P, the number of committed columns."""
        return int(self.prefix.shape[1])

    @property
    def size(self) -> int:
        """T, the number of packed tokens."""
        return len(self.mask)


class _Values(NamedTuple):
    """What the values of an array say."""

    visible: BoolMatrix  # under the reading that ``said`` names
    two_valued: bool  # the opposite reading is possible too
    said: str
    warnings: list[str]


def normalise(
    mask: Any,
    *,
    polarity: Polarity = "auto",
    committed: int | None = None,
) -> ReadMask:
    """Read ``mask`` as booleans.

    ``mask``: a numpy array, a torch tensor or nested lists, of bools, 0/1, or additive floats;
    [T, T], [T, P + T], or with leading dimensions whose entries are all equal (batch, heads).
    ``polarity`` and ``committed`` (the number P of committed columns) override what is detected.
    Raises ``UnreadableMask`` with one sentence.
    """
    if polarity not in POLARITIES:
        raise UnreadableMask(
            f"polarity is {polarity!r}; it must be one of {', '.join(map(repr, POLARITIES))}."
        )
    if isinstance(mask, ReadMask):
        return mask
    statements: list[str] = []
    array = _one_matrix(_as_array(mask), statements)
    size, columns = _committed_columns(array, committed, statements)
    values = _visible(array, polarity)
    visible, warnings = values.visible, values.warnings
    inverted = False
    if values.two_valued and polarity == "auto" and _looks_inverted(visible, columns):
        inverted = True
        visible = ~visible
        statements.append(_inverted_statement(array))
    else:
        statements.append(values.said)
    block = np.ascontiguousarray(visible[:, columns:])
    prefix = np.ascontiguousarray(visible[:, :columns])
    return ReadMask(block, prefix, tuple(statements), tuple(warnings), inverted)


# --- the array


def _as_array(mask: Any) -> NDArray[Any]:
    """numpy's view of ``mask``; torch tensors are recognised by what they can do."""
    if hasattr(mask, "detach") and hasattr(mask, "cpu"):
        mask = _tensor_array(mask)
    elif isinstance(mask, (str, bytes, bytearray, dict, set)) or mask is None:
        raise UnreadableMask(
            f"a mask is an array, a tensor or nested lists, not a {type(mask).__name__}."
        )
    elif not isinstance(mask, np.ndarray):
        _check_lists(mask)
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
        tensor = tensor.detach().cpu()
        if getattr(tensor, "is_sparse", False) or getattr(tensor, "layout", None) is None:
            tensor = tensor.to_dense()
        if str(tensor.dtype) in ("torch.bfloat16",) or "float8" in str(tensor.dtype):
            tensor = tensor.float()  # numpy has no such type
        return tensor.numpy()
    except Exception as error:
        raise UnreadableMask(f"the tensor cannot be read ({one_line(error)}).") from None


def _check_lists(value: Any) -> None:
    """Refuse ragged or huge lists before numpy makes objects of them."""
    if not isinstance(value, Sequence):
        if hasattr(value, "__array__"):
            return
        raise UnreadableMask(
            f"a mask is an array, a tensor or nested lists, not a {type(value).__name__}."
        )
    lengths: list[int] = []
    level: list[Any] = [value]
    while level and all(_is_list(item) for item in level):
        if len(lengths) == 8:
            raise UnreadableMask("the mask is nested more than 8 levels deep; give [T, T].")
        sizes = {len(item) for item in level}
        if len(sizes) > 1:
            raise UnreadableMask(
                f"the rows of the mask differ in length ({min(sizes)} to {max(sizes)} values); "
                "every row needs one value per column."
            )
        lengths.append(sizes.pop())
        level = [inner for item in level for inner in item]
        if len(level) > MOST_VALUES:
            raise UnreadableMask(_too_large("it"))
    if any(_is_list(item) for item in level):
        raise UnreadableMask("the mask mixes single values with lists of values; give [T, T].")


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))


def _too_large(what: str) -> str:
    return (
        f"the mask is too large: {what} holds more than {MOST_ROWS:,} x {MOST_ROWS:,} values; cut "
        "it to the packed rows."
    )


def _one_matrix(array: NDArray[Any], statements: list[str]) -> NDArray[Any]:
    """[T, K]: the leading dimensions (batch, heads) must hold the same matrix throughout."""
    if array.size == 0:
        raise UnreadableMask(f"the mask is empty (shape {_shape(array)}).")
    if array.ndim < 2:
        raise UnreadableMask(
            f"a mask has rows and columns, this array has {count(array.ndim, 'dimension')}; give "
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


def _committed_columns(
    array: NDArray[Any], committed: int | None, statements: list[str]
) -> tuple[int, int]:
    """(T, P). Raises ``UnreadableMask`` where the shape is no [T, P + T]."""
    rows, columns = array.shape
    if columns < rows:
        raise UnreadableMask(
            f"the mask has {rows} rows but {count(columns, 'column')}; it must be square, or have "
            "more columns than rows (the committed ones first)."
        )
    found = columns - rows
    if committed is not None:
        if isinstance(committed, bool) or not isinstance(committed, (int, np.integer)):
            raise UnreadableMask(f"committed is {committed!r}; it must be a whole number.")
        if committed != found:
            raise UnreadableMask(
                f"committed is {committed}, but a mask of {rows} rows and {columns} columns has "
                f"{found} committed columns (columns - rows)."
            )
    if found:
        statements.append(
            f"{rows} rows and {columns} columns: the first {count(found, 'column')} are read as "
            f"committed (in the cache), the last {rows} as the packed tokens."
        )
    else:
        statements.append(f"{rows} rows and columns: the packed tokens, no committed columns.")
    return rows, found


# --- the values


def _visible(array: NDArray[Any], polarity: Polarity) -> _Values:
    kind = array.dtype.kind
    if kind == "f":
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
    """Zero and negative values; a float array of zeros alone hides nothing."""
    if highest > 0:
        return False
    return lowest < 0 or array.dtype.kind == "f"


def _two_values(ones: BoolMatrix, dtype: np.dtype[Any], polarity: Polarity) -> _Values:
    warnings = []
    name = {"b": "True", "f": "1.0"}.get(dtype.kind, "1")
    if dtype.kind == "b":
        warnings.append(
            'A boolean mask is right with transformers\' attention "sdpa" and silently wrong with '
            '"eager", which adds it: give eager an additive float mask.'
        )
    if dtype.kind == "f":
        warnings.append(
            "A float mask of 0 and 1: transformers adds float masks to the scores, so this one "
            "would hide nothing, silently; give booleans (sdpa) or 0 and the dtype's minimum."
        )
    if polarity == "keep=0":
        said = f"Read as told: {name} = hidden."
        return _Values(~ones, False, said, warnings)
    told = "as told: " if polarity == "keep=1" else "as: "
    return _Values(ones, polarity == "auto", f"Read {told}{name} = may attend.", warnings)


def _inverted_statement(array: NDArray[Any]) -> str:
    name = {"b": "True", "f": "1.0"}.get(array.dtype.kind, "1")
    if array.dtype.kind != "b" and array.min() < 0:
        return (
            "Read as: 0 = hidden and the negative value = may attend, the opposite of what adding "
            "it to the scores does."
        )
    return (
        f"Read as: {name} = hidden (as in torch's nn.MultiheadAttention): read the other way, "
        "tokens would see later ones and not themselves."
    )


def _additive(array: NDArray[Any], lowest: float, highest: float) -> _Values:
    if highest > 0:
        raise UnreadableMask(
            f"an additive mask holds 0 and negative values, this one also {highest:g}."
        )
    hidden = array < 0
    warnings = []
    strong = array <= -WEAK
    weak = hidden & ~strong
    if weak.any():
        values = np.unique(array[weak])
        example = f"{values[0]:g}"
        if strong.any() and len(values) > _BIASES:
            hidden = strong
            warnings.append(
                f"{len(values)} different small values (lowest {example}) beside the large ones: "
                "read as a bias of visible cells."
            )
        else:
            warnings.append(
                f"{count(int(weak.sum()), 'cell')} hidden by a weak value ({example}): a high "
                "score makes up for it; use -inf or the dtype's minimum."
            )
    said = f"Read as additive: 0 = may attend, {_floor(lowest)} = hidden."
    if not hidden.any():
        said = "Read as additive: every value is 0, nothing is hidden."
    rows = hidden.all(axis=1)
    if rows.any():
        warnings.append(
            f"{count(int(rows.sum()), 'row')} hidden throughout: softmax of such a row is NaN or "
            "an average of everything."
        )
    inverse_possible = bool(hidden.any() and not hidden.all())
    return _Values(~hidden, inverse_possible, said, warnings)


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
) -> _Values:
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


def _looks_inverted(visible: BoolMatrix, committed: int) -> bool:
    """Would the opposite reading be a mask, where this one cannot be?

    Most tokens miss themselves and see what is packed later, and miss the committed columns.
    """
    block, prefix = visible[:, committed:], visible[:, :committed]
    size = len(block)
    if 2 * np.trace(block) > size or 2 * prefix.sum() > prefix.size:
        return False
    later = np.triu(np.ones((size, size), dtype=bool), 1)
    return bool(2 * (block & later).sum() >= later.sum())
