"""How far loading a model is, and stopping it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any, TypeVar

T = TypeVar("T")

OnProgress = Callable[[str, float], object]
"""Called with what is being done and the share that is done, 0 to 1; returning False cancels."""

WEIGHTS = (0.1, 0.9)
"""The part of the way that reading the weights takes."""


class LoadingCancelled(Exception):
    """Whoever watched the loading asked to stop it."""


class Report:
    """Passes stages on to ``on_progress``, which may be None, and raises when it says stop."""

    def __init__(self, on_progress: OnProgress | None = None) -> None:
        self._on_progress = on_progress

    def __call__(self, stage: str, share: float) -> None:
        if self._on_progress is not None and self._on_progress(stage, share) is False:
            raise LoadingCancelled("loading was cancelled.")

    def bar(self, things: Iterable[T] = (), *_: Any, **__: Any) -> Iterator[T]:
        """Stands in for transformers' progress bar over the weights."""
        first, last = WEIGHTS
        total = len(things) if isinstance(things, Sized) else 0
        for number, thing in enumerate(things):
            self("Reading the weights", first + (last - first) * number / max(total, 1))
            yield thing
