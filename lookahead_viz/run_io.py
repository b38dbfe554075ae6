"""Run files: one ``.json.gz`` per run, described by the shipped ``run_schema.json``.

A file is written to a temporary neighbour and renamed, so it is whole or not there. Reading
bounds memory, checks every type and length, and answers a damaged or foreign file with a
``ValueError`` of one sentence.
"""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import msgspec

from lookahead_viz.config import CONFIGS
from lookahead_viz.records import FORMAT_VERSION, STEPS, ModelInfo, PoolChange, Run, TokenText
from lookahead_viz.validate import check_run
from lookahead_viz.words import amount_of_bytes
from lookahead_viz.writing import write_whole

FORMAT = "lookahead_viz run"
MAX_FILE_BYTES = 64 * 2**20
"""Of a file as it lies on disk: what is saved, loaded, and opened by the app alike."""
MAX_JSON_BYTES = 128 * 2**20
"""Unpacked size limit: 2,000 passes at W=15 N=5 G=15 with alternatives stay well below."""

ConfigT = TypeVar("ConfigT")
StepT = TypeVar("StepT")


class RunFile(msgspec.Struct, Generic[ConfigT, StepT], kw_only=True):
    """The JSON document. Token texts that are no valid UTF-8 are in ``token_bytes``, as hex."""

    format: Literal["lookahead_viz run"]
    format_version: int
    method: str
    config: ConfigT
    model: ModelInfo
    prompt_ids: tuple[int, ...]
    stop_ids: tuple[int, ...]
    prompt_pool_changes: tuple[PoolChange, ...]
    token_text: dict[int, str]
    token_bytes: dict[int, str]
    finish_reason: str
    steps: tuple[StepT, ...]
    draft: ModelInfo | None = None


class _Head(msgspec.Struct):
    format: str = ""
    format_version: int = 0
    method: str = ""


def save_run(run: Run, path: str | Path) -> None:
    """Write ``run`` to ``path`` (a ``.json.gz``), atomically; ValueError as ``dump_run``."""
    write_whole(path, dump_run(run))


def load_run(path: str | Path) -> Run:
    """Read a run file; ValueError in one sentence when it is no whole, valid one."""
    source = Path(path)
    try:
        found = source.is_file()
    except (OSError, ValueError):  # a name that no file can have
        found = False
    if not found:
        raise ValueError(f"there is no run file at {source}.")
    if source.stat().st_size > MAX_FILE_BYTES:
        raise ValueError(_too_large("this file", MAX_FILE_BYTES))
    return read_run(source.read_bytes())


def dump_run(run: Run) -> bytes:
    """The bytes of a run file. The same run gives the same bytes.

    ValueError in one sentence for a run so large that ``read_run`` would refuse its file.
    """
    return _packed(run, _encoded(run))


def dump_refusal(run: Run) -> str | None:
    """Why ``dump_run`` would refuse ``run``, in one sentence; None where it would not.

    Takes a small part of its time: only what may not fit is packed.
    """
    text = _encoded(run)
    if len(text) <= min(MAX_JSON_BYTES, MAX_FILE_BYTES // 2):  # packing never doubles a text
        return None
    try:
        _packed(run, text)
    except ValueError as error:
        return str(error)
    return None


def _encoded(run: Run) -> bytes:
    texts = {token: text for token, text in run.token_text.items() if isinstance(text, str)}
    raw = {token: text.hex() for token, text in run.token_text.items() if isinstance(text, bytes)}
    shared = {field.name: getattr(run, field.name) for field in fields(run)}
    document: RunFile[Any, Any] = RunFile(
        **shared | {"format": FORMAT, "token_text": texts, "token_bytes": raw}
    )
    return msgspec.json.encode(document)


def _packed(run: Run, text: bytes) -> bytes:
    _check_size(run, "unpacked, ", len(text), MAX_JSON_BYTES)
    data = gzip.compress(text, compresslevel=9, mtime=0)
    _check_size(run, "", len(data), MAX_FILE_BYTES)
    return data


def read_run(data: bytes) -> Run:
    """The run in the bytes of a run file (packed or plain JSON)."""
    text = _unpack(data).removeprefix(codecs.BOM_UTF8)  # which some editors write
    head = _head(text)
    try:
        document = msgspec.json.decode(text, type=_file_type(head.method))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise ValueError(f"this file is not a readable run file: {error}.") from None
    run = _to_run(document)
    check_run(run)
    return run


def schema() -> dict[str, Any]:
    """The JSON Schema of a run file, as shipped in ``run_schema.json``."""
    variants, components = msgspec.json.schema_components(
        [_file_type(method) for method in CONFIGS], ref_template="#/$defs/{name}"
    )
    for method, variant in zip(CONFIGS, variants, strict=True):
        name = variant["$ref"].rpartition("/")[2]
        components[name]["properties"]["method"] = {"const": method}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": FORMAT,
        "oneOf": list(variants),
        "$defs": components,
    }


