"""Any array that means a mask, read as booleans: True = may attend, and what was assumed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lookahead_viz.masklab.arrays import (
    MOST_CELLS,
    MOST_ROWS,
    UnreadableMask,
    as_array,
    committed_columns,
    one_matrix,
)
from lookahead_viz.masklab.values import (
    POLARITIES,
    Polarity,
    hidden_rows,
    inverted_statement,
    looks_inverted,
    visible_cells,
)
from lookahead_viz.visibility import BoolMatrix
from lookahead_viz.words import count

__all__ = [
    "MOST_CELLS",
    "MOST_ROWS",
    "POLARITIES",
    "Polarity",
    "ReadMask",
    "UnreadableMask",
    "normalise",
]


@dataclass(frozen=True)
class ReadMask:
    """A mask as it was read.

    ``mask`` is bool [T, T] over the packed tokens, True = may attend. ``prefix`` is bool [T, P]
    over the committed columns in front of them. ``inverted`` tells that the polarity was found
    out, not told: the values mean hidden where sdpa and transformers mean visible. ``additive``:
    the values are added to the scores, which has one meaning only.
    """

    mask: BoolMatrix
    prefix: BoolMatrix
    statements: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    inverted: bool = False
    additive: bool = False
    positions: tuple[int, ...] | None = None
    tokens: tuple[str, ...] | None = None

    @property
    def committed(self) -> int:
        """P, the number of committed columns."""
        return int(self.prefix.shape[1])

    @property
    def flip(self) -> str:
        """What to do about an inverted mask, in one sentence."""
        if self.additive:
            return "Flip it: add 0 where a token may attend, the dtype's minimum where it may not."
        return "Flip it, or if your engine means this by its values, check with polarity='keep=0'."

    @property
    def size(self) -> int:
        """T, the number of packed tokens."""
        return len(self.mask)


def normalise(
    mask: Any,
    *,
    polarity: Polarity = "auto",
    committed: int | None = None,
) -> ReadMask:
    """Read ``mask`` as booleans.

    ``mask``: a numpy array, a torch tensor or nested lists, of bools, 0/1, or additive floats;
    [T, T], [T, P + T], or with leading dimensions whose entries are all equal (batch, heads).
    ``polarity`` and ``committed`` (the number P of committed columns) override what is detected;
    a larger P means that committed tokens have rows too, as in a square mask of a whole text.
    Raises ``UnreadableMask`` with one sentence.
    """
    if polarity not in POLARITIES:
        raise UnreadableMask(
            f"polarity is {polarity!r}; it must be one of {', '.join(map(repr, POLARITIES))}."
        )
    if isinstance(mask, ReadMask):
        return mask
    statements: list[str] = []
    array = one_matrix(as_array(mask), statements)
    told, with_rows = committed_columns(array, committed, statements)
    columns = told - with_rows
    values = visible_cells(array, polarity)
    visible, warnings = values.visible, values.warnings
    inverted, additive = False, bool(array.dtype.kind != "b" and array.min() < 0)
    if values.two_valued and polarity == "auto" and looks_inverted(visible, columns):
        inverted = True
        visible = ~visible
        statements.append(inverted_statement(array))
    else:
        statements.append(values.said)
    warnings = [*warnings, *hidden_rows(visible)]
    block = np.ascontiguousarray(visible[:, columns:])
    prefix = np.ascontiguousarray(visible[:, :columns])
    read = ReadMask(block, prefix, tuple(statements), tuple(warnings), inverted, additive)
    return without_committed_rows(read, with_rows) if with_rows else read


def without_committed_rows(read: ReadMask, rows: int) -> ReadMask:
    """``read`` with its first ``rows`` tokens taken as committed text with lines of its own."""
    said = (
        f"The first {count(rows, 'line')} and {count(rows, 'column')} of these are read as "
        f"committed text (fed without a cache), the other {read.size - rows} as the packed tokens."
    )
    return replace(
        read,
        mask=np.ascontiguousarray(read.mask[rows:, rows:]),
        prefix=np.hstack([read.prefix[rows:], read.mask[rows:, :rows]]),
        statements=(*read.statements, said),
        positions=None if read.positions is None else read.positions[rows:],
        tokens=None if read.tokens is None else read.tokens[rows:],
    )


def begins_with_text(read: ReadMask, rows: int) -> bool:
    """Are the first ``rows`` tokens plain causal text that the others may all follow?"""
    text = np.tri(rows, read.size, dtype=bool)
    return bool(read.prefix[:rows].all() and np.array_equal(read.mask[:rows], text))
