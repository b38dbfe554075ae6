"""Networks that accelerate lays over main memory and disk, its hooks moving what passes through.

Over several GPUs the same hooks work; here it is the disk that holds what has no room.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM
from transformers.integrations import accelerate as placing

import lookahead_viz as lv
from lookahead_viz.config import Config
from lookahead_viz.engine.place import device_of
from tests.model_folders import network, write_folder

PROMPT = (1, 2, 3, 1, 2, 3)
METHODS: tuple[Config, ...] = (
    lv.LookaheadConfig(max_new_tokens=16, stop_ids=()),
    lv.JacobiConfig(max_new_tokens=16, stop_ids=()),
    lv.SpeculativeConfig(draft=1, max_new_tokens=16, stop_ids=()),
    lv.GreedyConfig(max_new_tokens=16, stop_ids=()),
)
LAYERS = {"model.layers.0": "cpu", "model.layers.1": "disk"}
REST = ("model.norm", "model.rotary_emb")
MAPS = {
    "a layer": {"model.embed_tokens": "cpu", "lm_head": "cpu"},
    "a layer and both ends": {"model.embed_tokens": "disk", "lm_head": "disk"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("models") / "small")


def check(dispatched: lv.Model, plain: lv.Model) -> None:
    """Every method writes greedy's text of the undivided network, and records the same."""
    assert {str(weight.device) for weight in dispatched.network.parameters()} >= {"meta"}
    assert dispatched.info.device == "cpu"
    for config in METHODS:
        runs = [lv.record(model, PROMPT, config) for model in (dispatched, plain)]
        assert runs[0].token_ids == runs[1].token_ids and runs[0].failure is None
        assert runs[0].steps == runs[1].steps and runs[0].steps[0].top_k


@pytest.mark.parametrize("name", MAPS)
def test_a_network_dispatched_over_memory_and_disk_decodes_exactly(
    folder: Path, tmp_path: Path, name: str
) -> None:
    where = LAYERS | dict.fromkeys(REST, "cpu") | MAPS[name]
    divided = AutoModelForCausalLM.from_pretrained(
        folder, device_map=where, offload_folder=str(tmp_path), dtype=torch.float32
    )
    check(lv.wrap_model(divided, name="small"), lv.load_model(folder, device="cpu"))


@pytest.mark.parametrize(
    ("attention", "room"),
    [("sdpa", 120_000), ("sdpa", 10), ("eager", 120_000), ("flex_attention", 120_000)],
)
def test_device_map_auto_puts_what_does_not_fit_on_the_disk(
    folder: Path, monkeypatch: pytest.MonkeyPatch, attention: str, room: int
) -> None:
    monkeypatch.setattr(placing, "get_max_memory", lambda *_: {"cpu": room})
    divided = lv.load_model(folder, device_map="auto", attention=attention)
    places = set(divided.network.hf_device_map.values())
    assert places == ({"disk"} if room == 10 else {"cpu", "disk"})
    check(divided, lv.load_model(folder, device="cpu", attention=attention))


def test_a_replaced_forward_has_no_self_draft() -> None:
    """A copy with fewer layers would run the forward of the whole network."""
    model = lv.wrap_model(network(64))
    model.network.model.forward = model.network.model.forward
    run = METHODS[2]
    with pytest.raises(ValueError, match="forward of its LlamaModel was replaced"):
        lv.record(model, PROMPT, run)


def test_a_network_without_weights_is_refused() -> None:
    with torch.device("meta"):
        empty = type(network(64))(network(64).config)
    assert device_of(empty).type == "meta"
    with pytest.raises(ValueError, match="'bare' has no weights"):
        lv.wrap_model(empty, name="bare")
