"""Which methods decode one's own prompt, and their settings; the list is that of ``METHODS``.

Settings are named like the fields of the configs, so that methods share what they have in common.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from lookahead_viz.config import BLOCK_FILLS
from lookahead_viz.methods import METHODS, Method, methods_of
from lookahead_viz.models import registry
from lookahead_viz.records import JacobiStep
from lookahead_viz.ui import lookahead_settings, models
from lookahead_viz.ui.lookahead_settings import FILL_WORDS
from lookahead_viz.ui.text import say

SELF_DRAFT = "own layers"
MOST_LAYERS = {registry.TINY: 2}
"""How many layers a self-draft can have; another model says so itself when it is too many."""

_KEPT: Any = "session"


def draw(model: str) -> dict[str, Any]:
    """The controls; ``model`` is the name of the one chosen. Returns the settings by name."""
    chosen = st.multiselect(
        "Methods",
        list(METHODS),
        default=[name for name, method in METHODS.items() if method.ready],
        format_func=lambda name: METHODS[name].label,
        key="own_methods",
        persist_state=_KEPT,
        help="\n".join(f"- **{m.label}**: {m.sentence}" for m in METHODS.values()),
    )
    methods = [method for name, method in METHODS.items() if name in chosen]
    values: dict[str, Any] = {
        "methods": [method.name for method in methods],
        "max_new_tokens": _slider("New tokens", "own_tokens", 1, 512, 64),
    }
    engines: list[str] = []
    sizes: dict[str, int] = {}
    if "lookahead" in chosen:
        values |= _sizes()
        engines, sizes = lookahead_settings.engines(), lookahead_settings.other_sizes()
    if set(chosen) & set(methods_of(JacobiStep)):
        values["block_size"] = _slider("Jacobi block n", "own_block", 1, 64, 16)
    if "multiblock-jacobi" in chosen:
        values |= _blocks(shared="lookahead" in chosen)
    values |= _drafts(methods, model)
    with st.popover("More settings", width="stretch"):
        values["seed"] = st.number_input(
            "Seed", 0, 2**31 - 1, value=0, key="own_seed", persist_state=_KEPT
        )
        if any(method.samples for method in methods):
            values |= _sampling()
        if any(_has(method, "init") for method in methods):
            values["init"] = _fill("Jacobi starts from", "own_init")
        if "lookahead" in chosen:
            own = lookahead_settings.details(engines)
            values |= own  # other methods have some of them too
            values["lookaheads"] = lookahead_settings.lanes(engines, own, sizes)
        if "prompt-lookup" in chosen:
            values["match_size"] = _slider("Last tokens looked for", "own_match", 1, 5, 2)
        if "multiblock-jacobi" in chosen:
            values["activation"] = float(
                st.slider(
                    "A new block starts when the last one has converged to",
                    0.05,
                    1.0,
                    0.85,
                    0.05,
                    key="own_activation",
                    persist_state=_KEPT,
                )
            )
    _say_who_samples(methods, values.get("temperature", 0.0))
    return values


def _sampling() -> dict[str, Any]:
    """Temperature 0 is greedy; top-k and top-p then mean nothing and are not offered."""
    temperature = float(
        st.number_input(
            "Temperature (0 = greedy)",
            0.0,
            5.0,
            0.0,
            0.1,
            format="%.2f",
            key="own_temperature",
            persist_state=_KEPT,
        )
    )
    if not temperature:
        return {"temperature": 0.0}
    top_k = int(
        st.number_input("Top-k (0 = off)", 0, 10**6, 0, key="own_top_k", persist_state=_KEPT)
    )
    top_p = float(
        st.slider("Top-p (1 = off)", 0.05, 1.0, 1.0, 0.05, key="own_top_p", persist_state=_KEPT)
    )
    return {
        "temperature": temperature,
        "top_k": top_k or None,
        "top_p": None if top_p == 1.0 else top_p,
    }


def _say_who_samples(methods: list[Method], temperature: float) -> None:
    if temperature:
        greedy = [method.label for method in methods if not method.samples]
        if greedy:
            say(f"Always greedy: {', '.join(greedy)}.", quiet=True)
    elif any(method.name == "speculative-jacobi" for method in methods):
        say(
            "Speculative Jacobi samples: at temperature 0 (More settings) it is pure Jacobi.",
            quiet=True,
        )


def _has(method: Method, field: str) -> bool:
    return field in method.config.__dataclass_fields__


def _sizes() -> dict[str, Any]:
    """W, N, G, and what they cost."""
    values: dict[str, Any] = {
        "window_size": _slider("Window W (columns)", "own_w", 1, 32, 5),
        **_ngrams(),
    }
    width = values["ngram_size"] - 1
    slots = (values["window_size"] + values["max_candidates"]) * width
    say(f"A full pass computes up to {slots} slots instead of 1.", quiet=True)
    if values["max_candidates"] == 0:
        say("With G = 0 the pool fills, but nothing is verified.", quiet=True)
    return values


def _ngrams() -> dict[str, Any]:
    return {
        "ngram_size": _slider("N-gram N (tokens)", "own_n", 2, 8, 4),
        "max_candidates": _slider("Candidates G (at most)", "own_g", 0, 32, 5),
    }


def _blocks(*, shared: bool) -> dict[str, Any]:
    """K; the recycled n-grams share N and G with lookahead, where that is ticked."""
    values: dict[str, Any] = {"blocks": _slider("Blocks in flight K", "own_blocks", 1, 8, 2)}
    return values if shared else values | _ngrams()


def _drafts(methods: list[Method], model: str) -> dict[str, Any]:
    """Which model drafts, and how many tokens."""
    values: dict[str, Any] = {}
    if any(method.needs_draft for method in methods):
        values["draft"] = _draft(model)
    if any(_has(method, "gamma") for method in methods):
        values["gamma"] = _slider("Drafted tokens γ (at most)", "own_gamma", 1, 16, 5)
    return values


def _draft(model: str) -> int | str:
    titles = {choice.name: choice.title for choice in models.installed() if choice.name != model}
    name = st.selectbox(
        "Draft model",
        [SELF_DRAFT, *titles],
        format_func=lambda name: titles.get(name, "The first layers of the model itself"),
        key="own_draft",
        persist_state=_KEPT,
        help="Another model must have the same vocabulary.",
    )
    if name != SELF_DRAFT:
        return str(name)
    return _slider("Layers of the draft", "own_layers", 1, MOST_LAYERS.get(model, 32), 2)


def _slider(label: str, key: str, least: int, most: int, value: int) -> int:
    return int(st.slider(label, least, most, value, key=key, persist_state=_KEPT))


def _fill(label: str, key: str) -> str:
    return str(
        st.selectbox(
            label, BLOCK_FILLS, format_func=FILL_WORDS.__getitem__, key=key, persist_state=_KEPT
        )
    )
