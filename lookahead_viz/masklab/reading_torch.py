"""Tensors out of .pt files, as ``torch.load(weights_only=True)`` reads them, without torch.

A .pt file is a zip file: ``data.pkl`` says which tensors there are, ``data/0`` ... hold their
numbers. torch would allocate whatever ``data.pkl`` asks for (a tensor may claim to be larger than
its numbers), and importing it takes longer than a page may. So the pickle is first looked through
instruction by instruction, then run with a handful of harmless stand-ins: no name in it is looked
up anywhere, and no tensor is made before its size is known to fit the numbers that are there.
"""

from __future__ import annotations

import io
import math
import pickle
import pickletools
import zipfile
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from lookahead_viz.masklab.normalise import UnreadableMask
from lookahead_viz.masklab.reading_arrays import bfloat16, read_member
from lookahead_viz.masklab.reading_model import (
    MAX_ARRAY_BYTES,
    MAX_MEMBERS,
    Array,
    Contents,
    check_shape,
    plain,
)

MAX_PICKLE_BYTES, MAX_INSTRUCTIONS = 1_000_000, 20_000
_DAMAGED = "This .pt file is damaged; save it again with torch.save(mask, path)."

_INSTRUCTIONS = frozenset(
    "PROTO FRAME STOP MARK NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 BINFLOAT "
    "BINUNICODE SHORT_BINUNICODE EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 EMPTY_LIST APPEND "
    "APPENDS EMPTY_DICT SETITEM SETITEMS GLOBAL STACK_GLOBAL REDUCE BUILD BINPERSID BINPUT "
    "LONG_BINPUT MEMOIZE BINGET LONG_BINGET".split()
)
_STORAGES: dict[str, str] = {
    "BoolStorage": "?",
    "ByteStorage": "u1",
    "CharStorage": "i1",
    "ShortStorage": "<i2",
    "IntStorage": "<i4",
    "LongStorage": "<i8",
    "HalfStorage": "<f2",
    "FloatStorage": "<f4",
    "DoubleStorage": "<f8",
    "BFloat16Storage": "<u2",
}

_TENSORS = {
    "_rebuild_sparse_tensor": "a sparse tensor (mask.to_dense() makes a plain one)",
    "_rebuild_sparse_csr_tensor": "a sparse tensor (mask.to_dense() makes a plain one)",
    "_rebuild_nested_tensor": "a nested tensor",
    "_rebuild_qtensor": "a quantized tensor (mask.dequantize() makes a plain one)",
    "_rebuild_meta_tensor_no_storage": "a tensor on the meta device, which has no values",
    "_rebuild_wrapper_subclass": "a tensor subclass",
    "_rebuild_device_tensor_from_numpy": "a tensor of another device (save mask.cpu())",
    "_rebuild_device_tensor_from_cpu_tensor": "a tensor of another device (save mask.cpu())",
    "_rebuild_from_type_v2": "a tensor subclass",
}
"""Other tensors that torch saves, by the function that its files name."""


@dataclass(frozen=True, slots=True)
class _Storage:
    """The numbers of one or several tensors."""

    kind: str  # a name of _STORAGES
    key: str
    count: int


@dataclass(frozen=True, slots=True)
class _Tensor:
    """What ``data.pkl`` says of a tensor: a strided look at a storage."""

    storage: _Storage
    offset: int
    size: tuple[int, ...]
    stride: tuple[int, ...]


def read_pt(archive: zipfile.ZipFile) -> Contents:
    """All tensors of a .pt file: a tensor, or a dictionary or list of tensors."""
    pickled = next(info for info in archive.infolist() if info.filename.endswith("data.pkl"))
    if pickled.file_size > MAX_PICKLE_BYTES:
        raise UnreadableMask("This .pt file holds far more than a mask; save it alone.")
    root = pickled.filename.removesuffix("data.pkl")
    tree = _unpickled(read_member(archive, pickled, MAX_PICKLE_BYTES))
    names = {info.filename: info for info in archive.infolist()}
    order = names.get(f"{root}byteorder")
    if order is not None and read_member(archive, order, 16) not in (b"little", b""):
        raise UnreadableMask("This .pt file comes from a big-endian machine; save it as .npy.")
    found: Contents = {}
    room = MAX_ARRAY_BYTES
    for name, value in _named(tree):
        if isinstance(value, tuple):
            found[name] = value
            continue
        info = names.get(f"{root}data/{value.storage.key}")
        if info is None:
            raise UnreadableMask(_DAMAGED)
        array = _array(name, value, archive, info)
        room -= array.nbytes
        if room < 0 or len(found) >= MAX_MEMBERS:
            raise UnreadableMask("This .pt file holds far more than a mask; save it alone.")
        found[name] = array
    if not found:
        raise UnreadableMask("There is no tensor in this .pt file; save the mask with torch.save.")
    return found


