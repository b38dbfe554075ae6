"""The layouts that the mask lab knows: names, sources, settings, and what each one packs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookahead_viz.masklab.orders import (
    candidates_first,
    column_major,
    row_major,
    row_zero_then_columns,
)
from lookahead_viz.masklab.plans import (
    Planner,
    causal,
    filling,
    parallel,
    prefill,
    steady,
    warm_up,
)

Settings = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Kind:
    """One layout."""

    title: str
    description: str  # the token order, in one sentence
    source: str
    plan: Planner
    variants: tuple[str, ...] = ()  # names of its own settings
    aliases: tuple[str, ...] = ()
    packs_words: bool = False  # the engine keeps the mask as 32-bit words
    has_sequences: bool = False  # the engine keeps the mask as sets of sequence ids
    reads_every_output: bool = False
    merges: bool = False
    steady: bool = True  # a full pass of W, N, G' tokens; not a start-up or a part of one
    notes: tuple[str, ...] = ()  # what to know beside it; {sequences} and {drafts} are filled in

    def settings(
        self, window_size: int, ngram_size: int, candidates: int, given: Mapping[str, Any]
    ) -> Settings:
        """``given`` checked, with the defaults filled in; ``ValueError`` with one sentence."""
        for name in given:
            if name not in self.variants:
                allowed = (
                    f"it takes {', '.join(self.variants)}" if self.variants else "it has none"
                )
                raise ValueError(f"layout {self.title} has no setting {name!r}; {allowed}.")
        tokens = (window_size + candidates) * (ngram_size - 1)
        bounds = {
            "step": (1, 0, max(ngram_size - 3, 0)),
            "fill": (1, 1, max(ngram_size - 2, 1)),
            "prompt_length": (1, 1, 4000),
            "ranks": (2, 1, 4000),
            "rank": (0, 0, int(given.get("ranks", 2)) - 1 if _whole(given.get("ranks", 2)) else 0),
            "refed": (0, 0, 4000),
            "length": (tokens, 1, 4000),
        }
        found: list[tuple[str, Any]] = []
        for name in self.variants:
            if name == "tokens":
                found.append((name, _tokens(given.get(name))))
                continue
            default, least, most = bounds[name]
            value = given.get(name)
            value = max(least, min(default, most)) if value is None else value
            check_number(name, value, least, most)
            found.append((name, int(value)))
        return tuple(found)


def check_number(name: str, value: Any, least: int, most: int) -> None:
    """One sentence where ``value`` is no whole number from ``least`` to ``most``."""
    if not _whole(value):
        raise ValueError(f"{name} is {value!r}; it must be a whole number.")
    if not least <= value <= most:
        raise ValueError(f"{name} is {value}; it must be from {least} to {most}.")


def _whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))


def _tokens(tokens: Any) -> tuple[Hashable, ...] | None:
    if tokens is None:
        return None
    try:
        found = tuple(tokens)
        hash(found)
    except TypeError:
        raise ValueError("tokens must be one id or text per canonical slot.") from None
    return found


_LADE_NOTES = (
    "LADE calls N LEVEL, and the N - 1 tokens of a candidate guess_size.",
    "Accepted keys and values are no suffix: gather their rows, then trim.",
)
_TRT_NOTES = (
    "The engine's draft buffer leaves the current token out: its index is the packed index - 1, "
    "{drafts} draft tokens here (max_draft_len for the largest G).",
    "It verifies the window's tokens too, and greedily only.",
)

_ROWS = "window row by row, then candidate by candidate"

LAYOUTS: dict[str, Kind] = {
    "canonical": Kind(
        "canonical",
        f"This program's own order: {_ROWS}.",
        "Fu et al. 2024, section 3.2 and the published figure",
        steady(row_major),
        aliases=("lookahead_viz", "figure"),
    ),
    "lade": Kind(
        "LADE",
        f"The code of the paper's authors. {_ROWS.capitalize()}; a dense additive mask.",
        "hao-ai-lab/LookaheadDecoding, j_make_causal_mask_multilevel",
        steady(row_major),
        aliases=("lade-default", "lookaheaddecoding"),
        notes=_LADE_NOTES,
    ),
    "lade-flash": Kind(
        "LADE flash",
        "Row 0, then the rest of the window column by column (swapped axis), then the candidates.",
        "hao-ai-lab/LookaheadDecoding, apply_mask_lookahead",
        steady(row_zero_then_columns),
        aliases=("flash", "swapped-axis"),
        notes=("The order is computed in its kernel; positions move with the tokens.",),
    ),
    "llama.cpp": Kind(
        "llama.cpp",
        "The current token, the candidates depth by depth, then the window row by row.",
        "llama.cpp, examples/lookahead: the batch that is decoded",
        steady(candidates_first),
        aliases=("llamacpp", "llama-cpp", "llama_cpp"),
        has_sequences=True,
        notes=(
            "Needs W + G + 1 = {sequences} sequences (n_parallel) and a unified cache (-kvu).",
            "The comment in its source draws another order, the window first: do not copy that.",
            "G is both the pool's ring size and the most candidates of a pass.",
        ),
    ),
    "llama.cpp-comment": Kind(
        "llama.cpp's comment",
        f"{_ROWS.capitalize()}: the order drawn in the comment, which the code does not use.",
        "llama.cpp, examples/lookahead: the diagram in the comment",
        steady(row_major),
        aliases=("llamacpp-comment", "llama-cpp-comment"),
    ),
    "trt": Kind(
        "TensorRT-LLM before tree encoding",
        "Window column by column, then candidate by candidate: a position stack.",
        "TensorRT-LLM, LookaheadAlgorithm::posIdsToMask",
        steady(column_major),
        aliases=("tensorrt-llm", "trt-llm", "trtllm"),
        packs_words=True,
        reads_every_output=True,
        notes=(
            *_TRT_NOTES,
            "Positions give the mask in this order only: a stack is read off them.",
        ),
    ),
    "trt-merged": Kind(
        "TensorRT-LLM after tree encoding",
        "Equal prefixes merged into a trie, depth first; siblings here in order of appearance "
        "(the engine's own order is that of a hash map).",
        "TensorRT-LLM, LookaheadAlgorithm::treeEncode",
        steady(column_major),
        variants=("tokens",),
        aliases=("tensorrt-llm-merged", "trt-tree"),
        packs_words=True,
        reads_every_output=True,
        merges=True,
        notes=(*_TRT_NOTES, "The engine's order of siblings is that of a hash map: any is right."),
    ),
    "trt-fill": Kind(
        "TensorRT-LLM, filling pass",
        "A chain, then the window columns that have grown so far, then the candidates.",
        "TensorRT-LLM, LookaheadAlgorithm::prepare",
        filling,
        variants=("fill",),
        aliases=("tensorrt-llm-fill",),
        packs_words=True,
        reads_every_output=True,
        steady=False,
        notes=_TRT_NOTES,
    ),
    "executorch": Kind(
        "ExecuTorch",
        f"{_ROWS.capitalize()}.",
        "ExecuTorch, set_lookahead_decoding_mask and get_lookahead_pos_offsets",
        steady(row_major),
    ),
    "qnn": Kind(
        "QNN",
        f"{_ROWS.capitalize()}; the mask is built from a parent array.",
        "ExecuTorch's Qualcomm backend, init_attention_mask",
        steady(row_major),
    ),
    "lade-prefill": Kind(
        "LADE, prefill",
        "The prompt, then row 0: plain causal text.",
        "hao-ai-lab/LookaheadDecoding, the first pass",
        prefill,
        variants=("prompt_length",),
        steady=False,
    ),
    "lade-warmup": Kind(
        "LADE, warm-up",
        "k + 1 rows of W + N - 2 - k columns, row by row; no candidates.",
        "hao-ai-lab/LookaheadDecoding, passes 1 to N - 3",
        warm_up,
        variants=("step",),
        aliases=("lade-warm-up",),
        steady=False,
    ),
    "lade-parallel": Kind(
        "LADE, one of several devices",
        "Accepted tokens fed again, row 0 up to the device's last column, its columns, its "
        "candidates.",
        "hao-ai-lab/LookaheadDecoding, DIST_WORKERS > 1",
        parallel,
        variants=("ranks", "rank", "refed"),
        aliases=("lookahead-parallel",),
        steady=False,
    ),
    "causal": Kind(
        "plain causal",
        "One token after another: ordinary text, or a block of pure Jacobi decoding.",
        "Santilli et al. 2023, Algorithm 1",
        causal,
        variants=("length",),
        aliases=("plain-causal", "jacobi"),
        steady=False,
    ),
}

NAMES: dict[str, str] = {
    **{name: name for name in LAYOUTS},
    **{alias: name for name, kind in LAYOUTS.items() for alias in kind.aliases},
}
"""Every accepted spelling."""
