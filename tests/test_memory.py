"""What a run needs is estimated before it begins; running out keeps the steps."""

from __future__ import annotations

import gc
import weakref
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import lookahead_viz as lv
from lookahead_viz.config import MultiblockJacobiConfig, PromptLookupConfig
from lookahead_viz.engine import memory
from lookahead_viz.engine.attention import Masks
from lookahead_viz.engine.runner import TransformersRunner
from tests.random_models import random_model


def test_the_need_by_hand() -> None:
    """2 layers x 2 x 2 groups x 8 wide x 8 bytes a row; W=2 N=3 G=1 is 6 slots, 5 are asked."""
    network = random_model("llama").network
    config = lv.LookaheadConfig(
        window_size=2, ngram_size=3, max_candidates=1, max_new_tokens=10, stop_ids=()
    )
    need = memory.need_of(network, 20, config)
    rows = 20 + 10 + 6
    assert need.cache == int(1.5 * rows * 2 * 2 * 2 * 8 * 8)
    assert need.logits == 5 * 11 * (4 + 8) and need.scores == 0
    assert need.masks == 6 * rows * (1 + 8)  # a boolean one, expanded to float64
    eager = memory.need_of(random_model("llama", "eager").network, 20, config)
    assert eager.scores == 4 * 20 * 20 * 12
    assert eager.masks == 20 * 20 * (8 + 1)  # of the prefill, which is larger than a pass
    assert need.total == need.cache + need.logits + need.masks


@pytest.mark.parametrize("backend", ["sdpa", "eager"])
@pytest.mark.parametrize(
    ("architecture", "kinds"), [("llama", 1), ("mistral sliding", 1), ("gemma3_text", 2)]
)
def test_the_masks_that_are_made_are_counted(architecture: str, kinds: int, backend: str) -> None:
    """At the end of the text the widest pass has as many bytes of masks as were announced."""
    network = random_model(architecture, backend).network
    config = lv.LookaheadConfig(window_size=3, ngram_size=3, max_new_tokens=30, stop_ids=())
    need = memory.need_of(network, 8, config)
    slots, _ = memory.widest_pass(config)
    cached = 8 + 30
    everything = np.ones((slots, slots), dtype=bool)
    made, _ = Masks(network).make(everything, range(cached, cached + slots), cached)
    masks: list[Any] = list(made.values()) if isinstance(made, dict) else [made]
    assert len(masks) == kinds
    held = sum(mask.nbytes for mask in masks)
    item = masks[0].element_size()
    assert (item == 1) == (backend == "sdpa")
    assert need.masks == held + slots * (cached + slots) * (9 - item)  # the other form of one


def test_one_token_a_pass_needs_no_mask_but_a_long_prompt_under_a_sliding_window_does() -> None:
    greedy = lv.GreedyConfig(max_new_tokens=10)
    assert memory.need_of(random_model("llama").network, 90, greedy).masks == 0
    network = random_model("mistral sliding").network
    window = network.config.sliding_window
    assert memory.need_of(network, window, greedy).masks == 0
    assert memory.need_of(network, window + 1, greedy).masks == (window + 1) ** 2 * 9


def test_the_widest_pass_of_each_method() -> None:
    assert memory.widest_pass(lv.GreedyConfig()) == (1, 1)
    assert memory.widest_pass(lv.JacobiConfig(block_size=9)) == (9, 9)
    assert memory.widest_pass(PromptLookupConfig(gamma=7)) == (8, 8)
    assert memory.widest_pass(MultiblockJacobiConfig(block_size=5, blocks=3))[0] >= 15
    wide = lv.LookaheadConfig(window_size=15, ngram_size=5, max_candidates=15)
    assert memory.widest_pass(wide) == (120, 76)


def test_a_window_beyond_the_last_position_is_not_counted() -> None:
    """It is never fed: W=2000 on a model of 128 positions costs what greedy decoding costs."""
    wide = lv.LookaheadConfig(window_size=2000, max_new_tokens=10)
    assert memory.widest_pass(wide) == (2005 * 3, 1 + 2000 + 15)
    assert memory.widest_pass(wide, position=0, limit=2001 + 6) == memory.widest_pass(wide)
    assert memory.widest_pass(wide, position=1, limit=2001) == (1, 1)
    network = random_model("llama").network
    greedy = memory.need_of(network, 20, lv.GreedyConfig(max_new_tokens=10))
    assert memory.need_of(network, 20, wide) == greedy


