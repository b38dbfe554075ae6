"""Masks out of text: .json, .csv, C arrays, printed arrays, rows of 0 and 1, tables of tokens."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from lookahead_viz.masklab.normalise import UnreadableMask
from lookahead_viz.masklab.reading_beside import is_beside
from lookahead_viz.masklab.reading_clean import cleaned
from lookahead_viz.masklab.reading_model import (
    MAX_MEMBERS,
    MAX_SIDE,
    MAX_TEXT_BYTES,
    Array,
    Contents,
    Value,
    check_shape,
)
from lookahead_viz.masklab.reading_tables import read_batch_table, read_named_rows, read_sequences

MAX_BRACKETS = 400_000  # [H, T, K] written out; each costs an object
_ON, _OFF = "1#xX■█●✓", "0.-_□⬚░○·"
_DRAWN = str.maketrans({**dict.fromkeys(_ON, "1"), **dict.fromkeys(_OFF, "0")})
_LISTS = re.compile(r"^\s*([A-Za-z_][\w .-]{0,60}?)\s*[:=]?\s*[\[({]([-\d,\s]*)[\])}]\s*[,;]?\s*$")
_C_ARRAY = re.compile(r"(\w+)\s*((?:\[[^\[\]{}]{0,40}\]\s*){1,4})=\s*\{")
_C_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_HEX = re.compile(r"\b0[xX]([0-9a-fA-F]{1,8})[uUlL]*\b")
_REPR = re.compile(r"\b(?:np\.|numpy\.|torch\.)?(?:array|tensor|Parameter)\s*\(", re.ASCII)
_REPR_END = re.compile(r",\s*(?:dtype|device|requires_grad|grad_fn)\s*=\s*[^,)\]]*")
_PYTHON = re.compile(r"\b(True|False|inf|Infinity|nan|None)\b", re.ASCII)
_CUT = re.compile(r"(?<=[\s,\]\[])(?:\.\.\.|…)(?=[\s,\[\]])")
_WORDS = {"True": "true", "False": "false", "inf": "Infinity", "nan": "NaN", "None": "null"}
_CELLS = re.compile(r"[,;\t ]+")
_TRUTH = {"true": 1, "false": 0, "t": 1, "f": 0}


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
    if len(text) > MAX_TEXT_BYTES:
        raise UnreadableMask(
            f"The text is longer than {MAX_TEXT_BYTES // 2**20} MB; save the mask as .npy."
        )
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
    for way in (read_batch_table, read_named_rows, _lists, _c_arrays, _nested, _drawn, _numbers):
        found = way(text)
        if found:
            return found
    raise UnreadableMask(
        "No mask was found in this text: write one line per row, with 0 and 1, or a list of "
        "parents, positions or packed words."
    )


def _check_size(text: str) -> None:
    if len(text) > MAX_TEXT_BYTES:
        raise UnreadableMask(
            f"The text is longer than {MAX_TEXT_BYTES // 2**20} MB; save the mask as .npy."
        )
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
        return _checked(np.array(values, dtype=np.int64), "")
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


def _drawn(text: str) -> Contents:
    """Rows of 0 and 1, or of other marks, without anything between the cells."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    allowed = set(_ON + _OFF)
    if len(lines[0]) < 2 or not set(lines[0]) <= allowed:
        return {}
    if not any(char in _ON for char in lines[0]) and not set(lines[0]) <= {"0", "."}:
        return {}
    width = len(lines[0])
    check_shape((len(lines), width), 1, "")
    for number, line in enumerate(lines):
        if len(line) != width:
            raise UnreadableMask(_ragged(number, len(line), width))
        if not set(line) <= allowed:
            raise UnreadableMask(f"Row {number} holds something else than 0 and 1.")
    joined = "".join(lines).translate(_DRAWN).encode("ascii")
    return {"": (np.frombuffer(joined, dtype=np.uint8) - ord("0")).reshape(len(lines), width)}


def _numbers(text: str) -> Contents:
    """One line per row, cells apart by commas, semicolons, tabs or spaces; names may stand."""
    if not re.search(r"\d|true|false", text, re.IGNORECASE):
        return {}
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > MAX_SIDE + 1:
        raise UnreadableMask(f"There are {len(lines):,} rows; at most {MAX_SIDE:,}.")
    table = _without_numbering([_cells(line) for line in lines])
    header = _header(table[0])
    names: list[str] = []
    rows: list[Array] = []
    for number, cells in enumerate(table[1:] if header else table):
        if cells and _number(cells[0]) is None and len(cells) > 1:
            names.append(cells.pop(0).strip("\"'"))
        rows.append(_row(cells, number))
        if rows[-1].size != rows[0].size:
            raise UnreadableMask(_ragged(number, rows[-1].size, rows[0].size))
        if rows[0].size > MAX_SIDE:
            raise UnreadableMask(f"Row 0 has {rows[0].size:,} cells; at most {MAX_SIDE:,}.")
    if not rows:
        return {}
    mask = np.stack(rows)
    if len(rows) == 1:
        mask = mask[0]
    found: Contents = {"": mask}
    texts = names if len(names) == len(rows) else header[-len(rows) :]
    if len(texts) == len(rows) > 1:
        found["tokens"] = tuple(texts)
    return found


