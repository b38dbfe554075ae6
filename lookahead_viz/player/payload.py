"""A run as the player gets it: one compact JSON-able dict.

Token texts are sent once, as readers see them; tokens are indexes into that list. Positions,
roles, masks and reasons are not sent: the player derives them by the same rules. A window that
follows from the pass before is not sent either. The alternatives are packed apart (gzip, base64)
and unpacked only when a picture asks for them.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable
from typing import Any

from lookahead_viz.comparison import draft_name, run_label
from lookahead_viz.config import (
    GreedyConfig,
    LookaheadConfig,
    MultiblockJacobiConfig,
    PromptLookupConfig,
    SpeculativeConfig,
)
from lookahead_viz.multiblock import by_candidate
from lookahead_viz.records import (
    STEPS,
    DraftStep,
    Draw,
    GreedyStep,
    JacobiStep,
    LookaheadStep,
    PoolChange,
    Run,
    Step,
    Verification,
)
from lookahead_viz.replay import mask_proved
from lookahead_viz.tokens import printable

VERSION = 1
KINDS = {
    GreedyStep: "greedy",
    JacobiStep: "jacobi",
    LookaheadStep: "lookahead",
    DraftStep: "draft",
}
"""What the player draws depends on the kind of the steps."""


def payload(run: Run, *, alternatives: bool = True) -> dict[str, Any]:
    """Everything the player needs of ``run``; ``alternatives`` adds the packed top-k."""
    texts = Texts(run)
    steps = [_step(run, index, texts) for index in range(len(run.steps))]
    data: dict[str, Any] = {
        "version": VERSION,
        "method": run.method,
        "kind": KINDS[STEPS[run.method]],
        "label": run_label(run),
        "model": run.model.name,
        "finish": run.finish_reason,
        "prompt": texts.all(run.prompt_ids),
        "pool": [_whole_change(change, texts) for change in run.prompt_pool_changes],
        "steps": steps,
        "unproved": [i for i in range(len(steps)) if not mask_proved(run, i)],
        **_sizes(run),
    }
    # asked last: the list is complete only now
    data |= {"texts": texts.shown(), "ids": texts.ids()}
    if alternatives and any(step.top_k for step in run.steps):
        data["packed"] = _packed(run, texts)
    return data


def to_json(data: Any) -> str:
    """``data`` as JSON without spaces."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


class Texts:
    """Numbers the tokens of a run in the order in which they are asked for."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._numbers: dict[int, int] = {}

    def one(self, token: int) -> int:
        return self._numbers.setdefault(token, len(self._numbers))

    def all(self, tokens: Iterable[int]) -> list[int]:
        return [self.one(token) for token in tokens]

    def ids(self, start: int = 0) -> list[int]:
        """The model's own ids, by number."""
        return list(self._numbers)[start:]

    def shown(self, start: int = 0) -> list[str]:
        """The visible texts, by number."""
        return [printable(self._run.token_text, token) for token in self.ids(start)]


def _sizes(run: Run) -> dict[str, Any]:
    config = run.config
    if isinstance(config, LookaheadConfig):
        return {
            "W": config.window_size,
            "N": config.ngram_size,
            "G": config.max_candidates,
            "capacity": config.pool_capacity,
            "shift": config.shift,
            "merge": config.merge_candidates,
        }
    sizes: dict[str, Any] = {"max": config.max_new_tokens}
    if run.draft is not None:
        sizes["draft"] = draft_name(run)
    if isinstance(config, MultiblockJacobiConfig):
        sizes |= {"N": config.ngram_size, "G": config.max_candidates, "blocks": config.blocks}
    if isinstance(config, PromptLookupConfig):
        sizes["copies"] = True
    if isinstance(config, (SpeculativeConfig, PromptLookupConfig)):
        drafts = (step.layout.slots - 1 for step in run.steps)
        return sizes | {"longest": max(drafts, default=0)}
    return sizes | {"n": config.block_size} if not isinstance(config, GreedyConfig) else sizes


def _step(run: Run, index: int, texts: Texts) -> dict[str, Any]:
    step = run.steps[index]
    before = run.steps[index - 1] if index else None
    found: dict[str, Any] = {"a": texts.all(step.accepted)}
    if step.discarded:
        found["d"] = texts.all(step.discarded)
    if step.draws:
        found["u"] = [_draw(draw, texts) for draw in step.draws]
    if isinstance(step, JacobiStep):
        return found | _jacobi(step, texts)
    if isinstance(step, DraftStep):
        return found | _draft(step, texts)
    if isinstance(step, LookaheadStep):
        found |= _window(run, step, before, texts) | _verification(step, texts)
        if step.pool_changes:
            found["o"] = _changes(step, texts)
    return found


def _draw(draw: Draw, texts: Texts) -> list[Any]:
    return [
        draw.depth,
        texts.one(draw.token),
        float(f"{draw.threshold:.4g}"),
        None if draw.drawn is None else float(f"{draw.drawn:.4g}"),
        int(draw.accepted),
        list(draw.candidates),
    ]


