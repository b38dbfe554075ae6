"""Is a run consistent in itself? What reading a file checks beyond types.

Every ``ValueError`` is one sentence that names the step and the field.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import chain

from lookahead_viz.config import (
    LookaheadConfig,
    MultiblockJacobiConfig,
    PromptLookupConfig,
    SpeculativeConfig,
    SpeculativeJacobiConfig,
)
from lookahead_viz.contradiction import require
from lookahead_viz.draws import draws_fault
from lookahead_viz.layout import pack
from lookahead_viz.records import (
    STOPPED,
    DraftStep,
    GreedyStep,
    JacobiStep,
    LookaheadStep,
    Run,
    Step,
)
from lookahead_viz.validate_blocks import (
    check_block,
    check_drafted_block,
    check_jacobi,
    check_multiblock,
    check_sampled_jacobi,
    check_size,
)
from lookahead_viz.validate_drafts import check_draft, check_draft_model
from lookahead_viz.validate_lookahead import check_lookahead, check_verification, check_window
from lookahead_viz.validate_pool import check_pool
from lookahead_viz.validate_text import check_texts

_SHA256 = re.compile(r"[0-9a-f]{64}")


def check_run(run: Run) -> None:
    """Raise ValueError when two parts of ``run`` contradict each other."""
    require(run.method == run.config.method, "its config belongs to another method")
    require(bool(run.prompt_ids), "its prompt is empty")
    require(_known(run.prompt_ids, run), "its prompt has a token id that the model does not know")
    known = run.ended or run.failure is not None or run.finish_reason == STOPPED
    require(known, "its finish_reason is unknown")
    text = list(run.prompt_ids)
    block_start, room = len(text), run.config.max_new_tokens
    before: JacobiStep | None = None
    for index, step in enumerate(run.steps):
        where = f"step {index}"
        require(step.index == index, f"{where} calls itself step {step.index}")
        _check_pass(step, where)
        fault = draws_fault(step, run.config)
        require(fault is None, f"{where} {fault}")
        if isinstance(step, JacobiStep):
            check_block(step, before, where)
            check_drafted_block(step, where, run.config)
            if step.iteration == 0:
                block_start = len(text)
                room = run.config.max_new_tokens - (len(text) - len(run.prompt_ids))
            if isinstance(run.config, MultiblockJacobiConfig):
                check_multiblock(step, before, where, text, run.config)
            else:
                check_size(step, where, run.config, room)
                check_jacobi(step, where, text[:block_start], run.stop_ids)
            if isinstance(run.config, SpeculativeJacobiConfig):
                check_sampled_jacobi(step, where, run.config)
            before = step
        elif isinstance(step, DraftStep):
            assert isinstance(run.config, (SpeculativeConfig, PromptLookupConfig))
            check_draft(step, where, text, run.config)
        elif isinstance(step, LookaheadStep):
            assert isinstance(run.config, LookaheadConfig)
            check_window(step, where, run.config)
            check_lookahead(step, where, text, run.config)
            check_verification(step, where, run.config)
        else:
            assert isinstance(step, GreedyStep)
            _check_greedy(step, where, text)
        _check_ids(step, where, run)
        text += step.accepted
    require(
        len(text) - len(run.prompt_ids) <= run.config.max_new_tokens,
        "more tokens are accepted than max_new_tokens allows",
    )
    if run.finish_reason == "stop":
        require(text[-1] in run.stop_ids, "it says that a stop id ended it, but none did")
    if run.finish_reason == "length":
        new = len(text) - len(run.prompt_ids)
        require(new == run.config.max_new_tokens, "it says that it is complete, but it is not")
    _check_stop_ids(run, text[len(run.prompt_ids) :])
    check_draft_model(run)
    check_pool(run)
    check_texts(run)


def _known(tokens: Iterable[int | None], run: Run) -> bool:
    """Are these ids of the model's vocabulary (None: no id)?"""
    size = run.model.vocab_size or math.inf  # 0: nobody said
    return all(token is None or 0 <= token < size for token in tokens)


def _check_stop_ids(run: Run, new: Sequence[int]) -> None:
    """They are those of the config, where it names any, and none of them is passed over."""
    require(_known(run.stop_ids, run), "a stop id is a token id that the model does not know")
    if run.config.stop_ids is not None:
        require(set(run.stop_ids) == set(run.config.stop_ids), "its stop ids are not its config's")
    require(not set(new[:-1]) & set(run.stop_ids), "its text goes on behind a stop id")


def _check_ids(step: Step, where: str, run: Run) -> None:
    shown = (*step.layout.token_ids, *step.predictions, *step.accepted, *step.discarded)
    require(
        _known(chain(shown, *(entry.ids for entry in step.top_k)), run),
        f"{where} has a token id that the model does not know",
    )


def _check_pass(step: Step, where: str) -> None:
    slots = step.layout.slots
    found = len(step.predictions)
    require(found == slots, f"{where} has {found} predictions for {slots} slots")
    require(bool(step.accepted), f"{where} accepts no token")
    require(len(step.gap) == len(step.accepted), f"{where} has more or fewer gaps than tokens")
    require(
        all(0 <= slot < slots for slot in step.kept_slots),
        f"{where} keeps a slot that does not exist",
    )
    digest = bool(_SHA256.fullmatch(step.mask_sha256))
    require(digest, f"{where} has a mask_sha256 that is not 64 hex digits")
    require(min(step.gap) >= 0, f"{where} has a negative gap")
    require(min(step.forward_ms, step.step_ms) >= 0, f"{where} took less than no time")
    for entry in step.top_k:
        require(
            0 <= entry.slot < slots, f"{where} has alternatives for a slot that does not exist"
        )
        require(
            len(entry.ids) == len(entry.probabilities),
            f"{where} has alternatives without probabilities",
        )
        require(
            all(0 <= chance <= 1 for chance in entry.probabilities),
            f"{where} has an alternative with an impossible probability",
        )


def _check_greedy(step: GreedyStep, where: str, text: list[int]) -> None:
    require(
        step.layout == pack([[text[-1]]], position=len(text) - 1),
        f"the layout of {where} is not the current token alone",
    )
    require(step.kept_slots == (0,), f"{where} keeps other slots than the current token's")
    if not step.draws:
        require(step.accepted == step.predictions, f"{where} accepts another token than predicted")
