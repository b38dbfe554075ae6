"""Tables of tokens in text: named rows of 0 and 1, llama.cpp's batches with sequence ids."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from lookahead_viz.masklab.normalise import UnreadableMask
from lookahead_viz.masklab.reading_model import MAX_SIDE, Contents, Sequences
from lookahead_viz.words import count

MAX_SEQUENCE_ID = 100_000
_NAMED_ROW = re.compile(r"(?:^|[ \t])(\d{1,4})[ \t]+(\S{1,80})[ \t]+([01]{2,4000})(?=\s|$)", re.M)
_ONE_TOKEN = re.compile(r"^[ \t]*(0)[ \t]+(\S{1,80})[ \t]+([01])[ \t]*$", re.M)
_TOKENS = re.compile(r"^\s*tok(?:ens)?\s*:?\s+(.+)$", re.M)
_POSITIONS = re.compile(r"^\s*pos(?:itions?|ition_ids)?\s*:?\s*\[([-\d,\s]+)\]", re.M)
_SETS = re.compile(r"(\S{1,80}?)\s*:\s*\{([\d,.\s]+)\}")
_LINE = re.compile(
    r"^\s*(?:(\d{1,4})[ \t,;]+)?(?:([^\s,;{}]{1,80})[ \t,;]+)?(-?\d{1,9})[ \t,;]*\{([\d,.\s]+)\}",
    re.M,
)
_RANGE = re.compile(r"(\d{1,6})\s*\.\.\s*(\d{1,6})")


def read_named_rows(text: str) -> Contents:
    """Rows like `` 3 L03 111100…``, several on a line or one, and lines ``tok``, ``pos``, ``seq``.

    Also a table with one token a line: ``index name position {sequence ids}``.
    """
    rows = [(int(number), name, row) for number, name, row in _NAMED_ROW.findall(text)]
    positions = _position_line(text)
    names = _TOKENS.search(text)
    if len(rows) >= 2:
        return _rows(rows, positions)
    only = _ONE_TOKEN.search(text)
    if names and only:  # the whole step is the current token
        return _rows([(0, only[2], only[3])], positions)
    sets = _SETS.findall(text)
    if names and sets and positions is not None:
        return _named_sets(names[1].split(), dict(sets), positions)
    lines = _LINE.findall(text)
    if len(lines) >= 2:
        made = _sequences(
            [ids for _, _, _, ids in lines], [int(position) for _, _, position, _ in lines]
        )
        tokens = tuple(name or str(i) for i, (_, name, _, _) in enumerate(lines))
        return {"": made, "tokens": tokens}
    return {}


def _rows(rows: list[tuple[int, str, str]], positions: tuple[int, ...] | None) -> Contents:
    rows = sorted(rows)
    numbers = [number for number, _, _ in rows]
    if numbers != list(range(numbers[0], numbers[0] + len(rows))) or numbers[0] not in (0, 1):
        raise UnreadableMask(
            f"The rows are numbered {_few(numbers)}; number them 0, 1, 2 … without a gap."
        )
    width = len(rows[0][2])
    for number, _, row in rows:
        if len(row) != width:
            raise UnreadableMask(
                f"Row {number} has {len(row)} cells and row {numbers[0]} has {width}; every row "
                "must be equally long."
            )
    bits = "".join(row for _, _, row in rows).encode()
    mask = (np.frombuffer(bits, dtype=np.uint8) - ord("0")).reshape(len(rows), width)
    found: Contents = {"": mask, "tokens": tuple(name for _, name, _ in rows)}
    if positions is not None:
        found["positions"] = np.array(positions, dtype=np.int64)
    return found


def _few(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in numbers[:6]) + (" …" if len(numbers) > 6 else "")


def _position_line(text: str) -> tuple[int, ...] | None:
    match = _POSITIONS.search(text)
    if match is None:
        return None
    try:
        values = tuple(int(piece) for piece in re.split(r"[,\s]+", match[1].strip()) if piece)
    except ValueError as error:
        raise UnreadableMask("The line of positions holds something else than numbers.") from error
    if len(values) > MAX_SIDE or any(abs(value) > 2**31 for value in values):
        raise UnreadableMask(f"There are too many or too large positions; at most {MAX_SIDE:,}.")
    return values


def _named_sets(names: list[str], sets: Mapping[str, str], positions: tuple[int, ...]) -> Contents:
    """``L01:{2,3,4,5} V0*:{6} Lr0:{1}``: one set may stand for several tokens."""
    if len(names) != len(positions):
        found = f"{count(len(names), 'token')} and {count(len(positions), 'position')}"
        raise UnreadableMask(f"There are {found}; as many of each are needed.")
    ids = []
    for name in names:
        pattern = next((one for one in sets if one == name), None) or next(
            (one for one in sets if fnmatchcase(name, one.replace("r", "[1-9]", 1))), None
        )
        if pattern is None:
            raise UnreadableMask(f"The token “{name}” has no sequence ids.")
        ids.append(sets[pattern])
    return {"": _sequences(ids, positions), "tokens": tuple(names)}


def read_sequences(tree: Mapping[str, Any]) -> Sequences:
    """``{"sequences": [[0, 1], [1]], "positions": [0, 1]}`` of a JSON object."""
    sets = tree.get("sequences", tree.get("sequence_ids"))
    positions = tree.get("positions", tree.get("pos"))
    even = isinstance(sets, list) and isinstance(positions, list) and len(sets) == len(positions)
    if not even or not all(
        isinstance(ids, list) and all(type(one) is int for one in ids) for ids in sets
    ):
        raise UnreadableMask("Sequence ids need one list of ids and one position for every token.")
    if not all(type(position) is int for position in positions):
        raise UnreadableMask("Positions must be whole numbers.")
    return make_sequences(sets, positions)


def read_batch_table(text: str) -> Contents:
    """A CSV table with columns “position” and “sequence ids”, as this lab exports it."""
    first = text.lstrip().split("\n", 1)[0].lower()
    if "seq" not in first or "pos" not in first or "," not in first:
        return {}
    try:
        lines = list(csv.DictReader(io.StringIO(text.strip())))
    except csv.Error as error:
        raise UnreadableMask("This table is broken; save it again as CSV.") from error
    columns = {str(name).strip().lower(): str(name) for name in lines[0]} if lines else {}
    position = next((columns[name] for name in columns if name.startswith("pos")), None)
    ids = next((columns[name] for name in columns if name.startswith("seq")), None)
    token = next((columns[name] for name in ("token", "name", "who") if name in columns), None)
    if position is None or ids is None or len(lines) > MAX_SIDE:
        return {}
    try:
        positions = [int(str(line[position])) for line in lines]
    except ValueError as error:
        raise UnreadableMask("The column of positions must hold whole numbers.") from error
    made = _sequences([str(line[ids]) for line in lines], positions)
    found: Contents = {"": made}
    if token is not None:
        found["tokens"] = tuple(str(line[token])[:200] for line in lines)
    return found


def _sequences(sets: Sequence[str], positions: Sequence[int]) -> Sequences:
    return make_sequences([_ids(text) for text in sets], positions)


def _ids(text: str) -> list[int]:
    """``{0..7}``, ``2,3,4`` or ``2 3 4``."""

    def spread(match: re.Match[str]) -> str:
        first, last = int(match[1]), int(match[2])
        if not first <= last <= first + MAX_SIDE:
            raise UnreadableMask(f"The sequence ids {match[0]} are no range.")
        return " ".join(str(one) for one in range(first, last + 1))

    pieces = re.split(r"[,;\s{}]+", _RANGE.sub(spread, text).strip("{} "))
    if not all(piece.isascii() and piece.isdigit() and len(piece) < 7 for piece in pieces):
        raise UnreadableMask(f"“{text[:40]}” is no set of sequence ids.")
    return [int(piece) for piece in pieces]


def make_sequences(sets: Sequence[Sequence[int]], positions: Sequence[int]) -> Sequences:
    """Checked sequence ids; UnreadableMask in one sentence."""
    if not sets or len(sets) > MAX_SIDE:
        raise UnreadableMask(f"There are {len(sets):,} tokens; 1 to {MAX_SIDE:,} can be checked.")
    if any(not ids for ids in sets):
        raise UnreadableMask("A token has no sequence id; every token needs at least one.")
    if sum(len(ids) for ids in sets) > 4_000_000:
        raise UnreadableMask("There are too many sequence ids; one set per token is enough.")
    if any(not 0 <= one <= MAX_SEQUENCE_ID for ids in sets for one in ids):
        raise UnreadableMask(f"A sequence id is not between 0 and {MAX_SEQUENCE_ID:,}.")
    if any(abs(position) > 2**31 for position in positions):
        raise UnreadableMask("A position is too large.")
    return Sequences(
        sets=tuple(frozenset(ids) for ids in sets),
        firsts=tuple(ids[0] for ids in sets),
        positions=tuple(positions),
    )
