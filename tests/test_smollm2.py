"""SmolLM2 itself: its prompts, its golden tokens, lookahead and Jacobi equal ``generate``."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import lookahead_viz as lv
from lookahead_viz.models import smollm2
from lookahead_viz.records import join_text
from tests.conftest import needs_smollm2

GOLDEN = Path(__file__).parent / "golden" / "smollm2.json"
CHATS = {
    "chat1": "What are three tips for staying healthy?",
    "chat2": "Explain how a bicycle stays upright, in simple words.",
    "chat3": "Write a short story about a dog named Max.",
}


@cache
def golden() -> dict[str, Any]:
    """Prompts with their ids and greedy tokens, computed elsewhere (transformers 4.36)."""
    found: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return found


@cache
def model() -> lv.Model:
    return lv.load_model("smollm2-135m", device="cpu")


@pytest.mark.model
@needs_smollm2
def test_fetching_again_does_nothing() -> None:
    assert smollm2.fetch() == smollm2.folder()


@pytest.mark.model
@needs_smollm2
def test_it_says_what_it_is() -> None:
    info = model().info
    assert (info.name, info.revision) == (smollm2.NAME, smollm2.REVISION)
    assert (info.dtype, info.vocab_size, info.position_limit) == ("float32", 49152, 8192)
    assert model().stop_ids == (2,)  # <|im_end|> alone


@pytest.mark.model
@needs_smollm2
@pytest.mark.parametrize("name", list(golden()["prompts"]))
def test_prompts_become_the_golden_ids(name: str) -> None:
    prompt = golden()["prompts"][name]
    assert model().encode(prompt["text"]) == tuple(prompt["ids"])
    if name in CHATS:
        assert model().encode_chat(CHATS[name]) == tuple(prompt["ids"])


@pytest.mark.model
@needs_smollm2
@pytest.mark.parametrize("name", ["code1", "chat2"])
def test_greedy_gives_the_golden_tokens(name: str) -> None:
    """chat2 ends by itself after 21 tokens."""
    ids = golden()["prompts"][name]["ids"]
    expected = tuple(golden()["greedy_tokens"][name])
    run = lv.record(
        model(), ids, lv.GreedyConfig(max_new_tokens=len(expected) + 8 * (name == "chat2"))
    )
    assert run.token_ids == expected
    assert run.finish_reason == ("stop" if name == "chat2" else "length")


@pytest.mark.model
@needs_smollm2
def test_lookahead_and_jacobi_equal_generate() -> None:
    import torch

    prompt = golden()["prompts"]["code2"]["ids"]
    ids = torch.tensor([prompt])
    generated = model().network.generate(
        ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=32
    )
    expected = tuple(generated[0, len(prompt) :].tolist())
    lookahead = lv.record(model(), prompt, lv.LookaheadConfig(max_new_tokens=32))
    assert lookahead.token_ids == expected
    assert lookahead.compression > 1.2
    assert lv.record(model(), prompt, lv.JacobiConfig(max_new_tokens=32)).token_ids == expected


@pytest.mark.model
@needs_smollm2
def test_pieces_joined_give_what_the_tokenizer_decodes() -> None:
    for tokens in golden()["greedy_tokens"].values():
        texts = model().token_text(tokens)
        tokenizer: Any = model().tokenizer
        assert join_text(texts, tuple(tokens)) == tokenizer.decode(tokens)
