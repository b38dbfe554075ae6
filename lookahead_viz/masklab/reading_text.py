"""Masks out of text: .json, C arrays, printed arrays, and whatever else somebody may paste."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import numpy as np

from lookahead_viz.masklab.normalise import UnreadableMask
from lookahead_viz.masklab.reading_beside import is_beside
from lookahead_viz.masklab.reading_clean import cleaned
from lookahead_viz.masklab.reading_lines import read_drawn, read_numbers
from lookahead_viz.masklab.reading_model import (
    MAX_MEMBERS,
    MAX_TEXT_BYTES,
    Array,
    Contents,
    Value,
)
from lookahead_viz.masklab.reading_nested import checked, to_array
from lookahead_viz.masklab.reading_tables import read_batch_table, read_named_rows, read_sequences

MAX_BRACKETS = 400_000  # [H, T, K] written out; each costs an object
_LISTS = re.compile(r"^\s*([A-Za-z_][\w .-]{0,60}?)\s*[:=]?\s*[\[({]([-\d,\s]*)[\])}]\s*[,;]?\s*$")
_C_ARRAY = re.compile(r"(\w+)\s*((?:\[[^\[\]{}]{0,40}\]\s*){1,4})=\s*\{")
_C_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_HEX = re.compile(r"\b0[xX]([0-9a-fA-F]{1,8})[uUlL]*\b")
_REPR = re.compile(r"\b(?:np\.|numpy\.|torch\.)?(?:array|tensor|Parameter)\s*\(", re.ASCII)
_REPR_END = re.compile(r",\s*(?:dtype|device|requires_grad|grad_fn)\s*=\s*[^,)\]]*")
_PYTHON = re.compile(r"\b(True|False|inf|Infinity|nan|None)\b", re.ASCII)
_CUT = re.compile(r"(?<=[\s,\]\[])(?:\.\.\.|…)(?=[\s,\[\]])")
_WORDS = {"True": "true", "False": "false", "inf": "Infinity", "nan": "NaN", "None": "null"}


def read_json(text: str) -> Contents:
    """A nested list, or an object whose entries are masks, lists, token texts."""
    _check_size(text)
    try:
        tree = json.loads(text)
    except RecursionError as error:
        raise UnreadableMask(
            "This JSON is nested too deeply; a mask is a list of rows."
        ) from error
    except ValueError as error:
        raise UnreadableMask(
            f"This is no sound JSON ({_where(error)}); write the mask as a list of rows."
        ) from error
    if isinstance(tree, list):
        return {"": to_array(tree, "")}
    if not isinstance(tree, dict):
        raise UnreadableMask("This JSON is no list; write the mask as a list of rows.")
    if len(tree) > MAX_MEMBERS:
        raise UnreadableMask(f"This JSON object has {len(tree)} entries; at most {MAX_MEMBERS}.")
    found: Contents = {}
    if "sequences" in tree or "sequence_ids" in tree:
        found[""] = read_sequences(tree)
    for name, value in tree.items():
        made = None if name in ("sequences", "sequence_ids") else _entry(name, value)
        if made is not None:
            found[name] = made
    if not found:
        raise UnreadableMask(
            "This JSON object holds no list; put the mask under “mask”, positions under "
            "“positions”, token texts under “tokens”."
        )
    return found


def _entry(name: str, value: object) -> Value | None:
    """A list of numbers or of texts; None for what is neither, such as a comment."""
    if (isinstance(value, str | dict) or value == []) and is_beside(name):
        raise UnreadableMask(
            f"“{name}” is no list with a value for each packed token; leave it out or fill it."
        )
    if not isinstance(value, list) or not value:
        return None
    if all(type(item) is str for item in value):
        return tuple(value)
    return to_array(value, name)


def _where(error: ValueError) -> str:
    line, column = getattr(error, "lineno", None), getattr(error, "colno", None)
    return f"line {line}, column {column}" if line else "a number in it is too long"


def read_text(text: str) -> Contents:
    """Whatever somebody pasted. The first way of reading that fits is taken."""
    _check_length(text)
    text = cleaned(text.removeprefix("\ufeff"))
    if not text.strip():
        raise UnreadableMask("There is nothing in it; paste or drop a mask.")
    if _CUT.search(text):
        raise UnreadableMask(
            "The mask is abbreviated with “...”: print it whole, with "
            "numpy.set_printoptions(threshold=sys.maxsize), or save it as .npy."
        )
    if _all_hexadecimal(text):  # words as a debugger prints them
        text = _decimal(text)
    for way in _WAYS:
        found = way(text)
        if found:
            return found
    raise UnreadableMask(
        "No mask was found in this text: write one line per row, with 0 and 1, or a list of "
        "parents, positions or packed words."
    )


def _check_length(text: str) -> None:
    if len(text) > MAX_TEXT_BYTES:
        raise UnreadableMask(
            f"The text is longer than {MAX_TEXT_BYTES // 2**20} MB; save the mask as .npy."
        )


def _check_size(text: str) -> None:
    _check_length(text)
    if text.count("[") + text.count("{") > MAX_BRACKETS:
        raise UnreadableMask("This text has too many brackets for a mask; write one per row.")


def _lists(text: str) -> Contents:
    """Lines like ``parents: [-1, 0, 0]``, or one list of numbers with or without brackets."""
    lines = [line for line in text.splitlines() if line.strip()]
    found: Contents = {}
    if len(lines) > MAX_MEMBERS:
        return {}
    for line in lines:
        match = _LISTS.match(line)
        if match is None:
            return {}
        found[match[1].strip()] = _integers(match[2])
    return found


def _integers(text: str) -> Array:
    try:
        values = [int(piece) for piece in re.split(r"[,\s]+", text.strip()) if piece]
        return checked(np.array(values, dtype=np.int64), "")
    except (ValueError, OverflowError) as error:
        if isinstance(error, UnreadableMask):
            raise
        raise UnreadableMask("A number of this list is too large or broken.") from error


def _c_arrays(text: str) -> Contents:
    """``static const uint8_t mask[21][21] = {{1, 0, ...}, ...};``, one or several."""
    if "{" not in text or "=" not in text:
        return {}
    text = _C_COMMENT.sub(" ", text)
    found: Contents = {}
    for match in _C_ARRAY.finditer(text):
        if len(found) >= MAX_MEMBERS:
            raise UnreadableMask(f"This text holds more than {MAX_MEMBERS} arrays.")
        end = text.find(";", match.end())
        body = text[match.end() - 1 : end if end >= 0 else len(text)]
        if '"' in body:
            found[match[1]] = tuple(re.findall(r'"((?:[^"\\]|\\.)*)"', body))
            continue
        body = _decimal(body)
        body = body.replace("{", "[").replace("}", "]")
        body = re.sub(r",(\s*\])", r"\1", re.sub(r"(\d)[uUlLfF]+\b", r"\1", body))
        _check_size(body)
        found |= {match[1]: _parsed(body, match[1])}
    return found


def _all_hexadecimal(text: str) -> bool:
    if not text.lstrip(" \t\n[({").lower().startswith("0x"):
        return False
    return all(_HEX.fullmatch(piece) for piece in re.split(r"[\s,;()\[\]{}]+", text) if piece)


def _decimal(text: str) -> str:
    return _HEX.sub(lambda number: str(int(number[1], 16)), text)


def _nested(text: str) -> Contents:
    """JSON, a Python list, or what numpy and torch print."""
    stripped = text.strip()
    if stripped[0] == "{":
        return read_json(stripped)
    body = _REPR_END.sub("", _REPR.sub("", stripped)).rstrip(") ;\n")
    if not body.startswith("["):
        return {}
    _check_size(body)
    body = _PYTHON.sub(lambda word: _WORDS.get(word[1], word[1]), body)
    if not re.search(r"\d\s*,|e\s*,", body):  # numpy prints no commas
        body = re.sub(r"(?<=[\w.])\s+(?=[-\w.])", ", ", body)
        body = re.sub(r"\]\s*\[", "], [", body)
    body = re.sub(r"(\d)\.(?=[\s,\]])", r"\1.0", body)
    return {"": _parsed(body, "")}


def _parsed(body: str, name: str) -> Array:
    try:
        tree = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise UnreadableMask(
            "The brackets or numbers of this list are broken; paste it as it was printed, or "
            "one line per row."
        ) from error
    return to_array(tree, name)


_WAYS: tuple[Callable[[str], Contents], ...] = (
    read_batch_table,
    read_named_rows,
    _lists,
    _c_arrays,
    _nested,
    read_drawn,
    read_numbers,
)
"""Each gives nothing where it does not fit."""
