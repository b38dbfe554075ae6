"""Loading: progress, cancelling, what is refused before a weight is read, several devices."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import torch

import lookahead_viz as lv
from lookahead_viz.engine import memory
from lookahead_viz.models import checks
from lookahead_viz.models.progress import LoadingCancelled
from lookahead_viz.models.shelf import Shelf
from tests.model_folders import write_folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("models") / "small")


def edited(whole: Path, tmp_path: Path, **changes: Any) -> Path:
    folder = Path(shutil.copytree(whole, tmp_path / "small"))
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return folder


def test_progress_rises_to_the_check_and_names_its_stages(whole: Path) -> None:
    told: list[tuple[str, float]] = []
    lv.load_model(
        whole, device="cpu", on_progress=lambda stage, share: told.append((stage, share))
    )
    shares = [share for _, share in told]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] < 1
    stages = list(dict.fromkeys(stage for stage, _ in told))
    assert stages == [
        "Reading the settings",
        "Reading the weights",
        "Reading the tokenizer",
        "Checking that it can be decoded exactly",
    ]


@pytest.mark.parametrize("stage", ["Reading the settings", "Reading the weights"])
def test_loading_stops_where_it_is_told_to(whole: Path, stage: str) -> None:
    from transformers import core_model_loading

    bar = core_model_loading.tqdm
    with pytest.raises(LoadingCancelled):
        lv.load_model(whole, device="cpu", on_progress=lambda said, share: said != stage)
    assert core_model_loading.tqdm is bar  # the next loading has its own
    assert lv.load_model(whole, device="cpu").name == "small"


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"num_hidden_layers": 10**9}, "num_hidden_layers = 1,000,000,000; at most 1,000"),
        ({"vocab_size": 10**12}, "at most 10,000,000 are allowed"),
        ({"hidden_size": 2**40}, "at most 200,000"),
        ({"max_position_embeddings": 10**18}, "at most 10,000,000,000"),
        ({"vision_config": {"hidden_size": 10**9}}, "vision_config.hidden_size"),
        ({"quantization_config": {"quant_method": "gptq", "bits": 4}}, "quantised with gptq"),
        ({"quantization_config": {"quant_method": "awq", "bits": 4}}, "pip install gptqmodel"),
        (
            {"quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": True}},
            "needs the package bitsandbytes: pip install bitsandbytes",
        ),
        ({"quantization_config": {"quant_method": "torchao"}}, "package torchao"),
    ],
)
def test_refused_before_anything_is_laid_out(
    whole: Path, tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError) as caught:
        lv.load_model(edited(whole, tmp_path, **changes), device="cpu")
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_weights_that_do_not_fit_are_refused_with_the_numbers(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "free", lambda device: 2_000)
    with pytest.raises(ValueError, match=r"need .* as float32, but only 2.0 kB are free on cpu"):
        lv.load_model(whole, device="cpu")


def test_a_name_that_no_run_file_could_hold_is_refused(whole: Path, tmp_path: Path) -> None:
    odd = Path(shutil.copytree(whole, tmp_path / os.fsdecode(b"sm\xffll")))
    with pytest.raises(ValueError, match="no valid Unicode; rename its folder"):
        lv.load_model(odd, device="cpu")


def test_a_tokenizer_larger_than_the_network_is_refused(whole: Path) -> None:
    model = lv.load_model(whole, device="cpu")
    network = lv.load_model(whole, device="cpu").network
    assert model.tokenizer is not None
    words = len(model.tokenizer)
    network.resize_token_embeddings(words - 1)
    with pytest.raises(ValueError) as caught:
        lv.wrap_model(network, model.tokenizer)
    said = str(caught.value)
    assert f"its tokenizer has {words} tokens, but its network knows only {words - 1};" in said
    assert f"after resize_token_embeddings({words})." in said
    network.resize_token_embeddings(words)
    assert lv.wrap_model(network, model.tokenizer).info.vocab_size == words


def test_a_long_prompt_says_nothing_on_its_way(
    whole: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "short"))
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"model_max_length": 4}))
    model = lv.load_model(folder, device="cpu")
    model.encode("a b c d e f g h")
    model.encode_chat("a b c d e f g h")
    assert "Token indices" not in caplog.text


# --- the shelf


def test_the_model_used_longest_ago_is_released() -> None:
    shelf: Shelf[str] = Shelf(lambda name, _: name.upper(), limit=2)
    assert [shelf.get("a"), shelf.get("b"), shelf.get("a"), shelf.get("c")] == ["A", "B", "A", "C"]
    assert shelf.names == ("a", "c") and shelf.peek("b") is None


def test_a_model_that_fails_leaves_the_others_in_place() -> None:
    loads: list[str] = []

    def load(name: str, _: object) -> str:
        loads.append(name)
        if name == "bad":
            raise ValueError("bad is damaged.")
        return name

    shelf: Shelf[str] = Shelf(load, limit=1)
    shelf.get("good")
    with pytest.raises(ValueError, match="damaged"):
        shelf.get("bad")
    assert shelf.get("good") == "good" and loads == ["good", "bad"]


def test_a_slow_load_keeps_nobody_else_and_waiting_for_it_can_be_cancelled() -> None:
    begun, arrived = threading.Event(), threading.Event()

    def load(name: str, _: object) -> str:
        if name == "slow":
            begun.set()
            arrived.wait(30)
        return name

    shelf: Shelf[str] = Shelf(load, limit=2)
    slow = threading.Thread(target=shelf.get, args=("slow",))
    slow.start()
    assert begun.wait(30)
    assert shelf.get("quick") == "quick"
    told: list[str] = []

    def cancel(stage: str, share: float) -> bool:
        told.append(stage)
        return False

    with pytest.raises(LoadingCancelled):
        shelf.get("slow", cancel)
    assert told == ["Waiting until another model is loaded"]
    arrived.set()
    slow.join()
    assert shelf.names == ("quick", "slow")


# --- several devices


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"device_map": "balanced"}, "must be 'auto'"),
        ({"device_map": "auto", "tp_plan": "auto"}, "not both"),
        ({"tp_plan": "auto"}, "start it with torchrun"),
    ],
)
def test_spreading_is_refused_in_one_sentence(
    whole: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], words: str
) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with pytest.raises(ValueError, match=words):
        lv.load_model(whole, **settings)  # type: ignore[arg-type]


def test_device_map_auto_decodes_the_same(whole: Path) -> None:
    """On a machine without a GPU accelerate lays everything on the CPU."""
    spread = lv.load_model(whole, device_map="auto")
    plain = lv.load_model(whole, device="cpu", dtype=spread.info.dtype)
    config = lv.LookaheadConfig(max_new_tokens=12, stop_ids=())
    runs = [lv.record(model, [1, 2, 3], config) for model in (spread, plain)]
    assert runs[0].token_ids == runs[1].token_ids
    if not torch.cuda.is_available():
        assert runs[0].steps == runs[1].steps


@pytest.mark.long  # two more processes that import torch: 10 s alone, a minute beside others
def test_two_processes_share_every_layer_and_record_the_same(whole: Path, tmp_path: Path) -> None:
    """Tensor parallelism on two CPU processes (gloo): both print the tokens of one process."""
    script = tmp_path / "rank.py"
    script.write_text(
        "import sys, lookahead_viz as lv\n"
        "m = lv.load_model(sys.argv[1], device='cpu', tp_plan='auto')\n"
        "weight = m.network.model.layers[0].self_attn.q_proj.weight\n"
        "r = lv.record(m, [1, 2, 3], lv.LookaheadConfig(max_new_tokens=10, stop_ids=()))\n"
        "said = f'{type(weight).__name__} {r.finish_reason} {r.token_ids}\\n'\n"
        "print(said, end='', flush=True)\n"
    )
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    done = subprocess.run(
        [*launcher, "--nproc-per-node", "2", str(script), str(whole)],
        env=os.environ | {"PYTHONPATH": os.getcwd(), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=180,
    )
    config = lv.LookaheadConfig(max_new_tokens=10, stop_ids=())
    alone = lv.record(lv.load_model(whole, device="cpu"), [1, 2, 3], config)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"DTensor length {alone.token_ids}\n" * 2


def test_quantised_kinds_name_packages_that_pip_knows() -> None:
    assert not checks.present("no_such_package.at_all")
    assert checks.present("torch")


def test_a_folder_loads_without_network_or_hub(whole: Path) -> None:
    """HF_HUB_OFFLINE=1, an empty cache, and no socket to be had: a local folder needs none."""
    script = (
        "import socket, sys\n"
        "def none(*a, **k): raise OSError('no network in this test')\n"
        "socket.socket.connect = none\n"
        "import lookahead_viz as lv\n"
        "m = lv.load_model(sys.argv[1], device='cpu')\n"
        "r = lv.record(m, [1, 2], lv.LookaheadConfig(max_new_tokens=4, stop_ids=()))\n"
        "print(m.name, r.finish_reason)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(whole)],
        env=os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(whole / "none")},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("small length\n", "")
