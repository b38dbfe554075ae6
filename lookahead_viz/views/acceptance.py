"""What each pass gave: accepted tokens by source, their sums."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import accumulate

from lookahead_viz.explain import phase, step_sentence
from lookahead_viz.records import LookaheadStep, Run, Step
from lookahead_viz.tokens import printable
from lookahead_viz.views.common import place
from lookahead_viz.views.text import SOURCES, Source, own_source, token_sources
from lookahead_viz.words import quoted


@dataclass(frozen=True)
class AcceptanceBar:
    """The tokens of one pass."""

    step: int
    guesses: int
    own: int  # the model's own tokens: bonus, greedy or newly frozen
    tokens: tuple[str, ...]  # visible
    warm_up: bool
    hover: str


@dataclass(frozen=True)
class OutputToken:
    """One token of the output and where it came from."""

    index: int
    text: str  # visible
    source: Source
    step: int
    hover: str


@dataclass(frozen=True)
class AcceptanceView:
    """Everything the acceptance picture shows; no bars when there is nothing to draw."""

    sentence: str
    own: Source = "bonus"  # the source of the model's own tokens
    cursor: int = 0
    bars: tuple[AcceptanceBar, ...] = ()  # one a step
    cumulative: tuple[int, ...] = ()  # tokens after each step
    lengths: tuple[tuple[int, int], ...] = ()  # (accepted tokens, how many steps), ascending
    tokens: tuple[OutputToken, ...] = ()
    sources: tuple[Source, ...] = ()  # those that occur, in the order of ``SOURCES``


def acceptance_view(run: Run, index: int) -> AcceptanceView:
    """What every pass of ``run`` gave, with the cursor on step ``index``."""
    if not run.steps:
        return AcceptanceView("This run has no passes yet.")
    bars = tuple(_bar(run, number, step) for number, step in enumerate(run.steps))
    sizes = [len(step.accepted) for step in run.steps]
    tokens = _tokens(run)
    found = {token.source for token in tokens}
    return AcceptanceView(
        sentence=step_sentence(run, index),
        own=own_source(run.steps[0]),
        cursor=place(run, index),
        bars=bars,
        cumulative=tuple(accumulate(sizes)),
        lengths=tuple(sorted(Counter(sizes).items())),
        tokens=tokens,
        sources=tuple(source for source in SOURCES if source in found),
    )


def _bar(run: Run, number: int, step: Step) -> AcceptanceBar:
    sources = token_sources(step)
    guesses = sources.count("guess")
    own = len(sources) - guesses
    tokens = tuple(printable(run.token_text, token) for token in step.accepted)
    warm_up = isinstance(step, LookaheadStep) and phase(run, number) == "warm-up"
    lines = [
        f"step {number}: {len(tokens)} accepted {quoted(''.join(tokens))}",
        f"{guesses} from a guess, {own} the model's own",
    ]
    if warm_up:
        lines.append("warm-up: nothing is verified yet")
    return AcceptanceBar(number, guesses, own, tokens, warm_up, "\n".join(lines))


def _tokens(run: Run) -> tuple[OutputToken, ...]:
    found: list[OutputToken] = []
    for number, step in enumerate(run.steps):
        for token, source in zip(step.accepted, token_sources(step), strict=True):
            text = printable(run.token_text, token)
            where = f"{quoted(text)} · output token {len(found)}"
            hover = f"{where}\nstep {number}: {SOURCES[source]}"
            found.append(OutputToken(len(found), text, source, number, hover))
    return tuple(found)