def _file_type(method: str) -> Any:
    generic: Any = RunFile
    return generic[CONFIGS[method], STEPS[method]]


def _head(text: bytes) -> _Head:
    """Which format, version and method; ValueError for what is no run file at all."""
    try:
        head = msgspec.json.decode(text, type=_Head)
    except msgspec.ValidationError:
        head = _Head()  # JSON of another kind
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise ValueError(
            "this file is not a readable run file: it holds no JSON, packed or plain; take a "
            ".json.gz file that the app or 'python -m lookahead_viz record' saved."
        ) from None
    _check_head(head)
    return head


def _check_head(head: _Head) -> None:
    if head.format != FORMAT:
        raise ValueError("this file is not a run file: it does not say that it is one.")
    if head.format_version > FORMAT_VERSION:
        raise ValueError(
            f"this run file has format version {head.format_version}, newer than the "
            f"{FORMAT_VERSION} this program reads; update lookahead_viz."
        )
    if head.format_version < 1:
        raise ValueError(f"this run file has the impossible format version {head.format_version}.")
    if head.method not in CONFIGS:
        known = ", ".join(CONFIGS)
        raise ValueError(
            f"this run file is of the unknown method {head.method!r} (known: {known})."
        )


def _to_run(document: RunFile[Any, Any]) -> Run:
    both = document.token_text.keys() & document.token_bytes.keys()
    if both:
        raise ValueError(
            f"this run file contradicts itself: token {min(both)} is in token_text and in "
            "token_bytes."
        )
    texts: dict[int, TokenText] = dict(document.token_text)
    try:
        texts.update({token: bytes.fromhex(text) for token, text in document.token_bytes.items()})
    except ValueError:
        raise ValueError("this run file is damaged: its token_bytes are not hex.") from None
    shared: Mapping[str, Any] = {
        field.name: getattr(document, field.name)
        for field in fields(Run)
        if field.name != "token_text"
    }
    return Run(token_text=texts, **shared)


def _unpack(data: bytes) -> bytes:
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(_too_large("this file", MAX_FILE_BYTES))
    if not data:
        raise ValueError("this file is empty.")
    if data[:2] != b"\x1f\x8b":
        return data
    unpacker = zlib.decompressobj(wbits=31)
    try:
        text = unpacker.decompress(data, MAX_JSON_BYTES)
    except zlib.error:
        raise ValueError("this file is damaged: it cannot be unpacked.") from None
    if unpacker.unconsumed_tail:
        raise ValueError(_too_large("this file, unpacked,", MAX_JSON_BYTES))
    if not unpacker.eof:
        raise ValueError("this file is cut off: its end is missing.")
    if unpacker.unused_data:
        raise ValueError("this file is damaged: something follows its end.")
    return text


def _check_size(run: Run, how: str, found: int, most: int) -> None:
    if found > most:
        raise ValueError(
            f"this run is too large to be saved: {how}its file would have "
            f"{amount_of_bytes(found)}, and a run file may have {amount_of_bytes(most)}; record "
            f"it with alternatives=0 (it has {run.config.alternatives}), with smaller settings or "
            "with a smaller max_new_tokens."
        )


def _too_large(what: str, limit: int) -> str:
    return f"{what} is larger than the {limit // 2**20} MB a run file may have."
