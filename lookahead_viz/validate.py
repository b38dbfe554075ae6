"""Is a run consistent in itself? What reading a file checks beyond types.

Every ``ValueError`` is one sentence that names the step and the field.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain

from lookahead_viz.config import (
    Config,
    GreedyConfig,
    LookaheadConfig,
    MultiblockJacobiConfig,
    PromptLookupConfig,
    SpeculativeConfig,
    SpeculativeJacobiConfig,
)
from lookahead_viz.contradiction import require as _require
from lookahead_viz.draws import draws_fault
from lookahead_viz.layout import guess_slots, pack, window_paths
from lookahead_viz.prefix import common_prefix
from lookahead_viz.records import (
    STOPPED,
    DraftStep,
    GreedyStep,
    JacobiStep,
    LookaheadStep,
    Run,
    Step,
)
from lookahead_viz.validate_drafts import (
    check_draft,
    check_draft_model,
    check_drafted_block,
    check_multiblock,
    check_sampled_jacobi,
)
from lookahead_viz.validate_pool import check_pool


def check_run(run: Run) -> None:
    """Raise ValueError when two parts of ``run`` contradict each other."""
    _require(run.method == run.config.method, "its config belongs to another method")
    _require(bool(run.prompt_ids), "its prompt is empty")
    _require(_known(run.prompt_ids, run), "its prompt has a token id that the model does not know")
    known = run.ended or run.failure is not None or run.finish_reason == STOPPED
    _require(known, "its finish_reason is unknown")
    text = list(run.prompt_ids)
    block_start, room = len(text), run.config.max_new_tokens
    before: JacobiStep | None = None
    for index, step in enumerate(run.steps):
        where = f"step {index}"
        _require(step.index == index, f"{where} calls itself step {step.index}")
        _check_pass(step, where)
        fault = draws_fault(step, run.config)
        _require(fault is None, f"{where} {fault}")
        if isinstance(step, JacobiStep):
            _check_block(step, before, where)
            check_drafted_block(step, where, run.config)
            if step.iteration == 0:
                block_start = len(text)
                room = run.config.max_new_tokens - (len(text) - len(run.prompt_ids))
            if isinstance(run.config, MultiblockJacobiConfig):
                check_multiblock(step, before, where, text, run.config)
            else:
                _check_size(step, where, run.config, room)
                _check_jacobi(step, where, text[:block_start], run.stop_ids)
            if isinstance(run.config, SpeculativeJacobiConfig):
                check_sampled_jacobi(step, where, run.config)
            before = step
        elif isinstance(step, DraftStep):
            assert isinstance(run.config, (SpeculativeConfig, PromptLookupConfig))
            check_draft(step, where, text, run.config)
        elif isinstance(step, LookaheadStep):
            assert isinstance(run.config, LookaheadConfig)
            _check_window(step, where, run.config)
            _check_lookahead(step, where, text, run.config)
            _check_verification(step, where, run.config)
        else:
            assert isinstance(step, GreedyStep)
            _check_greedy(step, where, text)
        _check_ids(step, where, run)
        text += step.accepted
    _require(
        len(text) - len(run.prompt_ids) <= run.config.max_new_tokens,
        "more tokens are accepted than max_new_tokens allows",
    )
    if run.finish_reason == "stop":
        _require(text[-1] in run.stop_ids, "it says that a stop id ended it, but none did")
    if run.finish_reason == "length":
        new = len(text) - len(run.prompt_ids)
        _require(new == run.config.max_new_tokens, "it says that it is complete, but it is not")
    _check_stop_ids(run, text[len(run.prompt_ids) :])
    check_draft_model(run)
    check_pool(run)


def _known(tokens: Iterable[int | None], run: Run) -> bool:
    """Are these ids of the model's vocabulary (None: no id)?"""
    size = run.model.vocab_size or math.inf  # 0: nobody said
    return all(token is None or 0 <= token < size for token in tokens)


def _check_stop_ids(run: Run, new: Sequence[int]) -> None:
    """They are those of the config, where it names any, and none of them is passed over."""
    _require(_known(run.stop_ids, run), "a stop id is a token id that the model does not know")
    if run.config.stop_ids is not None:
        _require(
            set(run.stop_ids) == set(run.config.stop_ids), "its stop ids are not its config's"
        )
    _require(not set(new[:-1]) & set(run.stop_ids), "its text goes on behind a stop id")


