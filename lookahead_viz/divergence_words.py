"""What a divergence exploration found, in sentences made of its own numbers."""

from __future__ import annotations

from collections.abc import Sequence

from lookahead_viz.comparison import run_label
from lookahead_viz.divergence import Divergence, Outcome
from lookahead_viz.tokens import quoted_token
from lookahead_viz.words import count

OUTCOME_COLUMNS = (
    "computed in",
    "method",
    "text",
    "token",
    "instead of",
    "gap there",
    "noise before",
    "smallest gap before",
)


def answer(divergence: Divergence) -> str:
    """Why the output differs from greedy decoding, or why it does not, from what was measured."""
    compared = [one for one in divergence.outcomes if not one.is_greedy]
    if not compared:
        return "Nothing was compared: choose a method besides greedy decoding."
    parted = [one for one in compared if one.parted is not None]
    return " ".join(
        sentence
        for sentence in (
            *(_parted_sentence(one) for one in parted[:2]),
            _more_sentence(parted),
            *_same_sentences([one for one in compared if one.parted is None]),
            _precision_sentence(divergence),
        )
        if sentence
    )


def _parted_sentence(one: Outcome) -> str:
    assert one.parted is not None
    texts = one.run.token_text
    tokens = f"{quoted_token(texts, one.parted.found)} instead of " + quoted_token(
        texts, one.parted.expected
    )
    return (
        f"In {one.setting.label}, {run_label(one.run)} parts from greedy at token "
        f"{one.parted.index} ({tokens}): {_apart(one.parted.gap)}, and its passes, which have "
        f"another shape, changed such gaps by up to {one.noise:.2g} before it."
    )


def _apart(gap: float | None) -> str:
    if gap is None:
        return "how far apart the two best logits were is not known"
    if not gap:
        return "there the two best logits were equal, a tie"
    return f"there the two best logits were {gap:.2g} apart"


def _more_sentence(parted: Sequence[Outcome]) -> str:
    more = len(parted) - 2
    return f"{count(more, 'more run')} {'parts' if more == 1 else 'part'} too." if more > 0 else ""


def _same_sentences(same: Sequence[Outcome]) -> list[str]:
    by_dtype: dict[str, list[Outcome]] = {}
    for one in same:
        by_dtype.setdefault(one.setting.dtype, []).append(one)
    return [_same_sentence(dtype, found) for dtype, found in by_dtype.items()]


def _same_sentence(dtype: str, same: Sequence[Outcome]) -> str:
    """The runs of one precision that agree with greedy: was that certain, or luck?"""
    labels = dict.fromkeys(one.setting.attention for one in same)
    noise = max(one.noise for one in same)
    gaps = [one.least_gap for one in same if one.least_gap is not None]
    text = "the text of one run is" if len(same) == 1 else f"the texts of {len(same)} runs are"
    sentence = (
        f"In {dtype} ({', '.join(labels)}) {text} greedy's own: other shapes of the passes "
        f"changed gaps by at most {noise:.2g}"
    )
    if not gaps:
        return f"{sentence}."
    least = f"the smallest gap in the text is {min(gaps):.2g}"
    if noise < min(gaps):
        return f"{sentence}, and {least}, so no token could flip."
    return f"{sentence}, while {least}: here a token could have flipped, and did not by luck."


def _precision_sentence(divergence: Divergence) -> str:
    """Greedy decoding itself depends on the precision."""
    reference = divergence.reference
    if reference is None:
        return ""
    others = [one for one in divergence.outcomes if one.is_greedy and one is not reference]
    parted = [
        f"{one.setting.label} at token {found.index}"
        for one in others
        if (found := divergence.from_reference(one)) is not None
    ]
    if not parted:
        return ""
    return (
        f"Greedy decoding itself parts from its text in {reference.setting.label}: "
        f"{', '.join(parted)}. That is the precision, not the method."
    )


def outcome_rows(divergence: Divergence) -> list[tuple[object, ...]]:
    """One line a run: does its text part from greedy's of the same setting, and the numbers."""
    return [_row(one) for one in divergence.outcomes]


def _row(one: Outcome) -> tuple[object, ...]:
    texts, found = one.run.token_text, one.parted
    tokens = count(len(one.run.token_ids), "token")
    said = f"parts at token {found.index}" if found else f"{tokens}, equal"
    return (
        one.setting.label,
        run_label(one.run),
        "the baseline" if one.is_greedy else said,
        quoted_token(texts, found.found) if found else None,
        quoted_token(texts, found.expected) if found else None,
        None if found is None or found.gap is None else f"{found.gap:.2g}",
        None if one.is_greedy else f"{one.noise:.2g}",
        None if one.least_gap is None else f"{one.least_gap:.2g}",
    )
