"""Uploads of every kind: what they are read as."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from lookahead_viz import visibility
from lookahead_viz.layout import pack
from lookahead_viz.masklab import packed
from lookahead_viz.masklab.normalise import UnreadableMask, normalise
from lookahead_viz.masklab.reading import Upload, read_pasted, read_upload
from tests.masklab_files import EXAMPLES, TRT_WORDS, lines, npy, npz, pt, right_mask, tensors

MASK = right_mask()
LAYOUT = pack([[0] * 5] * 3, [[0] * 3] * 2, position=0)
MINIMUM = float(np.finfo(np.float32).min)


def only(found: tuple[Upload, ...]) -> Upload:
    assert len(found) == 1
    return found[0]


def equal(upload: Upload, mask: Any = MASK) -> bool:
    return bool((normalise(upload.mask).mask == mask).all())


# --- files


@pytest.mark.parametrize(
    "array",
    [
        MASK,
        MASK.astype(np.int8),
        np.asfortranarray(MASK.astype(np.int64)),
        MASK.astype(">i4"),
        np.where(MASK, 0, -np.inf),
        np.where(MASK, 0, -65504).astype(np.float16),
        np.where(MASK, 0, MINIMUM).astype(np.float32)[None, None],
        np.broadcast_to(MASK, (4, 21, 21)),
        np.hstack([np.ones((21, 37), dtype=bool), MASK]),
    ],
    ids=["bool", "int8", "fortran", "big-endian", "-inf", "half", "4-D", "heads", "prefix"],
)
def test_the_same_mask_comes_out_of_every_file(array: Any) -> None:
    swapped = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    files = {
        "mask.npy": npy(array),
        "mask.npz": npz({"mask": array}),
        "packed.npz": npz({"mask": array}, packed=True),
        "mask.pt": pt(torch.from_numpy(swapped.copy())),
        "mask.json": json.dumps(array.tolist()).encode(),
    }
    for name, data in files.items():
        assert equal(only(read_upload(data, name))), name


def test_tensors_of_torch_as_torch_itself_reads_them() -> None:
    tensor = torch.from_numpy(np.where(MASK, 0, MINIMUM).astype(np.float32))
    looks = [tensor, tensor.t().t(), tensor.bfloat16(), tensor.half().double(), tensor[None]]
    looks += [tensor.expand(3, 21, 21), torch.nn.Parameter(tensor), torch.zeros(30, 30)[3:24, :21]]
    looks.append(tensor.t())
    for look in looks:
        data = pt(look)
        expected = torch.load(BytesIO(data), weights_only=True).detach().double().numpy()
        read = only(read_upload(data, "mask.pt")).mask
        assert read.shape == expected.shape and (read == expected).all()


def test_a_dictionary_of_tensors_brings_positions_and_token_texts() -> None:
    made = {
        "mask": torch.from_numpy(MASK.copy()),
        "position_ids": torch.tensor([LAYOUT.positions]),
    }
    upload = only(read_upload(pt({**made, "tokens": ["<b>"] * 21}), "step.pt"))
    assert equal(upload) and upload.positions is not None
    assert tuple(upload.positions.tolist()) == LAYOUT.positions
    assert upload.tokens == ("<b>",) * 21
    assert upload.statements == (
        "Position ids stand beside it.",
        "Token texts stand beside it.",
    )


@pytest.mark.parametrize("dtype", [None, "bfloat16"])
def test_safetensors(dtype: str | None) -> None:
    bits = np.where(MASK, 0, 0xFF7F).astype(np.uint16)
    data = tensors({"mask": bits.view(np.int16) if dtype else MASK}, dtype)
    upload = only(read_upload(data, "mask.safetensors"))
    assert equal(upload) and upload.name == "mask"


def test_several_masks_of_one_file_each_with_its_own_positions() -> None:
    small = right_mask(2, 3, 1)
    data = npz(
        {
            "mask_W5_N4_G2": MASK,
            "mask_W2_N3_G1": small,
            "positions_W5_N4_G2": np.array(LAYOUT.positions),
            "positions_W2_N3_G1": np.arange(6),
        }
    )
    large, little = read_upload(data, "sizes.npz")
    assert (large.name, little.name) == ("mask_W5_N4_G2", "mask_W2_N3_G1")
    assert equal(large) and equal(little, small)
    assert large.positions is not None and little.positions is not None
    assert tuple(large.positions) == LAYOUT.positions and tuple(little.positions) == (*range(6),)


# --- texts


@pytest.mark.parametrize("layout", EXAMPLES)
def test_masks_written_down_with_names(layout: str) -> None:
    upload = only(read_pasted(EXAMPLES[layout]))
    names = EXAMPLES[layout].split("\n")[1].split()[1:]
    assert upload.tokens == tuple(names)
    assert upload.positions is not None and upload.positions.max() == 6
    canonical = [f"L{r}{c}" for r in range(3) for c in range(5)]
    canonical += [f"V{g}{j}" for g in range(2) for j in range(3)]
    order = [names.index("I" if name == "L00" else name) for name in canonical]
    assert equal(upload, MASK[np.ix_(*[np.argsort(order)] * 2)])


@pytest.mark.parametrize(
    "text",
    [
        lines(MASK),
        lines(MASK, " "),
        lines(MASK, ","),
        lines(MASK, "\t") + "\n",
        lines(MASK).replace("1", "#").replace("0", "."),
        lines(MASK).replace("1", "■").replace("0", "⬚"),
        repr(MASK.tolist()),
        repr(MASK),
        str(MASK.astype(int)),
        str(torch.from_numpy(MASK.astype(np.float32))),
        str(np.where(MASK, 0.0, -np.inf)),
        repr(np.where(MASK, 0, MINIMUM).astype(np.float32)),
        "mask:\n".join([""]) + lines(MASK, ";"),
        "static const int m[21][21] = {" + lines(MASK, ",").replace("\n", "},{").join("{}") + "};",
    ],
)
def test_a_mask_as_people_paste_it(text: str) -> None:
    assert equal(only(read_pasted(text)))


@pytest.mark.parametrize(("index", "header"), [(True, True), (False, True), (False, False)])
def test_tables_as_pandas_writes_them(index: bool, header: bool) -> None:
    for cells in (MASK, MASK.astype(int), np.where(MASK, 0.0, -65504.0)):
        text = pd.DataFrame(cells).to_csv(index=index, header=header)
        assert equal(only(read_upload(text.encode(), "mask.csv")))


def test_words_in_hexadecimal_and_behind_a_batch_dimension() -> None:
    layout = packed("trt", 7, 7, 7)
    words = layout.words
    assert words is not None
    assert equal(only(read_upload(npy(words[None]), "x.npy")), layout.mask)
    small = packed("trt").words
    assert small is not None
    bare = " ".join(f"0x{int(word):08x}" for word in small.ravel())
    for text in (bare, f"[{bare.replace(' ', ', ')}]", bare.replace(" ", "\n")):
        assert equal(only(read_pasted(text)), packed("trt").mask)


def test_a_table_with_a_header_and_names() -> None:
    mask = right_mask(2, 3, 1)
    names = ["I", "L01", "L10", "L11", "V00", "V01"]
    text = "," + ",".join(names) + "\n"
    rows = lines(mask, ",").splitlines()
    text += "\n".join(f"{name},{row}" for name, row in zip(names, rows, strict=True))
    upload = only(read_upload(text.encode(), "mask.csv"))
    assert equal(upload, mask) and upload.tokens == tuple(names)


# --- other forms


def test_parents_give_the_mask() -> None:
    parents = list(visibility.parents(LAYOUT))
    for text in (str(parents), f"parents: {parents}", json.dumps({"parents": parents})):
        upload = only(read_pasted(text))
        assert upload.kind == "parents" and equal(upload)
        assert upload.positions is not None
        assert tuple(upload.positions.tolist()) == LAYOUT.positions
        assert "parent's line and itself" in upload.statements[0]
    qnn = [0, *parents[1:]]  # QNN's root is its own parent
    assert equal(only(read_pasted(f"attention_map = {qnn}")))


def test_words_and_positions_of_tensorrt_llm() -> None:
    mask = only(read_pasted(EXAMPLES["trt"])).mask
    assert equal(only(read_pasted(str(TRT_WORDS))), mask)
    assert only(read_pasted(str(TRT_WORDS))).kind == "words"
    words = np.array(TRT_WORDS, dtype=np.int32)[:, None]
    assert equal(only(read_upload(npy(words), "w.npy")), mask)
    positions = only(read_pasted(EXAMPLES["trt"])).positions
    assert positions is not None
    for start in (0, 37):
        upload = only(read_pasted(str((positions + start).tolist())))
        assert upload.kind == "positions" and equal(upload, mask)
        assert upload.positions is not None and upload.positions[0] == start
    with pytest.raises(UnreadableMask, match="Token 10 stands at .* column by column"):
        read_pasted(f"positions: {[0, 1, 2, 3, 4, 1, 2, 3, 4, 5, 7]}")


def test_words_of_several_columns() -> None:
    mask = right_mask(15, 5, 15)  # 120 tokens: four words a row
    bits = np.zeros((120, 128), dtype=bool)
    bits[:, :120] = mask
    words = np.packbits(bits, axis=1, bitorder="little").view("<i4")
    upload = only(read_upload(npy(words), "w.npy"))
    assert upload.kind == "words" and equal(upload, mask)


def test_sequence_ids_of_llama_cpp() -> None:
    text = EXAMPLES["llama.cpp"]
    mask = only(read_pasted(text)).mask
    upload = only(read_pasted("\n".join(text.split("\n")[:4])))
    assert upload.kind == "sequences" and equal(upload, mask)
    small = {"sequences": [[0, 1, 2], [1, 2], [2]], "positions": [5, 6, 7]}
    assert lines(only(read_pasted(json.dumps(small))).mask) == "100\n110\n111"
    table = "0 I 5 {0..2}\n1 a 6 {1}\n2 b 6 {2}\n"
    upload = only(read_pasted(table))
    assert lines(upload.mask) == "100\n110\n101" and upload.tokens == ("I", "a", "b")


def test_what_it_is_taken_for_can_be_overridden() -> None:
    assert only(read_pasted("[0, 1, 1]")).kind == "positions"
    assert only(read_pasted("[0, 1, 1]", "parents")).kind == "parents"
    square = np.array([[1, 2], [3, 2]])
    with pytest.raises(UnreadableMask):
        normalise(only(read_upload(npy(square), "a.npy")).mask)
    assert only(read_upload(npy(square), "a.npy", "words")).mask.shape == (2, 34 + 0)
