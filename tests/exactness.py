"""Random settings on random models: every method's text equals ``generate(do_sample=False)``."""

from __future__ import annotations

import torch
from hypothesis import strategies as st

import lookahead_viz as lv
from lookahead_viz.config import SpeculativeConfig
from lookahead_viz.records import LookaheadStep, Run
from tests.random_models import POSITIONS, VOCAB, generate, random_model

token = st.integers(0, VOCAB - 1)

prompts = st.one_of(
    st.lists(token, min_size=1, max_size=12),
    st.lists(token, min_size=1, max_size=4).map(lambda piece: piece * 4),
).map(tuple)

cases = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 3),
        "prompt": prompts,
        "count": st.sampled_from([32, *range(18, 42, 3), 1, 2, 5]),
        "stop_ids": st.sampled_from([()] * 6 + [(3,), (2, 7)]),
        "near_the_limit": st.sampled_from([False] * 9 + [True]),
    }
)

lookahead_settings = st.fixed_dictionaries(
    {
        "window_size": st.integers(1, 7),
        "ngram_size": st.integers(2, 5),
        "max_candidates": st.sampled_from([3, 1, 2, 4, 5, 5, 8, 0]),
        "pool_per_key": st.sampled_from([None, None, 1, 3, 8]),
        "seed": st.integers(0, 3),
        "window_fill": st.sampled_from(["prompt", "random", "repeat"]),
        "pool_from_prompt": st.booleans(),
        "accept": st.sampled_from(["full", "full", "original"]),
        "shift": st.sampled_from(["reanchor", "slide"]),
    }
)

jacobi_settings = st.fixed_dictionaries(
    {
        "block_size": st.integers(1, 20),
        "init": st.sampled_from(["prompt", "random", "repeat"]),
        "seed": st.integers(0, 3),
    }
)


def check_case(
    architecture: str,
    case: dict[str, object],
    lookahead: dict[str, object],
    jacobi: dict[str, object],
    *,
    dtype: torch.dtype = torch.float64,
    attention: str | None = None,
    device: str = "cpu",
) -> Run:
    """Decode one case by four methods and compare; returns the lookahead run."""
    prompt, count, stop_ids = case["prompt"], case["count"], case["stop_ids"]
    assert isinstance(prompt, tuple) and isinstance(count, int) and isinstance(stop_ids, tuple)
    if case["near_the_limit"]:
        prompt = (prompt * POSITIONS)[: POSITIONS - count]
    model = random_model(architecture, attention, int(str(case["seed"])), dtype, device)
    expected = generate(model.network, prompt, count, stop_ids)
    shared = {"max_new_tokens": count, "stop_ids": stop_ids, "alternatives": 2}
    shared_by_drafts = shared | {"draft": 1, "gamma": 1 + count % 5}  # one layer drafts
    runs = [
        lv.record(model, prompt, SpeculativeConfig(**shared_by_drafts)),  # type: ignore[arg-type]
        lv.record(model, prompt, lv.GreedyConfig(**shared)),  # type: ignore[arg-type]
        lv.record(model, prompt, lv.JacobiConfig(**shared, **jacobi)),  # type: ignore[arg-type]
        lv.record(model, prompt, lv.LookaheadConfig(**shared, **lookahead)),  # type: ignore[arg-type]
    ]
    for run in runs:
        assert run.finish_reason == ("stop" if expected[-1] in stop_ids else "length")
        assert run.token_ids == expected, run.method
    return runs[-1]


def accepts_and_rejects(run: Run) -> bool:
    """Does the run hold an accepted and a rejected guess? Only then is verification tested."""
    seen = [step.verification for step in run.steps if isinstance(step, LookaheadStep)]
    matched = [length for verification in seen for length in verification.matched]
    size = run.config.ngram_size - 1 if isinstance(run.config, lv.LookaheadConfig) else 0
    return any(matched) and any(length < size for length in matched)
