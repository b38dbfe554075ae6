"""A sweep: every cell of a plan decoded once, by worker processes or in this one.

What was decoded before, by this or another sweep, comes from the cache; so a sweep that was
cancelled or killed goes on where it was when it is started again.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lookahead_viz.records import Step
from lookahead_viz.scale.arithmetic import Shape, shape_if_dense
from lookahead_viz.scale.decode import decode_cell, model_digest
from lookahead_viz.scale.plan import Cell, Plan
from lookahead_viz.scale.processes import Worker, WorkerDied, most_workers
from lookahead_viz.scale.rows import SweepRow, failed_row
from lookahead_viz.scale.store import Store
from lookahead_viz.words import count

if TYPE_CHECKING:
    from lookahead_viz.engine.model import Model

_LOOK = 0.2  # seconds between two looks at whether to stop


@dataclass(frozen=True)
class SweepProgress:
    """How far a sweep is."""

    total: int
    done: int = 0
    cached: int = 0
    failed: int = 0
    loading: str = ""  # how far that is, while nothing is decoded yet

    @property
    def fraction(self) -> float:
        return self.done / self.total if self.total else 1.0

    @property
    def sentence(self) -> str:
        if self.loading:
            return f"Loading the model: {self.loading}"
        parts = [f"{self.done} of {count(self.total, 'decoding')}"]
        if self.cached:
            parts.append(f"{self.cached} from the cache")
        if self.failed:
            parts.append(f"{self.failed} failed")
        return ", ".join(parts)

    def with_row(self, row: SweepRow, cached: bool) -> SweepProgress:
        return replace(
            self,
            done=self.done + 1,
            cached=self.cached + cached,
            failed=self.failed + bool(row.error),
            loading="",
        )


OnProgress = Callable[[SweepProgress], object]
"""Called after each decoding and several times a second; returning False cancels."""


@dataclass(frozen=True)
class SweepResult:
    """The rows in the order of ``plan.cells``; those not reached are missing when cancelled."""

    rows: tuple[SweepRow, ...]
    cancelled: bool = False
    shape: Shape | None = None  # of the model, measured; None for a mixture of experts


def sweep(
    plan: Plan,
    *,
    workers: int | None = None,
    store: Store | None = None,
    on_progress: OnProgress | None = None,
    model: Model | None = None,
) -> SweepResult:
    """Decode every cell of ``plan``.

    ``workers`` processes with one thread each (None = one a core, never more), or, with a loaded
    ``model``, this process. ``store`` keeps rows for later sweeps (None = no cache). A decoding
    that fails becomes a row whose ``error`` says why; ValueError in one sentence when the model
    cannot be loaded at all.
    """
    report = on_progress or (lambda progress: None)
    if model is not None:
        return _sweep_here(plan, model, store, report)
    number = min(workers or most_workers(), most_workers(), len(plan.cells))
    return _Sweep(plan, store, max(number, 1)).run(report)


def _sweep_here(plan: Plan, model: Model, store: Store | None, report: OnProgress) -> SweepResult:
    digest = model_digest(model)
    rows: list[SweepRow] = []
    progress = SweepProgress(len(plan.cells))

    def goes_on(step: Step | None = None) -> bool:
        return report(progress) is not False

    for cell in plan.cells:
        if not goes_on():
            return SweepResult(tuple(rows), cancelled=True)
        row, cached = decode_cell(model, digest, cell, store, goes_on)
        if row is None:
            return SweepResult(tuple(rows), cancelled=True)
        rows.append(row)
        progress = progress.with_row(row, cached)
    report(progress)
    return SweepResult(tuple(rows), shape=shape_if_dense(model))


class _Sweep:
    """One sweep by processes: a thread drives each, all take cells from one queue."""

    def __init__(self, plan: Plan, store: Store | None, workers: int) -> None:
        self._plan = plan
        self._store = store.folder if store is not None else None
        self._cells: queue.SimpleQueue[tuple[int, Cell]] = queue.SimpleQueue()
        for item in enumerate(plan.cells):
            self._cells.put(item)
        self._rows: queue.SimpleQueue[tuple[int, SweepRow, bool] | Exception] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._alive: list[Worker] = []
        self._furthest = ("", 0.0)  # the stage of the loading, and its share
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._drive, name="sweep", daemon=True) for _ in range(workers)
        ]

    def run(self, report: OnProgress) -> SweepResult:
        """Collect rows until all are there, one thing is fatal, or ``report`` says False."""
        found: dict[int, SweepRow] = {}
        progress = SweepProgress(len(self._plan.cells))
        try:
            for thread in self._threads:
                thread.start()
            while len(found) < progress.total:
                if not found:
                    progress = replace(progress, loading=self._loading())
                if report(progress) is False:
                    return SweepResult(_in_order(found), cancelled=True)
                try:
                    item = self._rows.get(timeout=_LOOK)
                except queue.Empty:
                    continue
                if isinstance(item, Exception):
                    raise item
                index, row, cached = item
                found[index] = row
                progress = progress.with_row(row, cached)
            report(progress)
            shape = next((worker.shape for worker in self._alive if worker.shape), None)
            return SweepResult(_in_order(found), shape=shape)
        finally:
            self._end()

    def _drive(self) -> None:
        worker: Worker | None = None
        try:
            while not self._stop.is_set():
                try:
                    index, cell = self._cells.get_nowait()
                except queue.Empty:
                    return
                try:
                    worker = worker or self._started()
                    row, cached = worker.decode(cell)
                except WorkerDied as death:
                    name, digest = (worker.name, worker.digest) if worker else ("", "")
                    row, cached = failed_row(cell, name, digest, str(death)), False
                    worker = None
                self._rows.put((index, row, cached))
        except Exception as error:  # without a model there are no rows at all
            self._rows.put(error)

    def _started(self) -> Worker:
        with self._lock:
            if self._stop.is_set():
                raise WorkerDied("the sweep was cancelled.")
            worker = Worker(self._plan, self._store)
            self._alive.append(worker)
        try:
            worker.load(self._hear)
        except WorkerDied as death:
            raise RuntimeError(f"{self._plan.model!r} could not be loaded: {death}") from death
        return worker

    def _hear(self, stage: str, share: float) -> None:
        """Of the workers that load the model, the one that is furthest is shown."""
        if share >= self._furthest[1]:
            self._furthest = (stage, share)

    def _loading(self) -> str:
        stage, share = self._furthest
        return f"{stage} ({share:.0%})" if stage else ""

    def _end(self) -> None:
        """Stop everything; a decoding in progress is lost, those before are in the cache."""
        self._stop.set()
        with self._lock:
            for worker in self._alive:
                worker.kill()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()


def _in_order(found: dict[int, SweepRow]) -> tuple[SweepRow, ...]:
    return tuple(found[index] for index in sorted(found))


def identical_to_greedy(rows: Sequence[SweepRow]) -> tuple[int, int]:
    """How many lookahead rows wrote greedy's text for their prompt, of how many comparable."""
    greedy = {
        (row.model_digest, row.prompt, row.max_new_tokens): row.text
        for row in rows
        if row.method == "greedy" and not row.error
    }
    compared = [
        row.text == greedy[key]
        for row in rows
        if row.method != "greedy"
        and not row.error
        and (key := (row.model_digest, row.prompt, row.max_new_tokens)) in greedy
    ]
    return sum(compared), len(compared)
