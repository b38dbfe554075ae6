"""Loading a model for a command: one line says how far it is, and Ctrl-C what becomes of it."""

from __future__ import annotations

from typing import Any

from lookahead_viz.cli_inputs import with_names
from lookahead_viz.cli_progress import progress_line

PATIENCE = 30.0
"""Seconds: a loading that is over by then leaves no line in a log."""

GOES_ON = "stopped by user; the same command goes on downloading where it was"

_MOST_NAME = 32  # characters: 80 columns show how much is downloaded too


def load(name: str, *how: str, **over: Any) -> Any:
    """``load_model(name, ...)`` with its progress; a ``ValueError`` names the known models.

    Ctrl-C during a download says that it goes on where it was.
    """
    stage = ""
    with progress_line(f"Loading {_end(name)}", PATIENCE) as tell:
        from lookahead_viz.models.loading import load_model

        def show(said: str, share: float) -> None:
            nonlocal stage
            stage = said
            tell(said, share)

        try:
            return load_model(name, *how, **over, on_progress=show)
        except ValueError as error:
            raise ValueError(with_names(name, error)) from error
        except KeyboardInterrupt:
            raise stopped(stage) from None


def stopped(stage: str) -> KeyboardInterrupt:
    """What Ctrl-C becomes in this stage: in a download it has something to say."""
    return KeyboardInterrupt(*[GOES_ON] * ("Downloading: " in stage))


def _end(name: str) -> str:
    """The end of a long name says more than its beginning: paths."""
    return name if len(name) <= _MOST_NAME else f"…{name[1 - _MOST_NAME :]}"
