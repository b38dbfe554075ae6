"""flex_attention from the same rules: the tokens of sdpa in float32, up to reported ties.

Compiling it takes a minute on a CPU, so here it runs uncompiled; by hand,
``pytest -m long tests/test_flex_attention.py`` compiles it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

import lookahead_viz as lv
from lookahead_viz.engine.self_check import packed_error
from lookahead_viz.records import Run
from tests.model_folders import write_folder
from tests.random_models import random_model, random_network

PROMPT = (1, 5, 2, 8, 3, 1, 9, 4) * 2  # longer than the sliding windows
CONFIG = lv.LookaheadConfig(max_new_tokens=24, stop_ids=())


@pytest.fixture
def uncompiled() -> Iterator[None]:
    with torch.compiler.set_stance("force_eager"):
        yield


def same_up_to_ties(run: Run, other: Run) -> bool:
    """Equal tokens, or at the first difference a gap that rounding can close."""
    pairs = zip(run.token_ids, other.token_ids, strict=True)
    differ = next((i for i, (a, b) in enumerate(pairs) if a != b), None)
    if differ is None:
        return True
    gaps = [gap for step in other.steps for gap in step.gap]
    return gaps[differ] < 1e-4


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("architecture", ["llama", "mistral sliding", "gemma3_text", "gemma2"])
def test_flex_gives_the_tokens_of_the_other_backends(architecture: str, uncompiled: None) -> None:
    flex = random_model(architecture, "flex_attention", dtype=torch.float32)
    other = random_model(architecture, dtype=torch.float32)
    assert packed_error(flex.network, 9) < 1e-4
    for config in (CONFIG, lv.GreedyConfig(max_new_tokens=8, stop_ids=())):
        run = lv.record(flex, PROMPT, config)
        assert run.model.attention == "flex_attention" and run.finish_reason == "length"
        assert same_up_to_ties(run, lv.record(other, PROMPT, config))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_bfloat16_runs(uncompiled: None) -> None:
    run = lv.record(random_model("llama", "flex_attention", dtype=torch.bfloat16), PROMPT, CONFIG)
    assert run.finish_reason == "length"


@pytest.mark.long
def test_compiled_flex_gives_the_same_tokens() -> None:
    flex = random_model("mistral sliding", "flex_attention", dtype=torch.float32)
    run = lv.record(flex, PROMPT, CONFIG)
    other = lv.record(random_model("mistral sliding", dtype=torch.float32), PROMPT, CONFIG)
    assert run.finish_reason == "length" and same_up_to_ties(run, other)


def test_a_model_without_the_backend_names_those_it_has(tmp_path: Path) -> None:
    from transformers import GPT2Config, GPT2LMHeadModel

    network = GPT2LMHeadModel(GPT2Config(n_embd=16, n_layer=1, n_head=2, vocab_size=50))
    network.save_pretrained(tmp_path / "gpt")
    with pytest.raises(ValueError, match="has no flex_attention; load it with sdpa or eager."):
        lv.load_model(tmp_path / "gpt", device="cpu", attention="flex_attention")
    folder = write_folder(tmp_path / "llama")
    loaded = lv.load_model(folder, device="cpu", attention="flex_attention")
    assert loaded.info.attention == "flex_attention"


def test_shared_weights_stay_apart() -> None:
    """The backend is a setting of the network, so each test network has its own."""
    assert random_network("llama", "eager") is not random_network("llama")
