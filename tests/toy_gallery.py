"""A gallery of toy runs on disk, as the app opens it: recorded without a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lookahead_viz.comparison import run_label
from lookahead_viz.records import Run
from lookahead_viz.run_io import save_run
from tests.toy_runs import toy_run

NAMES = ("code", "story", "hostile")


def write_gallery(folder: Path) -> Path:
    """Write ``toy/<name>`` for each of ``NAMES`` and ``gallery.json``; returns ``folder``."""
    entries = []
    for name in NAMES:
        runs = [
            toy_run("greedy", text=name),
            toy_run("jacobi", text=name, block_size=8),
            toy_run("lookahead", text=name),
            toy_run("lookahead", text=name, window_size=8, ngram_size=3, max_candidates=6),
        ]
        home = folder / "toy" / name
        home.mkdir(parents=True)
        files = [f"{number}.json.gz" for number in range(len(runs))]
        assert len({run_label(run) for run in runs}) == len(runs)
        for run, file in zip(runs, files, strict=True):
            save_run(run, home / file)
        note = "A model that knows one text by heart."
        entries.append(
            {"key": f"toy/{name}", "title": f"Toy: {name}", "note": note, "runs": files}
        )
    (folder / "gallery.json").write_text(json.dumps(entries), encoding="utf-8")
    return folder


def add_exhibit(folder: Path, name: str, runs: Sequence[Run]) -> None:
    """One more comparison, ``toy/<name>``, in a gallery that is there already."""
    home = folder / "toy" / name
    home.mkdir(parents=True)
    files = [f"{number}.json.gz" for number in range(len(runs))]
    for run, file in zip(runs, files, strict=True):
        save_run(run, home / file)
    index = folder / "gallery.json"
    entry = {"key": f"toy/{name}", "title": f"Toy: {name}", "note": "", "runs": files}
    index.write_text(json.dumps([*json.loads(index.read_text()), entry]), encoding="utf-8")


def menu(at: Any) -> Any:
    """The menu of comparisons of an ``AppTest``: a new widget whenever the session chose."""
    return next(one for one in at.selectbox if one.label == "Comparison")
