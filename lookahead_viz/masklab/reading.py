"""Uploads: bytes or pasted text in, masks out, in bounded memory and with nothing executed."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.masklab import reading_lists, reading_text
from lookahead_viz.masklab.normalise import UnreadableMask
from lookahead_viz.masklab.reading_arrays import (
    NPY_MAGIC,
    read_npy,
    read_npz,
    read_safetensors,
)
from lookahead_viz.masklab.reading_beside import (
    fits_none,
    positions_in,
    positions_of,
    texts_in,
    texts_of,
)
from lookahead_viz.masklab.reading_model import (
    KINDS,
    MAX_TEXT_BYTES,
    MAX_UPLOAD_BYTES,
    MAX_UPLOAD_MB,
    Array,
    Contents,
    Kind,
    Sequences,
    Value,
)
from lookahead_viz.masklab.reading_torch import read_pt
from lookahead_viz.words import one_line

MAX_DIRECTORY = 1_000  # entries of a zip file
_BY_NAME: dict[str, Kind] = {
    "parent": "parents",
    "attention_map": "parents",
    "word": "words",
    "packed": "words",
}
WORDS: dict[Kind, str] = {
    "mask": "a mask",
    "parents": "parents: every line is its parent's line and itself",
    "positions": "positions, walked as a stack (TensorRT-LLM's way)",
    "words": "packed words of 32 columns, low bit first",
    "sequences": "sequence ids: a token reads what shares its first id and is not later",
}
"""What each kind of upload is read as, in words."""


@dataclass(frozen=True, eq=False)
class Upload:
    """One mask of an upload, as given; ``lookahead_viz.masklab.normalise`` reads its numbers."""

    name: str  # of the array in its file, or of the file
    kind: Kind
    mask: Array  # as given, or bool [T, T] made from another form
    positions: NDArray[np.int64] | None = None  # [T], as given
    tokens: tuple[str, ...] | None = None  # [T]
    statements: tuple[str, ...] = ()  # what was assumed, for the reader


def read_upload(data: bytes, name: str = "", kind: Kind | None = None) -> tuple[Upload, ...]:
    """Every mask in a file, in the file's order; ``kind`` overrides what it is taken for.

    Raises UnreadableMask (a ValueError) with one sentence for whatever is no mask.
    """
    if len(data) > MAX_UPLOAD_BYTES:
        raise UnreadableMask(
            f"The file has {len(data) / 2**20:,.0f} MB; at most {MAX_UPLOAD_MB} MB: save the mask "
            "of one pass alone, as bool."
        )
    if not data:
        raise UnreadableMask("The file is empty; save a mask in it.")
    with _one_sentence():
        return _uploads(_contents(data, name), _stem(name), kind)


def read_pasted(text: str, kind: Kind | None = None) -> tuple[Upload, ...]:
    """Every mask in a pasted text; as ``read_upload``."""
    with _one_sentence():
        return _uploads(reading_text.read_text(text), "the text", kind)


@contextmanager
def _one_sentence() -> Iterator[None]:
    """Names and cells are quoted in refusals: a line break or a long name stays out of them."""
    try:
        yield
    except UnreadableMask as error:
        raise UnreadableMask(one_line(error)) from error


def _stem(name: str) -> str:
    return re.split(r"[/\\]", name)[-1][:100] or "the file"


def _contents(data: bytes, name: str) -> Contents:
    """Choose the reader by the first bytes; the name only where they do not tell."""
    ending = name.lower().rpartition(".")[2]
    if data.startswith(NPY_MAGIC):
        return read_npy(data)
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zipped(data)
    if ending == "safetensors" or (len(data) > 9 and data[8:9] == b"{" and not data[7]):
        return read_safetensors(data)
    if data[:1] == b"\x80" or ending in ("pkl", "pickle"):
        raise UnreadableMask(
            "This is a pickle, or a file of torch.save's old kind, which could run code when "
            "opened: save with torch.save of torch 1.6 or newer, or as .npy."
        )
    if data.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"(\xb5/\xfd")):
        raise UnreadableMask("This file is compressed; unpack it first.")
    if ending in ("npy", "npz", "pt", "pth"):
        raise UnreadableMask(f"This is no .{ending} file; save the mask again.")
    return _text(data, ending)


def _text(data: bytes, ending: str) -> Contents:
    if len(data) > MAX_TEXT_BYTES:
        raise UnreadableMask(
            f"The text is longer than {MAX_TEXT_BYTES // 2**20} MB; save the mask as .npy."
        )
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableMask(
            "This is neither text nor a file of numpy, torch or safetensors; allowed are .npy, "
            ".npz, .pt, .safetensors, .json, .csv and .txt."
        ) from error
    if "\x00" in text:
        raise UnreadableMask(
            "This is no text; allowed are .npy, .npz, .pt, .safetensors, .json, .csv."
        )
    return reading_text.read_json(text) if ending == "json" else reading_text.read_text(text)


def _zipped(data: bytes) -> Contents:
    if data.count(b"PK\x01\x02") > MAX_DIRECTORY:
        raise UnreadableMask("This zip file holds far more than a mask; save the mask alone.")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except Exception as error:  # a broken directory ends in many kinds of exceptions
        raise UnreadableMask("This file is cut off or damaged; save it again.") from error
    with archive:
        names = [info.filename for info in archive.infolist()]
        torch_file = any(name.endswith("/data.pkl") or name == "data.pkl" for name in names)
        return read_pt(archive) if torch_file else read_npz(archive)


def _uploads(contents: Contents, stem: str, kind: Kind | None) -> tuple[Upload, ...]:
    """Pair every mask of ``contents`` with its positions and token texts."""
    assert kind is None or kind in KINDS
    positions = positions_in(contents)
    texts = texts_in(contents, len(contents) - len(positions))
    masks = {
        name: value
        for name, value in contents.items()
        if name not in positions and name not in texts
    }
    if not masks and positions:  # positions alone: the mask follows from them
        masks, positions = {name: contents[name] for name in positions}, {}
    if not masks:
        raise UnreadableMask("There are token texts but no mask; put the mask into the same file.")
    found = []
    alone = len(masks) == 1
    for name, value in masks.items():
        upload = _upload(name or stem, value, kind)
        given, said = positions_of(name, upload.mask.shape, positions, alone)
        names, named = texts_of(upload.mask.shape, texts, alone)
        if given is None and upload.positions is not None:  # they follow from the mask's own form
            given, said = upload.positions, ("Position ids stand beside it.",)
        said = (*upload.statements, *said, *named)
        found.append(replace(upload, positions=given, tokens=names, statements=said))
    fits_none(positions, [upload.mask.shape for upload in found])
    return tuple(found)


def _upload(name: str, value: Value, kind: Kind | None) -> Upload:
    """One mask; whatever form it has, ``mask`` holds rows and columns afterwards."""
    if isinstance(value, Sequences):
        mask = reading_lists.mask_of_sequences(value)
        positions = np.array(value.positions, dtype=np.int64)
        return Upload(name, "sequences", mask, positions, None, (_said("sequences"),))
    assert isinstance(value, np.ndarray)
    chosen = kind or _kind(name, value)
    if chosen == "parents":
        mask, positions = reading_lists.mask_of_parents(value)
        return Upload(name, chosen, mask, positions, None, (_said(chosen),))
    if chosen == "positions":
        mask, positions = reading_lists.mask_of_positions(value)
        return Upload(
            name, chosen, mask, value.reshape(-1).astype(np.int64), None, (_said(chosen),)
        )
    if chosen == "words":
        return Upload(
            name, chosen, reading_lists.mask_of_words(value), None, None, (_said(chosen),)
        )
    if chosen == "sequences":
        raise UnreadableMask("Sequence ids need a set of ids and a position for every token.")
    if value.ndim == 1 and (value == 1).all():
        value = value[None]  # the one row of a step with one token
    if value.ndim < 2:
        raise UnreadableMask(
            f"“{name}” is one list of {value.size} numbers; a mask has lines and columns."
        )
    return Upload(name, "mask", value)


def _said(kind: Kind) -> str:
    return f"Read as {WORDS[kind]}."


def _kind(name: str, value: Array) -> Kind:
    flat = value.ndim == 1 or 1 in value.shape[:-1] or value.ndim == 2
    for word, kind in _BY_NAME.items():
        if flat and word in name.lower() and value.dtype.kind in "iu":
            return kind
    return reading_lists.kind_of(value)
