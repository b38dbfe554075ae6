"""The troubles of pure Jacobi decoding, counted: lost tokens, displaced and overwritten n-grams.

Fu et al. (2024, section 3) name them as the reasons why Jacobi decoding gains little: right
tokens do not stay, n-grams are right but stand at a wrong place, and the next pass overwrites
them; lookahead decoding keeps them in a pool instead. The fourth trouble is what follows: most
passes give one token.

What is right is known from the final text, so nothing is counted in a run that was stopped. Only
a pass's own block is looked at: its iterate, the next iterate, and the final text at its places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from lookahead_viz.records import JacobiStep, Run
from lookahead_viz.tokens import printable_text
from lookahead_viz.words import count, quoted

Kind = Literal["flip", "displaced", "overwritten", "low yield"]

TROUBLES: dict[Kind, str] = {
    "flip": (
        "A token that was the final one before a pass and is another after it. The start fill "
        "can be right by accident and counts too."
    ),
    "displaced": (
        "Two or more neighbouring tokens that stand together in the final text of their block, "
        "but at another place; none of them is right where it stands."
    ),
    "overwritten": (
        "Two or more neighbouring tokens of the final text, at their place or displaced, that "
        "stood there before a pass and of which the pass changed at least one."
    ),
    "low yield": "A pass that gave one token, the least that a pass can give.",
}
"""What each trouble is, in words that can be counted by hand."""


@dataclass(frozen=True)
class Trouble:
    """One occurrence: pass ``step``, ``length`` tokens from output token ``x`` on.

    ``shift`` says where they belong: at output token ``x + shift`` (0 = where they stand).
    The tokens stand in the pass's next iterate, those of an overwritten n-gram in its iterate.
    """

    kind: Kind
    step: int
    x: int
    length: int = 1
    shift: int = 0


@dataclass(frozen=True)
class Ngram:
    """``length`` tokens from place ``start`` of a block on that belong at ``start + shift``."""

    start: int
    length: int
    shift: int


def troubles(run: Run) -> tuple[Trouble, ...]:
    """Every trouble of a Jacobi run, in the order of ``TROUBLES`` and of the passes.

    Empty for a run of another kind. A run that did not end by itself has only its low yield.
    """
    return (*flips(run), *displaced_ngrams(run), *overwritten_ngrams(run), *low_yield(run))


def flips(run: Run) -> tuple[Trouble, ...]:
    """Tokens that were right before a pass and are wrong after it: one trouble a token."""
    found = []
    for step, x0, final in _passes(run):
        pairs = zip(step.iterate, step.next_iterate, final, strict=False)
        for place, (before, after, right) in enumerate(pairs):
            if before == right != after:
                found.append(Trouble("flip", step.index, x0 + place))
    return tuple(found)


def displaced_ngrams(run: Run) -> tuple[Trouble, ...]:
    """N-grams of 2 or more tokens that a pass wrote at a wrong place: one trouble a pass each."""
    return tuple(
        Trouble("displaced", step.index, x0 + ngram.start, ngram.length, ngram.shift)
        for step, x0, final in _passes(run)
        for ngram in displaced(step.next_iterate, final)
    )


def overwritten_ngrams(run: Run) -> tuple[Trouble, ...]:
    """N-grams of 2 or more tokens, in place or displaced, that a pass did not leave whole."""
    found = []
    for step, x0, final in _passes(run):
        before, after = step.iterate, step.next_iterate
        # frozen tokens cannot change, so they do not make an n-gram longer
        ngrams = (*in_place(before, final, since=step.frozen_before), *displaced(before, final))
        for ngram in sorted(ngrams, key=lambda one: one.start):
            places = slice(ngram.start, ngram.start + ngram.length)
            if before[places] != after[places]:
                at = x0 + ngram.start
                found.append(Trouble("overwritten", step.index, at, ngram.length, ngram.shift))
    return tuple(found)


def low_yield(run: Run) -> tuple[Trouble, ...]:
    """Passes that proved one token only; what the end of the run cut off counts as proven."""
    found, emitted = [], 0
    for step in run.steps:
        if isinstance(step, JacobiStep) and len(step.accepted) + len(step.discarded) == 1:
            found.append(Trouble("low yield", step.index, emitted))
        emitted += len(step.accepted)
    return tuple(found)


def displaced(tokens: Sequence[int], final: Sequence[int]) -> tuple[Ngram, ...]:
    """The n-grams of ``final`` (at least 2 tokens) that stand in ``tokens`` at a wrong place.

    Read from the left: at each token that is not right where it stands, the longest run of such
    tokens that is found elsewhere in ``final`` is one n-gram (of equally long ones the nearest
    place, of equally near ones the left), and the reading goes on behind it.
    """
    found, place = [], 0
    while place < min(len(tokens), len(final)):
        best = max(
            (_match(tokens, final, place, shift) for shift in range(-place, len(final) - place)),
            key=lambda ngram: (ngram.length, -abs(ngram.shift), -ngram.shift),
        )
        if best.length >= 2:
            found.append(best)
        place += max(best.length, 1)
    return tuple(found)


def in_place(tokens: Sequence[int], final: Sequence[int], since: int = 0) -> tuple[Ngram, ...]:
    """The longest runs of at least 2 tokens from place ``since`` on that are right there."""
    found, start = [], since
    end = min(len(tokens), len(final))
    for place in range(since, end + 1):
        if place < end and tokens[place] == final[place]:
            continue
        if place - start >= 2:
            found.append(Ngram(start, place - start, 0))
        start = place + 1
    return tuple(found)


def trouble_sentence(run: Run, trouble: Trouble) -> str:
    """One occurrence in words: where it is and which tokens."""
    step = run.steps[trouble.step]
    where = f"pass {trouble.step}, output token {trouble.x}"
    if trouble.kind == "low yield" or not isinstance(step, JacobiStep):
        return f"{where}: one token"
    place = trouble.x - _start_of(run, trouble.step)
    before = step.iterate[place : place + trouble.length]
    after = step.next_iterate[place : place + trouble.length]
    was, now = (quoted(printable_text(run.token_text, tokens)) for tokens in (before, after))
    if trouble.kind == "flip":
        return f"{where}: the right {was} became {now}"
    if trouble.kind == "displaced":
        return f"{where}: {now} belongs {_away(trouble.shift)}"
    belongs = f" (which belongs {_away(trouble.shift)})" if trouble.shift else ""
    return f"{where}: the right {was}{belongs} became {now}"


def _away(shift: int) -> str:
    side = "to the right" if shift > 0 else "to the left"
    return f"{count(abs(shift), 'place')} {side}"


def _match(tokens: Sequence[int], final: Sequence[int], place: int, shift: int) -> Ngram:
    """How many tokens from ``place`` on, each wrong there, stand ``shift`` places on in final."""
    if not shift:
        return Ngram(place, 0, 0)
    length = 0
    for at in range(place, min(len(tokens), len(final), len(final) - shift)):
        if tokens[at] == final[at] or tokens[at] != final[at + shift]:
            break
        length += 1
    return Ngram(place, length, shift)


def _passes(run: Run) -> Iterator[tuple[JacobiStep, int, tuple[int, ...]]]:
    """Every Jacobi pass, the output index of its block's first token, the block's final text."""
    if not run.ended:
        return
    text, emitted = run.token_ids, 0
    for step in run.steps:
        if isinstance(step, JacobiStep):
            x0 = emitted - step.frozen_before
            yield step, x0, text[x0 : x0 + len(step.iterate)]
        emitted += len(step.accepted)


def _start_of(run: Run, index: int) -> int:
    """The output index of the first token of the block of pass ``index``."""
    step = run.steps[index]
    assert isinstance(step, JacobiStep)
    return sum(len(one.accepted) for one in run.steps[:index]) - step.frozen_before
