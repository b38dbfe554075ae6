"""Masks written line by line: rows of marks, or of numbers with something between them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from lookahead_viz.masklab.normalise import UnreadableMask
from lookahead_viz.masklab.reading_model import MAX_SIDE, Array, Contents, check_shape
from lookahead_viz.masklab.reading_nested import ragged_rows

_ON, _OFF = "1#xX■█●✓", "0.-_□⬚░○·"
_DRAWN = str.maketrans({**dict.fromkeys(_ON, "1"), **dict.fromkeys(_OFF, "0")})
_CELLS = re.compile(r"[,;\t ]+")
_TRUTH = {"true": 1, "false": 0, "t": 1, "f": 0}


def read_drawn(text: str) -> Contents:
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
            raise UnreadableMask(ragged_rows(number, len(line), width))
        if not set(line) <= allowed:
            raise UnreadableMask(f"Row {number} holds something else than 0 and 1.")
    joined = "".join(lines).translate(_DRAWN).encode("ascii")
    return {"": (np.frombuffer(joined, dtype=np.uint8) - ord("0")).reshape(len(lines), width)}


def read_numbers(text: str) -> Contents:
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
            raise UnreadableMask(ragged_rows(number, rows[-1].size, rows[0].size))
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
