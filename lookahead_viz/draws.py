"""The draws of a sampled pass: their sentences, and whether they are consistent in themselves."""

from __future__ import annotations

import math

from lookahead_viz.config import Config, GreedyConfig, LookaheadConfig
from lookahead_viz.records import Draw, LookaheadStep, Step


def draw_sentence(draw: Draw) -> str:
    """What one draw decided: "drew 0.31 < 0.52: accepted"."""
    if not draw.candidates:
        return f"sampled from what remained, probability {rounded(draw.threshold)}"
    verdict = "accepted" if draw.accepted else "rejected"
    if draw.drawn is None:
        left = "nothing else is left" if draw.accepted else "probability 0"
        return f"{left}: {verdict} without a draw"
    return f"drew {draw_comparison(draw)}: {verdict}"


def draw_comparison(draw: Draw) -> str:
    """The two numbers of a draw: "0.31 < 0.52"; "p = 1" or "p = 0" where nothing was drawn."""
    if draw.drawn is None or not draw.candidates:
        return f"p = {rounded(draw.threshold)}"
    drawn, threshold = rounded(draw.drawn), rounded(draw.threshold)
    if drawn == threshold:
        drawn, threshold = rounded(draw.drawn, 4), rounded(draw.threshold, 4)
    return f"{drawn} {'<' if draw.accepted else '≥'} {threshold}"


def rounded(value: float, digits: int = 2) -> str:
    """A number from 0 to 1 as a reader wants it: two digits, four where it is small."""
    size = 10.0 ** (4 if 0 < value < 0.01 else digits)
    # what a file and the player keep; then halves up, as the player's language does
    shown = math.floor(float(f"{value:.4g}") * size + 0.5) / size
    return "≈0" if value and not shown else f"{shown:g}"


def draws_fault(step: Step, config: Config) -> str | None:
    """What is wrong with the draws of ``step``, as the end of a sentence; None = nothing."""
    if not isinstance(config, (GreedyConfig, LookaheadConfig)):
        return None
    if not config.sampling:
        return "has draws, but its run is not sampled" if step.draws else None
    proven = step.accepted + step.discarded
    if not step.draws or step.draws[-1].candidates or not step.draws[-1].accepted:
        return "does not end by a sampled token"
    if step.draws[-1].token != proven[-1]:
        return "accepts another token than it drew"
    if tuple(draw.token for draw in step.draws if draw.accepted) != proven:
        return "accepts other tokens than its draws"
    return _walk_fault(step, config)


def _walk_fault(step: Step, config: GreedyConfig | LookaheadConfig) -> str | None:
    """Walk the draws again: who survives, in which order, and whether each verdict is right."""
    candidates = step.verification.candidates if isinstance(step, LookaheadStep) else ()
    most = config.most_matched if isinstance(config, LookaheadConfig) else 0
    alive, depth = tuple(range(len(candidates))), 0
    for draw in step.draws:
        alive = tuple(g for g in alive if depth < min(len(candidates[g]), most))
        if draw.depth != depth:
            return "has draws out of order"
        if not _verdict_holds(draw):
            return "has a draw whose numbers give another verdict"
        if not draw.candidates:
            return None if not alive else "draws its own token before the candidates were asked"
        holders = tuple(g for g in alive if candidates[g][depth] == draw.token)
        pruned = tuple(g for g in alive if (g in holders) != draw.accepted)
        if (draw.candidates, draw.pruned) != (holders, pruned):
            return "has a draw that names other candidates"
        alive = tuple(g for g in alive if g not in pruned)
        depth += draw.accepted
    return None


def _verdict_holds(draw: Draw) -> bool:
    if not 0 <= draw.threshold <= 1:
        return False
    if draw.drawn is None:
        return draw.threshold in (0, 1) and draw.accepted == (draw.threshold == 1)
    if not 0 <= draw.drawn < 1:
        return False
    return not draw.candidates or draw.accepted == (draw.drawn < draw.threshold)
