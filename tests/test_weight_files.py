"""Which files of a model hold its weights."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

import lookahead_viz as lv
from lookahead_viz.models.weights import bytes_in, files_of, index_of

INDEX = "model.safetensors.index.json"


@pytest.mark.parametrize(
    "names, first",
    [
        (["pytorch_model.bin", "model.safetensors", INDEX], "model.safetensors"),
        (["pytorch_model.bin", INDEX], INDEX),
        (["pytorch_model.bin.index.json", "pytorch_model.bin"], "pytorch_model.bin"),
        (["consolidated.safetensors", "model.gguf"], None),
    ],
)
def test_what_transformers_reads_first(names: list[str], first: str | None) -> None:
    assert index_of(names) == first


def test_the_settings_may_name_the_file() -> None:
    config = SimpleNamespace(transformers_weights="small.safetensors")
    assert index_of(["model.safetensors", "small.safetensors"], config) == "small.safetensors"
    assert index_of(["model.safetensors"], config) == "model.safetensors"


@pytest.mark.parametrize(
    "content, words",
    [
        ([], "does not say in which files"),
        ({"weight_map": {}}, "does not say in which files"),
        ({"weight_map": {"a": "../b.safetensors"}}, "in another folder ('../b.safetensors')"),
    ],
)
def test_a_list_that_is_none_is_refused(content: object, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        files_of(INDEX, lambda name: content)
    assert words in str(caught.value)


def test_only_what_is_read_is_counted(tmp_path: Path) -> None:
    """Two tensors in one file count once, the same weights in another format do not count."""
    (tmp_path / INDEX).write_text(json.dumps({"weight_map": {"a": "1", "b": "2", "c": "2"}}))
    for name, size in {"1": 10, "2": 20, "pytorch_model.bin": 40, "3": 80}.items():
        (tmp_path / name).write_bytes(bytes(size))
    assert bytes_in(tmp_path) == 30
    (tmp_path / "2").unlink()
    with pytest.raises(ValueError, match=r"1 of the 2 files .* are missing \(the first is 2\)"):
        bytes_in(tmp_path)


def test_a_folder_without_weights_says_so(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama"}))
    with pytest.raises(ValueError) as caught:
        lv.load_model(tmp_path, device="cpu")
    assert "is incomplete: it has no weights (model.safetensors or pytorch_model.bin)" in str(
        caught.value
    )
