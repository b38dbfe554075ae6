"""The calculator: what W, N and G mean in slots, for other engines, in cache rows and masks."""

from __future__ import annotations

import pandas as pd

from lookahead_viz.scale.arithmetic import Shape, forward_flops
from lookahead_viz.scale.sizes import Sizes

COLUMNS = ("quantity", "value", "how")


def calculator_table(sizes: Sizes, context: int, shape: Shape) -> pd.DataFrame:
    """One line a quantity, with its formula; ``context`` cached rows, a model of ``shape``."""
    w, n, g = sizes.window_size, sizes.ngram_size, sizes.max_candidates
    rows = sizes.cache_rows(context)
    one = forward_flops(shape, 1, context, 1)
    step = forward_flops(shape, sizes.slots, context, sizes.logit_rows)
    lines = [
        ("slots of a full pass", f"{sizes.slots:,}", f"(W + G)(N − 1) = ({w} + {g})·{n - 1}"),
        ("window slots", f"{sizes.window_slots:,}", f"W(N − 1) = {w}·{n - 1}"),
        ("guess slots", f"{sizes.guess_slots:,}", f"G(N − 1) = {g}·{n - 1}, all candidates found"),
        ("slots asked for logits", f"{sizes.logit_rows:,}", _logit_rows(sizes)),
        ("tokens a pass can give", _accepted(sizes), _most(sizes)),
        ("warm-up passes", f"{sizes.warm_up_steps}", "N − 2: the window fills, nothing verified"),
        (
            "TensorRT-LLM max_draft_len",
            f"{sizes.tensorrt_draft_length:,}",
            f"(N − 2) + (W − 1 + G)(N − 1) = {n - 2} + ({w} − 1 + {g})·{n - 1}",
        ),
        (
            "llama.cpp sequences",
            f"{sizes.llama_cpp_sequences:,}",
            f"W + G + 1 = {w} + {g} + 1 (n_parallel, with a unified KV cache)",
        ),
        (
            "KV rows during the pass",
            f"{rows:,}",
            f"cached + slots = {context:,} + {sizes.slots:,}",
        ),
        (
            f"KV cache of {shape.name}, 16 bits",
            _bytes(rows * shape.kv_row * 2),
            f"rows × {shape.kv_row:,} numbers × 2 bytes",
        ),
        (
            "mask, one bit a cell",
            _bytes(sizes.mask_bytes(context, 1)),
            f"{sizes.slots:,} lines of {rows:,} cells, each line in whole bytes",
        ),
        ("mask, boolean", _bytes(sizes.mask_bytes(context, 8)), "slots × KV rows × 1 byte"),
        ("mask, float32", _bytes(sizes.mask_bytes(context, 32)), "slots × KV rows × 4 bytes"),
        ("furthest position", f"p + {sizes.reach}", _reach(sizes)),
        (
            f"operations of a pass of {shape.name}",
            f"{step / one:.1f} × one token",
            f"{step / 1e9:,.3g} GFLOP, attention and used logits included",
        ),
    ]
    return pd.DataFrame(lines, columns=list(COLUMNS))


def _logit_rows(sizes: Sizes) -> str:
    first = "1 + " if sizes.ngram_size > 2 else ""
    return f"{first}W + G(N − 1): slot 0, the last window row, every guess"


def _accepted(sizes: Sizes) -> str:
    return "1" if sizes.most_accepted == 1 else f"1 to {sizes.most_accepted}"


def _most(sizes: Sizes) -> str:
    if not sizes.max_candidates:
        return "without candidates nothing is verified"
    return "up to N − 1 guesses and the model's own next token"


def _reach(sizes: Sizes) -> str:
    window = "W + N − 3, the last window cell"
    if sizes.max_candidates and sizes.reach > sizes.window_size + sizes.ngram_size - 3:
        return "N − 1, the last guess (it reaches further than the window here)"
    return f"{window}; must stay below the model's positions"


def _bytes(number: int) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number} bytes"
