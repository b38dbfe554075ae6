"""What the metrics count: guesses that became text, ages of n-grams, looks into the pool.

Every kind of step will do. A pass has a candidate where something was verified: n-grams of the
pool or the window, a draft, recycled n-grams.
"""

from __future__ import annotations

from dataclasses import dataclass

from lookahead_viz.config import LookaheadConfig
from lookahead_viz.explain import phase
from lookahead_viz.multiblock import by_candidate
from lookahead_viz.records import (
    DraftStep,
    JacobiStep,
    LookaheadStep,
    Role,
    Run,
    Step,
    pool_changes_of,
    verification_of,
)


@dataclass(frozen=True)
class Position:
    """How far the passes with a candidate got: place ``number`` of the tokens of a pass."""

    number: int  # 1 .. N
    guesses: int  # passes that accepted a guess at this place
    tokens: int  # passes that accepted a token at this place, guess or the model's own
    passes: int  # with a candidate


def by_position(run: Run) -> tuple[Position, ...]:
    """For each place 1 .. N of an n-gram and its bonus: how many passes got so far."""
    checked = with_candidate(run)
    tokens = [len(step.accepted) for step in checked]
    guesses = [accepted_guesses(step) for step in checked]
    longest = max((len(one) for step in checked for one in candidates_of(step)), default=-1)
    return tuple(
        Position(
            number,
            sum(many >= number for many in guesses),
            sum(many >= number for many in tokens),
            len(checked),
        )
        for number in range(1, longest + 2)
    )


def guess_slots_fed(step: Step) -> int:
    """Slots that candidates stand in: merged ones share them, verified window cells count too."""
    seen = verification_of(step)
    if seen is not None and seen.slots:
        return len({slot for slots in seen.slots for slot in slots})
    return step.layout.roles.count(Role.GUESS)


def candidates_of(step: Step) -> tuple[tuple[int, ...], ...]:
    """What a pass verified."""
    seen = verification_of(step)
    return seen.candidates if seen else ()


def with_candidate(run: Run) -> list[Step]:
    """The passes that verified something."""
    return [step for step in run.steps if candidates_of(step)]


def accepted_guesses(step: Step) -> int:
    """How many accepted tokens of a pass were guesses of a candidate; the bonus is none.

    What a stop id or the length cut off is not accepted.
    """
    seen = verification_of(step)
    if seen is None or (isinstance(step, JacobiStep) and not by_candidate(step)):
        return 0
    return min(seen.longest, len(step.accepted))


def pool_hits(run: Run) -> tuple[int, int]:
    """Passes that found an n-gram for their current token in the pool, and passes that looked."""
    looked = [step for step in run.steps if _looked(run, step)]
    return sum(_found(step) for step in looked), len(looked)


def ngram_ages(run: Run) -> tuple[int, ...]:
    """Age of each n-gram of the pool whose guesses became text, in passes, in text order.

    Counted from the pass that added it; being inserted again does not make it younger. One from
    the prompt entered before the first pass, at "pass -1".
    """
    entered: dict[tuple[int, tuple[int, ...]], int] = {}
    for change in run.prompt_pool_changes:
        if change.kind == "added":
            entered[(change.key, change.ngram)] = -1
    ages = []
    for step in run.steps:
        winner = _winner_from_pool(step)
        if winner is not None:
            ages.append(step.index - entered[(step.layout.token_ids[0], winner)])
        for change in pool_changes_of(step):
            if change.kind == "added":
                entered[(change.key, change.ngram)] = step.index
    return tuple(ages)


def _looked(run: Run, step: Step) -> bool:
    """Did this pass look the current token up in the pool?"""
    if isinstance(step, LookaheadStep):
        assert isinstance(run.config, LookaheadConfig)
        full = phase(run, step.index) == "full"
        return run.config.max_candidates > 0 and (full or bool(step.verification.candidates))
    return isinstance(step, JacobiStep) and step.verification is not None


def _found(step: Step) -> bool:
    if isinstance(step, LookaheadStep):
        return step.pool_candidates > 0
    return bool(candidates_of(step))


def _winner_from_pool(step: Step) -> tuple[int, ...] | None:
    """The pool's n-gram that gave this pass its guesses."""
    seen = verification_of(step)
    if seen is None or seen.winner is None or isinstance(step, DraftStep):
        return None
    if not accepted_guesses(step):
        return None
    if isinstance(step, LookaheadStep):
        if step.candidate_slots[seen.winner][0] < step.window_slots:
            return None  # read from the window itself
    return seen.candidates[seen.winner]
