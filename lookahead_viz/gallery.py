"""The recorded comparisons that ship in ``assets/runs``: the app opens on them without a model.

``assets/runs/<model>/<name>/`` holds one ``.json.gz`` per run; ``assets/runs/gallery.json`` lists
them in order with the sentence that says what to look at.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from lookahead_viz.comparison import Comparison
from lookahead_viz.run_io import load_run

ASSETS = Path(__file__).resolve().parent.parent / "assets"
RUNS = ASSETS / "runs"


@dataclass(frozen=True)
class Exhibit:
    """One shipped comparison: where its runs are, and what to look at."""

    key: str  # "<model>/<name>", as in links
    title: str
    note: str
    files: tuple[Path, ...]


def exhibits(folder: Path = RUNS) -> list[Exhibit]:
    """Everything listed in ``gallery.json``, in its order; empty when there is no gallery."""
    index = folder / "gallery.json"
    if not index.exists():
        return []
    return [
        Exhibit(
            key=entry["key"],
            title=entry["title"],
            note=entry["note"],
            files=tuple(folder / entry["key"] / name for name in entry["runs"]),
        )
        for entry in json.loads(index.read_text(encoding="utf-8"))
    ]


def load_exhibit(exhibit: Exhibit) -> Comparison:
    """Read the runs of one exhibit."""
    runs = tuple(load_run(path) for path in exhibit.files)
    return Comparison(name=exhibit.title, runs=runs, note=exhibit.note)
