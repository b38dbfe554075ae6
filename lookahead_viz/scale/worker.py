"""A worker process of a sweep: ``python -m lookahead_viz.scale.worker``, JSON lines in and out.

The first line names the model, and how far its loading is is answered on the way; each further
line is a cell. It ends when its input does, so it
does not outlive a killed parent by more than one decoding. It is started by itself rather than
forked or by ``multiprocessing``, whose children would import the page that started them.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from lookahead_viz.scale.arithmetic import shape_if_dense
from lookahead_viz.scale.decode import decode_cell, model_digest
from lookahead_viz.scale.plan import Cell
from lookahead_viz.scale.sizes import Sizes
from lookahead_viz.scale.store import Store
from lookahead_viz.words import one_line


def serve(inputs: TextIO, outputs: TextIO) -> None:
    """Load the model that the first line names, then decode cell after cell."""

    def answer(**values: Any) -> None:
        outputs.write(json.dumps(values) + "\n")
        outputs.flush()

    first = json.loads(inputs.readline())
    try:
        from lookahead_viz.models.loading import load_model

        model = load_model(
            first["model"],
            first["device"],
            first["dtype"],
            first["attention"],
            on_progress=lambda stage, share: answer(loading=stage, share=share),
        )
        digest = model_digest(model)
    except Exception as error:
        answer(refused=one_line(error))
        return
    store = Store(Path(first["store"])) if first["store"] else None
    shape = shape_if_dense(model)
    answer(name=model.name, digest=digest, shape=asdict(shape) if shape else None)
    for line in inputs:
        row, cached = decode_cell(model, digest, cell_from(json.loads(line)), store)
        assert row is not None, "only a callback stops a decoding"
        answer(row=asdict(row), cached=cached)


def cell_to(cell: Cell) -> dict[str, Any]:
    """A cell as JSON values."""
    return asdict(cell)


def cell_from(values: dict[str, Any]) -> Cell:
    """The cell that ``cell_to`` wrote."""
    sizes = values["sizes"]
    return Cell(**{**values, "sizes": Sizes(**sizes) if sizes else None})


def main() -> None:
    """Serve on the process's own streams; what libraries print goes to stderr."""
    outputs = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        serve(sys.stdin, outputs)
    except (BrokenPipeError, KeyboardInterrupt):
        return  # nobody listens any more


if __name__ == "__main__":
    main()
