"""Small recorded runs without torch: a model that has learned one short text by heart.

``toy_run("lookahead")`` is a whole ``Run`` whose text reads like code, with newlines, equal tokens
and wrong guesses; ``text="story"`` repeats " the" often; ``text="hostile"`` has split UTF-8 bytes,
control characters and tokens that look like HTML, Markdown, LaTeX and plotly templates.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from lookahead_viz import visibility
from lookahead_viz.comparison import Comparison
from lookahead_viz.config import CONFIGS, Config, LookaheadConfig
from lookahead_viz.engine.interface import Distribution, PassResult
from lookahead_viz.engine.lookahead import prompt_pool
from lookahead_viz.engine.recording import decode
from lookahead_viz.methods import METHODS
from lookahead_viz.records import (
    Alternatives,
    ModelInfo,
    PoolChange,
    Run,
    Step,
    StepLayout,
    TokenText,
)
from tests.fakes import FakeRunner, NextToken, Path

CODE = (
    "def| fib|(|n|):|\n|    |if| n| <| |2|:|\n|        |return| n|\n"
    "|    |return| fib|(|n| -| |1|)| +| fib|(|n| -| |2|)|\n|\n"
    "|def| fact|(|n|):|\n|    |if| n| <| |2|:|\n|        |return| |1|\n"
    "|    |return| n| *| fact|(|n| -| |1|)|\n|\n|print|(|fib|(|10|)|,| fact|(|5|)|)|\n"
)
STORY = (
    "The| cat| sat| on| the| mat|.| The| dog| sat| on| the| log|.| Then| the| cat| saw| the| dog|"
    " and| the| dog| saw| the| cat|,| and| the| two| sat| on| the| mat| in| the| sun|.|\n"
)
HOSTILE: tuple[TokenText, ...] = (
    *(
        "<b>",
        "x",
        "</b>",
        "\t",
        "&lt;",
        " a",
        "\u202e",
        "%{x}",
        b"\xe2",
        b"\x82",
        b"\xac",
        " $x^2$",
    ),
    *("\u200b", '<a href="javascript:alert(1)">', "<br>", "\x00", ":red[", "hi", "]", " **", " a"),
    *("\r\n", "{{", "`", "<script>alert(1)</script>", " antidisestablishmentarianism", "\ufeff"),
    *("|", "日本", " a", "&", "\\(y\\)", "'", '"', "</b>", "\n"),
)
TEXTS: dict[str, tuple[TokenText, ...]] = {
    "code": tuple(CODE.split("|")),
    "story": tuple(STORY.split("|")),
    "hostile": HOSTILE,
}
PROMPT_TOKENS = 6


def toy_run(
    method: str,
    *,
    text: str = "code",
    stop_after: int | None = None,
    position_limit: int | None = None,
    strict: bool = True,
    **config: Any,
) -> Run:
    """A run of ``method`` with ``CONFIGS[method](**config)``; 40 new tokens unless told otherwise.

    ``stop_after``: record only so many steps, as if a person had pressed Stop. ``strict``: assert
    every slot's path, which takes a time that grows with the square of the run.
    """
    settings = CONFIGS[method](**{"max_new_tokens": 40, **config})
    pieces = TEXTS[text]
    vocabulary = list(dict.fromkeys(pieces))
    ids = [vocabulary.index(piece) for piece in pieces]
    prompt = tuple(ids[:PROMPT_TOKENS])
    size = len(vocabulary)
    runner = ToyRunner(
        by_heart(ids), vocab_size=size, position_limit=position_limit, strict=strict
    )
    runner.sampled = getattr(settings, "sampling", None) is not None
    stop_ids = frozenset(settings.stop_ids or ())
    draft = ToyRunner(by_heart(ids, memory=2), vocab_size=len(vocabulary))
    draft.sampled = runner.sampled
    most = None if stop_after is None else stop_after + 1
    steps, changes = _decode(runner, prompt, settings, stop_ids, draft, most)
    finish = "stop" if steps[-1].accepted[-1] in stop_ids else "length"
    if stop_after is not None and stop_after < len(steps):
        steps, finish = steps[:stop_after], "stopped by user"
    model = ModelInfo(
        name="toy",
        architecture="ToyModel",
        dtype="float32",
        device="cpu",
        hardware="imaginary, 2 threads",
        attention="sdpa",
        vocab_size=len(vocabulary),
        position_limit=position_limit,
    )
    return Run(
        method=method,
        config=settings,
        model=model,
        draft=replace(model, name="toy:2-layers") if METHODS[method].needs_draft else None,
        prompt_ids=prompt,
        stop_ids=tuple(sorted(stop_ids)),
        prompt_pool_changes=tuple(changes),
        steps=tuple(steps),
        token_text=dict(enumerate(vocabulary)),
        finish_reason=finish,
    )


def toy_comparison(text: str = "code", **config: Any) -> Comparison:
    """Greedy, Jacobi and lookahead on the same text; ``config`` goes to all three."""
    runs = tuple(toy_run(name, text=text, **config) for name, m in METHODS.items() if m.ready)
    return Comparison(name=f"Toy: {text}", runs=runs, note="A model that knows one text by heart.")


def token(run: Run, piece: TokenText) -> int:
    """The id of a token of a toy run by its text."""
    return next(number for number, text in run.token_text.items() if text == piece)


def by_heart(ids: Sequence[int], memory: int = 6) -> NextToken:
    """Next token = what followed the longest known tail in ``ids``, a circle.

    At most ``memory`` tokens are looked at. Every third position is so easy that even a wrong
    context gives the right token there: that is what makes Jacobi iterates right by luck.
    """
    circle = [*ids, *ids[:memory]]
    followers: dict[tuple[int, ...], int] = {}
    for size in range(memory, 0, -1):
        for end in range(size, len(circle)):
            followers.setdefault(tuple(circle[end - size : end]), circle[end])

    def next_token(path: Path) -> int:
        after = path[-1][0] + 1
        if hashlib.sha256(str(after).encode()).digest()[0] % 3 == 0:
            return ids[after % len(ids)]
        tail = tuple(token for _, token in path[-memory:])
        while tail not in followers:
            tail = tail[1:]
        return followers[tail]

    return next_token


class ToyRunner(FakeRunner):
    """A ``FakeRunner`` with made-up but repeatable probabilities, gaps and times.

    ``sampled``: those probabilities are what the next token is drawn from.
    """

    sampled = False

    def forward(
        self, layout: StepLayout, visible: visibility.BoolMatrix, used: Sequence[int]
    ) -> PassResult:
        result = super().forward(layout, visible, used)
        top_k = tuple(self._alternatives(layout, entry) for entry in result.top_k)
        gaps: list[float | None] = [None] * layout.slots
        for entry in top_k:
            gaps[entry.slot] = round(entry.probabilities[0] * 8, 3)
        result = replace(
            result, top_k=top_k, gaps=tuple(gaps), forward_ms=20.0 + 1.5 * layout.slots
        )
        return replace(result, distribution=self._distribution(top_k)) if self.sampled else result

    def _distribution(self, top_k: Sequence[Alternatives]) -> Callable[[int], Distribution]:
        def of_slot(slot: int) -> Distribution:
            entry = next(entry for entry in top_k if entry.slot == slot)
            found = np.zeros(self.vocab_size)
            found[list(entry.ids)] = entry.probabilities
            normalised: Distribution = found / found.sum()
            return normalised

        return of_slot

    def _alternatives(self, layout: StepLayout, entry: Alternatives) -> Alternatives:
        seed = (layout.positions[entry.slot], layout.token_ids[entry.slot], entry.ids)
        noise = hashlib.sha256(repr(seed).encode()).digest()
        most = 0.3 + 0.69 * noise[0] / 255
        others = [(entry.ids[0] + 1 + i) % self.vocab_size for i in range(4)]
        rest = [(1 - most) * share for share in (0.5, 0.25, 0.15, 0.05)]
        return Alternatives(
            entry.slot,
            (*entry.ids, *others),
            tuple(float(f"{p:.4g}") for p in (most, *rest)),
        )


def _decode(
    runner: ToyRunner,
    prompt: tuple[int, ...],
    config: Config,
    stop_ids: frozenset[int],
    draft: ToyRunner,
    most: int | None,
) -> tuple[list[Step], list[PoolChange]]:
    changes: list[PoolChange] = []
    if isinstance(config, LookaheadConfig):
        _, changes = prompt_pool(prompt, config)
    steps = list(islice(decode(runner, prompt, config, stop_ids, draft), most))
    # the times of this machine say nothing; made-up ones keep pictures repeatable
    return [replace(step, step_ms=step.forward_ms + 0.5) for step in steps], changes
