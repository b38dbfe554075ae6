"""Is a lookahead pass consistent in itself: window, layout, verification? Used by ``validate``."""

from __future__ import annotations

from lookahead_viz.config import LookaheadConfig
from lookahead_viz.contradiction import require
from lookahead_viz.layout import guess_slots, pack, window_paths
from lookahead_viz.prefix import common_prefix
from lookahead_viz.records import LookaheadStep


def check_window(step: LookaheadStep, where: str, config: LookaheadConfig) -> None:
    """The window of warm-up, the full one, or near the position limit the current token alone."""
    rows, cols = len(step.window), len(step.window[0]) if step.window else 0
    expected = config.window_size + config.ngram_size - 1 - rows
    require(
        (rows, cols) == (1, 1) or (1 <= rows < config.ngram_size and cols == expected),
        f"the window of {where} has {rows} rows and {cols} columns, which W and N do not give",
    )
    require(
        {len(row) for row in step.window} == {cols}, f"the window of {where} is not a rectangle"
    )


def check_lookahead(
    step: LookaheadStep, where: str, text: list[int], config: LookaheadConfig
) -> None:
    rows, seen = step.window, step.verification
    require(rows[0][0] == text[-1], f"the window of {where} does not start at the current token")
    count = len(seen.candidates)
    require(
        [len(tokens) for tokens in seen.predictions] == [len(tokens) for tokens in seen.candidates]
        and len(seen.predictions) == len(seen.matched) == count
        and all(seen.candidates),
        f"the verification of {where} is ragged",
    )
    _check_places(step, where, config, position=len(text) - 1)
    require(
        all(
            0 <= matched <= len(candidate)
            for matched, candidate in zip(seen.matched, seen.candidates, strict=True)
        ),
        f"{where} matches more guesses than a candidate has",
    )
    best = seen.matched.index(max(seen.matched)) if count else None
    require(seen.winner == best, f"the winner of {where} is not the longest match")
    expected = step.predictions[0] if step.predictions else None
    proven = step.accepted + step.discarded
    if step.draws:
        guesses = seen.candidates[best][: seen.matched[best]] if best is not None else ()
        right = proven[:-1] == guesses
    else:
        right = expected is not None and seen.proven(expected) == proven
    require(right, f"{where} accepts other tokens than its verification proves")


def _check_places(
    step: LookaheadStep, where: str, config: LookaheadConfig, *, position: int
) -> None:
    """The candidates stand where the layout of the pool's ones and the window's paths put them."""
    seen = step.verification
    if seen.slots:
        require(
            [len(slots) for slots in seen.slots] == [len(tokens) for tokens in seen.candidates]
            and all(0 < slot < step.layout.slots for slots in seen.slots for slot in slots),
            f"the slots of the candidates of {where} are not those of its guesses",
        )
    pool = seen.candidates[: step.pool_candidates]
    require(
        {len(tokens) for tokens in pool} <= {config.ngram_size - 1},
        f"the verification of {where} is ragged",
    )
    require(len(pool) <= config.max_candidates, f"{where} verifies more than G candidates")
    merge = config.merge_candidates
    require(
        step.layout == pack(step.window, pool, position=position, merge=merge),
        f"the layout of {where} is not its window and candidates",
    )
    places = guess_slots(pool, step.window_slots, merge=merge)
    if config.verify_window and len(step.window) == config.ngram_size - 1:
        places += window_paths(step.window, config.ngram_size - 1)
    require(
        step.candidate_slots == places[: len(seen.candidates)]
        and (len(seen.candidates) == len(places)),
        f"the candidates of {where} are not those of its window and layout",
    )
    require(
        all(
            step.layout.token_ids[slot] == token
            for slots, tokens in zip(places, seen.candidates, strict=True)
            for slot, token in zip(slots, tokens, strict=True)
        ),
        f"the candidates of {where} are other tokens than its layout holds",
    )


def check_verification(step: LookaheadStep, where: str, config: LookaheadConfig) -> None:
    """Walk every candidate again, and find its predictions among those of the slots."""
    seen, places = step.verification, step.candidate_slots
    used = {0, *range(step.first_of_last_row, step.layout.slots)}.union(*places)
    found = {slot for slot, token in enumerate(step.predictions) if token is not None}
    require(found == used, f"{where} has predictions at other slots than those it uses")
    proven = step.accepted + step.discarded
    for number, (candidate, own) in enumerate(zip(seen.candidates, seen.predictions, strict=True)):
        require(
            tuple(step.predictions[slot] for slot in places[number]) == own,
            f"{where} has other predictions in its verification than at its slots",
        )
        wanted = proven[:-1] if step.draws else (step.predictions[0], *own)
        walked = common_prefix(candidate, wanted)
        require(
            seen.matched[number] == min(walked, config.most_matched),
            f"{where} counts a wrong matched length",
        )
    kept: tuple[int, ...] = (0,)
    if seen.winner is not None:
        kept = (0, *places[seen.winner][: len(step.accepted) - 1])
    require(step.kept_slots == kept, f"{where} keeps other slots than the accepted ones")
