"""The runner against transformers: packed logits are path logits, rows move in place."""

from __future__ import annotations

import pytest
import torch
from transformers import DynamicCache

import lookahead_viz as lv
from lookahead_viz import visibility
from lookahead_viz.engine import runner as runner_module
from lookahead_viz.engine.cache import BLOCK_ROWS, PreallocatedLayer
from lookahead_viz.engine.recording import record
from lookahead_viz.engine.runner import (
    READ_ALONG,
    TransformersRunner,
    cpu_threads,
    limited,
)
from lookahead_viz.engine.self_check import path_to
from lookahead_viz.layout import pack
from lookahead_viz.records import StepLayout
from tests.random_models import CONFIGURATIONS, VOCAB, random_model, random_network

PREFIX = (1, 5, 2, 8, 3)


def layout_at(position: int) -> StepLayout:
    return pack([(4, 1, 7), (2, 9, 3), (0, 6, 5)], [(1, 2, 3), (1, 9, 4)], position=position)


def path_logits(network: torch.nn.Module, prefix: tuple[int, ...], layout: StepLayout, slot: int):  # type: ignore[no-untyped-def]
    ids = torch.tensor([[*prefix, *(layout.token_ids[s] for s in path_to(layout, slot))]])
    with torch.inference_mode():
        return network(input_ids=ids, use_cache=False).logits[0, -1]


@pytest.mark.parametrize("read_along", [0, READ_ALONG])
@pytest.mark.parametrize(("attention", "tolerance"), [(None, 1e-9), ("eager", 1e-5)])
@pytest.mark.parametrize("architecture", sorted(CONFIGURATIONS))
def test_packed_logits_are_path_logits(
    architecture: str,
    attention: str | None,
    tolerance: float,
    read_along: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether the text before has a pass of its own or is read along."""
    monkeypatch.setattr(runner_module, "READ_ALONG", read_along)
    network = random_network(architecture, attention)
    if network.config._attn_implementation == "eager":  # its softmax is float32
        tolerance = 1e-5
    runner = TransformersRunner(network, vocab_size=VOCAB, position_limit=None)
    runner.prefill(PREFIX)
    layout = layout_at(len(PREFIX))
    slots = range(layout.slots)
    packed = runner.logits(layout, visibility.mask(layout), slots)
    for slot in slots:
        expected = path_logits(network, PREFIX, layout, slot)
        assert (packed[slot] - expected).abs().max() < tolerance

    # accept the second candidate's first two guesses: their rows move behind the current token
    runner.keep((0, 12, 13))
    prefix = (*PREFIX, 4, 1, 9)
    after = layout_at(len(prefix))
    packed = runner.logits(after, visibility.mask(after), (0, 8, 14))
    for i, slot in enumerate((0, 8, 14)):
        expected = path_logits(network, prefix, after, slot)
        assert (packed[i] - expected).abs().max() < tolerance


def test_a_short_text_is_read_along_and_a_long_one_by_itself() -> None:
    """Greedy over 3 tokens: as many passes as tokens, as generate; never is a row fed twice."""
    model = random_model("llama")
    fed: list[int] = []
    model.network.register_forward_pre_hook(
        lambda _, __, given: fed.append(given["input_ids"].shape[1]), with_kwargs=True
    )
    config = lv.GreedyConfig(max_new_tokens=3, stop_ids=())
    record(model, PREFIX, config)
    assert fed == [5, 1, 1]
    fed.clear()
    record(model, [1] * (READ_ALONG + 2), config)
    assert fed == [READ_ALONG + 1, 1, 1, 1]


def test_waiting_text_counts_as_cached_and_can_be_cut() -> None:
    network = random_network("llama")
    runner = TransformersRunner(network, vocab_size=VOCAB, position_limit=None)
    runner.prefill(PREFIX[:2])
    runner.prefill(PREFIX[2:])
    assert runner.cached == len(PREFIX)
    runner.truncate(len(PREFIX))
    runner.truncate(3)
    assert runner.cached == 3
    layout = layout_at(3)
    packed = runner.logits(layout, visibility.mask(layout), (0, 8))
    for i, slot in enumerate((0, 8)):
        expected = path_logits(network, PREFIX[:3], layout, slot)
        assert (packed[i] - expected).abs().max() < 1e-9


def test_the_cache_grows_in_blocks_and_keeps_in_place() -> None:
    layer, reference = PreallocatedLayer(), DynamicCache()
    addresses = set()
    for rows in (3, 5, 2, BLOCK_ROWS - 20, 8, 700):
        keys, values = torch.rand(1, 2, rows, 4), torch.rand(1, 2, rows, 3)
        held, _ = layer.update(keys, values)
        expected, _ = reference.update(keys, values, 0)
        assert torch.equal(held, expected)
        addresses.add(held.data_ptr())
    assert len(addresses) == 2  # first block, then one growth for the 700 rows
    start = layer.rows - 700
    before = layer.keys.clone()
    layer.keep(start, (0, 5, 6))
    assert layer.get_seq_length() == start + 3
    assert torch.equal(layer.keys[:, :, :start], before[:, :, :start])
    assert torch.equal(layer.keys[:, :, start:], before[:, :, [start, start + 5, start + 6]])
    assert layer.keys.data_ptr() in addresses


def test_a_small_model_uses_one_thread_and_gives_the_others_back() -> None:
    before = torch.get_num_threads()
    assert cpu_threads(random_network("llama")) == 1
    with limited(1):
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before


def test_only_the_asked_slots_are_reported() -> None:
    runner = random_model("llama").runner(alternatives=3)
    runner.prefill(PREFIX)
    layout = layout_at(len(PREFIX))
    result = runner.forward(layout, visibility.mask(layout), (0, 6, 7, 8))
    asked = [slot for slot, token in enumerate(result.predictions) if token is not None]
    assert asked == [0, 6, 7, 8] == [entry.slot for entry in result.top_k]
    assert all(len(entry.ids) == len(entry.probabilities) == 3 for entry in result.top_k)
    assert all(entry.ids[0] == result.token(entry.slot) for entry in result.top_k)
    assert [slot for slot, gap in enumerate(result.gaps) if gap is not None] == asked
    assert result.mask_sha256 == visibility.mask_digest(layout)


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_the_digest_is_of_the_mask_that_was_handed_over(attention: str) -> None:
    runner = random_model("gpt2", attention).runner()
    runner.prefill(PREFIX)
    layout = layout_at(len(PREFIX))
    wrong = visibility.mask(layout).copy()
    wrong[5, 4] = True
    result = runner.forward(layout, wrong, (0,))
    assert result.mask_sha256 == visibility.digest(wrong) != visibility.mask_digest(layout)


def test_alternatives_sum_to_at_most_one_and_zero_records_none() -> None:
    config = lv.LookaheadConfig(max_new_tokens=6, alternatives=VOCAB)
    run = record(random_model("llama"), PREFIX, config)
    for step in run.steps:
        for entry in step.top_k:
            assert sum(entry.probabilities) == pytest.approx(1, abs=1e-3)
            assert list(entry.probabilities) == sorted(entry.probabilities, reverse=True)
    bare = record(random_model("llama"), PREFIX, lv.LookaheadConfig(alternatives=0))
    assert all(step.top_k == () and step.gap for step in bare.steps)


def test_half_precision_records_and_reports_its_gap() -> None:
    run = record(random_model("llama", dtype=torch.bfloat16), PREFIX, lv.LookaheadConfig())
    assert run.finish_reason == "length" and run.model.dtype == "bfloat16"
    assert all(len(step.gap) == len(step.accepted) for step in run.steps)
