"""Loading by folder, GGUF file and hub id; every refusal is one sentence."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import BertConfig, T5Config

import lookahead_viz as lv
from lookahead_viz.models import hub, registry, smollm2
from tests.model_folders import write_folder

Change = Callable[[Path], object]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole model folder; copy it before changing it."""
    return write_folder(tmp_path_factory.mktemp("models") / "small")


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "small"))


def sentence(source: object, **settings: Any) -> str:
    """What ``load_model`` refuses with; it must be one sentence on one line."""
    with pytest.raises(ValueError) as caught:
        lv.load_model(str(source), **settings)
    text = str(caught.value)
    assert "\n" not in text and text.endswith(".") and len(text) < 400
    return text


# --- folders


def test_a_folder_loads_with_its_tokenizer_and_template(folder: Path) -> None:
    model = lv.load_model(folder, device="cpu")
    assert (model.name, model.info.dtype, model.info.attention) == ("small", "float32", "sdpa")
    assert model.stop_ids == (0,)
    ids = model.encode_chat("hé")
    assert "".join(map(str, model.token_text(ids[:4]).values()))
    run = lv.record(model, ids, lv.LookaheadConfig(max_new_tokens=12, stop_ids=()))
    assert run.prompt == "<|user|>hé\n<|assistant|>"
    greedy = lv.record(model, ids, lv.GreedyConfig(max_new_tokens=12, stop_ids=()))
    assert run.token_ids == greedy.token_ids


def test_dtype_and_attention_are_obeyed(folder: Path) -> None:
    model = lv.load_model(folder, device="cpu", dtype="float64", attention="eager")
    assert (model.info.dtype, model.info.attention) == ("float64", "eager")


def test_a_folder_without_a_tokenizer_takes_ids(tmp_path: Path) -> None:
    model = lv.load_model(write_folder(tmp_path / "bare", tokenizer=False), device="cpu")
    run = lv.record(model, [1, 2], lv.GreedyConfig(max_new_tokens=2, stop_ids=()))
    assert run.prompt == "⟨1⟩⟨2⟩"
    with pytest.raises(ValueError, match="no tokenizer"):
        model.encode("text")


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"device": "gpu"}, "device is 'gpu'; it must be auto, cpu, cuda, cuda:N or mps."),
        ({"device": "cuda:99"}, "torch sees"),
        ({"dtype": "int8"}, "auto, float32, bfloat16, float16, float64."),
        ({"attention": "flash"}, "it must be auto, sdpa, eager, flex_attention."),
    ],
)
def test_bad_names_are_refused_with_what_is_allowed(settings: dict[str, str], words: str) -> None:
    assert words in sentence("tiny", **settings)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_asking_for_cuda_without_one_says_so(folder: Path) -> None:
    assert "torch sees 0 CUDA devices" in sentence(folder, device="cuda")


def _truncate(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[: weights.stat().st_size // 2])


def _drop_a_weight(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def _edit_config(**changes: Any) -> Change:
    def edit(folder: Path) -> None:
        path = folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return edit


@pytest.mark.parametrize(
    "damage, words",
    [
        (lambda f: (f / "config.json").unlink(), "it has no config.json"),
        (lambda f: (f / "config.json").write_text("{"), "config.json is not readable JSON"),
        (lambda f: (f / "config.json").write_text("[]"), "could not be loaded"),
        (lambda f: (f / "model.safetensors").unlink(), "is incomplete: it has no weights"),
        (lambda f: (f / "model.safetensors").write_bytes(b"\xff" * 64), "could not be loaded"),
        (_truncate, "could not be loaded"),
        (_drop_a_weight, "is incomplete: 1 of its weights are missing"),
        (_edit_config(hidden_size=64), "could not be loaded"),
        (_edit_config(hidden_size="many"), "could not be loaded"),
        (_edit_config(model_type="no_such_architecture"), "could not be loaded"),
        (lambda f: (f / "tokenizer.json").write_text("{"), "could not be loaded"),
    ],
)
def test_a_damaged_folder_is_one_sentence(folder: Path, damage: Change, words: str) -> None:
    damage(folder)
    assert words in sentence(folder)
    assert sentence(folder).startswith(f"{str(folder)!r} "), "as it was asked for"


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
def test_pickled_weights_cannot_run_code(folder: Path) -> None:
    ran = folder / "ran"

    class Hostile:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, (str(ran),)

    (folder / "model.safetensors").unlink()
    torch.save({"x": Hostile()}, folder / "pytorch_model.bin")
    assert "could not be loaded" in sentence(folder)
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Hostile()))
    assert "could not be loaded" in sentence(folder)
    assert not ran.exists()


def test_code_in_a_folder_is_never_run(folder: Path) -> None:
    (folder / "evil.py").write_text(f"open({str(folder / 'ran')!r}, 'w')")
    _edit_config(model_type="evil", auto_map={"AutoConfig": "evil.C"})(folder)
    assert "could not be loaded" in sentence(folder)
    assert not (folder / "ran").exists()


@pytest.mark.parametrize("config, word", [(T5Config(), "t5"), (BertConfig(), None)])
def test_other_kinds_of_model_are_refused(tmp_path: Path, config: Any, word: str | None) -> None:
    config.save_pretrained(tmp_path / "other")
    text = sentence(tmp_path / "other")
    assert word is None or f"is a {word} model, which is no decoder-only" in text


# --- what is no folder


@pytest.mark.parametrize(
    "source", ["no/such/folder", "./nothing", "a b", "", "x" * 500, "../..", "~nobody/x"]
)
def test_what_is_nothing_is_one_sentence(source: str) -> None:
    with pytest.raises(ValueError) as caught:
        lv.load_model(source)
    assert "\n" not in str(caught.value)


def test_a_hub_id_offline_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    assert "offline?" in sentence("nobody/no-such-model")


def test_hub_errors_are_told_apart() -> None:
    from huggingface_hub.errors import LocalEntryNotFoundError

    outer = OSError("could not connect")
    outer.__cause__ = LocalEntryNotFoundError("nothing there")
    assert "offline?" in hub.sentence("a/b", outer)
    assert hub.sentence("a/b", KeyError("odd")) == "'a/b' could not be loaded ('odd')."


def test_a_hub_id_in_the_local_cache_loads(whole: Path, tmp_path: Path) -> None:
    """The layout of the hub's cache, read in a fresh process as a user without a network does."""
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "models--someone--small"
    shutil.copytree(whole, repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    script = (
        "import lookahead_viz as lv; m = lv.load_model('someone/small', device='cpu');"
        "print(m.name, m.info.revision, m.encode('a'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"HF_HUB_CACHE": str(tmp_path), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"someone/small {commit} (")
    assert done.stderr == ""


# --- the registry


def test_the_registry_says_what_is_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(smollm2.CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(registry, "TINY_FOLDER", tmp_path / "none")
    choices = {choice.name: choice for choice in registry.available()}
    assert list(choices) == list(registry.NAMES)
    assert not any(choice.installed for choice in choices.values())
    assert [choice.needs_fetch for choice in choices.values()] == [False, True]
    assert "'smollm2-135m'" in sentence("tiny")
    assert "models get smollm2-135m" in sentence("smollm2-135m")
    write_folder(tmp_path / "none")
    assert registry.available()[0].installed
    assert lv.load_model("tiny", device="cpu").name == "tiny"
