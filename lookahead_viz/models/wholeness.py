"""Is a converted model folder whole? Its marker lists every file with its size.

Older markers list nothing; then the files that no model can do without are looked at.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MARKER = "lookahead_viz.json"
WEIGHTS = "model.safetensors"
NEEDED = ("config.json", "tokenizer.json", WEIGHTS)

_MOST_HEADER_BYTES = 100_000_000  # what the safetensors format allows


def mark_whole(folder: Path, source: Mapping[str, str]) -> None:
    """Write the marker of a finished folder: where it came from, and the bytes of each file."""
    sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    (folder / MARKER).write_text(json.dumps({**source, "files": sizes}), encoding="utf-8")


def damage_of(folder: Path) -> str | None:
    """What is wrong with ``folder``, as half a sentence; None when it is whole or not there."""
    if not folder.exists():
        return None
    try:
        marker = json.loads((folder / MARKER).read_text("utf-8"))
    except (OSError, ValueError):
        return f"its {MARKER} is missing or not readable"
    sizes = marker.get("files") if isinstance(marker, dict) else None
    if not isinstance(sizes, dict):
        return _damage_without_sizes(folder)
    for name, size in sizes.items():
        found = _bytes(folder / name)
        if found != size:
            return _fault(name, found, size)
    return None


def _damage_without_sizes(folder: Path) -> str | None:
    for name in NEEDED:
        if not _bytes(folder / name):
            return _fault(name, _bytes(folder / name), None)
    found, wanted = _bytes(folder / WEIGHTS), _bytes_of_weights(folder / WEIGHTS)
    return None if found == wanted else _fault(WEIGHTS, found, wanted)


def _fault(name: str, found: int | None, wanted: int | None) -> str:
    if found is None:
        return f"{name} is missing"
    if not found:
        return f"{name} is empty"
    if wanted is None:
        return f"{name} is not readable"
    return f"{name} has {found:,} bytes instead of {wanted:,}"


def _bytes(path: Path) -> int | None:
    """None where there is no such file."""
    try:
        return path.stat().st_size if path.is_file() else None
    except OSError:
        return None


def _bytes_of_weights(path: Path) -> int | None:
    """The size that a safetensors file must have by its own header; None where it has none."""
    try:
        with path.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            if length > _MOST_HEADER_BYTES:
                return None
            header: dict[str, Any] = json.loads(stream.read(length))
        ends = [one["data_offsets"][1] for name, one in header.items() if name != "__metadata__"]
        return 8 + length + max(ends, default=0)
    except (OSError, ValueError, TypeError, KeyError, IndexError, AttributeError):
        return None