def _check_ids(step: Step, where: str, run: Run) -> None:
    shown = (*step.layout.token_ids, *step.predictions, *step.accepted, *step.discarded)
    _require(
        _known(chain(shown, *(entry.ids for entry in step.top_k)), run),
        f"{where} has a token id that the model does not know",
    )


def _check_pass(step: Step, where: str) -> None:
    slots = step.layout.slots
    found = len(step.predictions)
    _require(found == slots, f"{where} has {found} predictions for {slots} slots")
    _require(bool(step.accepted), f"{where} accepts no token")
    _require(len(step.gap) == len(step.accepted), f"{where} has more or fewer gaps than tokens")
    _require(
        all(0 <= slot < slots for slot in step.kept_slots),
        f"{where} keeps a slot that does not exist",
    )
    _require(min(step.gap) >= 0, f"{where} has a negative gap")
    _require(min(step.forward_ms, step.step_ms) >= 0, f"{where} took less than no time")
    for entry in step.top_k:
        _require(
            0 <= entry.slot < slots, f"{where} has alternatives for a slot that does not exist"
        )
        _require(
            len(entry.ids) == len(entry.probabilities),
            f"{where} has alternatives without probabilities",
        )
        _require(
            all(0 <= chance <= 1 for chance in entry.probabilities),
            f"{where} has an alternative with an impossible probability",
        )


def _check_greedy(step: GreedyStep, where: str, text: list[int]) -> None:
    _require(
        step.layout == pack([[text[-1]]], position=len(text) - 1),
        f"the layout of {where} is not the current token alone",
    )
    _require(step.kept_slots == (0,), f"{where} keeps other slots than the current token's")
    if not step.draws:
        _require(
            step.accepted == step.predictions, f"{where} accepts another token than predicted"
        )


def _check_block(step: JacobiStep, before: JacobiStep | None, where: str) -> None:
    """A pass continues the block of the pass before it, or begins the next block."""
    if before is None or before.frozen == len(before.next_iterate):
        expected = (0 if before is None else before.block + 1, 0)
    else:
        expected = (before.block, before.iteration + 1)
        _require(step.iterate == before.next_iterate, f"{where} begins with another iterate")
        _require(step.frozen > before.frozen, f"{where} freezes no further token")
    _require((step.block, step.iteration) == expected, f"{where} is out of its block's order")


def _check_size(step: JacobiStep, where: str, config: Config, room: int) -> None:
    """A block has n tokens, or what remained of ``max_new_tokens`` where it began."""
    assert not isinstance(config, (GreedyConfig, LookaheadConfig))
    assert not isinstance(config, (SpeculativeConfig, PromptLookupConfig))
    _require(
        len(step.iterate) == min(config.block_size, room),
        f"the block of {where} has another size than its settings give",
    )


def _check_jacobi(
    step: JacobiStep, where: str, context: Sequence[int], stops: Sequence[int]
) -> None:
    """``context`` is the text before the block."""
    size = len(step.iterate)
    _require(len(step.next_iterate) == size > 0, f"the iterates of {where} differ in length")
    _require(
        step.layout == pack([(context[-1], *step.iterate[:-1])], position=len(context) - 1),
        f"the layout of {where} is not its block",
    )
    _require(
        bool(step.draws) or step.predictions == step.next_iterate,
        f"{where} has predictions that are not its next iterate",
    )
    proven = step.accepted + step.discarded
    _require(0 < step.frozen <= size, f"{where} freezes more tokens than its block has")
    _require(
        step.next_iterate[step.frozen - len(proven) : step.frozen] == proven,
        f"{where} accepts other tokens than it froze",
    )
    if not step.draws:
        same = common_prefix(step.iterate, step.next_iterate)
        _require(
            step.frozen == min(size, same + 1), f"{where} freezes other tokens than are proven"
        )
    whole = step.frozen == size and not step.discarded and step.accepted[-1] not in stops
    _require(
        step.kept_slots == (tuple(range(size)) if whole else ()),
        f"{where} keeps other slots than a solved block's",
    )


def _check_window(step: LookaheadStep, where: str, config: LookaheadConfig) -> None:
    """The window of warm-up, the full one, or near the position limit the current token alone."""
    rows, cols = len(step.window), len(step.window[0]) if step.window else 0
    expected = config.window_size + config.ngram_size - 1 - rows
    _require(
        (rows, cols) == (1, 1) or (1 <= rows < config.ngram_size and cols == expected),
        f"the window of {where} has {rows} rows and {cols} columns, which W and N do not give",
    )
    _require(
        {len(row) for row in step.window} == {cols}, f"the window of {where} is not a rectangle"
    )


