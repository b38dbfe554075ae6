"""Is the pool of a run the one that its passes fill? Used by ``validate``.

Every insertion follows from what a pass shows: the columns of a full window and its predictions,
the new text, the rejected iterates. So they are made again here and compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from lookahead_viz.config import LookaheadConfig, MultiblockJacobiConfig
from lookahead_viz.contradiction import require
from lookahead_viz.records import JacobiStep, LookaheadStep, PoolChange, Run, pool_changes_of

PoolConfig = LookaheadConfig | MultiblockJacobiConfig
Tokens = tuple[int, ...]
Insertion = tuple[str, Tokens]
"""The source of an n-gram and its N tokens."""


def check_pool(run: Run) -> None:
    """Raise ValueError unless candidates and pool changes are those of the run's own passes."""
    config = run.config
    if not isinstance(config, (LookaheadConfig, MultiblockJacobiConfig)):
        require(not run.prompt_pool_changes, "it has pool changes but its method has no pool")
        return
    pool: dict[int, list[Tokens]] = {}
    text = list(run.prompt_ids)
    seeded = isinstance(config, LookaheadConfig) and config.pool_from_prompt
    prompt = _endings("prompt", text, len(text) if seeded else 0, config)
    _fold(pool, run.prompt_pool_changes, prompt, "the prompt", config)
    before: JacobiStep | None = None
    for step in run.steps:
        where = f"step {step.index}"
        newest = pool.get(text[-1], [])[-config.max_candidates :] if config.max_candidates else []
        text += step.accepted
        if isinstance(step, LookaheadStep):
            assert isinstance(config, LookaheadConfig)
            seen = step.verification.candidates[: step.pool_candidates]
            inserted, verifies = _lookahead(step, text, config), _full(step, config)
        else:
            assert isinstance(step, JacobiStep) and step.verification is not None
            seen, inserted = step.verification.candidates, _recycled(step, before, config)
            verifies, before = True, step
        # near the position limit no candidates are taken up
        require(
            (not seen or verifies) and list(seen) in ([], newest),
            f"{where} verifies an n-gram that is not in the pool, or leaves out one that is",
        )
        _fold(pool, pool_changes_of(step), inserted, where, config)


def _full(step: LookaheadStep, config: LookaheadConfig) -> bool:
    """Is this the full window, not one that warms up or the current token alone?"""
    shape = (len(step.window), len(step.window[0]))
    if shape == (1, 1) == (config.ngram_size - 1, config.window_size):
        # the only window whose shape does not tell
        return any(change.source == "window" for change in step.pool_changes)
    return shape == (config.ngram_size - 1, config.window_size)


def _lookahead(
    step: LookaheadStep, text: Sequence[int], config: LookaheadConfig
) -> list[Insertion]:
    """The columns of a full window, then the n-grams that end in the new text."""
    found: list[Insertion] = []
    if _full(step, config):
        columns = zip(*step.window, step.last_row_predictions, strict=True)
        found = [("window", tuple(token or 0 for token in column)) for column in columns]
        key = _first_key(step, text, config)
        found[0] = ("window", (key, *found[0][1][1:]))
    count = len(step.accepted) if config.collects_text else 0
    return found + _endings("generated", text, count, config)


def _first_key(step: LookaheadStep, text: Sequence[int], config: LookaheadConfig) -> int:
    """The key of column 0; a stale one is a token that no slot shows: as it is recorded."""
    if config.column_key == "next":
        return text[-1]
    if config.column_key == "stale" and step.pool_changes:
        return step.pool_changes[0].key
    return step.window[0][0]


def _recycled(step: JacobiStep, before: JacobiStep | None, config: PoolConfig) -> list[Insertion]:
    """The n-grams of what this pass rejected of iterates that an earlier pass wrote."""
    blocks = (step.iterate[step.frozen_before :], *step.ahead)
    written = 0 if before is None else len(before.next_ahead) + (step.iteration > 0)
    rejected = tuple(chain.from_iterable(blocks[:written]))
    rejected = rejected[len(step.accepted) + len(step.discarded) :]
    return _endings("rejected", rejected, len(rejected), config)


def _endings(
    source: str, tokens: Sequence[int], count: int, config: PoolConfig
) -> list[Insertion]:
    """The n-grams of ``tokens`` that end in one of the last ``count``."""
    size = config.ngram_size
    ends = range(max(len(tokens) - count, size - 1) + 1, len(tokens) + 1)
    return [(source, tuple(tokens[end - size : end])) for end in ends]


def _fold(
    pool: dict[int, list[Tokens]],
    changes: Sequence[PoolChange],
    inserted: Sequence[Insertion],
    where: str,
    config: PoolConfig,
) -> None:
    """Make the insertions again, one after another; ``changes`` must say the same."""
    ring = isinstance(config, LookaheadConfig) and config.pool_policy == "ring"
    require(
        len(changes) == len(inserted),
        f"{where} records {len(changes)} insertions into the pool, but makes {len(inserted)}",
    )
    for change, (source, (key, *rest)) in zip(changes, inserted, strict=True):
        tail, ngrams = tuple(rest), pool.setdefault(key, [])
        kind, evicted = "added", None
        if tail in ngrams:
            kind = "ignored" if ring else "refreshed"
        elif len(ngrams) == config.pool_capacity:
            evicted = ngrams.pop(0)
        if kind == "refreshed":
            ngrams.remove(tail)
        if kind != "ignored":
            ngrams.append(tail)
        recorded = (change.source, change.key, change.ngram, change.kind, change.evicted)
        require(
            recorded == (source, key, tail, kind, evicted),
            f"{where} records another insertion into the pool than it makes",
        )
