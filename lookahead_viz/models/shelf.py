"""Loaded models, shared and bounded: the one that was used longest ago is released first."""

from __future__ import annotations

import gc
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from lookahead_viz.models.progress import OnProgress, Report

M = TypeVar("M")


class Shelf(Generic[M]):
    """At most ``limit`` models by name; ``load(name, on_progress)`` brings one that is not there.

    Whoever wants a model that is just being loaded waits for that one; others are not kept by it.
    A model that cannot be loaded leaves the others where they are.
    """

    def __init__(self, load: Callable[[str, OnProgress | None], M], limit: int = 2) -> None:
        self._load = load
        self._limit = limit
        self._models: OrderedDict[str, M] = OrderedDict()  # the latest use last
        self._loading: dict[str, threading.Lock] = {}  # by name
        self._changing = threading.Lock()

    @property
    def names(self) -> tuple[str, ...]:
        """What is here, the one used longest ago first."""
        with self._changing:
            return tuple(self._models)

    def peek(self, name: str) -> M | None:
        """The model if it is here; no use of it, nothing is loaded."""
        with self._changing:
            return self._models.get(name)

    def get(self, name: str, on_progress: OnProgress | None = None) -> M:
        """The model of that name, loaded if need be; whatever ``load`` raises is raised.

        ``LoadingCancelled`` when ``on_progress`` says so, also while another thread loads it.
        """
        found = self._taken(name)
        if found is not None:
            return found
        with self._changing:
            loading = self._loading.setdefault(name, threading.Lock())
        with Report(on_progress).turn(loading):
            found = self._taken(name)  # another thread may have brought it meanwhile
            if found is None:
                found = self._load(name, on_progress)
                self._put(name, found)
        return found

    def _taken(self, name: str) -> M | None:
        with self._changing:
            if name in self._models:
                self._models.move_to_end(name)
            return self._models.get(name)

    def _put(self, name: str, model: M) -> None:
        with self._changing:
            self._models[name] = model
            released = len(self._models) > self._limit
            while len(self._models) > self._limit:
                self._models.popitem(last=False)
        if released:
            gc.collect()  # networks hold themselves in cycles
