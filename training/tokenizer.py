"""A byte-level BPE tokenizer of 4,096 entries, saved the way transformers expects it."""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

VOCABULARY = 4096
END_OF_TEXT = "<|endoftext|>"  # id 0; ends every document, so it is end and beginning of text


def train_tokenizer(
    texts: Iterable[str], vocabulary: int = VOCABULARY, max_length: int = 1024
) -> PreTrainedTokenizerFast:
    """Learn merges from the training texts only; all 256 bytes are in, so any text round-trips.

    Nothing is added when encoding: a prompt's tokens are the prompt and nothing else.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[END_OF_TEXT],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=END_OF_TEXT,
        eos_token=END_OF_TEXT,
        pad_token=END_OF_TEXT,
        clean_up_tokenization_spaces=False,
        model_max_length=max_length,
    )
