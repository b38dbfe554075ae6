"""The parent's side of a sweep's worker processes: start, ask, kill."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from lookahead_viz.scale.arithmetic import Shape
from lookahead_viz.scale.plan import Cell, Plan
from lookahead_viz.scale.rows import SweepRow, row_from
from lookahead_viz.scale.worker import cell_to

ROOT = Path(__file__).resolve().parents[2]
ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class WorkerDied(RuntimeError):
    """The process ended without an answer; the message is one sentence."""


class Worker:
    """One process that decodes with one thread. ValueError when the model is refused."""

    def __init__(self, plan: Plan, store: Path | None) -> None:
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lookahead_viz.scale.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | dict.fromkeys(ONE_THREAD, "1") | {"PYTHONPATH": path},
            text=True,
            encoding="utf-8",
        )
        self._first = {
            "model": plan.model,
            "device": plan.device,
            "dtype": plan.dtype,
            "attention": plan.attention,
            "store": str(store) if store else None,
        }
        self.name = plan.model
        self.digest = ""
        self.shape: Shape | None = None

    def load(self, told: Callable[[str, float], object] = lambda stage, share: None) -> None:
        """Wait until the model is loaded; ValueError in one sentence when it is refused.

        ``told(stage, share)`` is called on the way.
        """
        said = self._ask(self._first)
        while "loading" in said:
            told(said["loading"], said["share"])
            said = self._answer()
        if "refused" in said:
            self.kill()
            raise ValueError(said["refused"])
        self.name, self.digest = said["name"], said["digest"]
        self.shape = Shape(**said["shape"]) if said["shape"] else None

    def decode(self, cell: Cell) -> tuple[SweepRow, bool]:
        """The row of ``cell`` and whether it came from the cache; ``WorkerDied``."""
        said = self._ask(cell_to(cell))
        return row_from(said["row"]), bool(said["cached"])

    def kill(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        inputs = self._process.stdin
        assert inputs is not None
        with suppress(OSError):  # it has ended: then it does not answer either
            inputs.write(json.dumps(question) + "\n")
            inputs.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        outputs = self._process.stdout
        assert outputs is not None
        try:
            line = outputs.readline()
        except OSError:
            line = ""
        if not line:
            code = self._process.wait()
            raise WorkerDied(f"its worker process ended (exit code {code}), perhaps for memory.")
        answer: dict[str, Any] = json.loads(line)
        return answer


def most_workers() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
