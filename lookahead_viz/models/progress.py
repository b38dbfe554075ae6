"""How far loading a model is, and stopping it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

OnProgress = Callable[[str, float], object]
"""Called with what is being done and the share that is done, 0 to 1; returning False cancels."""

WEIGHTS = (0.1, 0.9)
"""The part of the way that reading the weights takes."""


class Lock(Protocol):
    """A lock of ``threading``."""

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool: ...

    def release(self) -> None: ...


class LoadingCancelled(Exception):
    """Whoever watched the loading asked to stop it."""


class Report:
    """Passes stages on to ``on_progress``, which may be None, and raises when it says stop."""

    def __init__(self, on_progress: OnProgress | None = None) -> None:
        self._on_progress = on_progress
        self._behind = 0.0

    def __call__(self, stage: str, share: float) -> None:
        share = self._behind + (1 - self._behind) * share
        if self._on_progress is not None and self._on_progress(stage, share) is False:
            raise LoadingCancelled("loading was cancelled.")

    def rest(self, behind: float) -> None:
        """What is reported from now on, 0 to 1, is the way from ``behind`` to the end."""
        self._behind = behind

    @contextmanager
    def turn(self, lock: Lock) -> Iterator[None]:
        """Holds ``lock``; while another thread has it, this says so and can be cancelled."""
        while not lock.acquire(timeout=0.2):
            self("Waiting until another model is loaded", 0.0)
        try:
            yield
        finally:
            lock.release()

    def bar(self, things: Iterable[T] = (), *_: Any, **__: Any) -> Iterator[T]:
        """Stands in for transformers' progress bar over the weights."""
        first, last = WEIGHTS
        total = len(things) if isinstance(things, Sized) else 0
        for number, thing in enumerate(things):
            self("Reading the weights", first + (last - first) * number / max(total, 1))
            yield thing
