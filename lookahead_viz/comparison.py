"""One prompt and the runs of several methods on it, and whether their texts are the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from lookahead_viz.config import (
    Config,
    DraftJacobiConfig,
    GreedyConfig,
    JacobiConfig,
    LookaheadConfig,
    MultiblockJacobiConfig,
    PromptLookupConfig,
    SpeculativeConfig,
    SpeculativeJacobiConfig,
)
from lookahead_viz.methods import METHODS
from lookahead_viz.presets import differences, preset_of, semantics
from lookahead_viz.records import Run
from lookahead_viz.words import count


@dataclass(frozen=True)
class Difference:
    """The first place where two texts part; ``gap`` is the reference's top-2 logit gap there."""

    index: int
    expected: int
    found: int
    gap: float | None


@dataclass(frozen=True)
class Equality:
    """``run`` against ``Comparison.reference``: ``compared`` leading tokens, the first difference.

    ``complete`` is False when one of the two was stopped early, so that only the tokens both
    have could be compared.
    """

    compared: int
    difference: Difference | None
    complete: bool

    @property
    def identical(self) -> bool:
        return self.difference is None


@dataclass(frozen=True)
class Comparison:
    """One prompt, several recorded runs. ``name`` is what a menu shows, ``note`` one sentence."""

    name: str
    runs: tuple[Run, ...]
    note: str = ""

    @property
    def baseline(self) -> Run | None:
        """The greedy run, if there is one; sampling is not greedy."""
        found = (run for run in self.runs if run.method == "greedy" and not temperature(run))
        return next(found, None)

    @property
    def reference(self) -> Run | None:
        """What the texts are compared with: the greedy run, else the first that was not sampled.

        None where nothing can be compared with anything.
        """
        plain = [run for run in self.runs if not temperature(run)]
        return self.baseline or (plain[0] if len(plain) > 1 else None)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """A name for every run; runs that ``run_label`` calls alike get what they differ in."""
        return tuple(distinct_labels(self.runs))

    def label(self, run: Run) -> str:
        """The name of one of ``runs``."""
        found = (name for one, name in zip(self.runs, self.labels, strict=True) if one is run)
        return next(found, run_label(run))

    def of_method(self, method: str) -> tuple[Run, ...]:
        return tuple(run for run in self.runs if run.method == method)


def run_label(run: Run) -> str:
    """How a run is named where several are shown: its method and the sizes that matter."""
    sampled = sampled_words(run.config)
    if sampled and isinstance(run.config, GreedyConfig):
        return f"One by one{sampled}"  # drawn tokens are not greedy
    return _sizes_label(run) + sampled


def distinct_labels(runs: Sequence[Run]) -> list[str]:
    """``run_label`` of each, and for equal ones what differs: "…, seed 1", "…, float16", "#2"."""
    labels = [run_label(run) for run in runs]
    for label in {one for one in labels if labels.count(one) > 1}:
        places = [place for place, one in enumerate(labels) if one == label]
        details = [_details(runs[place]) for place in places]
        for name in details[0]:  # no more of them than are needed
            told_apart = len({labels[place] for place in places}) == len(places)
            if not told_apart and len({one[name] for one in details}) > 1:
                for place, own in zip(places, details, strict=True):
                    labels[place] += f", {own[name]}" if own[name] else ""
    return [_numbered(labels, place) for place in range(len(labels))]


def _details(run: Run) -> dict[str, str]:
    """Everything two runs of one name can differ in, in a few words each."""
    found = {
        name: f"{name.replace('_', ' ')} {_in_words(getattr(run.config, name))}"
        for name in run.config.__dataclass_fields__
    }
    model = run.model
    return found | {
        "dtype": model.dtype,
        "attention": model.attention,
        "device": model.device,
        "hardware": model.hardware,
        "steps": count(len(run.steps), "pass", "passes"),
    }


def _in_words(value: object) -> str:
    if isinstance(value, tuple):
        return f"{' '.join(map(str, value[:4]))}{' …' if len(value) > 4 else ''}" or "none"
    return "as usual" if value is None else str(value)


def _numbered(labels: Sequence[str], place: int) -> str:
    before = labels[:place].count(labels[place])
    return f"{labels[place]} #{before + 1}" if before else labels[place]


def config_label(config: Config) -> str:
    """How a decoding is called before its run is there: method and engine, without sizes."""
    variant = _variant(config) if isinstance(config, LookaheadConfig) else ""
    return METHODS[config.method].label + variant


def _sizes_label(run: Run) -> str:
    config = run.config
    if isinstance(config, LookaheadConfig):
        sizes = f"W={config.window_size} N={config.ngram_size} G={config.max_candidates}"
        return f"Lookahead {sizes}{_variant(config)}"
    label = METHODS[run.method].label
    if isinstance(config, MultiblockJacobiConfig):
        return f"{label} K={config.blocks} n={config.block_size}"
    if isinstance(config, DraftJacobiConfig):
        return f"{label} {draft_name(run)} n={config.block_size}"
    if isinstance(config, (JacobiConfig, SpeculativeJacobiConfig)):
        return f"{label} n={config.block_size}"
    if isinstance(config, SpeculativeConfig):
        return f"{label} {draft_name(run)} γ={config.gamma}"
    if isinstance(config, PromptLookupConfig):
        return f"{label} γ={config.gamma}"
    return label


def _variant(config: LookaheadConfig) -> str:
    """What else tells two lookahead runs apart: whose semantics they have."""
    if semantics(config) == semantics(LookaheadConfig()):
        return ""
    return f", {preset_of(config) or ', '.join(differences(config))}"


def sampled_words(config: Config) -> str:
    """ ", T=0.8" of a sampled run; empty for a greedy one."""
    if not getattr(config, "temperature", 0.0):
        return ""
    found = f", T={config.temperature:g}"  # type: ignore[union-attr]
    for name, sign in (("top_k", "k"), ("top_p", "p")):
        value = getattr(config, name)
        found += "" if value is None else f" {sign}={value:g}"
    return found


def draft_name(run: Run) -> str:
    """How the draft model of a run is called; without the model's own name for a self-draft."""
    if run.draft is None:
        return ""
    return run.draft.name.removeprefix(f"{run.model.name}:")


def temperature(run: Run) -> float:
    """0.0 for greedy decoding and what must equal it, above for sampling."""
    return float(getattr(run.config, "temperature", 0.0))


def compare(run: Run, baseline: Run) -> Equality:
    """Token by token against ``baseline`` (both must have decoded the same prompt)."""
    if run.prompt_ids != baseline.prompt_ids:
        raise ValueError(
            "the two runs decode different prompts, so their texts cannot be compared."
        )
    expected, found = baseline.token_ids, run.token_ids
    compared = min(len(expected), len(found))
    return Equality(
        compared=compared,
        difference=_first_difference(expected, found, baseline),
        complete=run.ended and baseline.ended and len(expected) == len(found),
    )


def _first_difference(
    expected: tuple[int, ...], found: tuple[int, ...], baseline: Run
) -> Difference | None:
    gaps = [gap for step in baseline.steps for gap in step.gap]
    for index, (a, b) in enumerate(zip(expected, found, strict=False)):
        if a != b:
            return Difference(index, a, b, gaps[index] if index < len(gaps) else None)
    return None