def _check_verification(step: LookaheadStep, where: str, config: LookaheadConfig) -> None:
    """Walk every candidate again, and find its predictions among those of the slots."""
    seen, places = step.verification, step.candidate_slots
    used = {0, *range(step.first_of_last_row, step.layout.slots)}.union(*places)
    found = {slot for slot, token in enumerate(step.predictions) if token is not None}
    _require(found == used, f"{where} has predictions at other slots than those it uses")
    proven = step.accepted + step.discarded
    for number, (candidate, own) in enumerate(zip(seen.candidates, seen.predictions, strict=True)):
        _require(
            tuple(step.predictions[slot] for slot in places[number]) == own,
            f"{where} has other predictions in its verification than at its slots",
        )
        wanted = proven[:-1] if step.draws else (step.predictions[0], *own)
        walked = common_prefix(candidate, wanted)
        _require(
            seen.matched[number] == min(walked, config.most_matched),
            f"{where} counts a wrong matched length",
        )
    kept: tuple[int, ...] = (0,)
    if seen.winner is not None:
        kept = (0, *places[seen.winner][: len(step.accepted) - 1])
    _require(step.kept_slots == kept, f"{where} keeps other slots than the accepted ones")


def _check_lookahead(
    step: LookaheadStep, where: str, text: list[int], config: LookaheadConfig
) -> None:
    rows, seen = step.window, step.verification
    _require(rows[0][0] == text[-1], f"the window of {where} does not start at the current token")
    count = len(seen.candidates)
    _require(
        [len(tokens) for tokens in seen.predictions] == [len(tokens) for tokens in seen.candidates]
        and len(seen.predictions) == len(seen.matched) == count
        and all(seen.candidates),
        f"the verification of {where} is ragged",
    )
    _check_places(step, where, config, position=len(text) - 1)
    _require(
        all(
            0 <= matched <= len(candidate)
            for matched, candidate in zip(seen.matched, seen.candidates, strict=True)
        ),
        f"{where} matches more guesses than a candidate has",
    )
    best = seen.matched.index(max(seen.matched)) if count else None
    _require(seen.winner == best, f"the winner of {where} is not the longest match")
    expected = step.predictions[0] if step.predictions else None
    proven = step.accepted + step.discarded
    if step.draws:
        guesses = seen.candidates[best][: seen.matched[best]] if best is not None else ()
        right = proven[:-1] == guesses
    else:
        right = expected is not None and seen.proven(expected) == proven
    _require(right, f"{where} accepts other tokens than its verification proves")


def _check_places(
    step: LookaheadStep, where: str, config: LookaheadConfig, *, position: int
) -> None:
    """The candidates stand where the layout of the pool's ones and the window's paths put them."""
    seen = step.verification
    if seen.slots:
        _require(
            [len(slots) for slots in seen.slots] == [len(tokens) for tokens in seen.candidates]
            and all(0 < slot < step.layout.slots for slots in seen.slots for slot in slots),
            f"the slots of the candidates of {where} are not those of its guesses",
        )
    pool = seen.candidates[: step.pool_candidates]
    _require(
        {len(tokens) for tokens in pool} <= {config.ngram_size - 1},
        f"the verification of {where} is ragged",
    )
    _require(len(pool) <= config.max_candidates, f"{where} verifies more than G candidates")
    merge = config.merge_candidates
    _require(
        step.layout == pack(step.window, pool, position=position, merge=merge),
        f"the layout of {where} is not its window and candidates",
    )
    places = guess_slots(pool, step.window_slots, merge=merge)
    if config.verify_window and len(step.window) == config.ngram_size - 1:
        places += window_paths(step.window, config.ngram_size - 1)
    _require(
        step.candidate_slots == places[: len(seen.candidates)]
        and (len(seen.candidates) == len(places)),
        f"the candidates of {where} are not those of its window and layout",
    )
    _require(
        all(
            step.layout.token_ids[slot] == token
            for slots, tokens in zip(places, seen.candidates, strict=True)
            for slot, token in zip(slots, tokens, strict=True)
        ),
        f"the candidates of {where} are other tokens than its layout holds",
    )
