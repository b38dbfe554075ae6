"""Model folders as people have them on disk: tiny, random, with a tokenizer."""

from __future__ import annotations

from pathlib import Path

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from tests.tokenizers_for_tests import byte_level

TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}\n"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def write_folder(path: Path, *, tokenizer: bool = True, chat: bool = True) -> Path:
    """A random Llama of 2 layers, with a byte-level tokenizer and (or not) a chat template."""
    words = byte_level(eos_token="<|end|>")
    network(len(words)).save_pretrained(path)
    if chat:
        words.chat_template = TEMPLATE
    if tokenizer:
        words.save_pretrained(path)
    return path


def network(vocab_size: int) -> LlamaForCausalLM:
    """The same random weights every time; wide, so that the text does not loop at once."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=vocab_size,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
        initializer_range=0.4,
        bos_token_id=None,
        eos_token_id=0,
    )
    return LlamaForCausalLM(config).eval()
