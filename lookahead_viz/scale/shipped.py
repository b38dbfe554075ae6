"""The sweeps and measurements that ship with the project, so that the page opens full."""

from __future__ import annotations

import logging
from pathlib import Path

from lookahead_viz.scale.arithmetic import shape_of
from lookahead_viz.scale.latency import Latency, read_latency
from lookahead_viz.scale.rows import SweepRow, read_rows

logger = logging.getLogger(__name__)

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "scale"


def sweeps(folder: Path | None = None) -> dict[str, tuple[SweepRow, ...]]:
    """The rows of each shipped sweep by its model's name, the smallest model first."""
    found = {}
    for path in sorted((folder or FOLDER).glob("sweep_*.csv")):
        try:
            rows = read_rows(path)
        except ValueError as error:
            logger.warning("a shipped sweep is damaged: %s", error)
            continue
        if rows:
            found[rows[0].model] = rows
    return dict(sorted(found.items(), key=lambda item: _parameters(item[0])))


def _parameters(name: str) -> float:
    shape = shape_of(name)
    return float("inf") if shape is None else shape.parameters


def latencies(folder: Path | None = None) -> tuple[Latency, ...]:
    """Every shipped measurement: CPUs, and GPUs where ``benchmarks/gpu.sh`` has run."""
    found = []
    for path in sorted((folder or FOLDER).glob("latency_*.json")):
        try:
            found.append(read_latency(path))
        except ValueError as error:
            logger.warning("a shipped measurement is damaged: %s", error)
    return tuple(found)


def is_gpu(latency: Latency) -> bool:
    """Was this measured on a GPU?"""
    return str(latency.machine.get("device", "")).startswith(("cuda", "mps"))
