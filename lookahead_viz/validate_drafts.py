"""Is a pass of a drafting method consistent in itself? Used by ``validate``."""

from __future__ import annotations

from collections.abc import Sequence

from lookahead_viz.config import (
    DraftJacobiConfig,
    PromptLookupConfig,
    SpeculativeConfig,
)
from lookahead_viz.contradiction import require
from lookahead_viz.layout import pack
from lookahead_viz.prefix import common_prefix
from lookahead_viz.records import DraftStep, Draw, Run

ROUNDING = 1e-9
"""How far a probability may stand above 1."""


def check_draft(
    step: DraftStep,
    where: str,
    text: Sequence[int],
    config: SpeculativeConfig | PromptLookupConfig,
) -> None:
    """One candidate at most, verified as its predictions or its draws say."""
    seen = step.verification
    require(len(seen.candidates) <= 1, f"{where} verifies more than one draft")
    draft = seen.candidates[0] if seen.candidates else ()
    require(len(draft) <= config.gamma, f"{where} drafts more than gamma tokens")
    require(
        step.layout == pack([[text[-1]]], seen.candidates, position=len(text) - 1),
        f"the layout of {where} is not the current token and its draft",
    )
    require(None not in step.predictions, f"{where} has a slot without a prediction")
    require(
        seen.predictions == ((step.predictions[1:],) if draft else ()),
        f"{where} has other predictions in its verification than at its slots",
    )
    require(bool(step.draws) == (config.sampling is not None), f"{where} samples or not, wrongly")
    check_draws(step.draws, draft, where)
    walked = common_prefix(draft, step.predictions)
    if step.draws:
        walked = sum(draw.accepted for draw in step.draws if draw.candidates)
    require(seen.matched == ((walked,) if draft else ()), f"{where} counts a wrong matched length")
    require(seen.winner == (0 if draft else None), f"the winner of {where} is not its draft")
    proven = step.sampled or seen.proven(step.predictions[0] or 0)
    require(
        proven == step.accepted + step.discarded and proven[:walked] == draft[:walked],
        f"{where} accepts other tokens than its verification proves",
    )
    kept = tuple(range(len(step.accepted)))
    require(step.kept_slots == kept, f"{where} keeps other slots than the accepted ones")
    copies = isinstance(config, PromptLookupConfig)
    require((step.source == "prompt") == copies, f"{where} drafts by another method")
    drafted = 0 if copies else len(draft)
    require(step.draft_passes == drafted, f"{where} miscounts the passes of its draft model")
    require(step.draft_ms >= 0, f"{where} took less than no time")
    if isinstance(config, PromptLookupConfig) and draft:
        _check_copy(step, draft, where, text, config.match_size)
    else:
        require(
            step.copied_from is None and step.matched_tail == 0,
            f"{where} copies from the text without a copied draft",
        )


def check_draws(draws: Sequence[Draw], draft: Sequence[int], where: str) -> None:
    """The tokens of the draft are asked in order, up to the first that is rejected; then the
    model's own is drawn, if one is. Each verdict is that of its numbers."""
    rejected = False
    for number, draw in enumerate(draws):
        depth = number - rejected
        asked = depth < len(draft) and not rejected
        require(
            draw.depth == depth
            and draw.candidates == ((0,) if asked else ())
            and (not asked or draw.token == draft[depth])
            and (asked or number == len(draws) - 1)
            and draw.pruned == ((0,) if asked and not draw.accepted else ()),
            f"{where} has draws out of order",
        )
        require(0 <= draw.threshold <= 1 + ROUNDING, f"{where} has a draw without a probability")
        q = draw.draft_probability
        require(q is None or 0 < q <= 1 + ROUNDING, f"{where} drafts an impossible token")
        require(_verdict_holds(draw), f"{where} accepts or rejects against its draw")
        rejected = rejected or not draw.accepted
    require(not draws or draws[-1].accepted, f"{where} does not end by an accepted token")


def _verdict_holds(draw: Draw) -> bool:
    if draw.drawn is None:
        return draw.threshold in (0, 1) and draw.accepted == (draw.threshold == 1)
    if not 0 <= draw.drawn < 1:
        return False
    return draw.accepted == (not draw.candidates or draw.drawn < draw.threshold)


def check_draft_model(run: Run) -> None:
    """A method that drafts by a model names it; no other does."""
    config = run.config
    if not isinstance(config, (SpeculativeConfig, DraftJacobiConfig)):
        require(run.draft is None, "it names a draft model, but its method has none")
        return
    if run.draft is None:
        raise ValueError("this run file contradicts itself: it names no draft model.")
    names = (config.draft,)
    if isinstance(config.draft, int):
        plural = "s" if config.draft > 1 else ""
        names = (f"{run.model.name}:{config.draft}-layer{plural}",)
    require(run.draft.name in names, "its draft model is another than its config says")
    require(run.draft.vocab_size == run.model.vocab_size, "its draft model has another vocabulary")


def _check_copy(
    step: DraftStep, draft: Sequence[int], where: str, text: Sequence[int], most: int
) -> None:
    start, tail = step.copied_from, step.matched_tail
    require(
        start is not None
        and 0 < tail <= min(start, most)
        and start < len(text)
        and tuple(text[start : start + len(draft)]) == tuple(draft)
        and tuple(text[start - tail : start]) == tuple(text[-tail:]),
        f"{where} copies tokens from where they do not stand",
    )
