"""Checkpoints with quantised weights, really loaded and decoded where their package is there."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

import lookahead_viz as lv
from lookahead_viz.engine import quantised
from lookahead_viz.records import Run
from tests import quantised_folders as folders
from tests.model_folders import network, write_folder
from tests.random_models import generate

PROMPT = (1, 2, 3, 1, 2, 3)

KINDS: dict[str, tuple[Callable[[Path], Path], dict[str, str], str]] = {
    "torchao int8": (folders.int8_by_torchao, {"torchao": "0.18.0"}, "Linear"),
    "bitsandbytes nf4": (folders.nf4, {"bitsandbytes": "0.50.2"}, "Linear4bit"),
    "bitsandbytes int8": (folders.llm_int8, {"bitsandbytes": "0.50.2"}, "Linear8bitLt"),
    "gptq": (folders.gptq, {"gptqmodel": "7.7.0", "optimum": "2.3.0"}, "TorchAtenLinear"),
    "awq": (folders.awq, {"gptqmodel": "7.7.0"}, "TorchAtenAwqLinear"),
    "compressed-tensors w8a8": (folders.w8a8, {"compressed_tensors": "0.20.1"}, "Linear"),
}
"""How a folder is made, the packages and the versions it was tried with, and a layer's class."""


@pytest.mark.parametrize("name", KINDS)
def test_quantised_weights_decode_as_generate_does(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    make, packages, layer = KINDS[name]
    for package, version in packages.items():
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed (tried with {version}, on a CPU)")
    folder = make(tmp_path)
    capfd.readouterr()
    model = lv.load_model(folder, device="cpu")
    assert capfd.readouterr().out == ""  # what the package prints is not ours
    projection = model.network.get_submodule("model.layers.0.self_attn.q_proj")
    assert type(projection).__name__ == layer
    assert "packed and sequential logits agree" in model.exactness
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
    assert model.encode("a b") and min(len(run.steps) for run in runs) < 24


def test_the_number_format_of_quantised_weights_is_theirs(tmp_path: Path) -> None:
    pytest.importorskip("bitsandbytes", reason="bitsandbytes is not installed")
    folder = folders.nf4(tmp_path)
    with pytest.raises(ValueError) as caught:
        lv.load_model(folder, device="cpu", dtype="float16")
    assert "its bitsandbytes weights come with float32 and keep to it" in str(caught.value)
    assert lv.load_model(folder, device="cpu", dtype="float32").info.dtype == "float32"


@pytest.mark.parametrize("threshold", [{}, {"llm_int8_threshold": 6.0}])
@pytest.mark.parametrize("method", [{}, {"quant_method": "bitsandbytes"}])
def test_outliers_of_the_whole_pass_are_refused(
    tmp_path: Path, threshold: dict[str, float], method: dict[str, str]
) -> None:
    """LLM.int8() takes a column apart when any slot of the pass is large there."""
    folder = write_folder(tmp_path / "small")
    path = folder / "config.json"
    kind = {"load_in_8bit": True} | threshold | method
    path.write_text(json.dumps(json.loads(path.read_text()) | {"quantization_config": kind}))
    with pytest.raises(ValueError, match=r"LLM.int8\(\).*set llm_int8_threshold to 0.0"):
        lv.load_model(folder, device="cpu")
    for harmless in ({"llm_int8_threshold": 0.0}, {"load_in_8bit": False}):
        config = SimpleNamespace(quantization_config=kind | harmless)
        assert quantised.refusal(config) is None and quantised.kind(config) is not None


class MixingSlots(torch.nn.Linear):  # type: ignore[misc]
    """A layer whose output depends on how many other slots are in the pass."""

    amount = 1.0

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return super().forward(input) * (1 + self.amount * input.shape[1])


def marked(layer: type[MixingSlots] | None, amount: float = 1.0) -> lv.Model:
    """The small Llama said to be quantised, with such a layer in it."""
    model = network(64)
    if layer is not None:
        mixing = layer(32, 32)
        mixing.amount = amount
        model.model.layers[1].self_attn.o_proj = mixing
    model.config.quantization_config = {"quant_method": "made up"}
    return lv.wrap_model(model)


def test_layers_that_mix_the_slots_of_a_pass_are_refused() -> None:
    said = marked(None).exactness
    assert said.startswith("Its architecture is one of those")
    assert "Its weights are quantised (made up): packed and sequential logits agree" in said
    with pytest.raises(ValueError, match="otherwise when others are in the same pass"):
        marked(MixingSlots)
    slightly = marked(MixingSlots, amount=0.01).exactness
    assert "of the largest, so near ties may turn around" in slightly


def test_weights_that_its_format_lacks_are_named(tmp_path: Path) -> None:
    pytest.importorskip("gptqmodel", reason="gptqmodel is not installed")
    folder = write_folder(tmp_path / "small")
    path = folder / "config.json"
    settings = {"quant_method": "awq", "bits": 4, "group_size": 16, "version": "gemm"}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"quantization_config": settings}))
    with pytest.raises(ValueError, match="of the weights that its awq format needs are missing"):
        lv.load_model(folder, device="cpu")
