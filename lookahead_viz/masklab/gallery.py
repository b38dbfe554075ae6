"""Ten wrong masks to try, each as the file that somebody would have dropped in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lookahead_viz.masklab import export_arrays
from lookahead_viz.masklab.check import check
from lookahead_viz.masklab.encodings import pack_words
from lookahead_viz.masklab.layouts import PackedLayout, packed
from lookahead_viz.masklab.lint import whole
from lookahead_viz.masklab.mistakes import MISTAKES
from lookahead_viz.masklab.positions import POSITION_MISTAKES
from lookahead_viz.masklab.reading import read_upload
from lookahead_viz.masklab.report import Report
from lookahead_viz.masklab.scene import Masks, Scene
from lookahead_viz.masklab.suspects import stale_prefix, window_by_index
from lookahead_viz.visibility import BoolMatrix

Files = dict[str, Any]
"""What an .npz file of an exhibit holds by name; one array alone makes an .npy file."""


@dataclass(frozen=True)
class Exhibit:
    """One wrong mask, and the pass that it was meant for."""

    key: str
    title: str
    story: str  # who makes it, without telling what it is
    layout: str
    make: Callable[[PackedLayout], Files]
    window_size: int = 5
    ngram_size: int = 4
    candidates: int = 2

    @property
    def step(self) -> PackedLayout:
        return packed(self.layout, self.window_size, self.ngram_size, self.candidates)

    def file(self) -> tuple[str, bytes]:
        """(file name, content), as it could be uploaded."""
        arrays = self.make(self.step)
        if list(arrays) == ["mask"]:
            return f"{self.key}.npy", export_arrays.npy(arrays["mask"])
        return f"{self.key}.npz", export_arrays.npz(arrays)


def checked(exhibit: Exhibit, step: PackedLayout | None = None) -> Report:
    """The check of an exhibit's file, against the pass it is meant for or another one."""
    name, data = exhibit.file()
    upload = read_upload(data, name)[0]
    return check(upload.mask, layout=step or exhibit.step, positions=upload.positions)


def _known(name: str, committed: int = 0) -> Callable[[PackedLayout], Files]:
    """A mistake of the library, as booleans."""
    return lambda layout: {"mask": _cells(MISTAKES[name].rule, layout, committed)}


def _cells(
    rule: Callable[[Scene], Masks | None], layout: PackedLayout, committed: int
) -> BoolMatrix:
    made = rule(Scene.of(layout, committed))
    assert made is not None
    return whole(made, committed)


def _additive(mask: BoolMatrix, lowest: float, dtype: str) -> Any:
    return np.where(mask, 0, lowest).astype(dtype)[None, None]


def _not_shortened(layout: PackedLayout) -> Files:
    mask = _cells(MISTAKES["prefix-not-shortened"].rule, layout, 37)
    return {"mask": _additive(mask, float(np.finfo(np.float32).min), "float32")}


def _copied_comment(layout: PackedLayout) -> Files:
    """The mask of the row-major diagram, the positions of the batch that is decoded."""
    mask = packed("lade", layout.window_size, layout.ngram_size, layout.candidates).mask
    return {"mask": mask, "positions": np.array(layout.positions)}


def _counted_positions(layout: PackedLayout) -> Files:
    places = POSITION_MISTAKES["positions-arange"].rule(Scene.of(layout))
    assert places is not None
    return {"mask": layout.mask, "position_ids": 37 + places}


def _row_major_words(layout: PackedLayout) -> Files:
    """Words packed from a mask whose tokens stand row by row."""
    mask = packed("lade", layout.window_size, layout.ngram_size, layout.candidates).mask
    return {"packed_mask": pack_words(mask), "positions": np.array(layout.positions)}


def _mixture(layout: PackedLayout) -> Files:
    scene = Scene.of(layout)
    first, second = (MISTAKES[name].rule(scene) for name in ("same-row", "self-missing"))
    assert first is not None and second is not None
    mask = first.packed & second.packed | (first.packed & ~layout.mask)
    return {"mask": _additive(mask, -65504, "float16")}


EXHIBITS: dict[str, Exhibit] = {
    one.key: one
    for one in (
        Exhibit(
            "neighbours",
            "1. Neighbours in a row",
            "Read off the published figure: each token looks back along its own colour.",
            "lade",
            _known("same-row"),
        ),
        Exhibit(
            "all-of-row-0",
            "2. All that stands earlier",
            "An additive mask behind 37 cached tokens, “everything at an earlier position”.",
            "lade",
            _not_shortened,
        ),
        Exhibit(
            "one-block",
            "3. One block for the guesses",
            "A port to llama.cpp's batch order that makes one triangle for all candidates.",
            "llama.cpp",
            _known("candidates-see-each-other"),
        ),
        Exhibit(
            "comment",
            "4. As drawn in the comment",
            "Tokens in llama.cpp's batch order, the mask from the diagram above the code.",
            "llama.cpp",
            _copied_comment,
        ),
        Exhibit(
            "other-way",
            "5. The other framework's True",
            "Built for torch's nn.MultiheadAttention, handed to scaled_dot_product_attention.",
            "lade-flash",
            _known("inverted"),
        ),
        Exhibit(
            "late",
            "6. Built before the cache grew",
            "Right in the first pass; wrong after the first pass that accepts three tokens.",
            "lade",
            lambda layout: {"mask": _cells(stale_prefix(2).rule, layout, 40)},
        ),
        Exhibit(
            "counted",
            "7. The mask is right, the output is not",
            "A file with position ids: torch.arange over the packed tokens.",
            "lade",
            _counted_positions,
        ),
        Exhibit(
            "sliding",
            "8. A model with a sliding window",
            "The window of 24 tokens is counted along the cache.",
            "lade",
            lambda layout: {"mask": _cells(window_by_index(24).rule, layout, 20)},
        ),
        Exhibit(
            "words",
            "9. Packed words, row by row",
            "Words for TensorRT-LLM, packed from tokens that stand row after row.",
            "trt",
            _row_major_words,
        ),
        Exhibit(
            "two-at-once",
            "10. Two mistakes at once",
            "Additive float16; one mistake hides the other.",
            "lade",
            _mixture,
        ),
    )
}
"""By key, in the order in which they are offered."""
