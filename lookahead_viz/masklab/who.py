"""Who is where in a packed pass: branch, row and column, position, parent, output used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lookahead_viz import visibility
from lookahead_viz.records import Role, StepLayout

Branch = Literal["committed", "current", "window", "guess"]


@dataclass(frozen=True)
class Who:
    """One packed token. Window cells have their row and column, guesses candidate and index."""

    slot: int  # packed index
    branch: Branch
    row: int  # r, or g
    col: int  # c, or j
    position: int  # relative to p
    parent: int | None  # packed index of the token before it on its path; None: the cache
    logits: bool  # does the engine read this token's output?
    name: str  # "I", "L12", "V01"; "C0" for a committed token that is fed again


def who_is_where(
    step: StepLayout,
    order: Sequence[int],
    merged: Sequence[Sequence[int]],
    refed: int,
    every_output: bool,
) -> tuple[Who, ...]:
    """The table of a packed layout, [T]; arguments as the fields of ``PackedLayout``."""
    parents = visibility.parents(step)
    place = {slot: i for i, group in enumerate(merged) for slot in group}
    wide = max(max(step.rows), max(step.cols)) > 9
    last_row = max(
        row for role, row in zip(step.roles, step.rows, strict=True) if role != Role.GUESS
    )
    found = []
    for i, slot in enumerate(order):
        if slot < 0:
            before = i - 1 if i else None
            found.append(Who(i, "committed", 0, i, i - refed, before, False, f"C{i}"))
            continue
        role, row, col = step.roles[slot], step.rows[slot], step.cols[slot]
        branch: Branch = ("current", "window", "guess")[role]
        parent = place[parents[slot]] if parents[slot] >= 0 else (i - 1 if i else None)
        used = every_output or role != Role.WINDOW or row == last_row
        letter = "V" if role == Role.GUESS else "L"
        name = f"{letter}{row},{col}" if wide else f"{letter}{row}{col}"
        name = "I" if role == Role.CURRENT else name
        found.append(Who(i, branch, row, col, step.positions[slot], parent, used, name))
    return tuple(found)
