"""Token orders of other engines: in which order they pack the slots of one pass.

Every engine encodes the same attention relation; what differs is the order of the packed tokens.
An order is a list of canonical slots (``layout.pack``: window row-major, then the candidates).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Order = Callable[["Grid"], list[int]]


@dataclass(frozen=True)
class Grid:
    """The size of a pass: R window rows of C columns, G' candidates of ``guesses`` = N - 1."""

    rows: int
    cols: int
    candidates: int
    guesses: int

    @property
    def slots(self) -> int:
        return self.rows * self.cols + self.candidates * self.guesses

    def window(self, row: int, col: int) -> int:
        """Canonical slot of window cell L(row, col)."""
        return row * self.cols + col

    def guess(self, candidate: int, j: int) -> int:
        """Canonical slot of guess V(candidate, j)."""
        return self.rows * self.cols + candidate * self.guesses + j

    def all_guesses(self, first: int = 0, end: int | None = None) -> list[int]:
        """The candidates ``first`` to ``end`` one after another."""
        last = self.candidates if end is None else min(end, self.candidates)
        return list(range(self.guess(min(first, last), 0), self.guess(last, 0)))


def row_major(grid: Grid) -> list[int]:
    """L(r, c) at r W + c; V(g, j) at W (N - 1) + g (N - 1) + j.

    Source: LADE ``jforward_multilevel``, ExecuTorch ``get_lookahead_pos_offsets``, QNN
    ``init_attention_mask``, the published figure, the comment in llama.cpp's example.
    """
    return list(range(grid.slots))


def row_zero_then_columns(grid: Grid) -> list[int]:
    """L(0, c) at c; L(r, c) at W + c (N - 2) + r - 1 for r >= 1; V as in ``row_major``.

    Source: LADE's FlashAttention path (``swap_axis_for_flash``, ``apply_mask_lookahead``).
    """
    order = [grid.window(0, c) for c in range(grid.cols)]
    order += [grid.window(r, c) for c in range(grid.cols) for r in range(1, grid.rows)]
    return order + grid.all_guesses()


def candidates_first(grid: Grid) -> list[int]:
    """I at 0; V(g, j) at 1 + j G' + g; L(0, c) at G' (N - 1) + c; L(r, c) at G' (N - 1) + r W + c.

    Depth by depth, not candidate by candidate. Source: llama.cpp's lookahead example, the batch
    that ``main`` fills (its comment draws ``row_major``).
    """
    depth_major = [grid.guess(g, j) for j in range(grid.guesses) for g in range(grid.candidates)]
    window = [grid.window(r, c) for r in range(grid.rows) for c in range(grid.cols)]
    return [0, *depth_major, *window[1:]]


def column_major(grid: Grid) -> list[int]:
    """L(r, c) at c (N - 1) + r; V as in ``row_major``.

    A position stack can only be read in this order. Source: TensorRT-LLM
    ``LookaheadAlgorithm::lookahead`` and ``posIdsToMask``, before ``treeEncode``.
    """
    order = [grid.window(r, c) for c in range(grid.cols) for r in range(grid.rows)]
    return order + grid.all_guesses()


def chain_then_columns(grid: Grid) -> list[int]:
    """The first C - W columns hold row 0 only, the last W all rows, column by column; then V.

    With R = f rows and C = W + N - 1 - f columns, as in filling pass f. W = C + f - (N - 1).
    Source: TensorRT-LLM ``LookaheadAlgorithm::prepare`` while the window fills.
    """
    chain = grid.guesses - grid.rows  # I and N - 2 - f more
    order = [grid.window(0, c) for c in range(chain)]
    order += [grid.window(r, c) for c in range(chain, grid.cols) for r in range(grid.rows)]
    return order + grid.all_guesses()


def slice_of_rank(grid: Grid, rank: int, ranks: int) -> list[int]:
    """Rank k of R: row 0 up to its last column, rows r >= 1 of its columns, its candidates.

    Columns are split into slices of ceil(W / R), candidates into slices of ceil(G' / R). Source:
    LADE's lookahead parallelism (``jacobi_greedy_search_multilevel`` with ``DIST_WORKERS``).
    """
    width = -(-grid.cols // ranks)
    start, end = min(width * rank, grid.cols), min(width * (rank + 1), grid.cols)
    order = [grid.window(0, c) for c in range(end)]
    order += [grid.window(r, c) for r in range(1, grid.rows) for c in range(start, end)]
    share = -(-grid.candidates // ranks)
    return order + grid.all_guesses(share * rank, share * (rank + 1))
