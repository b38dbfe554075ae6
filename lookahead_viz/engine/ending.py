"""Where a run ends: at a stop id, or at the asked number of new tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Cut(NamedTuple):
    """The tokens of one pass that are emitted, those cut off, and whether the run ends here."""

    accepted: tuple[int, ...]
    discarded: tuple[int, ...]
    ends: bool  # by a stop id or by length
    stopped: bool  # by a stop id


def cut(proven: Sequence[int], *, room: int, stop_ids: frozenset[int]) -> Cut:
    """Emit ``proven`` up to the first stop id (included) and at most ``room`` tokens."""
    size = min(len(proven), room)
    stop = next((i for i, token in enumerate(proven[:size]) if token in stop_ids), None)
    if stop is not None:
        size = stop + 1
    return Cut(
        accepted=tuple(proven[:size]),
        discarded=tuple(proven[size:]),
        ends=stop is not None or size == room,
        stopped=stop is not None,
    )
