"""The right mask in every format: what is in it, and that it comes back equal."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lookahead_viz.masklab import check, tiles
from lookahead_viz.masklab.export import FORMATS, assertion, export_mask, whole
from lookahead_viz.masklab.export_text import intervals
from lookahead_viz.masklab.layouts import PackedLayout, packed
from lookahead_viz.masklab.reading import read_upload
from tests.masklab_files import EXAMPLES, TRT_WORDS

WITHOUT_PREFIX = ("words", "words.npy", "rows", "parents", "batch")
MERGING = ["I", "a", "b", "c", "d", "x", "y", "z", "p", "q", "r", "s", "t", "u", "v"]
CASES: dict[str, PackedLayout] = {
    name: packed(name, 4, 4, 3)
    for name in ("lade", "lade-flash", "llama.cpp", "trt", "executorch", "trt-fill", "lade-warmup")
}
CASES["merged"] = packed("trt-merged", 5, 4, 2, tokens=(*MERGING, "x", "r", "e", "y", "s", "f"))
CASES["parallel"] = packed("lade-parallel", 5, 4, 2, rank=1, refed=2)
CASES["bigrams"] = packed("lade", 3, 2, 0)
CASES["two words a row"] = packed("trt", 10, 4, 3)


def executed(source: bytes, size: int, columns: int) -> np.ndarray[Any, Any]:
    """The mask that a mask_mod gives, cell by cell."""
    names: dict[str, Any] = {}
    exec(source.decode(), names)
    q, k = torch.arange(size)[:, None], torch.arange(columns)[None, :]
    visible: np.ndarray[Any, Any] = names["mask_mod"](None, None, q, k).numpy()
    return visible


@pytest.mark.parametrize("prefix", [0, 37])
@pytest.mark.parametrize("case", CASES)
def test_what_is_exported_is_read_back_as_equal(case: str, prefix: int) -> None:
    layout = CASES[case]
    for format in FORMATS:
        made = export_mask(layout, format, prefix=prefix)
        if format == "mask_mod":  # source is never run when it is uploaded
            columns = layout.size + prefix
            assert (executed(made.data, layout.size, columns) == whole(layout, prefix)).all()
            continue
        (upload,) = read_upload(made.data, made.file_name)
        report = check(upload.mask, layout=layout, positions=upload.positions)
        assert report and not report.wrong_cells, (format, str(report))
        assert report.read.committed == (0 if format in WITHOUT_PREFIX else prefix)
        if format in ("c", "batch", "rows"):
            assert upload.positions is not None
            assert tuple(upload.positions - prefix - layout.refed) == layout.positions
        if format in ("batch", "rows"):
            assert upload.tokens == layout.names


def test_written_examples() -> None:
    words = export_mask(packed("trt", 5, 4, 2), "words").text
    assert words == f'{{"words": {TRT_WORDS}}}\n'
    text = export_mask(packed("llama.cpp", 5, 4, 2), "batch").text
    assert text is not None
    table = text.splitlines()
    assert table[1] == "0,I,current,0,0 1 2 3 4 5 6 7,1"
    assert table[8] == "7,L01,window,1,2 3 4 5,0"
    rows = export_mask(packed("lade", 5, 4, 2), "rows").text
    assert rows is not None
    for line in re.findall(r"\d+ \w+ +[01]{21}", EXAMPLES["lade"]):
        assert " ".join(line.split()) in " ".join(rows.split())


@pytest.mark.parametrize(
    ("format", "dtype", "lowest"),
    [
        ("float32", torch.float32, torch.finfo(torch.float32).min),
        ("float16", torch.float16, -65504),
        ("bfloat16", torch.bfloat16, torch.finfo(torch.bfloat16).min),
    ],
)
def test_additive_masks_hold_the_lowest_number_of_their_type(
    format: str, dtype: torch.dtype, lowest: float, tmp_path: Path
) -> None:
    from safetensors.torch import load

    made = export_mask(packed("lade", 5, 4, 2), format, prefix=3)
    file = tmp_path / made.file_name
    file.write_bytes(made.data)
    tensor = load(made.data)["mask"] if file.suffix != ".npy" else torch.from_numpy(np.load(file))
    assert tensor.dtype == dtype and tensor.shape == (1, 1, 21, 24)
    assert tensor.min() == lowest and tensor.max() == 0


def test_the_c_arrays_compile(tmp_path: Path) -> None:
    """Where there is a compiler, it prints what the arrays hold."""
    import shutil

    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    layout = packed("llama.cpp", 3, 3, 1)
    text = export_mask(layout, "c", prefix=2).text
    assert text is not None
    loop = "for (int i = 0; i < 8; i++) for (int j = 0; j < 10; j++) putchar('0' + mask[i][j]);"
    main = f"\n#include <stdio.h>\nint main(void) {{ {loop} return positions[0] != 2; }}\n"
    (tmp_path / "a.c").write_text(text + main)
    subprocess.run([compiler, "a.c", "-o", "a"], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "a"], capture_output=True, text=True, check=True)
    assert done.stdout == "".join(str(int(cell)) for cell in whole(layout, 2).ravel())


def test_a_snippet_passes_for_the_right_mask_and_fails_for_another() -> None:
    layout = packed("lade-flash", 5, 4, 2)
    own = assertion(layout).split("# the same")[1].split("\n", 1)[1]
    for mask in (layout.mask, whole(layout, 9)[None, None]):
        exec(own, {"mask": mask})
    wrong = layout.mask.copy()
    wrong[3, 7] ^= True
    with pytest.raises(AssertionError):
        exec(own, {"mask": wrong})


@pytest.mark.parametrize("tokens", [None, [1, 2, 1, 2, 1, 2]])
def test_the_snippet_of_a_merged_trie_brings_its_tokens(tokens: list[int] | None) -> None:
    layout = packed("trt-merged", 2, 3, 1, tokens=tokens)
    for snippet in (
        assertion(layout),
        "import lookahead_viz as lv\n" + check(layout.mask, layout=layout).assertion,
    ):
        exec(snippet, {"mask": whole(layout, 4)})
        with pytest.raises(AssertionError):
            exec(snippet, {"mask": layout.mask.T})


@pytest.mark.parametrize("prefix", [0, 1, 37])
def test_a_step_of_one_token_is_read_back_from_every_format(prefix: int) -> None:
    layout = packed("lade", 1, 2, 0)
    for name in FORMATS.keys() - {"mask_mod"}:
        made = export_mask(layout, name, prefix=prefix)
        (upload,) = read_upload(made.data, made.file_name)
        assert check(upload.mask, layout=layout, positions=upload.positions), name


def test_bad_wishes_are_refused_in_one_sentence() -> None:
    layout = packed("lade", 5, 4, 2)
    with pytest.raises(ValueError, match="format is 'png'; it must be one of bool,"):
        export_mask(layout, "png")
    with pytest.raises(ValueError, match="prefix is -1; it must be from 0"):
        export_mask(layout, "npy", prefix=-1)


def test_depth_first_numbers_of_a_tree() -> None:
    #      0
    #    1   3
    #    2
    assert intervals([-1, 0, 1, 0]) == ([0, 1, 2, 3], [4, 3, 3, 4])
    assert intervals([2, 2, -1]) == ([1, 2, 0], [2, 3, 3])


def test_tiles_of_a_small_mask() -> None:
    mask = np.array([[1, 1, 1, 0, 0], [1, 1, 0, 0, 0], [1, 0, 1, 1, 0]], dtype=bool)
    found = tiles.tiles(mask, 2)
    assert found.states.tolist() == [[2, 1, 0], [1, 1, 0]]
    assert (found.full, found.partial, found.empty) == (1, 3, 2)
    assert found.sentence == "6 tiles of 2×2: 1 full, 3 partial, 2 empty."


@pytest.mark.parametrize("size", [1, 3, 16])
def test_tiles_against_a_look_at_every_cell(size: int) -> None:
    mask = whole(packed("lade", 7, 5, 3), 20)
    found = tiles.tiles(mask, size)
    for row in range(found.states.shape[0]):
        for col in range(found.states.shape[1]):
            cells = mask[row * size : (row + 1) * size, col * size : (col + 1) * size]
            state = 2 if cells.sum() == size * size else int(cells.any())
            assert found.states[row, col] == state