def _array(name: str, tensor: _Tensor, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Array:
    """The numbers of a tensor, once its size is known to be possible and bounded."""
    storage = tensor.storage
    dtype = np.dtype(_STORAGES[storage.kind])
    sizes = (*tensor.size, *tensor.stride, tensor.offset, storage.count)
    if any(type(number) is not int or not 0 <= number < 2**48 for number in sizes):
        raise UnreadableMask(_DAMAGED)
    if len(tensor.size) != len(tensor.stride):
        raise UnreadableMask(_DAMAGED)
    check_shape(tensor.size, dtype.itemsize, name)
    steps = zip(tensor.size, tensor.stride, strict=True)
    last = tensor.offset + sum((side - 1) * step for side, step in steps)
    if last >= storage.count or info.file_size != storage.count * dtype.itemsize:
        raise UnreadableMask(_DAMAGED)
    flat = np.frombuffer(read_member(archive, info, MAX_ARRAY_BYTES), dtype=dtype)
    if flat.size != storage.count:
        raise UnreadableMask(_DAMAGED)
    strides = [step * dtype.itemsize for step in tensor.stride]
    look = np.lib.stride_tricks.as_strided(
        flat[tensor.offset :], tensor.size, strides, writeable=False
    )
    values = np.array(look, order="C")
    assert values.size == math.prod(tensor.size)
    return bfloat16(values) if storage.kind == "BFloat16Storage" else plain(values)


def _named(tree: object) -> list[tuple[str, _Tensor | tuple[str, ...]]]:
    """The tensors of a tree of dictionaries and lists, and lists of texts, one level deep."""
    if isinstance(tree, _Tensor):
        return [("", tree)]
    pairs: list[tuple[object, object]] = []
    if isinstance(tree, dict):
        pairs = list(tree.items())
    elif isinstance(tree, list | tuple):
        pairs = list(enumerate(tree))
    found: list[tuple[str, _Tensor | tuple[str, ...]]] = []
    for key, value in pairs:
        if isinstance(value, _Tensor):
            found.append((str(key)[:100], value))
        elif isinstance(value, list | tuple) and value and all(type(x) is str for x in value):
            found.append((str(key)[:100], tuple(value)))
    return found


def _unpickled(data: bytes) -> object:
    """What ``data.pkl`` describes, made of plain containers, numbers and ``_Tensor``."""
    _look_through(data)
    try:
        return _Stage(io.BytesIO(data)).load()
    except UnreadableMask:
        raise
    except Exception as error:  # a broken pickle may end in any exception; none of it was run
        raise UnreadableMask(_DAMAGED) from error


def _look_through(data: bytes) -> None:
    """Refuse what no saved tensor has, above all what would cost memory before it fails."""
    try:
        for number, (code, argument, _) in enumerate(pickletools.genops(data)):
            if number >= MAX_INSTRUCTIONS:
                raise UnreadableMask("This .pt file holds far more than a mask; save it alone.")
            if code.name not in _INSTRUCTIONS:
                raise UnreadableMask(
                    "This .pt file holds more than tensors; save the mask alone, with "
                    "torch.save(mask, path). Nothing in it was run."
                )
            if "PUT" in code.name and (argument or 0) > MAX_INSTRUCTIONS:
                raise UnreadableMask(_DAMAGED)
    except UnreadableMask:
        raise
    except Exception as error:
        raise UnreadableMask(_DAMAGED) from error


class _Stage(pickle.Unpickler):
    """Runs a looked-through pickle with stand-ins for the few names a saved tensor needs."""

    def find_class(self, module: str, name: str) -> Any:
        if module == "torch" and name in _STORAGES:
            return name  # not callable: it can only be named
        known = {
            ("torch._utils", "_rebuild_tensor_v2"): _rebuilt,
            ("torch._utils", "_rebuild_parameter"): _parameter,
            ("collections", "OrderedDict"): OrderedDict,
        }
        if (module, name) not in known:
            _refuse(_TENSORS.get(name, "") or f"{module}.{name}"[:100])
        return known[module, name]

    def persistent_load(self, pid: Any) -> _Storage:
        word, kind, key, _, count = pid
        if word != "storage" or kind not in _STORAGES:
            _refuse(str(kind)[:100])
        return _Storage(kind, str(key), count)


def _refuse(name: str) -> NoReturn:
    raise UnreadableMask(
        f"This .pt file holds {name}, and only tensors of booleans, integers and floats are "
        "opened: save the mask with torch.save(mask, path). Nothing in it was run."
    )


def _rebuilt(
    storage: object, offset: int, size: tuple[int, ...], stride: tuple[int, ...], *_: object
) -> _Tensor:
    if not isinstance(storage, _Storage):
        raise UnreadableMask(_DAMAGED)
    return _Tensor(storage, offset, tuple(size), tuple(stride))


def _parameter(data: object, *_: object) -> object:
    return data
