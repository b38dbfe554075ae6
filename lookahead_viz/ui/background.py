"""Long computations of a session in threads of their own: progress, cancel flag, end."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from lookahead_viz.words import one_line

logger = logging.getLogger(__name__)

Result = TypeVar("Result")
Report = Callable[[float, str], bool]
"""Called with the share done and a sentence; False says: stop."""


class InThread:
    """Work that begins at once in a thread of its own. ``error`` is one sentence, or None.

    ``name`` calls the thread, ``failing`` begins the sentence of an unexpected failure.
    """

    def __init__(self, work: Callable[[], None], name: str, failing: str) -> None:
        self.error: str | None = None
        self._failing = failing
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._guarded, args=(work,), name=name, daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    @property
    def stopping(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        """Ask for an end; the work notices at its next report."""
        self._stop.set()

    def join(self, timeout: float | None = None) -> None:
        self._thread.join(timeout)

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except (ValueError, RuntimeError, OSError, ImportError) as error:
            logger.info("%s ended: %s", self._thread.name, error)
            self.error = self._said(one_line(error))
        except Exception as error:
            logger.exception("%s failed", self._thread.name)
            said = f"{self._failing} failed ({type(error).__name__}): {one_line(error)}"
            self.error = self._said(said)

    def _said(self, failure: str) -> str:
        """The sentence of a failure; a kind of work may add which part of it failed."""
        return failure


class Background(InThread, Generic[Result]):
    """Runs ``work(report)`` once; ``result`` when it ended.

    ``asked`` holds the inputs of the form that began it, to be compared with ``==``: what a
    computation says of its inputs is said of no others.
    """

    def __init__(self, work: Callable[[Report], Result], asked: object) -> None:
        self.result: Result | None = None
        self.asked = asked
        self.share, self.sentence = 0.0, "Starting …"
        super().__init__(partial(self._run, work), "background", "This")

    def _run(self, work: Callable[[Report], Result]) -> None:
        self.result = work(self._report)

    def _report(self, share: float, sentence: str) -> bool:
        self.share, self.sentence = min(max(share, 0.0), 1.0), sentence
        return not self.stopping
