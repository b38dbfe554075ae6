"""The layouts against the originals' own formulas, written here from their descriptions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lookahead_viz.masklab import Who, packed

SIZES = [*itertools.product((1, 2, 3, 5, 8), (2, 3, 4, 5, 6), (0, 1, 2, 4))]  # W, N, G


def published(row: tuple[str, int], col: tuple[str, int]) -> bool:
    """May a token read another? Each is (branch or level, offset): UX, appendix A.

    It equals LADE's j_make_causal_mask_multilevel in 329,036 cells. C is committed text that is
    fed again, I the current token, V0 ... the candidates, else the window's row.
    """
    (a, p), (b, q) = row, col
    if row == col:
        return True
    if b == "C":
        return a != "C" or q <= p
    if a == "C":
        return False
    if b == "I":
        return True
    if a == "I":
        return False
    if a.startswith("V"):
        return a == b and q < p
    if b.startswith("V"):
        return False
    if a == "0":
        return b == "0" and q < p
    if b == "0":
        return q <= p - int(a)
    return int(b) < int(a) and q == p - (int(a) - int(b))


def place(one: Who) -> tuple[str, int]:
    if one.branch in ("committed", "current"):
        return "C" if one.branch == "committed" else "I", one.position
    return (f"V{one.row}" if one.branch == "guess" else str(one.row)), one.position


@pytest.mark.parametrize("name", ["lade", "lade-flash", "llama.cpp", "trt"])
def test_every_cell_is_as_published(name: str) -> None:
    for size in [*itertools.product((1, 2, 5), (2, 3, 5), (0, 2))]:
        layout = packed(name, *size)
        places = [place(one) for one in layout.who]
        assert [[published(q, k) for k in places] for q in places] == layout.mask.tolist()


def test_every_cell_with_committed_tokens_fed_again_is_as_published() -> None:
    for size, refed in itertools.product([(1, 2, 0), (5, 4, 2), (3, 5, 1)], (0, 1, 3)):
        layout = packed("lade-parallel", *size, ranks=1, rank=0, refed=refed)
        places = [place(one) for one in layout.who]
        assert [[published(q, k) for k in places] for q in places] == layout.mask.tolist()


def test_warm_up_is_a_full_step_of_a_smaller_window() -> None:
    """Step f uses W' = W + N - 2 - f and N' = f + 2 with the same rules."""
    for window, ngram in itertools.product((1, 2, 5), (3, 4, 6)):
        for step in range(ngram - 2):
            warm_up = packed("lade-warmup", window, ngram, 2, step=step)
            full = packed("lade", window + ngram - 2 - step, step + 2, 0)
            assert (warm_up.mask == full.mask).all() and warm_up.positions == full.positions


def test_flash_hides_what_its_kernel_hides() -> None:
    """Causal, less the keys between a column's row-0 prefix and the column's own block.

    Query i >= W stands in block d = (i - W) div (N - 2) and misses the keys strictly between d and
    W + d (N - 2); a guess misses those strictly between I and the start of its own branch.
    """
    for window, ngram, candidates in SIZES:
        size = (ngram - 1) * (window + candidates)
        guesses = (ngram - 1) * window
        mask = np.tri(size, dtype=bool)
        for query in range(window, size):
            if query < guesses:
                block = (query - window) // (ngram - 2)
                mask[query, block + 1 : window + block * (ngram - 2)] = False
            else:
                branch = guesses + (query - guesses) // (ngram - 1) * (ngram - 1)
                mask[query, 1:branch] = False
        assert (mask == packed("lade-flash", window, ngram, candidates).mask).all()


def test_qnn_parents() -> None:
    """The first W: i - 1; row r: (r - 1) W + column; a candidate: 0, then the guess before."""
    for window, ngram, candidates in SIZES:
        parents = [i - 1 for i in range(window)]
        parents += [(r - 1) * window + c for r in range(1, ngram - 1) for c in range(window)]
        for _ in range(candidates):
            start = len(parents)
            parents += [0] + [start + j for j in range(ngram - 2)]
        assert packed("qnn", window, ngram, candidates).parents == tuple(parents)


def test_index_formulas() -> None:
    """Where each engine packs L(r, c) and V(g, j)."""
    for window, ngram, candidates in SIZES:
        rows = ngram - 1
        for name in ("lade", "lade-flash", "llama.cpp", "trt"):
            for one in packed(name, window, ngram, candidates).who:
                r, c, g, j = one.row, one.col, one.row, one.col
                wanted = {
                    "lade": r * window + c,
                    "lade-flash": c if r == 0 else window + c * (ngram - 2) + r - 1,
                    "llama.cpp": 0 if (r, c) == (0, 0) else candidates * rows + r * window + c,
                    "trt": c * rows + r,
                }[name]
                if one.branch == "guess":
                    behind = window * rows + g * rows + j
                    wanted = 1 + j * candidates + g if name == "llama.cpp" else behind
                assert one.slot == wanted, (name, window, ngram, candidates, one.name)
