"""The right mask of a pass as an engine wants it: arrays, words, batches, C, FlexAttention."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.masklab import export_arrays, export_text
from lookahead_viz.masklab.encodings import pack_words
from lookahead_viz.masklab.layouts import PackedLayout
from lookahead_viz.visibility import BoolMatrix, digest

MOST_PREFIX = 100_000
_WITHOUT_PREFIX = "The committed columns are not in it."


@dataclass(frozen=True)
class Export:
    """One file. ``text`` is what it holds where that is text."""

    file_name: str
    data: bytes
    note: str  # what is in it, in a sentence

    @property
    def text(self) -> str | None:
        return None if self.file_name.endswith((".npy", ".safetensors")) else self.data.decode()


@dataclass(frozen=True)
class _Format:
    title: str
    ending: str
    note: str
    write: Callable[[PackedLayout, int], bytes]


def _text(write: Callable[[PackedLayout, int], str]) -> Callable[[PackedLayout, int], bytes]:
    return lambda layout, prefix: write(layout, prefix).encode()


def _words(layout: PackedLayout, prefix: int) -> bytes:
    return export_arrays.npy(pack_words(layout.mask))


_FORMATS: dict[str, _Format] = {
    "bool": _Format(
        "Boolean, for sdpa",
        ".npy",
        "bool [1, 1, T, P + T], True = may attend: transformers with attention “sdpa”.",
        lambda layout, prefix: export_arrays.npy(whole(layout, prefix)[None, None]),
    ),
    "float32": _Format(
        "Additive float32, for eager",
        ".npy",
        "float32 [1, 1, T, P + T]: 0 = may attend, float32's minimum = hidden.",
        lambda layout, prefix: export_arrays.additive(whole(layout, prefix), "float32"),
    ),
    "float16": _Format(
        "Additive float16, for eager",
        ".npy",
        "float16 [1, 1, T, P + T]: 0 = may attend, -65504 (float16's minimum) = hidden.",
        lambda layout, prefix: export_arrays.additive(whole(layout, prefix), "float16"),
    ),
    "bfloat16": _Format(
        "Additive bfloat16, for eager",
        ".safetensors",
        "bfloat16 [1, 1, T, P + T] under the name “mask”: 0 = may attend, bfloat16's minimum = "
        "hidden.",
        lambda layout, prefix: export_arrays.additive(whole(layout, prefix), "bfloat16"),
    ),
    "words": _Format(
        "Packed words, as text",
        ".txt",
        f"One 32-bit word or more per line, bit j = column j, low bit first. {_WITHOUT_PREFIX}",
        _text(export_text.words),
    ),
    "words.npy": _Format(
        "Packed words, int32",
        ".npy",
        f"int32 [T, ceil(T / 32)], bit j = column j, low bit first. {_WITHOUT_PREFIX}",
        _words,
    ),
    "batch": _Format(
        "Batch table (llama.cpp)",
        ".csv",
        "One token a line: position, sequence ids, whether its logits are read. A token sees "
        "what holds its first id at no later position.",
        _text(export_text.batch),
    ),
    "mask_mod": _Format(
        "FlexAttention mask_mod",
        ".py",
        "Source of a mask_mod over P + T columns, with its tile statistics.",
        _text(export_text.mask_mod),
    ),
    "c": _Format(
        "C arrays",
        ".c",
        "uint8_t mask[T][P + T] and int32_t positions[T].",
        _text(export_text.c_arrays),
    ),
    "npy": _Format(
        "Plain .npy",
        ".npy",
        "bool [T, P + T], True = may attend.",
        lambda layout, prefix: export_arrays.npy(whole(layout, prefix)),
    ),
    "csv": _Format(
        "CSV",
        ".csv",
        "One token a line, 1 = may attend; committed columns first.",
        _text(lambda layout, prefix: export_text.csv_rows(whole(layout, prefix))),
    ),
    "rows": _Format(
        "Lines with names",
        ".txt",
        f"One token a line: its name, its position, its line of 0 and 1. {_WITHOUT_PREFIX}",
        _text(export_text.named_rows),
    ),
    "parents": _Format(
        "Parent array",
        ".txt",
        f"Each token's parent, -1 for none: a line is its parent's line and itself. "
        f"{_WITHOUT_PREFIX}",
        _text(export_text.parents),
    ),
}

FORMATS: dict[str, str] = {name: one.title for name, one in _FORMATS.items()}
"""Every format and what it is called."""


def export_mask(layout: PackedLayout, format: str = "npy", *, prefix: int = 0) -> Export:
    """The mask of ``layout`` with ``prefix`` committed columns in front, as one file.

    Raises ValueError in one sentence for an unknown format or an impossible prefix.
    """
    if format not in _FORMATS:
        raise ValueError(f"format is {format!r}; it must be one of {', '.join(_FORMATS)}.")
    if not 0 <= prefix <= MOST_PREFIX:
        raise ValueError(f"prefix is {prefix}; it must be from 0 to {MOST_PREFIX:,}.")
    chosen = _FORMATS[format]
    sizes = f"w{layout.window_size}-n{layout.ngram_size}-g{layout.candidates}"
    name = f"mask-{layout.name.replace('.', '')}-{sizes}-{format.replace('.', '-')}"
    return Export(name + chosen.ending, chosen.write(layout, prefix), chosen.note)


def whole(layout: PackedLayout, prefix: int) -> BoolMatrix:
    """The mask with ``prefix`` committed columns in front, which every token sees: [T, P + T]."""
    committed = np.ones((layout.size, prefix), dtype=bool)
    joined: NDArray[np.bool_] = np.hstack([committed, layout.mask])
    return joined


def assertion(layout: PackedLayout) -> str:
    """Python that checks a mask for this pass: with this package, and with numpy alone."""
    size = layout.size
    return (
        f"# {layout.title}, {layout.settings}: {size} packed tokens\n"
        "import lookahead_viz as lv\n\n"
        f"lv.masklab.assert_mask({layout.arguments})\n\n"
        "# the same without this package; mask: booleans, True = may attend\n"
        "import hashlib\n\nimport numpy as np\n\n"
        "rows = np.asarray(mask, dtype=bool).reshape(-1, np.shape(mask)[-1])\n"
        f"packed = rows[-{size}:, -{size}:]\n"
        "digest = hashlib.sha256(np.packbits(packed).tobytes()).hexdigest()\n"
        f'assert digest == "{digest(layout.mask)}"\n'
    )
