"""Every token's text, for each kind of tokenizer: the pieces joined give the text back."""

from __future__ import annotations

from typing import Any

import pytest

from lookahead_viz.engine.token_text import token_text
from lookahead_viz.records import join_text
from tests import tokenizers_for_tests as kinds


def joined(tokenizer: Any, text: str) -> str:
    ids = tuple(tokenizer.encode(text, add_special_tokens=False))
    return join_text(token_text(tokenizer, ids, vocab_size=len(tokenizer)), ids)


@pytest.mark.parametrize("text", kinds.TEXTS)
@pytest.mark.parametrize("build", [kinds.byte_level, kinds.sentencepiece_like])
def test_pieces_joined_give_the_text(build: Any, text: str) -> None:
    assert joined(build(), text) == text


def test_byte_level_pieces_keep_spaces_and_split_characters() -> None:
    tokenizer = kinds.byte_level()
    ids = tokenizer.encode("a €", add_special_tokens=False)
    texts = token_text(tokenizer, ids, vocab_size=len(tokenizer))
    assert [texts[token] for token in ids] == ["a", " ", b"\xe2", b"\x82", b"\xac"]


def test_sentencepiece_bytes_and_spaces() -> None:
    tokenizer = kinds.sentencepiece_like()
    ids = tokenizer.encode(" the é<0xE2>", add_special_tokens=False)
    texts = token_text(tokenizer, ids, vocab_size=len(tokenizer))
    pieces = [texts[token] for token in ids]
    assert pieces[:3] == [" t", "he", " "]
    assert pieces[3:5] == [b"\xc3", b"\xa9"]
    assert join_text(texts, tuple(ids)) == " the é<0xE2>"  # the typed characters, no byte


def test_special_and_added_tokens_are_literal() -> None:
    tokenizer = kinds.byte_level(eos_token="<|end|>")
    tokenizer.add_tokens(["Ġliteral", "é"])
    names = ["<|end|>", "Ġliteral", "é"]
    ids = tokenizer.convert_tokens_to_ids(names)
    texts = token_text(tokenizer, ids, vocab_size=len(tokenizer))
    assert [texts[token] for token in ids] == names


def test_ids_without_a_token_show_their_number() -> None:
    tokenizer = kinds.byte_level()
    size = len(tokenizer)
    assert token_text(tokenizer, [size, size + 9], vocab_size=size + 8) == {
        size: f"⟨{size}⟩",
        size + 9: f"⟨{size + 9}⟩",
    }
    assert token_text(None, [3, 1, 3], vocab_size=8) == {1: "⟨1⟩", 3: "⟨3⟩"}


def test_words_get_a_space_and_inner_pieces_none() -> None:
    assert joined(kinds.word_piece(), "the cats sat") == " the cats sat"
    assert joined(kinds.words_without_decoder(), "one two") == " one two"


def test_a_tokenizer_without_a_backend_is_asked_to_decode() -> None:
    class Slow:
        added_tokens_decoder: dict[int, str] = {}

        def convert_ids_to_tokens(self, token: int) -> str:
            return ["x", "y"][token]

        def decode(self, ids: list[int]) -> str:
            return f"<{ids[0]}>"

    assert token_text(Slow(), [0, 1, 5], vocab_size=6) == {0: "<0>", 1: "<1>", 5: "⟨5⟩"}
