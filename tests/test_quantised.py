"""A checkpoint with quantised weights, really loaded and decoded (needs the package torchao)."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import lookahead_viz as lv
from lookahead_viz.records import Run
from tests.model_folders import write_folder
from tests.random_models import generate

pytest.importorskip("torchao", reason="torchao is not installed (tried with 0.18.0)")

PROMPT = (1, 2, 3, 1, 2, 3)


@pytest.fixture(scope="module")
def quantised(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small Llama with the weights of its layers in int8, as transformers saves it."""
    from torchao.quantization import Int8WeightOnlyConfig
    from transformers import AutoModelForCausalLM, AutoTokenizer, TorchAoConfig

    base = tmp_path_factory.mktemp("models")
    plain = write_folder(base / "plain")
    network = AutoModelForCausalLM.from_pretrained(
        plain,
        quantization_config=TorchAoConfig(Int8WeightOnlyConfig()),
        device_map="cpu",
        dtype=torch.float32,
    )
    network.save_pretrained(base / "int8")
    AutoTokenizer.from_pretrained(plain).save_pretrained(base / "int8")
    return base / "int8"


def test_int8_weights_decode_as_generate_does(quantised: Path) -> None:
    model = lv.load_model(quantised, device="cpu")
    weight = model.network.model.layers[0].self_attn.q_proj.weight
    assert type(weight).__name__ == "Int8Tensor"
    right = generate(model.network, PROMPT, 24)
    runs: list[Run] = [
        lv.record(model, PROMPT, config)
        for config in (
            lv.LookaheadConfig(max_new_tokens=24, stop_ids=()),
            lv.JacobiConfig(max_new_tokens=24, stop_ids=()),
            lv.GreedyConfig(max_new_tokens=24, stop_ids=()),
        )
    ]
    assert [run.token_ids for run in runs] == [right] * 3
    assert {run.finish_reason for run in runs} == {"length"}
    assert model.encode("a b") and len(runs[0].steps) < 24
