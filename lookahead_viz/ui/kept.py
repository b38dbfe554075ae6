"""What is made of an object once, for all sessions, and kept as long as the object lives."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from itertools import count
from typing import Generic, TypeVar

Source = TypeVar("Source")
Made = TypeVar("Made")


class Kept(Generic[Source, Made]):
    """``make(source)``, made once for every ``source`` and forgotten with it.

    Sources are told apart by identity: comparing whole runs would take longer than packing one.
    """

    def __init__(self, make: Callable[[Source], Made]) -> None:
        self._make = make
        self._kept: dict[int, tuple[str, Made]] = {}
        self._lock = threading.Lock()
        self._numbers = count()

    def of(self, source: Source) -> tuple[str, Made]:
        """A name that no other source has or had, and what was made of ``source``."""
        with self._lock:
            known = self._kept.get(id(source))
            if known is None:
                known = (str(next(self._numbers)), self._make(source))
                forget = weakref.finalize(source, self._kept.pop, id(source), None)
                forget.atexit = False
                self._kept[id(source)] = known
            return known

    def __len__(self) -> int:
        return len(self._kept)
