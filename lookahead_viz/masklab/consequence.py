"""What a wrong mask does: a model decodes with it, beside the right one, from the same prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lookahead_viz import visibility
from lookahead_viz.config import LookaheadConfig
from lookahead_viz.masklab.mistakes import MISTAKES
from lookahead_viz.records import StepLayout
from lookahead_viz.tokens import quoted_token
from lookahead_viz.words import count, one_line, quoted

if TYPE_CHECKING:
    from lookahead_viz.engine.model import Model
    from lookahead_viz.masklab.planting import Plant
    from lookahead_viz.masklab.report import Report

COUNTERFACTUALS = ("same-iteration", "window-causal-positions", "prefix-missing")
"""Masks that people propose instead of the right one, as names of ``MISTAKES``."""


@dataclass(frozen=True)
class Outcome:
    """One decoding. ``failure`` is one sentence where it ended before its time."""

    accepted: tuple[tuple[int, ...], ...]  # the tokens of every pass
    failure: str | None = None

    @property
    def token_ids(self) -> tuple[int, ...]:
        return tuple(token for tokens in self.accepted for token in tokens)

    @property
    def passes(self) -> int:
        return len(self.accepted)

    @property
    def accepted_counts(self) -> tuple[int, ...]:
        """Accepted tokens of every pass."""
        return tuple(len(tokens) for tokens in self.accepted)

    @property
    def compression(self) -> float:
        """Tokens a pass."""
        return len(self.token_ids) / self.passes if self.passes else 0.0


@dataclass(frozen=True)
class Consequence:
    """The right mask and a wrong one on the same prompt.

    ``applied`` is in how many passes of the wrong decoding something differed from right.
    """

    title: str
    as_rule: bool
    right: Outcome
    wrong: Outcome
    applied: int
    first_difference: int | None  # index of the first other token; None: the same text
    right_token: str = ""  # there, as a reader sees it
    wrong_token: str = ""

    @property
    def identical(self) -> bool:
        """Is the text the same?"""
        return self.first_difference is None

    @property
    def sentences(self) -> tuple[str, ...]:
        """In words: where it was applied, what became of the text, what of the acceptance."""
        where = f"{self.applied} of {count(self.wrong.passes, 'pass', 'passes')}"
        if self.as_rule:
            said = [f"{quoted(self.title)} as a rule: it changed {where}."]
        else:
            said = [f"{quoted(self.title)} in passes of exactly its size: {where}."]
        if self.wrong.failure is not None:
            said.append(f"The decoding failed: {self.wrong.failure}")
        elif self.first_difference is None:
            said.append(f"The text is the same, {count(len(self.right.token_ids), 'token')}.")
        if self.first_difference is not None:
            said.append(
                f"The text differs from token {self.first_difference} on: {self.wrong_token} "
                f"instead of {self.right_token}."
            )
        said.append(
            f"Tokens a pass: {self.right.compression:.2f} with the right mask, "
            f"{self.wrong.compression:.2f} with this one."
        )
        return tuple(said)


def consequence(
    model: Model,
    prompt: str | Sequence[int],
    wrong: Report | Plant,
    config: LookaheadConfig | None = None,
) -> Consequence:
    """Decode ``prompt`` with the right mask and with a wrong one.

    ``wrong``: the report of a check, or a ``planting.Plant``. Known mistakes are made at every
    pass; an unknown mask is used in passes of exactly its size, the right one elsewhere. The
    config's sizes default to the report's. Raises ``ValueError`` with one sentence where there is
    nothing to run.
    """
    from lookahead_viz.masklab.planting import Plant, plant_of

    plant = wrong if isinstance(wrong, Plant) else plant_of(wrong)
    if config is None:
        config = LookaheadConfig() if isinstance(wrong, Plant) else config_of(wrong)
    plant.applied = 0
    right = decode(model, prompt, config)
    other = decode(model, prompt, config, plant)
    difference = first_difference(right.token_ids, other.token_ids)
    tokens = ["", ""]
    if difference is not None:
        for side, outcome in enumerate((right, other)):
            ids = outcome.token_ids[difference : difference + 1]
            text = {} if model.tokenizer is None else model.token_text(ids)
            tokens[side] = quoted_token(text, ids[0]) if ids else "nothing"
    return Consequence(
        plant.title, plant.as_rule, right, other, plant.applied, difference, *tokens
    )


def config_of(report: Report, max_new_tokens: int = 48) -> LookaheadConfig:
    """Settings under which passes of the report's size occur."""
    return LookaheadConfig(
        window_size=report.layout.window_size,
        ngram_size=report.layout.ngram_size,
        max_candidates=report.layout.candidates,
        max_new_tokens=max_new_tokens,
        alternatives=0,
    )


