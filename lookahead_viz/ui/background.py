"""One long computation of a session in its own thread: its progress, its cancel flag, its end."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from lookahead_viz.words import one_line

logger = logging.getLogger(__name__)

Result = TypeVar("Result")
Report = Callable[[float, str], bool]
"""Called with the share done and a sentence; False says: stop."""


class Background(Generic[Result]):
    """Runs ``work(report)`` once. ``error`` is one sentence, or None; ``result`` when it ended."""

    def __init__(self, work: Callable[[Report], Result]) -> None:
        self.error: str | None = None
        self.result: Result | None = None
        self.share, self.sentence = 0.0, "Starting …"
        self._stop = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(work,), name="background", daemon=True
        )
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

    def _run(self, work: Callable[[Report], Result]) -> None:
        try:
            self.result = work(self._report)
        except (ValueError, RuntimeError, OSError, ImportError) as error:
            logger.info("a computation ended: %s", error)
            self.error = one_line(error)
        except Exception as error:
            logger.exception("a computation failed")
            self.error = f"This failed ({type(error).__name__}): {one_line(error)}"

    def _report(self, share: float, sentence: str) -> bool:
        self.share, self.sentence = min(max(share, 0.0), 1.0), sentence
        return not self._stop.is_set()
