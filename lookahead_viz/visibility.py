"""Who may look at whom: the mask of a packed pass as five named rules over a layout.

A slot sees the whole cached prefix; among the packed slots it sees exactly what one of the rules
allows (DESIGN 2.3; Fu et al. 2024, section 3.2 and the published attention-mask figure). True =
may attend. Everything here is a pure function of a ``StepLayout``.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.records import Role, StepLayout

BoolMatrix = NDArray[np.bool_]

RULES = ("self", "base_row", "same_column", "guess_sees_current", "guess_causal")
HIDDEN = ("X1", "X2", "X3", "X4", "X5", "X6", "X7", "X8")


def rules(layout: StepLayout) -> dict[str, BoolMatrix]:
    """Where each rule holds, by name in the order of ``RULES``; bool [S, S], disjoint."""
    return _rules(*_shape(layout))


def mask(layout: StepLayout) -> BoolMatrix:
    """May the row's slot attend to the column's slot? bool [S, S], read-only."""
    return _mask(*_shape(layout))


def reasons(layout: StepLayout) -> tuple[tuple[str, ...], ...]:
    """Why each cell is as it is, [S][S]: a name of ``RULES`` where visible, else X1 to X8."""
    return _reasons(*_shape(layout))


def digest(visible: BoolMatrix) -> str:
    """SHA-256 of the row-major packed bits of a boolean [S, S] mask, as 64 hex digits."""
    return hashlib.sha256(np.packbits(visible).tobytes()).hexdigest()


def mask_digest(layout: StepLayout) -> str:
    """``digest(mask(layout))``."""
    return _mask_digest(*_shape(layout))


def parents(layout: StepLayout) -> tuple[int, ...]:
    """The slot before each slot on its path, [S]; -1 for slot 0, whose parent is the prefix.

    A line of the mask is its parent's line plus itself: the same mask as by the rules.
    """
    if layout.parents is not None:
        return layout.parents
    cols = window_columns(layout)
    found = []
    for slot, (role, row, col) in enumerate(
        zip(layout.roles, layout.rows, layout.cols, strict=True)
    ):
        if role is Role.CURRENT:
            found.append(-1)
        elif role is Role.WINDOW:
            found.append(slot - cols if row else slot - 1)
        else:
            found.append(slot - 1 if col else 0)
    return tuple(found)


def window_columns(layout: StepLayout) -> int:
    """C, the number of window columns."""
    return 1 + max(
        col for role, col in zip(layout.roles, layout.cols, strict=True) if role is not Role.GUESS
    )


_Roles = tuple[Role, ...]
_Ints = tuple[int, ...]
_Parents = tuple[int, ...] | None


def _shape(layout: StepLayout) -> tuple[_Roles, _Ints, _Ints, _Parents]:
    return layout.roles, layout.rows, layout.cols, layout.parents


@lru_cache(maxsize=32)
def _ancestors(parents: tuple[int, ...]) -> BoolMatrix:
    """Is the column's slot on the path of the row's, before it? bool [S, S]."""
    found = np.zeros((len(parents), len(parents)), dtype=bool)
    for slot, parent in enumerate(parents):
        if parent >= 0:
            found[slot] = found[parent]
            found[slot, parent] = True
    return found


class _Slots(NamedTuple):
    """Some slots of a layout, in any shape that broadcasts against another's."""

    slot: NDArray[np.int64]
    guess: BoolMatrix
    current: BoolMatrix
    row: NDArray[np.int64]
    col: NDArray[np.int64]
    parents: _Parents  # of the whole layout, where candidates are merged

    @classmethod
    def of(
        cls,
        roles: _Roles,
        rows: _Ints,
        cols: _Ints,
        parents: _Parents,
        slots: NDArray[np.int64],
    ) -> _Slots:
        role = np.array(roles)[slots]
        return cls(
            slots,
            role == Role.GUESS,
            role == Role.CURRENT,
            np.array(rows)[slots],
            np.array(cols)[slots],
            parents,
        )

    @property
    def offset(self) -> NDArray[np.int64]:
        """A guess stands at offset 1 + col, a window cell at row + col."""
        return np.where(self.guess, 1 + self.col, self.row + self.col)

    def before(self, other: _Slots) -> BoolMatrix:
        """Does this slot, if both are guesses, come before the other in one of its candidates?"""
        if self.parents is None:
            found: BoolMatrix = (self.row == other.row) & (self.col < other.col)
            return found
        known: BoolMatrix = _ancestors(self.parents)[other.slot, self.slot]
        return known