def test_the_settings_that_are_too_large_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    network = deepcopy(random_model("llama").network)
    network.config.max_position_embeddings = 10**9
    monkeypatch.setattr(memory, "free", lambda device: 10**6)
    wide = lv.LookaheadConfig(window_size=10**6, max_candidates=2)
    said = memory.refusal(network, 20, wide)
    assert said is not None and said.endswith(
        "one pass feeds up to 3,000,006 slots: choose less than W = 1,000,000, N = 4, G = 2."
    )
    long = lv.JacobiConfig(block_size=8, max_new_tokens=10**6)
    said = memory.refusal(network, 20, long)
    assert said is not None
    assert said.endswith("shorten the prompt or max_new_tokens, or choose less than n = 8.")
    said = memory.refusal(network, 20, lv.GreedyConfig(max_new_tokens=10**6))
    assert said is not None and said.endswith("; shorten the prompt or max_new_tokens.")


def test_no_pass_is_wider_than_what_is_still_to_be_written() -> None:
    huge = 10**12
    for config in (
        lv.PromptLookupConfig(gamma=huge, max_new_tokens=7),
        lv.SpeculativeConfig(gamma=huge, max_new_tokens=7),
        lv.JacobiConfig(block_size=huge, max_new_tokens=7),
    ):
        assert memory.widest_pass(config) == (7, 7)
    many = lv.MultiblockJacobiConfig(blocks=huge, max_new_tokens=7, max_candidates=3, ngram_size=4)
    assert memory.widest_pass(many) == (16, 16)  # and three candidates of three guesses


def test_a_run_that_cannot_fit_is_refused_with_the_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "free", lambda device: 1000)
    with pytest.raises(ValueError) as caught:
        lv.record(random_model("llama", "eager"), [1, 2, 3], lv.LookaheadConfig())
    said = str(caught.value)
    assert "needs about" in said and "attention scores" in said and "only 1.0 kB are free" in said


def test_an_architecture_with_sizes_of_its_own_is_not_estimated() -> None:
    class Odd:
        class config:
            @staticmethod
            def get_text_config() -> object:
                return object()

    odd: Any = Odd()
    assert memory.refusal(odd, 10, lv.GreedyConfig()) is None


def test_free_memory_is_known_for_the_cpu_and_obeys_a_container(tmp_path: Path) -> None:
    left = memory.free("cpu")
    assert left is not None and left > 10_000_000
    assert memory.free("meta") is None
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("700\n")
    (tmp_path / "memory.stat").write_text("anon 500\ninactive_file 150\n")
    assert memory._container_left(tmp_path) == 450
    (tmp_path / "memory.max").write_text("max\n")
    assert memory._container_left(tmp_path) > 1 << 60


@pytest.mark.parametrize(
    "failure",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to get 8 bytes"),
        MemoryError(),
    ],
)
def test_running_out_keeps_the_steps_and_frees_the_cache(
    failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    caches: list[Any] = []
    right = TransformersRunner.forward

    def failing(self: TransformersRunner, *arguments: Any, **named: Any) -> Any:
        if self.cached > 8:
            caches.append(weakref.ref(self._cache))
            raise failure
        return right(self, *arguments, **named)

    monkeypatch.setattr(TransformersRunner, "forward", failing)
    run = lv.record(random_model("llama"), [1, 2, 3], lv.GreedyConfig(stop_ids=()))
    assert len(run.steps) == 7 == len(run.token_ids)
    assert run.finish_reason == (
        "error: out of memory on cpu after 7 tokens; shorten the prompt or what is fed in one "
        "pass."
    )
    failure.__traceback__ = None  # pytest's own parameter holds the frames
    gc.collect()
    assert caches[0]() is None


def test_another_failure_is_told_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any, **__: Any) -> None:
        raise RuntimeError("the weights are damaged")

    monkeypatch.setattr(TransformersRunner, "forward", failing)
    run = lv.record(random_model("llama"), [1, 2, 3], lv.GreedyConfig(stop_ids=()))
    assert run.finish_reason == "error: the weights are damaged" and run.steps == ()
