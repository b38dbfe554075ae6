"""Rows of sweeps on disk, one small file per decoding, named by the content that made it."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict
from pathlib import Path

from lookahead_viz.models.smollm2 import cache_dir
from lookahead_viz.scale.rows import SweepRow, row_from


class Store:
    """A folder of rows. Several processes may use it at once: files appear whole or not at all."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_dir() / "sweeps"

    def get(self, key: str) -> SweepRow | None:
        """The row under ``key``; None where there is none, or only a damaged one."""
        try:
            return row_from(json.loads(self._path(key).read_text("utf-8")))
        except (OSError, ValueError):
            return None

    def put(self, key: str, row: SweepRow) -> None:
        """Keep ``row``; a folder that cannot be written costs only the cache, never the sweep."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".row-")
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                json.dump(asdict(row), stream)
            os.replace(name, path)
        except OSError:
            return

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
