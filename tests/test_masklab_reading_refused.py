"""Uploads that are no mask: one sentence each; nothing is run, written or unpacked without end."""

from __future__ import annotations

import json
import pickle
import tracemalloc
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lookahead_viz.masklab import reading, reading_arrays
from lookahead_viz.masklab.normalise import UnreadableMask, normalise
from lookahead_viz.masklab.reading import read_upload
from tests.masklab_files import npy, npz, pt, right_mask, tensors

MASK = right_mask()


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
        for upload in read_upload(npy(bad), "a.npy"):
            normalise(upload.mask)


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