def _jacobi(step: JacobiStep, texts: Texts) -> dict[str, Any]:
    """The iterate of a later pass is the next iterate of the pass before."""
    found: dict[str, Any] = {"n": texts.all(step.next_iterate), "f": step.frozen}
    if step.iteration == 0:
        found["y"] = texts.all(step.iterate)
    if step.draft_passes:
        found["dp"] = step.draft_passes
    if step.draws or step.verification is not None:
        row = step.predictions[: step.window_slots]
        found["p"] = [texts.one(_known(token)) for token in row]
    if step.verification is not None:
        found |= _candidates(step.verification, texts)
        found["h"] = [texts.all(block) for block in step.ahead]
        found["g"] = [texts.all(block) for block in step.next_ahead]
        found["b"] = int(by_candidate(step))
        found["o"] = [_whole_change(change, texts) for change in step.pool_changes]
    return found


def _draft(step: DraftStep, texts: Texts) -> dict[str, Any]:
    found = {"e": texts.one(_known(step.predictions[0]))} | _candidates(step.verification, texts)
    if step.draft_passes:
        found["dp"] = step.draft_passes
    if step.copied_from is not None:
        found["k"] = step.copied_from
    return found


def _candidates(seen: Verification, texts: Texts) -> dict[str, Any]:
    """Candidates of one length, one behind the other."""
    if not seen.candidates:
        return {}
    return {
        "m": list(seen.matched),
        "c": [texts.one(token) for tokens in seen.candidates for token in tokens],
        "q": [texts.one(token) for tokens in seen.predictions for token in tokens],
    }


def _window(run: Run, step: LookaheadStep, before: Step | None, texts: Texts) -> dict[str, Any]:
    cols = len(step.window[0])
    first = (len(step.window) - 1) * cols
    predicted = step.predictions[first : first + cols]
    found: dict[str, Any] = {"e": texts.one(_known(step.predictions[0]))}
    if len(step.window) * cols > 1:
        found["p"] = [texts.one(_known(token)) for token in predicted]
    if not (isinstance(before, LookaheadStep) and following_window(run, before) == step.window):
        found["r"] = len(step.window)
        found["w"] = [texts.one(token) for row in step.window for token in row]
    return found


def following_window(run: Run, step: LookaheadStep) -> tuple[tuple[int, ...], ...] | None:
    """The window after ``step`` if nothing slid and the position limit is far; else None."""
    assert isinstance(run.config, LookaheadConfig)
    rows, cols = step.window, len(step.window[0])
    first = (len(rows) - 1) * cols
    predicted = tuple(_known(token) for token in step.predictions[first : first + cols])
    if len(rows) == run.config.ngram_size - 1:
        grid = [list(row) for row in (*rows[1:], predicted)]
    elif cols > 1:
        grid = [list(row[1:]) for row in (*rows, predicted)]
    else:
        return None
    grid[0][0] = step.accepted[-1]
    return tuple(tuple(row) for row in grid)


def _known(token: int | None) -> int:
    assert token is not None, "the predictions of the last window row are always used"
    return token


def _verification(step: LookaheadStep, texts: Texts) -> dict[str, Any]:
    found = step.verification
    if not found.candidates:
        return {}
    sent: dict[str, Any] = {"m": list(found.matched)}
    pool = step.pool_candidates
    if pool:
        sent["c"] = [texts.one(token) for tokens in found.candidates[:pool] for token in tokens]
        sent["q"] = [texts.one(token) for tokens in found.predictions[:pool] for token in tokens]
    if pool < len(found.candidates):  # those that the window holds
        sent["v"] = [list(slots) for slots in step.candidate_slots[pool:]]
        sent["vq"] = [texts.all(tokens) for tokens in found.predictions[pool:]]
    return sent


def _changes(step: LookaheadStep, texts: Texts) -> list[Any]:
    """The n-gram of window column i is known from the window: only its fate is sent, as change i.

    1 = added, 0 = refreshed, 2 = ignored, a list = added in place of that one; any other change
    is whole.
    """
    cols = len(step.window[0])
    first = (len(step.window) - 1) * cols
    found: list[Any] = []
    for number, change in enumerate(step.pool_changes):
        if change.source != "window" or number >= cols:
            found.append(_whole_change(change, texts))
            continue
        column = [row[number] for row in step.window]
        key, *tail = [*column, _known(step.predictions[first + number])]
        if (change.key, change.ngram) != (key, tuple(tail)):
            found.append(_whole_change(change, texts) | {"col": number})
        elif change.evicted is not None:
            found.append(texts.all(change.evicted))
        else:
            found.append({"refreshed": 0, "added": 1, "ignored": 2}[change.kind])
    return found


def _whole_change(change: PoolChange, texts: Texts) -> dict[str, Any]:
    found: dict[str, Any] = {
        "k": texts.one(change.key),
        "t": texts.all(change.ngram),
        "s": change.source,
    }
    if change.kind != "added":
        found["again"] = 2 if change.kind == "ignored" else 1
    if change.evicted is not None:
        found["x"] = texts.all(change.evicted)
    return found


def _packed(run: Run, texts: Texts) -> str:
    """[[slot, tokens, probabilities] per slot] per pass, with the texts that only they use."""
    known = len(texts.ids())
    steps = [
        [[entry.slot, texts.all(entry.ids), list(entry.probabilities)] for entry in step.top_k]
        for step in run.steps
    ]
    document = {"texts": texts.shown(known), "ids": texts.ids(known), "steps": steps}
    packed = gzip.compress(to_json(document).encode("utf-8", "surrogatepass"), 6, mtime=0)
    return base64.b64encode(packed).decode("ascii")
