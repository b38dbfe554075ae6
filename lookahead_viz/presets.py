"""What engines that have lookahead decoding do differently: sets of settings by name.

None of them changes a greedy text; they change which guesses are right. The facts are read in the
engines' sources; what a preset leaves out is said in its sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from lookahead_viz.config import LookaheadConfig


@dataclass(frozen=True)
class Preset:
    """``changes`` are fields of ``LookaheadConfig``; all others keep their defaults."""

    name: str
    sentence: str
    changes: Mapping[str, Any] = field(default_factory=dict)


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "LADE",
            "The authors' own code (hao-ai-lab/LookaheadDecoding): a full match counts one guess "
            "less, the window starts from random prompt tokens and warms up row by row, the least "
            "recently inserted n-gram of a key is evicted.",
            {"accept": "original"},
        ),
        Preset(
            "llama.cpp",
            "examples/lookahead: a ring of G n-grams per key, the whole window filled at "
            "first (here with one token id, there with consecutive ones), one roll for each "
            "accepted token, column 0 keyed by the window's own token, which was not fed.",
            {
                "pool_policy": "ring",
                "column_key": "stale",
                "shift": "level",
                "window_fill": "constant",
                "fill_token": 100,
                "warm_up": "none",
            },
        ),
        Preset(
            "TensorRT-LLM",
            "Prompt and new text feed the pool, column 0 is keyed by the token accepted last, and "
            "all paths through the window are verified too; equal prefixes are merged (here among "
            "the candidates only). It verifies during warm-up as well, which is left out here.",
            {
                "column_key": "next",
                "pool_from_prompt": True,
                "verify_window": True,
                "merge_candidates": True,
            },
        ),
        Preset(
            "ExecuTorch",
            "Static attention runner: a ring of G n-grams per key, the whole window filled with "
            "the last prompt token at the start, one roll a pass.",
            {"pool_policy": "ring", "window_fill": "repeat", "warm_up": "none"},
        ),
        Preset(
            "ours",
            "What took the fewest passes on the twelve classroom prompts with the tiny model, "
            "found by changing one setting after another: prompt and new text feed the pool, no "
            "warm-up, the window is verified too, column 0 is keyed by the window's own token. "
            "Merging equal prefixes saves slots.",
            {
                "column_key": "stale",
                "pool_from_prompt": True,
                "verify_window": True,
                "warm_up": "none",
                "merge_candidates": True,
            },
        ),
    )
}

CHOSEN_BY_PRESETS = (
    "accept",
    "column_key",
    "fill_token",
    "merge_candidates",
    "pool_from_generated",
    "pool_from_prompt",
    "pool_per_key",
    "pool_policy",
    "shift",
    "verify_window",
    "warm_up",
    "window_fill",
)
"""Fields of ``LookaheadConfig`` that say how an engine does it, not how large it is."""


def preset(name: str, **settings: Any) -> LookaheadConfig:
    """The ``LookaheadConfig`` of a preset, with ``settings`` on top.

    Raises ValueError in one sentence for an unknown name or a bad setting.
    """
    known = [one.name for one in fields(LookaheadConfig)]
    foreign = next((one for one in settings if one not in known), None)
    if foreign is not None:
        raise ValueError(
            f"a preset has no setting {foreign!r}; what may be set is {', '.join(known)}."
        )
    return LookaheadConfig(**{**changes_of(name), **settings})


def changes_of(name: str) -> Mapping[str, Any]:
    """The fields that a preset sets; ValueError for an unknown name."""
    if name not in PRESETS:
        known = ", ".join(repr(known) for known in PRESETS)
        raise ValueError(f"there is no preset {name!r}; it must be one of {known}.")
    return PRESETS[name].changes


def preset_of(config: LookaheadConfig) -> str | None:
    """The name of the preset whose settings ``config`` has; None where it has others."""
    own = semantics(config)
    for name in PRESETS:
        if semantics(preset(name)) == own:
            return name
    return None


def semantics(config: LookaheadConfig) -> tuple[Any, ...]:
    """The settings that a preset chooses; one way of saying each."""
    return tuple(
        config.collects_text if name == "pool_from_generated" else getattr(config, name)
        for name in CHOSEN_BY_PRESETS
    )


def differences(config: LookaheadConfig) -> list[str]:
    """What sets ``config`` apart from the defaults, in a few words each."""
    pairs = zip(CHOSEN_BY_PRESETS, semantics(config), semantics(LookaheadConfig()), strict=True)
    return [
        WORDS.get((name, value), f"{name.replace('_', ' ')} {value}")
        for name, value, default in pairs
        if value != default
    ]


WORDS: Mapping[tuple[str, Any], str] = {
    ("accept", "original"): "original",
    ("merge_candidates", True): "merged",
    ("verify_window", True): "window verified",
    ("pool_from_prompt", True): "prompt in pool",
    ("pool_from_generated", True): "text in pool",
    ("pool_policy", "ring"): "ring",
    ("pool_policy", "unlimited"): "unlimited pool",
    ("shift", "slide"): "slides",
    ("shift", "level"): "rolls per token",
    ("warm_up", "none"): "no warm-up",
    ("column_key", "stale"): "stale key",
    ("column_key", "next"): "next key",
}
"""Settings in a few words, for the name of a run."""
