"""What a rule about masks needs to know of a packed pass, as arrays over its tokens."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookahead_viz import visibility
from lookahead_viz.masklab.layouts import PackedLayout, step_size
from lookahead_viz.masklab.orders import Grid, Order, row_major
from lookahead_viz.records import Role, StepLayout
from lookahead_viz.visibility import BoolMatrix

Ints = NDArray[np.int16]

COMMITTED = -1  # beside the values of Role


@dataclass(frozen=True, eq=False)
class Masks:
    """A whole mask in two parts: bool [T, T], and [T, P] over the committed columns.

    ``prefix`` None means: every committed column is visible.
    """

    packed: BoolMatrix
    prefix: BoolMatrix | None = None

    def differing(self, other: Masks) -> int:
        """Number of cells that differ; both masks are of one size."""
        cells = int(np.count_nonzero(self.packed ^ other.packed))
        if self.prefix is None and other.prefix is None:
            return cells
        if self.prefix is None or other.prefix is None:
            one = other.prefix if self.prefix is None else self.prefix
            assert one is not None
            return cells + int(one.size - np.count_nonzero(one))
        return cells + int(np.count_nonzero(self.prefix ^ other.prefix))

    def equals(self, other: Masks) -> bool:
        return self.packed.shape == other.packed.shape and not self.differing(other)


@dataclass(frozen=True, eq=False)
class Scene:
    """One packed pass; every array is [T] in packed order. ``committed`` is P."""

    role: Ints  # the values of Role, or COMMITTED
    row: Ints
    col: Ints
    position: Ints  # relative to p
    paths: BoolMatrix  # [T, T] what each token reads where no sliding window hides any of it
    grid: Grid
    order: tuple[int, ...]  # [T] canonical slots, -1 where committed
    committed: int = 0
    sliding_window: int | None = None  # positions that a token may look back, itself included

    @classmethod
    def of(
        cls, layout: PackedLayout, committed: int = 0, sliding_window: int | None = None
    ) -> Scene:
        """The scene of a packed layout behind ``committed`` cached tokens."""
        order = np.array(layout.order)
        step = layout.step
        fed_again = order < 0
        return cls(
            role=np.where(fed_again, COMMITTED, np.array(step.roles)[order]).astype(np.int16),
            row=np.where(fed_again, 0, np.array(step.rows)[order]).astype(np.int16),
            col=np.where(fed_again, 0, np.array(step.cols)[order]).astype(np.int16),
            position=np.array(layout.positions, dtype=np.int16),
            paths=layout.mask,
            grid=layout.grid,
            order=layout.order,
            committed=committed,
            sliding_window=sliding_window,
        )

    @classmethod
    def of_step(cls, step: StepLayout, order: Order = row_major) -> Scene:
        """The scene of one recorded or running pass, its slots in another order."""
        rows, cols, candidates = step_size(step)
        guesses = 1 + max(
            (c for role, c in zip(step.roles, step.cols, strict=True) if role == Role.GUESS),
            default=rows - 1,
        )
        grid = Grid(rows, cols, candidates, guesses)
        # merged candidates, or candidates of several lengths, have no other order
        slots = order(grid) if grid.slots == step.slots else list(range(step.slots))
        first = step.positions[0]
        return cls(
            role=np.array(step.roles, dtype=np.int16)[slots],
            row=np.array(step.rows, dtype=np.int16)[slots],
            col=np.array(step.cols, dtype=np.int16)[slots],
            position=np.array([p - first for p in step.positions], dtype=np.int16)[slots],
            paths=visibility.mask(step)[slots][:, slots],
            grid=grid,
            order=tuple(slots),
            committed=first,
        )

    def canonical(self, masks: Masks) -> Masks:
        """``masks`` of this scene with its rows and columns in canonical order."""
        place = np.argsort(np.array(self.order))
        packed = masks.packed[place][:, place]
        return Masks(packed, None if masks.prefix is None else masks.prefix[place])

    @property
    def size(self) -> int:
        """T."""
        return len(self.role)

    @property
    def current(self) -> int:
        """Packed index of the current token."""
        return int(np.flatnonzero(self.role == Role.CURRENT)[0])

    @cached_property
    def right(self) -> BoolMatrix:
        """[T, T] what is to be visible among the packed tokens."""
        return self.in_window(self.paths)

    @property
    def masks(self) -> Masks:
        """The right mask."""
        return Masks(self.right, self.right_prefix)

    @cached_property
    def right_prefix(self) -> BoolMatrix | None:
        """[T, P] what of the committed columns is visible; None where all of them are."""
        if self.sliding_window is None or not self.committed:
            return None
        return self.near(self.committed_positions)

    @property
    def hides_by_window(self) -> bool:
        """Is there a sliding window, and does it hide anything at this size?"""
        prefix = self.right_prefix
        return (
            (prefix is not None and not prefix.all())
            or self.right is not self.paths
            and bool((self.right != self.paths).any())
        )

    @cached_property
    def committed_positions(self) -> NDArray[np.int64]:
        """[P] positions of the committed columns, relative to p: in front of what is fed again."""
        return np.arange(-self.committed, 0) - self.order.count(-1)

    def near(self, positions: NDArray[Any]) -> BoolMatrix:
        """[T, n] do these positions lie within the sliding window of each token?"""
        assert self.sliding_window is not None
        return self.position[:, None] - positions[None, :] < self.sliding_window

    def in_window(self, packed: BoolMatrix) -> BoolMatrix:
        """``packed`` without what a sliding window hides."""
        return packed if self.sliding_window is None else packed & self.near(self.position)

    # Columns are who reads, rows of numpy's broadcasting: [T, 1] for q, [1, T] for k.

    @cached_property
    def index(self) -> Ints:
        return np.arange(self.size, dtype=np.int16)

    @cached_property
    def itself(self) -> BoolMatrix:
        return np.eye(self.size, dtype=bool)

    @cached_property
    def window(self) -> BoolMatrix:
        """[T] is it a window cell, the current token included?"""
        return (self.role == Role.WINDOW) | (self.role == Role.CURRENT)

    @cached_property
    def lower(self) -> BoolMatrix:
        """[T] a window cell of row 1 or more."""
        return (self.role == Role.WINDOW) & (self.row > 0)

    @cached_property
    def guess(self) -> BoolMatrix:
        return self.role == Role.GUESS

    @cached_property
    def is_current(self) -> BoolMatrix:
        return self.role == Role.CURRENT

    @cached_property
    def earlier(self) -> BoolMatrix:
        """[T, T] k stands at an earlier position than q."""
        return self.position[None, :] < self.position[:, None]

    @cached_property
    def base(self) -> BoolMatrix:
        """[T, T] a lower window cell reads row 0 (the current token included)."""
        return self.lower[:, None] & (self.window & (self.row == 0))[None, :]

    @cached_property
    def above(self) -> BoolMatrix:
        """[T, T] a lower window cell reads another lower one."""
        return self.lower[:, None] & self.lower[None, :] & ~self.itself

    @cached_property
    def same_row(self) -> BoolMatrix:
        return self.row[:, None] == self.row[None, :]

    @cached_property
    def candidates(self) -> BoolMatrix:
        """[T, T] a guess reads another guess."""
        return self.guess[:, None] & self.guess[None, :] & ~self.itself
