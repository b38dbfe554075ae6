"""Which token ids occur in a run: the text of each is in it, and no picture needs another."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from lookahead_viz.records import JacobiStep, Step, pool_changes_of


def occurring_ids(prompt_ids: Iterable[int], recorded: Iterable[Step]) -> set[int]:
    """Every token id that any picture of these passes can show."""
    found = set(prompt_ids)
    for step in recorded:
        found.update(step.layout.token_ids)
        found.update(token for token in step.predictions if token is not None)
        found.update(chain.from_iterable(entry.ids for entry in step.top_k))
        found.update(step.accepted, step.discarded)  # drawn tokens need not be predicted ones
        if isinstance(step, JacobiStep):
            found.update(step.iterate, step.next_iterate, *step.ahead, *step.next_ahead)
        for change in pool_changes_of(step):
            found.update((change.key, *change.ngram))
    return found
