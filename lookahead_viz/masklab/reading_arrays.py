"""Arrays out of .npy, .npz and .safetensors: sizes from the headers first, nothing executed."""

from __future__ import annotations

import io
import math
import warnings
import zipfile
from typing import Any

import numpy as np
import safetensors

from lookahead_viz.masklab.normalise import UnreadableMask
from lookahead_viz.masklab.reading_model import (
    MAX_ARRAY_BYTES,
    MAX_MEMBERS,
    Array,
    Contents,
    Value,
    check_dtype,
    check_shape,
    plain,
)

NPY_MAGIC = b"\x93NUMPY"
_TEXT_ITEM_BYTES = 1024  # token texts of an array are at most so long

SAFETENSORS_TYPES: dict[str, str] = {
    "BOOL": "?",
    "U8": "u1",
    "I8": "i1",
    "I16": "<i2",
    "U16": "<u2",
    "I32": "<i4",
    "U32": "<u4",
    "I64": "<i8",
    "U64": "<u8",
    "F16": "<f2",
    "F32": "<f4",
    "F64": "<f8",
    "BF16": "<u2",
}


def read_npy(data: bytes, name: str = "") -> Contents:
    """The one array of a .npy file."""
    return {name: _npy_value(data, name)}


def _npy_value(data: bytes, name: str) -> Value:
    stream = io.BytesIO(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a header of Python 2 is no trouble
            version = np.lib.format.read_magic(stream)
            read = {
                (1, 0): np.lib.format.read_array_header_1_0,
                (2, 0): np.lib.format.read_array_header_2_0,
            }[version]
            shape, fortran, dtype = read(stream)
    except Exception as error:  # numpy parses a broken header with whatever Python has
        raise UnreadableMask(
            "This .npy file has a broken header; save it again with numpy.save."
        ) from error
    if dtype.kind in "US" and dtype.names is None:
        return _texts(data[stream.tell() :], shape, dtype, name)
    check_dtype(dtype, name)
    _check_sides(shape, name)
    check_shape(shape, dtype.itemsize, name)
    size, there = math.prod(shape) * dtype.itemsize, len(data) - stream.tell()
    if size != there:
        raise UnreadableMask(
            f"The header of this .npy file promises {size:,} bytes and {there:,} follow: it is "
            "cut off or damaged; save it again with numpy.save."
        )
    flat = np.frombuffer(data, dtype=dtype, offset=stream.tell())
    return plain(flat.reshape(shape, order="F" if fortran else "C"))


def _check_sides(shape: tuple[Any, ...], name: str) -> None:
    if any(type(side) is not int or side < 0 for side in shape):
        what = f"“{name}”" if name else "The array"
        raise UnreadableMask(f"{what} has an impossible shape; save it again with numpy.save.")


def _texts(data: bytes, shape: tuple[Any, ...], dtype: np.dtype[Any], name: str) -> Value:
    """Token texts: a short array of short strings."""
    _check_sides(shape, name)
    if len(shape) != 1 or not 0 < dtype.itemsize <= _TEXT_ITEM_BYTES or shape[0] > 20_000:
        raise UnreadableMask("Only one list of short token texts can be read beside a mask.")
    if len(data) != shape[0] * dtype.itemsize:
        raise UnreadableMask("The token texts of this file are cut off; save it again.")
    try:
        return tuple(
            item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item)
            for item in np.frombuffer(data, dtype=dtype).tolist()
        )
    except (ValueError, UnicodeError) as error:
        raise UnreadableMask("The token texts of this file are damaged; save it again.") from error


def read_npz(archive: zipfile.ZipFile) -> Contents:
    """All arrays of an .npz file."""
    members = [info for info in archive.infolist() if not info.filename.endswith("/")]
    if not members:
        raise UnreadableMask("This .npz file is empty; save a mask with numpy.savez.")
    if len(members) > MAX_MEMBERS:
        raise UnreadableMask(f"This .npz file holds {len(members)} arrays; at most {MAX_MEMBERS}.")
    found: Contents = {}
    room = MAX_ARRAY_BYTES
    for info in members:
        if not info.filename.endswith(".npy"):
            raise UnreadableMask("This zip file is no .npz file: it holds more than numpy arrays.")
        data = read_member(archive, info, room)
        room -= len(data)
        if not data.startswith(NPY_MAGIC):
            raise UnreadableMask("This .npz file is damaged; save it again with numpy.savez.")
        name = info.filename.removesuffix(".npy")
        found[name] = _npy_value(data, name)
    return found


def read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, room: int) -> bytes:
    """One file out of a zip file, at most ``room`` bytes, whatever its header says."""
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
        raise UnreadableMask("This file is packed in an unusual way; save it again uncompressed.")
    if info.file_size <= room:
        try:
            with archive.open(info) as stream:
                data = stream.read(room + 1)
        except Exception as error:  # a broken entry ends in many kinds of exceptions
            raise UnreadableMask("This file is damaged; save it again.") from error
        if len(data) <= room:
            return data
    raise UnreadableMask(
        f"This file unpacks to more than {MAX_ARRAY_BYTES // 2**20} MB; save the mask of one "
        "pass alone."
    )


def read_safetensors(data: bytes) -> Contents:
    """All tensors of a .safetensors file; the library checks that header and data agree."""
    try:
        tensors = safetensors.deserialize(data)  # type: ignore[no-untyped-call]
    except Exception as error:  # its one error class is no public name of a class of ValueError
        raise UnreadableMask(
            "This is no sound .safetensors file (its header and its data disagree); save it "
            "again with safetensors."
        ) from error
    if not tensors:
        raise UnreadableMask("This .safetensors file is empty; save a mask in it.")
    if len(tensors) > MAX_MEMBERS:
        raise UnreadableMask(f"This file holds {len(tensors)} tensors; at most {MAX_MEMBERS}.")
    return {name: _tensor(name, one) for name, one in tensors}


def _tensor(name: str, one: dict[str, Any]) -> Array:
    dtype, shape = str(one["dtype"]), tuple(one["shape"])
    if dtype not in SAFETENSORS_TYPES:
        raise UnreadableMask(
            f"“{name}” holds {dtype}; save booleans, integers or floats of 16 to 64 bits."
        )
    kind = np.dtype(SAFETENSORS_TYPES[dtype])
    check_shape(shape, kind.itemsize, name)
    values = np.frombuffer(one["data"], dtype=kind).reshape(shape)
    return bfloat16(values) if dtype == "BF16" else plain(values)


def bfloat16(bits: Array) -> Array:
    """float32 of the same values as the bfloat16 numbers with these 16 bits."""
    return (bits.astype(np.uint32) << 16).view(np.float32)