def _visible_reasons(q: _Slots, k: _Slots) -> dict[str, BoolMatrix]:
    """The rules, in the order of ``RULES``: who (q) may read what (k)."""
    itself = q.slot == k.slot
    both_window = ~q.guess & ~k.guess & ~itself
    return {
        "self": itself,
        "base_row": both_window & (k.row == 0) & (k.col <= q.col),
        "same_column": both_window & (k.row >= 1) & (k.row < q.row) & (k.col == q.col),
        "guess_sees_current": q.guess & k.current,
        "guess_causal": q.guess & k.guess & k.before(q),
    }


def _hidden_reasons(q: _Slots, k: _Slots) -> dict[str, BoolMatrix]:
    """Why a cell that no rule allows is hidden: the first that holds (UX, appendix A)."""
    return {
        "X6": q.current,
        "X5": q.guess != k.guess,
        "X4": q.guess & k.guess & ~q.before(k),
        "X1": k.offset > q.offset,
        "X2": q.row == k.row,
        "X3": (k.row >= 1) & (k.row < q.row),
        "X7": k.row > q.row,
        "X8": k.row == 0,
    }


def reasons_at(layout: StepLayout, q: NDArray[np.int64], k: NDArray[np.int64]) -> tuple[str, ...]:
    """``reasons`` of some cells alone: rows ``q`` and columns ``k``, both [n]."""
    grid = _shape(layout)
    return tuple(_named(_Slots.of(*grid, q), _Slots.of(*grid, k)).tolist())


def _named(q: _Slots, k: _Slots) -> NDArray[np.str_]:
    shape = np.broadcast_shapes(q.slot.shape, k.slot.shape)
    reasons = {**_visible_reasons(q, k), **_hidden_reasons(q, k)}
    chosen = np.select(
        [np.broadcast_to(holds, shape) for holds in reasons.values()],
        list(range(len(reasons))),
        default=-1,
    )
    named: NDArray[np.str_] = np.array(list(reasons))[chosen]
    return named


# The mask depends on a layout's shape alone, and a run has few shapes: each is computed once.
@lru_cache(maxsize=32)
def _rules(roles: _Roles, rows: _Ints, cols: _Ints, parents: _Parents) -> dict[str, BoolMatrix]:
    found = _visible_reasons(*_all_pairs(roles, rows, cols, parents))
    for rule in found.values():
        rule.setflags(write=False)  # cached and shared
    return found


def _all_pairs(
    roles: _Roles, rows: _Ints, cols: _Ints, parents: _Parents
) -> tuple[_Slots, _Slots]:
    index = np.arange(len(roles))
    return (
        _Slots.of(roles, rows, cols, parents, index[:, None]),
        _Slots.of(roles, rows, cols, parents, index[None, :]),
    )


@lru_cache(maxsize=128)
def _mask(roles: _Roles, rows: _Ints, cols: _Ints, parents: _Parents) -> BoolMatrix:
    allowed = _visible_reasons(*_all_pairs(roles, rows, cols, parents))
    visible: BoolMatrix = np.logical_or.reduce(list(allowed.values()))
    visible.setflags(write=False)
    return visible


@lru_cache(maxsize=128)
def _mask_digest(roles: _Roles, rows: _Ints, cols: _Ints, parents: _Parents) -> str:
    return digest(_mask(roles, rows, cols, parents))


@lru_cache(maxsize=32)
def _reasons(
    roles: _Roles, rows: _Ints, cols: _Ints, parents: _Parents
) -> tuple[tuple[str, ...], ...]:
    return tuple(map(tuple, _named(*_all_pairs(roles, rows, cols, parents)).tolist()))