def decode(
    model: Model,
    prompt: str | Sequence[int],
    config: LookaheadConfig,
    plant: Plant | None = None,
) -> Outcome:
    """Decode with a planted mask or positions, or with the right ones.

    Candidates stay apart and verification greedy: what is planted is said of such passes.
    """
    from lookahead_viz.engine.lookahead import lookahead_steps
    from lookahead_viz.engine.recording import checked_prompt, stop_ids
    from lookahead_viz.masklab.planting import Misplaced

    config = replace(
        config, merge_candidates=False, temperature=0.0, top_k=None, top_p=None, alternatives=0
    )
    ids = checked_prompt(model, prompt, config)
    runner = model.runner(0)
    mask_of: Callable[[StepLayout], visibility.BoolMatrix] = visibility.mask
    accepted: list[tuple[int, ...]] = []
    failure = None
    stops = stop_ids(model, config)
    steps = lookahead_steps(runner, ids, config, stops, mask_of)
    if plant is not None:
        steps = lookahead_steps(Misplaced(runner, plant), ids, config, stops, plant.mask_of)
    try:
        for step in steps:
            accepted.append(step.accepted)
    except RuntimeError as error:
        if plant is None:
            raise
        failure = one_line(error)
        if "NaN" in failure:
            failure = "a line sees nothing at all, its logits are not numbers (NaN)."
    return Outcome(tuple(accepted), failure)


def first_difference(one: Sequence[int], other: Sequence[int]) -> int | None:
    """Index of the first token that differs (or is missing); None where both are the same."""
    for index, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return index
    return None if len(one) == len(other) else min(len(one), len(other))


# --- counterfactual masks


@dataclass(frozen=True)
class Counterfactual:
    """One mask over several prompts, beside the right one."""

    name: str  # of ``MISTAKES``, or "right"
    title: str
    outcomes: tuple[Outcome, ...]  # one a prompt
    identical: tuple[bool, ...]  # one a prompt: the text of the right mask?

    @property
    def compression(self) -> float:
        """Tokens a pass, over all prompts together."""
        passes = sum(outcome.passes for outcome in self.outcomes)
        return sum(len(outcome.token_ids) for outcome in self.outcomes) / max(passes, 1)


def counterfactuals(
    model: Model,
    prompts: Sequence[str | Sequence[int]],
    config: LookaheadConfig | None = None,
    names: Sequence[str] = COUNTERFACTUALS,
) -> tuple[Counterfactual, ...]:
    """The right mask first, then each named one as a rule: what it accepts, whether it is exact.

    Raises ``ValueError`` with one sentence for an unknown name or no prompt.
    """
    from lookahead_viz.masklab.planting import plant_mistake

    if isinstance(prompts, (str, bytes)):  # each letter would be one
        raise ValueError("prompts is a single prompt; give a list of prompts.")
    if not prompts:
        raise ValueError("there is no prompt to compare on; give at least one.")
    unknown = [name for name in names if name not in MISTAKES]
    if unknown:
        raise ValueError(f"mask {unknown[0]!r} is not known; use one of {', '.join(MISTAKES)}.")
    config = config or LookaheadConfig(max_new_tokens=48, alternatives=0)
    right = tuple(decode(model, prompt, config) for prompt in prompts)
    found = [Counterfactual("right", "the right mask", right, (True,) * len(right))]
    for name in names:
        outcomes = tuple(
            decode(model, prompt, config, plant_mistake(MISTAKES[name])) for prompt in prompts
        )
        same = tuple(
            one.failure is None and one.token_ids == other.token_ids
            for one, other in zip(outcomes, right, strict=True)
        )
        found.append(Counterfactual(name, MISTAKES[name].title, outcomes, same))
    return tuple(found)
