"""The drafting methods write greedy's text: random models in float64, and fakes that see paths."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM, LlamaConfig
from transformers.generation.candidate_generator import PromptLookupCandidateGenerator

import lookahead_viz as lv
from lookahead_viz import visibility
from lookahead_viz.config import Config, MultiblockJacobiConfig, PromptLookupConfig
from lookahead_viz.engine.drafting import ModelDrafter, PromptDrafter
from lookahead_viz.engine.multiblock import multiblock_steps
from lookahead_viz.engine.recording import decode
from lookahead_viz.engine.speculative import speculative_steps
from lookahead_viz.multiblock import by_candidate
from lookahead_viz.records import DraftStep, JacobiStep, Run, StepLayout, verification_of
from lookahead_viz.replay import mask_proved
from lookahead_viz.validate import check_run
from tests.exactness import cases, prompts
from tests.fakes import FakeRunner, WrongPath, greedy_text, hash_model
from tests.random_models import CONFIGURATIONS, POSITIONS, VOCAB, generate, random_model

PROMPT = (3, 1, 4, 1, 5)
ARCHITECTURES = ("llama", "gpt2", "qwen2", "gpt_neox", "opt", "phi3")

drafts = st.sampled_from([1, 1, "gpt2", "llama"])

configs = st.one_of(
    st.builds(lv.SpeculativeConfig, gamma=st.integers(1, 9)),
    st.builds(lv.PromptLookupConfig, gamma=st.integers(1, 9), match_size=st.integers(1, 4)),
    st.builds(lv.DraftJacobiConfig, block_size=st.integers(1, 20)),
    st.builds(
        lv.SpeculativeJacobiConfig,
        block_size=st.integers(1, 20),
        temperature=st.just(0.0),
        init=st.sampled_from(["prompt", "random", "repeat"]),
    ),
    st.builds(
        lv.MultiblockJacobiConfig,
        block_size=st.integers(1, 12),
        blocks=st.integers(1, 4),
        activation=st.sampled_from([0.01, 0.3, 0.85, 1.0]),
        ngram_size=st.integers(2, 5),
        max_candidates=st.sampled_from([4, 2, 1, 0, 8]),
        pool_per_key=st.sampled_from([None, 1, 6]),
        init=st.sampled_from(["prompt", "random", "repeat"]),
        seed=st.integers(0, 2),
    ),
)

_seen: list[Run] = []


@settings(
    max_examples=110,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)
@given(architecture=st.sampled_from(ARCHITECTURES), case=cases, config=configs, draft=drafts)
def test_every_drafting_method_equals_generate(
    architecture: str, case: dict[str, Any], config: Config, draft: int | str
) -> None:
    prompt, count, stops = case["prompt"], case["count"], case["stop_ids"]
    if case["near_the_limit"]:
        prompt = (prompt * POSITIONS)[: POSITIONS - count]
    model = random_model(architecture, seed=case["seed"])
    shared = {"max_new_tokens": count, "stop_ids": stops, "alternatives": 2}
    other = None
    if lv.METHODS[config.method].needs_draft:
        other = random_model(draft, seed=1) if isinstance(draft, str) else None
        shared["draft"] = "random " + draft if isinstance(draft, str) else draft
    expected = generate(model.network, prompt, count, stops)
    run = lv.record(model, prompt, replace(config, **shared), draft=other)
    assert run.finish_reason == ("stop" if expected[-1] in stops else "length")
    assert run.token_ids == expected
    check_run(run)
    assert all(mask_proved(run, index) for index in range(len(run.steps)))
    _seen.append(run)


def test_enough_of_them_accepted_and_rejected() -> None:
    """Counts what the test above did: without both nothing was verified."""
    if not _seen:
        test_every_drafting_method_equals_generate()
    found = [(s, verification_of(s)) for run in _seen for s in run.steps]
    checked = [(step, seen) for step, seen in found if seen is not None and seen.candidates]
    drafted = [seen for step, seen in checked if isinstance(step, DraftStep)]
    recycled = [step for step, _ in checked if isinstance(step, JacobiStep)]
    assert sum(seen.longest > 0 for seen in drafted) > 100
    assert sum(seen.longest == 0 for seen in drafted) > 100
    assert any(by_candidate(step) for step in recycled)
    assert {run.method for run in _seen} == set(lv.METHODS) - {"greedy", "jacobi", "lookahead"}


# --- transformers as the second opinion


@pytest.mark.parametrize("architecture", ["llama", "gpt2", "qwen2"])
def test_transformers_assistant_writes_the_same_tokens(architecture: str) -> None:
    model, prompt = random_model(architecture), (1, 5, 2, 8, 3, 1, 5, 2)
    draft = lv.layer_skip(model, 1)
    run = lv.record(model, prompt, lv.SpeculativeConfig(draft=1, max_new_tokens=40, stop_ids=()))
    assert run.draft is not None and run.draft.name == draft.name
    assert run.draft.name == f"random {architecture}:1-layer"
    assert run.token_ids == assisted(model, prompt, 40, assistant_model=draft.network)


def test_transformers_prompt_lookup_writes_the_same_tokens() -> None:
    for seed in range(3):
        model, prompt = random_model("llama", seed=seed), (1, 5, 2, 8, 3, 1, 5, 2) * 2
        config = lv.PromptLookupConfig(gamma=6, match_size=3, max_new_tokens=40, stop_ids=())
        run = lv.record(model, prompt, config)
        theirs = assisted(model, prompt, 40, prompt_lookup_num_tokens=6, max_matching_ngram_size=3)
        assert run.token_ids == theirs
        assert any(seen.longest for s in run.steps if (seen := verification_of(s)))


def assisted(model: lv.Model, prompt: tuple[int, ...], count: int, **how: Any) -> tuple[int, ...]:
    ids = torch.tensor([prompt])
    found = model.network.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        do_sample=False,
        max_new_tokens=count,
        eos_token_id=None,
        pad_token_id=0,
        **how,
    )
    return tuple(found[0, len(prompt) :].tolist())


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(
    text=st.lists(st.integers(0, 3), min_size=2, max_size=24),
    gamma=st.integers(1, 6),
    match_size=st.integers(1, 4),
)
def test_copied_drafts_are_those_of_transformers(
    text: list[int], gamma: int, match_size: int
) -> None:
    theirs = PromptLookupCandidateGenerator(
        num_output_tokens=gamma, max_matching_ngram_size=match_size, max_length=1000
    )
    found, _ = theirs.get_candidates(torch.tensor([text]))
    draft = PromptDrafter(match_size).draft(text, gamma)
    assert list(draft.tokens) == found[0, len(text) :].tolist()


# --- the draft model


def test_a_draft_of_all_layers_but_none_skipped_is_refused_and_weights_are_shared() -> None:
    model = random_model("llama")  # 2 layers
    for layers in (0, 2, 3):
        with pytest.raises(ValueError, match="has 2 layers: a self-draft can have 1 to 1"):
            lv.layer_skip(model, layers)
    draft = lv.layer_skip(model, 1)
    own = {id(parameter) for parameter in model.network.parameters()}
    assert {id(parameter) for parameter in draft.network.parameters()} < own
    assert model.network.config.num_hidden_layers == 2
    assert draft.network.config.num_hidden_layers == 1


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_self_draft_is_the_model_without_its_last_layers(architecture: str) -> None:
    """A network built with one layer and given the same weights says the same."""
    model = random_model(architecture)
    ids = torch.tensor([[1, 5, 2, 8]])
    config = CONFIGURATIONS[architecture]()
    config.num_hidden_layers = 1
    if getattr(config, "layer_types", None):
        config.layer_types = config.layer_types[:1]
    built = AutoModelForCausalLM.from_config(config, dtype=torch.float64).eval()
    built.load_state_dict(model.network.state_dict(), strict=False)
    with torch.inference_mode():
        before = model.network(input_ids=ids, use_cache=False).logits
        draft = lv.layer_skip(model, 1)
        found = draft.network(input_ids=ids, use_cache=False).logits
        after = model.network(input_ids=ids, use_cache=False).logits
        assert torch.allclose(found, built(input_ids=ids, use_cache=False).logits, atol=1e-12)
    assert torch.equal(before, after)  # the model itself is as it was
    assert not torch.equal(found, before)


def test_another_vocabulary_is_refused_by_name() -> None:
    sizes = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1}
    tiny = LlamaConfig(vocab_size=VOCAB + 1, num_attention_heads=1, **sizes)
    other = lv.wrap_model(AutoModelForCausalLM.from_config(tiny), name="stranger")
    with pytest.raises(
        ValueError, match="'stranger' cannot draft for 'random llama': it knows 12"
    ):
        lv.record(random_model("llama"), PROMPT, lv.SpeculativeConfig(), draft=other)


def test_a_missing_or_useless_draft_is_refused() -> None:
    model = random_model("llama")
    with pytest.raises(ValueError, match="names the draft 'small', but none was handed over"):
        lv.record(model, PROMPT, lv.SpeculativeConfig(draft="small"))
    with pytest.raises(ValueError, match="means nothing to the method 'greedy'"):
        lv.record(model, PROMPT, lv.GreedyConfig(), draft=model)
    with pytest.raises(ValueError, match="draft is a str; make one with load_model"):
        lv.record(model, PROMPT, lv.SpeculativeConfig(draft=1), draft="small")  # type: ignore[arg-type]


def test_the_model_itself_as_draft_is_always_right() -> None:
    model = random_model("gpt2")
    run = lv.record(model, PROMPT, lv.SpeculativeConfig(gamma=4, max_new_tokens=30), draft=model)
    assert [len(step.accepted) for step in run.steps] == [5] * 6
    assert isinstance(run.config, lv.SpeculativeConfig) and run.config.draft == "random gpt2"


@pytest.mark.parametrize("limit", range(6, 20))
def test_a_draft_with_fewer_positions_ends_drafting_there(limit: int) -> None:
    model = hash_model(vocab_size=5)
    short = FakeRunner(model, vocab_size=5, position_limit=limit)
    config = lv.SpeculativeConfig(gamma=4, max_new_tokens=24)
    steps = list(decode(FakeRunner(model, vocab_size=5), PROMPT, config, frozenset(), short))
    assert [t for step in steps for t in step.accepted] == greedy_text(model, PROMPT, 24)
    assert steps[-1].layout.slots == 1


# --- every slot sees its path (the fakes assert it)


@pytest.mark.parametrize("gamma", [1, 2, 5])
@pytest.mark.parametrize("method", ["speculative", "prompt-lookup", "draft-jacobi"])
def test_drafts_equal_greedy_on_models_that_check_paths(method: str, gamma: int) -> None:
    for seed in range(4):
        model = hash_model(vocab_size=5, seed=seed, memory=2)
        other = hash_model(vocab_size=5, seed=seed, memory=1)
        config: Config = lv.PromptLookupConfig(gamma=gamma, max_new_tokens=24)
        if method == "speculative":
            config = lv.SpeculativeConfig(gamma=gamma, max_new_tokens=24)
        elif method == "draft-jacobi":
            config = lv.DraftJacobiConfig(block_size=gamma, max_new_tokens=24)
        runner, draft = FakeRunner(model, vocab_size=5), FakeRunner(other, vocab_size=5)
        text: list[int] = []
        for step in decode(runner, PROMPT, config, frozenset(), draft):
            text += step.accepted
            if isinstance(step, DraftStep):
                assert runner.cached == len(PROMPT) + len(text) - 1
                assert step.draft_passes == (step.layout.slots - 1) * (method == "speculative")
        assert text == greedy_text(model, PROMPT, 24)


@pytest.mark.parametrize("blocks", [1, 2, 3])
@pytest.mark.parametrize("block_size", [1, 2, 5, 8])
def test_multiblock_equals_greedy_and_sees_its_paths(block_size: int, blocks: int) -> None:
    recycled = 0
    for seed in range(6):
        model = hash_model(vocab_size=5, seed=seed, memory=2)
        config = MultiblockJacobiConfig(
            block_size=block_size,
            blocks=blocks,
            activation=0.3,
            ngram_size=2 + seed % 3,
            max_candidates=seed,
            max_new_tokens=30,
            seed=seed,
        )
        runner = FakeRunner(model, vocab_size=5)
        text: list[int] = []
        for step in multiblock_steps(runner, PROMPT, config, frozenset()):
            text += step.accepted
            recycled += by_candidate(step)
            assert runner.cached == len(PROMPT) + len(text) - 1
            assert len(step.ahead) < blocks
        assert text == greedy_text(model, PROMPT, 30)
    assert recycled > 3 or block_size < 5, recycled


def test_a_cell_that_is_missing_or_too_much_is_noticed() -> None:
    """The same planted errors for the multi-block row and for a draft."""
    model = hash_model(vocab_size=5, memory=2)
    config = MultiblockJacobiConfig(block_size=6, max_new_tokens=30, ngram_size=3)
    for q, k in ((1, 0), (3, 1), (5, 2)):

        def without(layout: StepLayout, q: int = q, k: int = k) -> visibility.BoolMatrix:
            planted = visibility.mask(layout).copy()
            if layout.slots > q:
                planted[q, k] = not planted[q, k]
            return planted

        with pytest.raises(WrongPath):
            list(multiblock_steps(FakeRunner(model), PROMPT, config, frozenset(), without))

    def guesses_see_the_row(layout: StepLayout) -> visibility.BoolMatrix:
        guess = np.array(layout.roles) == 2
        planted: visibility.BoolMatrix = guess[:, None] & ~guess[None, :]
        return np.logical_or(visibility.mask(layout), planted)

    with pytest.raises(WrongPath):
        list(multiblock_steps(FakeRunner(model), PROMPT, config, frozenset(), guesses_see_the_row))
    drafter = ModelDrafter(FakeRunner(model), frozenset())
    speculative = lv.SpeculativeConfig(gamma=3, max_new_tokens=9)
    with pytest.raises(WrongPath):
        list(
            speculative_steps(
                FakeRunner(model),
                PROMPT,
                speculative,
                frozenset(),
                drafter,
                lambda layout: (
                    np.tril(np.ones((layout.slots, layout.slots), dtype=bool), -1)
                    | (np.arange(layout.slots) > 1)
                ),
            )
        )


# --- edges


@pytest.mark.parametrize("method", ["speculative", "prompt-lookup", "draft-jacobi"])
def test_lengths_and_stop_ids_cut_inside_a_draft(method: str) -> None:
    model = hash_model(vocab_size=4, memory=1)
    kind = lv.METHODS[method].config
    for count in range(1, 14):
        for stops in ((), (2,), (1, 3)):
            runners = FakeRunner(model, vocab_size=4), FakeRunner(model, vocab_size=4)
            config = kind(max_new_tokens=count, stop_ids=stops)
            steps = list(decode(runners[0], PROMPT, config, frozenset(stops), runners[1]))
            found = [t for step in steps for t in step.accepted]
            assert found == greedy_text(model, PROMPT, count, stops)


def test_a_prompt_lookup_says_where_it_copied_from() -> None:
    runner = FakeRunner(lambda path: (path[-1][1] + 1) % 4, vocab_size=4)
    config = PromptLookupConfig(gamma=3, match_size=2, max_new_tokens=8)
    first = next(iter(decode(runner, (0, 1, 2, 3, 0, 1), config, frozenset())))
    assert isinstance(first, DraftStep)
    assert (first.copied_from, first.matched_tail) == (2, 2)
    assert first.verification.candidates == ((2, 3, 0),)
    assert first.accepted == (2, 3, 0, 1) and first.kept_slots == (0, 1, 2, 3)


@settings(max_examples=20, deadline=None, derandomize=True, database=None)
@given(prompt=prompts, gamma=st.integers(1, 6))
def test_a_damaged_record_is_noticed(prompt: tuple[int, ...], gamma: int) -> None:
    config = lv.SpeculativeConfig(draft=1, gamma=gamma, max_new_tokens=9, stop_ids=())
    run = lv.record(random_model("llama"), prompt, config)
    step = run.steps[0]
    assert isinstance(step, DraftStep)
    seen = step.verification
    wrong = (
        replace(step, accepted=(step.accepted[0] + 1, *step.accepted[1:])),
        replace(step, kept_slots=(*step.kept_slots, 0)),
        replace(step, predictions=(None, *step.predictions[1:])),
        *(
            [replace(step, verification=replace(seen, matched=(seen.matched[0] + 1,)))]
            if seen.candidates
            else []
        ),
    )
    for damaged in wrong:
        with pytest.raises(ValueError, match="contradicts itself: step 0|of step 0"):
            check_run(replace(run, steps=(damaged, *run.steps[1:])))
