"""One prompt and the runs of several methods on it, and whether their texts are the same."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True)
class Difference:
    """The first place where two texts part; ``gap`` is the baseline's top-2 logit gap there."""

    index: int
    expected: int
    found: int
    gap: float | None


@dataclass(frozen=True)
class Equality:
    """``run`` against the greedy baseline: ``compared`` leading tokens, the first difference.

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

    def of_method(self, method: str) -> tuple[Run, ...]:
        return tuple(run for run in self.runs if run.method == method)


def run_label(run: Run) -> str:
    """How a run is named where several are shown: its method and the sizes that matter."""
    sampled = sampled_words(run.config)
    if sampled and isinstance(run.config, GreedyConfig):
        return f"One by one{sampled}"  # drawn tokens are not greedy
    return _sizes_label(run) + sampled


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
