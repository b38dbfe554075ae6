"""Small tokenizers of every kind, built on the spot."""

from __future__ import annotations

from typing import Any

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

TEXTS = (
    "def add(a, b):\n    return a + b\n",
    "the cat sat on the mat and the dog sat on the cat",
    "naïve café, 10 €, 🙂 and 日本",
)


def byte_level(**special: str) -> Any:
    """GPT-2 style: 256 bytes, a few merges, and the literal special tokens given by name."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=sorted(special.values()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXTS[:2], trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)


def sentencepiece_like() -> Any:
    """Llama-2 style: "▁" for spaces, unknown characters as <0x..> bytes."""
    letters = sorted(set("".join(TEXTS[:2])) - {" "})
    vocab = {"<unk>": 0, **{f"<0x{byte:02X}>": 1 + byte for byte in range(256)}}
    for piece in ["▁", "▁t", "th", "he", *letters]:
        vocab.setdefault(piece, len(vocab))
    merges = [("▁", "t"), ("t", "h"), ("h", "e")]
    tokenizer = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", byte_fallback=True))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>")


def word_piece() -> Any:
    """BERT style: words, and inner pieces marked "##"."""
    words = ["[UNK]", "the", "cat", "##s", "sat", "[SEP]"]
    model = models.WordPiece({word: i for i, word in enumerate(words)}, unk_token="[UNK]")
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.decoder = decoders.WordPiece(cleanup=False)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, sep_token="[SEP]")


def words_without_decoder() -> Any:
    """One token a word, and no rule how to put them together."""
    tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "one": 1, "two": 2}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer)