def _without_numbering(table: list[list[str]]) -> list[list[str]]:
    """Without the column numbers in the first line and the row numbers that pandas writes."""
    first, rows = table[0], table[1:]
    counted = [str(number) for number in range(len(table) + len(first))]
    numbered_rows = first[0] == "" and [row[0] for row in rows] == counted[: len(rows)]
    columns = first[1:] if numbered_rows else first
    if not rows or len(columns) < 3 or columns != counted[: len(columns)]:
        return table
    return [row[1:] for row in rows] if numbered_rows else rows


def _header(cells: list[str]) -> list[str]:
    """The names in the first line; empty when it is a row of numbers."""
    named = [cell for cell in cells if _number(cell) is None]
    return [cell.strip("\"'") for cell in cells] if len(named) > 1 else []


def _cells(line: str) -> list[str]:
    line = line.strip().strip("|").rstrip(",;")
    if any(mark in line for mark in ",;\t|"):
        return [cell.strip() for cell in re.split(r"[,;\t|]", line)]
    return _CELLS.split(line)


def _number(cell: str) -> float | None:
    lowered = cell.strip().lower()
    if lowered in _TRUTH:
        return _TRUTH[lowered]
    try:
        return float(cell) if "_" not in cell else None
    except ValueError:
        return None


def _row(cells: Sequence[str], number: int) -> Array:
    joined = "".join(cells)
    if len(joined) == len(cells) and joined.isascii() and joined.isdigit():  # the quick way
        return (np.frombuffer(joined.encode(), dtype=np.uint8) - ord("0")).astype(np.int64)
    values = [_number(cell) for cell in cells]
    if None in values:
        wrong = cells[values.index(None)][:30]
        raise UnreadableMask(
            f"Row {number} holds “{wrong}”, which is no number; write 0 and 1, or the numbers "
            "of an additive mask."
            if wrong
            else f"Row {number} has an empty cell; write 0 and 1 in every cell."
        )
    row = np.array(values, dtype=np.float64)
    whole = np.isfinite(row).all() and (row == np.round(row)).all() and abs(row).max() < 2**53
    return row.astype(np.int64) if whole and "." not in joined else row


def to_array(tree: object, name: str) -> Array:
    """A nested list as an array, once it is known to be even. Booleans stay booleans."""
    shape, level = [], [tree]
    while isinstance(level[0], list):
        lengths = {len(item) if isinstance(item, list) else -1 for item in level}
        if len(lengths) > 1 or -1 in lengths:
            first = len(level[0])
            odd = next(
                (i for i, x in enumerate(level) if not isinstance(x, list) or len(x) != first), 0
            )
            got = len(level[odd]) if isinstance(level[odd], list) else 0  # type: ignore[arg-type]
            raise UnreadableMask(_ragged(odd, got, first))
        shape.append(lengths.pop())
        if not shape[-1] or len(shape) > 4:
            check_shape(shape, 1, name)
        level = [item for part in level for item in part]  # type: ignore[attr-defined]
        check_shape(shape, 8, name) if shape[-1] else None
    return _checked(_flat(level, name).reshape(shape), name)


def _flat(values: list[Any], name: str) -> Array:
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return np.array(values, dtype=np.bool_)
    if not kinds <= {bool, int, float}:
        what = "an empty value" if type(None) in kinds else "a text"
        raise UnreadableMask(f"The list holds {what}; only numbers, true and false are allowed.")
    try:
        if float not in kinds:
            return np.array(values, dtype=np.int64)
        return np.array(values, dtype=np.float64)
    except OverflowError as error:
        raise UnreadableMask("A number of this list is too large for 64 bits.") from error


def _checked(array: Array, name: str) -> Array:
    check_shape(array.shape, array.itemsize, name)
    return array


def _ragged(row: int, got: int, expected: int) -> str:
    return (
        f"Row {row} has {got} cells and row 0 has {expected}; every row of a mask must be "
        "equally long."
    )
