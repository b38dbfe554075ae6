"""``.gguf`` files become plain models; a file that is none is refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from transformers import AutoConfig

import lookahead_viz as lv
from lookahead_viz.models import gguf
from tests.model_folders import network
from tests.test_models import sentence


def test_a_file_that_is_no_gguf_says_so(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    assert "there is no file" in sentence(path)
    path.write_bytes(b"PK\x03\x04")
    assert "is not a GGUF file" in sentence(path)
    path.write_bytes(b"GGUF" + b"\x00" * 40)
    assert "could not be loaded" in sentence(path)


def test_missing_packages_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    monkeypatch.setattr(gguf, "find_spec", lambda name: None if name == "gguf" else object())
    assert "needs the packages gguf and accelerate" in sentence(path)


def test_a_gguf_file_loads_as_a_plain_model(tmp_path: Path) -> None:
    path = tmp_path / "small.gguf"
    _write_gguf(path)
    model = lv.load_model(path, device="cpu")
    assert (model.name, model.info.dtype) == ("small", "float32")
    assert getattr(model.network.config, "quantization_config", None) is None
    config = lv.LookaheadConfig(max_new_tokens=8, stop_ids=())
    run = lv.record(model, [1, 2, 3], config)
    greedy = lv.record(model, [1, 2, 3], lv.GreedyConfig(max_new_tokens=8, stop_ids=()))
    assert run.token_ids == greedy.token_ids
    model.network.save_pretrained(tmp_path / "plain")  # what transformers itself refuses
    assert AutoConfig.from_pretrained(tmp_path / "plain").vocab_size == 64


def _write_gguf(path: Path) -> None:
    """A random Llama of 64 tokens in llama.cpp's format, unquantised."""
    from gguf import GGUFWriter, TokenType

    model = network(64)
    config = model.config
    writer = GGUFWriter(str(path), "llama")
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(config.vocab_size)
    writer.add_tokenizer_model("gpt2")
    # without this first name the tokenizer would add it, as a token that the network does not know
    tokens = ["<|endoftext|>", "<1>", "<2>", *(chr(38 + i) for i in range(3, 63)), "ab"]
    writer.add_token_list(tokens)
    writer.add_token_types([TokenType.CONTROL if i < 3 else TokenType.NORMAL for i in range(64)])
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    names = {
        "model.embed_tokens": "token_embd",
        "model.norm": "output_norm",
        "lm_head": "output",
        "model.layers.": "blk.",
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
        "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm",
    }
    for name, weight in model.state_dict().items():
        for ours, theirs in sorted(names.items(), key=lambda pair: -len(pair[0])):
            name = name.replace(ours, theirs)
        writer.add_tensor(name, weight.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
