"""One decoding of a sweep, in whatever process: from the cache, or decoded and kept there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from lookahead_viz.records import STOPPED, Step
from lookahead_viz.scale.plan import Cell
from lookahead_viz.scale.rows import SweepRow, failed_row, row_of
from lookahead_viz.scale.store import Store
from lookahead_viz.words import one_line

if TYPE_CHECKING:
    from lookahead_viz.engine.model import Model


def decode_cell(
    model: Model,
    digest: str,
    cell: Cell,
    store: Store | None,
    on_step: Callable[[Step], bool] | None = None,
) -> tuple[SweepRow | None, bool]:
    """The row of ``cell`` and whether it came from ``store``; None when it was stopped.

    Whatever fails becomes a row with one sentence. Failed rows are not kept: the next sweep tries
    again.
    """
    from lookahead_viz.engine.recording import checked_prompt, record

    try:
        config = cell.config()
        prompt_ids = checked_prompt(model, cell.prompt, config)
        key = cell.key(digest, prompt_ids)
        kept = store.get(key) if store is not None else None
        if kept is not None:  # the same content may have had other names
            return replace(kept, model=model.name, prompt=cell.prompt_name), True
        run = record(model, prompt_ids, config, on_step)
    except Exception as error:  # one bad cell must not lose the others
        return failed_row(cell, model.name, digest, one_line(error)), False
    if run.finish_reason == STOPPED:
        return None, False
    row = row_of(run, cell, digest)
    if store is not None and not row.error:
        store.put(key, row)
    return row, False


def model_digest(model: Model) -> str:
    """12 hex digits of the SHA-256 of weights, architecture, number format and attention."""
    import torch

    network = model.network
    settings = network.config.to_dict()
    for name in ("_name_or_path", "transformers_version", "architectures", "dtype"):
        settings.pop(name, None)
    found = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode())
    found.update(f"{model.info.dtype} {model.info.attention} {network.device.type}".encode())
    for name, weights in sorted(network.state_dict().items()):
        found.update(f"{name} {tuple(weights.shape)}".encode())
        raw = weights.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
        found.update(memoryview(raw.numpy()))
    return found.hexdigest()[:12]
