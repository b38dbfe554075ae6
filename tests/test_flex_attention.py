"""flex_attention from the same rules: the tokens of sdpa in float32, up to reported ties.

On a CPU it runs uncompiled. By hand, ``pytest -m long tests/test_flex_attention.py`` shows why.
"""

from __future__ import annotations

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
def test_flex_gives_the_tokens_of_the_other_backends(architecture: str) -> None:
    flex = random_model(architecture, "flex_attention", dtype=torch.float32)
    other = random_model(architecture, dtype=torch.float32)
    for prefix in (9, 15, 31):  # with the packed slots 15 to 40 keys, 24 and 40 among them
        assert packed_error(flex.network, prefix) < 1e-4
    for config in (CONFIG, lv.GreedyConfig(max_new_tokens=8, stop_ids=())):
        run = lv.record(flex, PROMPT, config)
        assert run.model.attention == "flex_attention" and run.finish_reason == "length"
        assert same_up_to_ties(run, lv.record(other, PROMPT, config))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_bfloat16_runs() -> None:
    run = lv.record(random_model("llama", "flex_attention", dtype=torch.bfloat16), PROMPT, CONFIG)
    assert run.finish_reason == "length"


@pytest.mark.long  # compiles three kernels: half a minute
def test_the_kernel_compiled_for_a_cpu_is_still_wrong() -> None:
    """Where this fails torch has mended it, and ``attention.sound_kernels`` may go."""
    from torch.nn.attention.flex_attention import flex_attention

    torch.manual_seed(0)
    compiled = torch.compile(flex_attention, dynamic=False)
    errors = {}
    for keys in (16, 24, 40):
        q, k, v = (torch.randn(1, 4, rows, 8) for rows in (5, keys, keys))
        right = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        errors[keys] = float((compiled(q, k, v) - right).abs().max())
    assert errors[16] < 1e-5
    assert not (errors[24] < 1e-3 and errors[40] < 1e-3)  # not a number counts as wrong


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
