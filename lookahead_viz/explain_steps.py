"""What a pass did, in one or two sentences, and why it did nothing more."""

from __future__ import annotations

from typing import Literal

from lookahead_viz.config import LookaheadConfig
from lookahead_viz.draws import rounded
from lookahead_viz.multiblock import by_candidate
from lookahead_viz.records import DraftStep, JacobiStep, LookaheadStep, Run
from lookahead_viz.replay import step_at
from lookahead_viz.tokens import quoted_token
from lookahead_viz.words import count

Phase = Literal["warm-up", "full", "alone"]


def phase(run: Run, index: int) -> Phase:
    """Is the window still growing, full, or dropped because the position limit is near?"""
    step, config = step_at(run, index), run.config
    assert isinstance(step, LookaheadStep) and isinstance(config, LookaheadConfig)
    rows, cols = len(step.window), len(step.window[0])
    if rows == config.ngram_size - 1 and cols == config.window_size:
        return "full"
    # in warm-up C = W + N - 1 - R is at least W + 1, so one lone cell is no warm-up
    return "alone" if (rows, cols) == (1, 1) else "warm-up"


def step_sentence(run: Run, index: int) -> str:
    """What the pass of step ``index`` did, in one or two sentences."""
    step = step_at(run, index)
    if isinstance(step, LookaheadStep):
        return _lookahead_sentence(run, step)
    if isinstance(step, JacobiStep):
        return _jacobi_sentence(step)
    if isinstance(step, DraftStep):
        return _draft_sentence(run, step)
    token = _quoted(run, step.accepted[0])
    if step.draws:
        chance = rounded(step.draws[-1].threshold)
        return f"Step {step.index}: {token} was drawn (probability {chance}), 1 token accepted."
    return f"Step {step.index}: the model's next token is {token}, 1 token accepted."


def _jacobi_sentence(step: JacobiStep) -> str:
    drafted = f"the draft model wrote it in {count(step.draft_passes, 'pass', 'passes')}, "
    ahead = f"{count(len(step.ahead), 'more block')} in flight, "
    recycled = " by a recycled n-gram" if by_candidate(step) else ""
    return (
        f"Step {step.index}, block {step.block + 1}, iteration {step.iteration}: "
        f"{drafted if step.draft_passes else ''}{ahead if step.ahead else ''}"
        f"{count(len(step.accepted), 'token')} became final{recycled}, "
        f"{step.frozen - len(step.discarded)} of {len(step.iterate)} are final{_cut_off(step)}."
    )


def _draft_sentence(run: Run, step: DraftStep) -> str:
    seen = step.verification
    accepted = f"{count(len(step.accepted), 'token')} accepted{_cut_off(step)}."
    if not seen.candidates:
        return f"Step {step.index}: {why_nothing_drafted(run, step.index)}, {accepted}"
    size = len(seen.candidates[0])
    if step.source == "prompt":
        drafted = f"{count(size, 'token')} copied from position {step.copied_from}"
    else:
        drafted = f"{count(size, 'token')} drafted"
    how = "accepted" if step.draws else "matched"
    return f"Step {step.index}: {drafted}, {seen.longest} of them {how}, {accepted}"


def why_nothing_drafted(run: Run, index: int) -> str:
    """Why step ``index`` has no draft; stands inside a sentence."""
    step = step_at(run, index)
    emitted = sum(len(done.accepted) for done in run.steps[: step.index])
    if run.config.max_new_tokens - emitted == 1:
        return "only one token is left to write, so nothing is drafted"
    if isinstance(step, DraftStep) and step.source == "prompt":
        return f"{_quoted(run, step.layout.token_ids[0])} stands nowhere before, nothing is copied"
    return "the draft model has no position left, so nothing is drafted"


def _lookahead_sentence(run: Run, step: LookaheadStep) -> str:
    config = run.config
    assert isinstance(config, LookaheadConfig)
    now = phase(run, step.index)
    accepted = f"{count(len(step.accepted), 'token')} accepted{_cut_off(step)}."
    if now == "alone":
        return (
            f"Step {step.index}: the model's position limit is near, so the current token is fed "
            f"alone, {accepted}"
        )
    if now == "warm-up":
        warm_up = f"warm-up {len(step.window)} of {config.ngram_size - 2}"
        return (
            f"Step {step.index} ({warm_up}): the window grows by one row, nothing is verified "
            f"yet, {_entered(step)}{accepted}"
        )
    done = f"Step {step.index}: {_entered(step)}"
    candidates = len(step.verification.candidates)
    if not candidates:
        return f"{done}{accepted} {why_nothing_verified(run, step.index)}"
    start = "starts" if candidates == 1 else "start"
    key = _quoted(run, step.window[0][0])
    longest = f"longest match {step.verification.longest} of {config.ngram_size - 1}"
    return f"{done}{count(candidates, 'candidate')} {start} with {key}, {longest}, {accepted}"


def why_nothing_verified(run: Run, index: int) -> str:
    """Why step ``index`` of a lookahead run has no candidates; empty where it has some."""
    step, config = step_at(run, index), run.config
    assert isinstance(step, LookaheadStep) and isinstance(config, LookaheadConfig)
    now = phase(run, index)
    if step.verification.candidates:
        return ""
    if now == "warm-up":
        return "Warm-up: the window is not full yet, so nothing is verified."
    if now == "alone":
        return "The model's position limit is near: the current token is fed alone."
    if not config.max_candidates:
        return "With G = 0 nothing is verified: each pass accepts 1 token."
    return f"{no_ngram(run, step.window[0][0])}: this pass can only accept 1 token."


def no_ngram(run: Run, key: int) -> str:
    """The pool holds nothing for a token; the beginning of a sentence."""
    return f"No n-gram in the pool starts with {_quoted(run, key)}"


def _entered(step: LookaheadStep) -> str:
    """ "5 n-grams entered (2 refreshed), 1 evicted, "; empty without insertions."""
    if not step.pool_changes:
        return ""
    ignored = sum(change.kind == "ignored" for change in step.pool_changes)
    known = f", {ignored} known already" if ignored else ""
    refreshed = sum(change.kind == "refreshed" for change in step.pool_changes)
    evicted = sum(change.evicted is not None for change in step.pool_changes)
    again = f" ({refreshed} refreshed)" if refreshed else ""
    entered = count(len(step.pool_changes) - ignored, "n-gram")
    return f"{entered} entered{again}{known}, {evicted} evicted, "


def _cut_off(step: JacobiStep | LookaheadStep | DraftStep) -> str:
    more = len(step.discarded)
    return f", {more} more proven but cut off because the run ends here" if more else ""


def _quoted(run: Run, token: int) -> str:
    return quoted_token(run.token_text, token)
