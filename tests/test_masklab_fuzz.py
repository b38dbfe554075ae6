"""Thousands of damaged and random uploads: a mask or one sentence, never anything else."""

from __future__ import annotations

import random
import string
import tracemalloc
import warnings

import pytest

from lookahead_viz.masklab import check
from lookahead_viz.masklab.normalise import UnreadableMask, normalise
from lookahead_viz.masklab.reading import read_pasted, read_upload
from lookahead_viz.masklab.reading_model import KINDS, Kind
from tests.masklab_files import small_files

FILES = small_files()
PIECES: tuple[bytes, ...] = (
    b"\xff",
    b"\x00",
    b"[",
    b"{",
    b"}",
    b"]",
    b"9" * 25,
    b"-1",
    b"nan",
    b",",
    b"\n",
    b"(",
    b"'",
)
PIECES += (b"PK\x03\x04", b"\x93NUMPY", b"\x80\x02", b"K\xff", b"4000", b"|O", b"1e999")


def damaged(data: bytes, rng: random.Random) -> bytes:
    """``data`` with a few bytes changed, cut out, doubled, or put in."""
    made = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(made) + 1)
        what = rng.randrange(6)
        if what == 0 and at < len(made):
            made[at] = rng.randrange(256)
        elif what == 1 and at < len(made):
            made[at] ^= 1 << rng.randrange(8)
        elif what == 2:
            del made[at : at + rng.randint(1, 40)]
        elif what == 3:
            made[at:at] = rng.choice(PIECES)
        elif what == 4:
            made[at:at] = made[at : at + rng.randint(1, 60)]
        else:
            del made[rng.randrange(len(made) + 1) :]
    return bytes(made)


def outcome(data: bytes, name: str, kind: Kind | None = None, whole: bool = False) -> str:
    """What a reader of the page would be told; ``whole``: the mask is checked as well."""
    try:
        for upload in read_upload(data, name, kind):
            read = normalise(upload.mask)
            if whole and read.size < 30:
                report = check(read, 2, 3, 1, positions=upload.positions, tokens=upload.tokens)
                assert report.verdict and str(report)
    except UnreadableMask as error:
        said = str(error)
        assert said and "\n" not in said and len(said) < 500
        return said
    return ""


@pytest.mark.parametrize("name", FILES)
def test_damaged_files(name: str) -> None:
    rng = random.Random(name)
    outcomes = set()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert outcome(FILES[name], name) == ""
        for number in range(160):
            kind = rng.choice(KINDS) if number % 8 == 0 else None
            outcomes.add(outcome(damaged(FILES[name], rng), name, kind, whole=number % 4 == 0))
    assert len(outcomes) > 2  # it is not one refusal for everything


def test_files_under_wrong_names() -> None:
    endings = ("a.npy", "a.npz", "a.pt", "a.safetensors", "a.json", "a.csv", "a", "")
    said = [outcome(data, name) for data in FILES.values() for name in endings]
    assert "" in said and len(set(said)) > 4  # some are known by their content, others refused


def test_random_bytes_and_texts() -> None:
    rng = random.Random(7)
    letters = string.digits + string.punctuation + " \n\t□■…é０٣"
    said = set()
    for _ in range(300):
        said.add(outcome(rng.randbytes(rng.randint(1, 80)), rng.choice(list(FILES))))
        text = "".join(rng.choices(letters, k=rng.randint(1, 60)))
        for ending in ("json", "csv"):
            said.add(outcome(text.encode(), f"a.{ending}"))
        digits = "".join(rng.choices("01 ,;[]{}\n-.", k=rng.randint(1, 60)))
        said.add(outcome(digits.encode(), "a.txt"))
    assert "" in said and len(said) > 10  # a few are masks by chance


def test_a_pasted_text_of_every_kind() -> None:
    for text in (
        "[1]",
        "1",
        "[[[[[1]]]]]",
        "{}",
        "[]",
        "{1: 2}",
        "x[2]={",
        "a={};",
        "-",
        "|",
        ",",
    ):
        for kind in (None, *KINDS):
            try:
                for upload in read_pasted(text, kind):
                    normalise(upload.mask)
            except UnreadableMask as error:
                assert str(error)


def test_damage_never_costs_memory() -> None:
    rng = random.Random(3)
    tracemalloc.start()
    try:
        for name in ("a.npy", "d.npz", "e.pt", "g.safetensors", "h.json"):
            for _ in range(40):
                outcome(damaged(FILES[name], rng), name)
        assert tracemalloc.get_traced_memory()[1] < 40 * 2**20
    finally:
        tracemalloc.stop()
