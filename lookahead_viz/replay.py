"""Reading a run at one step: its mask, the reasons, the pool, the text.

Step indexes may be negative, as in a list.
"""

from __future__ import annotations

from collections.abc import Iterable

from lookahead_viz import visibility
from lookahead_viz.records import PoolChange, Run, Step, join_text, pool_changes_of
from lookahead_viz.words import count

Pool = dict[int, tuple[tuple[int, ...], ...]]
"""Key -> its n-grams without the key, oldest first."""


def step_at(run: Run, index: int) -> Step:
    """Step ``index`` of ``run``; IndexError in one sentence when there is none."""
    if not -len(run.steps) <= index < len(run.steps):
        there = count(len(run.steps), "step")
        raise IndexError(f"step {index} does not exist: this run has {there}.")
    return run.steps[index]


def mask_at(run: Run, index: int) -> visibility.BoolMatrix:
    """The mask of step ``index``; bool [S, S], True = may attend."""
    return visibility.mask(step_at(run, index).layout)


def reasons_at(run: Run, index: int) -> tuple[tuple[str, ...], ...]:
    """Why each mask cell of step ``index`` is on or off, [S][S] (see ``visibility.reasons``)."""
    return visibility.reasons(step_at(run, index).layout)


def mask_proved(run: Run, index: int) -> bool:
    """Is the mask drawn for step ``index`` the one that was handed to the model?"""
    step = step_at(run, index)
    return visibility.mask_digest(step.layout) == step.mask_sha256


def fold_pool(changes: Iterable[PoolChange]) -> Pool:
    """The pool after ``changes``, applied in order to an empty one."""
    pool: dict[int, list[tuple[int, ...]]] = {}
    for change in changes:
        ngrams = pool.setdefault(change.key, [])
        if change.kind == "ignored":
            continue
        if change.kind == "refreshed":
            ngrams.remove(change.ngram)
        elif change.evicted is not None:
            ngrams.remove(change.evicted)
        ngrams.append(change.ngram)
    return {key: tuple(ngrams) for key, ngrams in pool.items()}


def changes_before(run: Run, index: int) -> list[PoolChange]:
    """Every pool change up to, not including, those of step ``index``, in order."""
    step_at(run, index)
    changes = list(run.prompt_pool_changes)
    for step in run.steps[: index % len(run.steps)]:
        changes += pool_changes_of(step)
    return changes


def pool_at(run: Run, index: int) -> Pool:
    """The pool as step ``index`` looked into it: before that step's own inserts."""
    return fold_pool(changes_before(run, index))


def text_at(run: Run, index: int) -> str:
    """The emitted text after step ``index``, without the prompt."""
    step_at(run, index)
    steps = run.steps[: index % len(run.steps) + 1]
    return join_text(run.token_text, tuple(token for step in steps for token in step.accepted))
