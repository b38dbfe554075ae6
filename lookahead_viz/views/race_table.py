"""The race as a table: what each method needs and promises, measured here and quoted."""

from __future__ import annotations

from dataclasses import dataclass

from lookahead_viz.comparison import Comparison, compare, temperature
from lookahead_viz.records import Run
from lookahead_viz.tokens import printable_text
from lookahead_viz.traits import TRAITS
from lookahead_viz.views.cost import machine
from lookahead_viz.views.race import NO_GREEDY, equality
from lookahead_viz.words import count

TRAIT_COLUMNS = (
    "run",
    "auxiliary model",
    "training",
    "memory overhead",
    "equivalence",
    "tokens per pass, here",
    "time against greedy, here",
    "speed-up, quoted",
    "where it pays",
)
CONTEXT = 12
"""So many tokens before a difference are shown."""


@dataclass(frozen=True)
class Parting:
    """The first difference of one run from the ``reference``, ready to be read."""

    label: str
    sentence: str
    before: str  # the text that both have, the end of it, visible
    expected: str
    found: str
    why: str


def trait_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """One line a run: the sources' columns, measured values beside quoted ones."""
    return [_trait_row(run, comparison) for run in comparison.runs]


def verdict_on_texts(comparison: Comparison) -> tuple[bool | None, str]:
    """Are all texts the same? None where nothing could be compared. One sentence."""
    base = comparison.reference
    others = [run for run in comparison.runs if run is not base and not temperature(run)]
    found = [equality(run, base) for run in others]
    wrong = [
        comparison.label(run)
        for run, (same, _) in zip(others, found, strict=True)
        if same is False
    ]
    if wrong and base is not None:
        whose = "greedy's" if comparison.baseline else f"that of {comparison.label(base)}"
        note = "" if comparison.baseline else f" {_sentence(NO_GREEDY)}"
        said = f"Not all texts are the same: {', '.join(wrong)} part from {whose}.{note}"
        return False, said
    if base is None or not any(same for same, _ in found):
        return None, "Equality not checked: that needs two runs that were not sampled."
    checked = sum(same is True for same, _ in found) + 1
    all_of = "both" if checked == 2 else f"all {checked}"
    tokens = len(base.token_ids)
    whole = all(len(run.token_ids) == tokens for run in others)
    extent = f"{tokens}/{tokens} tokens" if whole else "as far as each of them goes"
    left = [comparison.label(run) for run in comparison.runs if temperature(run)]
    sampled = f" Sampled and so not compared: {', '.join(left)}." if left else ""
    note = "" if comparison.baseline else f" {_sentence(NO_GREEDY)}"
    return True, f"The texts of {all_of} are identical, {extent}.{sampled}{note}"


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def partings(comparison: Comparison) -> list[Parting]:
    """Where the texts part from the ``reference``'s, one entry for every run that does."""
    base = comparison.reference
    return [
        _parting(run, base, comparison.label(run))
        for run in comparison.runs
        if base is not None and equality(run, base)[0] is False
    ]


def _parting(run: Run, base: Run, label: str) -> Parting:
    difference = compare(run, base).difference
    assert difference is not None
    before = base.token_ids[max(0, difference.index - CONTEXT) : difference.index]
    gap = "unknown" if difference.gap is None else f"{difference.gap:.2g}"
    dtype = run.model.dtype or "unknown precision"
    return Parting(
        label=label,
        sentence=equality(run, base)[1],
        before=printable_text(run.token_text, before),
        expected=printable_text(base.token_text, (difference.expected,)),
        found=printable_text(run.token_text, (difference.found,)),
        why=(
            f"The two most likely tokens were {gap} apart (logits, {dtype}). A pass with many "
            "slots adds the same numbers in another order than a pass with one, and rounding can "
            "turn a gap that small around; a large gap would mean an error."
        ),
    )


def _trait_row(run: Run, comparison: Comparison) -> tuple[str, ...]:
    traits = TRAITS[run.method]
    widest = max((step.layout.slots for step in run.steps), default=0)
    auxiliary = traits.auxiliary
    if run.draft is not None:
        auxiliary = f"{run.draft.name}: {auxiliary}"
    return (
        comparison.label(run),
        auxiliary,
        traits.training,
        f"{traits.memory}; here up to {count(max(widest - 1, 0), 'row')} more in a pass",
        f"{traits.equivalence}. Here: {equality(run, comparison.reference)[1]}",
        f"{run.compression:.2f}",
        _time(run, comparison),
        "; ".join(quote.sentence for quote in traits.quotes) or "–",
        traits.regime,
    )


def _time(run: Run, comparison: Comparison) -> str:
    """How many times faster than greedy by the clock, per token; "slower" in plain words."""
    base = comparison.baseline
    if base is None or run is base or not (run.seconds and base.seconds and run.token_ids):
        return "–"
    if (run.model.device, run.model.hardware) != (base.model.device, base.model.hardware):
        return "– (greedy was timed on another machine)"
    faster = (base.seconds / len(base.token_ids)) / (run.seconds / len(run.token_ids))
    said = f"{faster:.2f}×" if faster >= 1 else f"{faster:.2f}× (slower)"
    where = machine(comparison)
    return f"{said}, {where}" if where else said
