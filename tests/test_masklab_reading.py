"""Uploads of every kind: what they are read as, and the one sentence for what is no mask."""

from __future__ import annotations

import json
import pickle
import tracemalloc
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from lookahead_viz import visibility
from lookahead_viz.layout import pack
from lookahead_viz.masklab import packed, reading, reading_arrays
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


# --- refusals: one sentence each


class Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return (exec, ("raise SystemExit('was run')",))


def header(text: str, data: bytes = b"") -> bytes:
    """A .npy file with this header."""
    text = text.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + data


def torch_zip(size: str = "(2, 2)", count: int = 4, extra: str = "") -> bytes:
    """A .pt file whose tensor claims ``size`` over ``count`` bytes of numbers."""
    data = pt(torch.zeros(2, 2, dtype=torch.bool))
    stream = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
        for info in old.infolist():
            inside = old.read(info)
            if info.filename.endswith("data.pkl"):
                two = b"K\x02K\x02\x86"
                assert two in inside
                inside = inside.replace(two, pickle.dumps(eval(size), 2)[2:-1], 1)
                inside = inside.replace(b"Storage", extra.encode() or b"Storage")
            new.writestr(info.filename, inside[:count] if "/data/" in info.filename else inside)
    return stream.getvalue()


REFUSED: dict[str, tuple[bytes, str, str]] = {
    "empty": (b"", "a.npy", "The file is empty"),
    "pickle": (pickle.dumps(Bomb()), "a.pkl", "could run code"),
    "pickle as .npy": (pickle.dumps(Bomb()), "a.npy", "could run code"),
    "old torch": (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", "a.pt", "torch 1.6"),
    "torch with code": (pt(MASK), "a.pt", "Nothing in it was run"),
    "torch with a module": (pt(torch.nn.Linear(2, 2)), "a.pt", "Nothing in it was run"),
    "torch that lies": (torch_zip("(4000, 4000)"), "a.pt", "damaged"),
    "torch that lies more": (torch_zip("(2**40, 2**40)"), "a.pt", "at most 4,000×4,000"),
    "torch negative": (torch_zip("(-2, 2)"), "a.pt", "damaged"),
    "torch cut": (torch_zip(count=3), "a.pt", "damaged"),
    "objects": (npy(np.array([[1, None]], dtype=object)), "a.npy", "Python objects"),
    "records": (npy(np.zeros((2, 2), dtype=[("a", "i4")])), "a.npy", "save booleans"),
    "complex": (npy(np.zeros((2, 2), dtype=complex)), "a.npy", "save booleans"),
    "zero size": (npy(np.zeros((0, 5))), "a.npy", "empty"),
    "a number": (npy(np.array(1)), "a.npy", "a single number"),
    "too many dimensions": (npy(np.zeros((1, 1, 1, 2, 2))), "a.npy", "5 dimensions"),
    "too large": (npy(np.zeros((4001, 4001), dtype=bool)), "a.npy", "at most 4,000×4,000"),
    "a cut file": (npy(MASK)[:-5], "a.npy", "cut off"),
    "a lying header": (
        header("{'descr': '|b1', 'fortran_order': False, 'shape': (4000, 4000)}"),
        "a.npy",
        "promises 16,000,000 bytes and 0 follow",
    ),
    "an evil header": (header("__import__('os').system('true')"), "a.npy", "broken header"),
    "a negative shape": (
        header("{'descr': '|b1', 'fortran_order': False, 'shape': (-1, 4)}"),
        "a.npy",
        "impossible shape",
    ),
    "a broken zip": (b"PK\x03\x04 nonsense", "a.npz", "cut off or damaged"),
    "an empty npz": (b"PK\x05\x06" + bytes(18), "a.npz", "empty"),
    "safetensors that lies": (
        tensors({"mask": MASK})[:-4],
        "a.safetensors",
        "its header and its data disagree",
    ),
    "compressed": (b"\x1f\x8b\x08 nonsense", "a.npy.gz", "unpack it"),
    "a picture": (b"\x89PNG\r\n\x1a\n\x00", "a.png", "neither text nor"),
    "binary": (b"\x00\x01\x02" * 9, "a.csv", "no text"),
    "ragged": (b"110\n11\n111", "a.txt", "Row 1 has 2 cells and row 0 has 3"),
    "ragged JSON": (b"[[1, 0], [1]]", "a.json", "Row 1 has 1 cells"),
    "a hole": (b"1,,0\n1,1,0\n1,1,1", "a.csv", "empty cell"),
    "words": (b"1,0\n1,maybe", "a.csv", "“maybe”, which is no number"),
    "null": (b"[[1, null], [1, 1]]", "a.json", "an empty value"),
    "deep JSON": (b"[" * 100_000, "a.json", "nested too deeply"),
    "broken JSON": (b'{"mask": [[1, 0], [1', "a.json", "no sound JSON"),
    "no mask in it": (b'{"hello": "world"}', "a.json", "put the mask under"),
    "a long number": (b"[[1, 0], [1, " + b"9" * 30 + b"]]", "a.json", "too large"),
    "abbreviated": (b"[[1 0 0 ... 0 0 0]\n ...\n", "a.txt", "print it whole"),
    "nothing": (b" \n ", "a.txt", "nothing in it"),
    "prose": (b"hello there", "a.txt", "No mask was found"),
    "a circle": (b"parents: [-1, 2, 1]", "a.txt", "in a circle"),
    "no such parent": (b"parents: [-1, 9]", "a.txt", "parent of token 1 is 9"),
    "ids without positions": (b'{"sequences": [[0], [1]]}', "a.json", "one position for every"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_mask_is_refused_in_one_sentence(case: str) -> None:
    data, name, expected = REFUSED[case]
    with pytest.raises(UnreadableMask) as caught:
        for upload in read_upload(data, name):
            normalise(upload.mask)
    said = str(caught.value)
    assert expected in said
    assert said.endswith(".") and "\n" not in said and len(said) < 320


def test_nan_is_refused() -> None:
    bad = np.where(MASK, 0.0, np.nan)
    with pytest.raises(UnreadableMask, match="NaN"):
        normalise(only(read_upload(npy(bad), "a.npy")).mask)


@pytest.mark.parametrize("name", ["two\nlines", "x" * 5000])
def test_whatever_an_array_is_called_the_refusal_is_one_line(name: str) -> None:
    for data in (npz({name: np.zeros((2, 2, 2, 2, 2))}), json.dumps({name: [[1], []]}).encode()):
        with pytest.raises(UnreadableMask) as caught:
            read_upload(data, "a.npz" if data.startswith(b"PK") else "a.json")
        assert "\n" not in str(caught.value) and len(str(caught.value)) <= 300


def test_a_zip_entry_beyond_the_end_is_refused() -> None:
    data = bytearray(npz({"mask": MASK}))
    at = data.rindex(b"PK\x01\x02")
    for place in range(at + 42, at + 46):  # where the entry begins
        data[place] = 0xFF
    with pytest.raises(UnreadableMask):
        read_upload(bytes(data), "a.npz")


def test_a_zip_entry_without_a_name_is_refused() -> None:
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(zipfile.ZipInfo("x"), b"")
        archive.infolist()[0].filename = ""
    with pytest.raises(UnreadableMask, match="no .npz file"):
        read_upload(stream.getvalue(), "a.npz")


def test_a_file_over_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_UPLOAD_BYTES", 100)
    with pytest.raises(UnreadableMask, match="at most 80 MB"):
        read_upload(npy(MASK), "a.npy")


def bomb(name: str, megabytes: int) -> bytes:
    """A zip file whose one member unpacks to so many zeros."""
    stream = BytesIO()
    with (
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(name, "w") as member,
    ):
        for _ in range(megabytes):
            member.write(bytes(2**20))
    return stream.getvalue()


def lying(data: bytes) -> bytes:
    """The same zip file with a central directory that says the member has one byte."""
    at = data.rindex(b"PK\x01\x02")
    return data[: at + 24] + (1).to_bytes(4, "little") + data[at + 28 :]


@pytest.mark.parametrize("name", ["mask.npy", "archive/data.pkl"])
@pytest.mark.parametrize("lie", [False, True])
def test_a_zip_bomb_is_not_unpacked(name: str, lie: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_arrays, "MAX_ARRAY_BYTES", 2**20)
    data = bomb(name, 40)
    assert len(data) < 100_000
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableMask):
            read_upload(lying(data) if lie else data, "mask.npz")
        assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    finally:
        tracemalloc.stop()


def test_a_zip_file_of_many_entries_is_not_listed() -> None:
    with pytest.raises(UnreadableMask, match="far more than a mask"):
        read_upload(b"PK\x03\x04" + b"PK\x01\x02" * 1_001, "a.npz")


def test_many_arrays_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_arrays, "MAX_MEMBERS", 2)
    with pytest.raises(UnreadableMask, match="at most 2"):
        read_upload(npz({"a": MASK, "b": MASK, "c": MASK}), "a.npz")


def test_nothing_is_written_while_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for data, name, _ in REFUSED.values():
        with pytest.raises(UnreadableMask):
            for upload in read_upload(data, name):
                normalise(upload.mask)
    assert list(tmp_path.iterdir()) == []
