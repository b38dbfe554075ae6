"""Who may look at whom: the mask of a packed pass as five named rules over a layout.

A slot sees the whole cached prefix; among the packed slots it sees exactly what one of the rules
allows (DESIGN 2.3; Fu et al. 2024, section 3.2 and the published attention-mask figure). True =
may attend. Everything here is a pure function of a ``StepLayout``.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.records import Role, StepLayout

BoolMatrix = NDArray[np.bool_]

RULES = ("self", "base_row", "same_column", "guess_sees_current", "guess_causal")
HIDDEN = ("X1", "X2", "X3", "X4", "X5", "X6", "X7", "X8")


def rules(layout: StepLayout) -> dict[str, BoolMatrix]:
    """Where each rule holds, by name in the order of ``RULES``; bool [S, S], disjoint."""
    return _rules(layout.roles, layout.rows, layout.cols)


def mask(layout: StepLayout) -> BoolMatrix:
    """May the row's slot attend to the column's slot? bool [S, S], read-only."""
    return _mask(layout.roles, layout.rows, layout.cols)


def reasons(layout: StepLayout) -> tuple[tuple[str, ...], ...]:
    """Why each cell is as it is, [S][S]: a name of ``RULES`` where visible, else X1 to X8."""
    return _reasons(layout.roles, layout.rows, layout.cols)


def digest(visible: BoolMatrix) -> str:
    """SHA-256 of the row-major packed bits of a boolean [S, S] mask, as 64 hex digits."""
    return hashlib.sha256(np.packbits(visible).tobytes()).hexdigest()


def mask_digest(layout: StepLayout) -> str:
    """``digest(mask(layout))``."""
    return _mask_digest(layout.roles, layout.rows, layout.cols)


def parents(layout: StepLayout) -> tuple[int, ...]:
    """The slot before each slot on its path, [S]; -1 for slot 0, whose parent is the prefix.

    A row of the mask is its parent's row plus itself: the same mask as by the rules.
    """
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


# The mask depends on a layout's shape alone, and a run has few shapes: each is computed once.
@lru_cache(maxsize=128)
def _rules(roles: _Roles, rows: _Ints, cols: _Ints) -> dict[str, BoolMatrix]:
    role, row, col = np.array(roles), np.array(rows), np.array(cols)
    q_guess, k_guess = (role == Role.GUESS)[:, None], (role == Role.GUESS)[None, :]
    q_row, k_row = row[:, None], row[None, :]
    q_col, k_col = col[:, None], col[None, :]
    k_current = (role == Role.CURRENT)[None, :]

    itself = np.eye(len(roles), dtype=bool)
    both_window = ~q_guess & ~k_guess & ~itself
    base_row = both_window & (k_row == 0) & (k_col <= q_col)
    same_column = both_window & (k_row >= 1) & (k_row < q_row) & (k_col == q_col)
    guess_sees_current = q_guess & k_current
    guess_causal = q_guess & k_guess & (k_row == q_row) & (k_col < q_col)
    for rule in (itself, base_row, same_column, guess_sees_current, guess_causal):
        rule.setflags(write=False)  # cached and shared
    return {
        "self": itself,
        "base_row": base_row,
        "same_column": same_column,
        "guess_sees_current": guess_sees_current,
        "guess_causal": guess_causal,
    }


@lru_cache(maxsize=128)
def _mask(roles: _Roles, rows: _Ints, cols: _Ints) -> BoolMatrix:
    visible: BoolMatrix = np.logical_or.reduce(list(_rules(roles, rows, cols).values()))
    visible.setflags(write=False)
    return visible


@lru_cache(maxsize=128)
def _mask_digest(roles: _Roles, rows: _Ints, cols: _Ints) -> str:
    return digest(_mask(roles, rows, cols))


@lru_cache(maxsize=32)
def _reasons(roles: _Roles, rows: _Ints, cols: _Ints) -> tuple[tuple[str, ...], ...]:
    role, row, col = np.array(roles), np.array(rows), np.array(cols)
    # a guess stands at offset 1 + col, a window cell at row + col: enough to order two slots
    offset = np.where(role == Role.GUESS, 1 + col, row + col)
    q_row, k_row = row[:, None], row[None, :]
    q_guess, k_guess = (role == Role.GUESS)[:, None], (role == Role.GUESS)[None, :]
    shape = (len(roles), len(roles))
    hidden = [  # the first that holds is the reason (UX, appendix A)
        ("X6", np.broadcast_to((role == Role.CURRENT)[:, None], shape)),
        ("X5", q_guess != k_guess),
        ("X4", q_guess & k_guess & (q_row != k_row)),
        ("X1", offset[None, :] > offset[:, None]),
        ("X2", np.broadcast_to(q_row == k_row, shape)),
        ("X3", (k_row >= 1) & (k_row < q_row)),
        ("X7", np.broadcast_to(k_row > q_row, shape)),
        ("X8", np.broadcast_to(k_row == 0, shape)),
    ]
    visible = list(_rules(roles, rows, cols).items())
    names = [name for name, _ in visible + hidden]
    chosen = np.select(
        [holds for _, holds in visible + hidden], list(range(len(names))), default=-1
    )
    return tuple(tuple(names[i] for i in line) for line in chosen.tolist())
