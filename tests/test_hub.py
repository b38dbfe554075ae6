"""Models of the Hugging Face hub, from a small hub of this machine: download, cancel, go on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants

import lookahead_viz as lv
from lookahead_viz.engine import memory
from lookahead_viz.models import hub as hub_of_models
from lookahead_viz.models.progress import LoadingCancelled
from lookahead_viz.words import amount_of_bytes
from tests.fake_hub import COMMIT, FakeHub, ask_only, serving
from tests.model_folders import write_folder

NAME = "someone/small"
WEIGHTS = "model.safetensors"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_folder(tmp_path_factory.mktemp("models") / "small")
    (folder / "README.md").write_text("not needed")
    (folder / "pytorch_model.bin").write_bytes(b"not needed either")
    return folder


@pytest.fixture
def hub(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """The hub is asked, and its cache is empty."""
    with serving(whole) as found:
        ask_only(found, tmp_path / "hub", monkeypatch)
        yield found


def refusal() -> str:
    with pytest.raises(ValueError) as caught:
        lv.load_model(NAME, device="cpu")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_model_is_downloaded_once_and_decodes(hub: FakeHub, whole: Path) -> None:
    told: list[tuple[str, float]] = []
    model = lv.load_model(NAME, device="cpu", on_progress=lambda *said: told.append(said))
    assert (model.name, model.info.revision) == (NAME, COMMIT)
    here = lv.load_model(whole, device="cpu")
    config = lv.GreedyConfig(max_new_tokens=5, stop_ids=())
    tokens = [lv.record(one, [1, 2, 3], config).token_ids for one in (model, here)]
    assert tokens[0] == tokens[1]
    assert "README.md" not in str(hub.asked) and "pytorch_model.bin" not in str(hub.asked)
    shares = [share for _, share in told]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] < 1
    total = sum(
        len(content)
        for name, content in hub.files.items()
        if name.endswith((".json", ".jinja", ".safetensors"))
    )
    assert f"of {amount_of_bytes(total)}" in next(
        stage for stage, _ in told if stage.startswith("Downloading")
    )
    told.clear()
    lv.load_model(NAME, device="cpu", on_progress=lambda *said: told.append(said))
    assert hub.asked_for(WEIGHTS) == [""]
    assert not any(stage.startswith("Downloading") for stage, _ in told)


def test_offline_the_cache_is_enough(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    lv.load_model(NAME, device="cpu")
    hub.asked.clear()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert lv.load_model(NAME, device="cpu").info.revision == COMMIT
    assert hub.asked == []
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")  # nobody there
    monkeypatch.setattr(
        constants,
        "HUGGINGFACE_CO_URL_TEMPLATE",
        "http://127.0.0.1:9/{repo_id}/resolve/{revision}/{filename}",
    )
    assert lv.load_model(NAME, device="cpu").info.revision == COMMIT


def test_a_cancelled_download_goes_on_where_it_was(hub: FakeHub) -> None:
    hub.hold_after = 20_000

    def stop(stage: str, share: float) -> bool:
        return hub.sent < 20_000

    began = time.monotonic()
    with pytest.raises(LoadingCancelled):
        lv.load_model(NAME, device="cpu", on_progress=stop)
    assert time.monotonic() - began < 20  # the server would have been silent for 30 seconds
    hub.hold_after = None
    hub.released.set()
    lv.load_model(NAME, device="cpu")
    assert hub.asked_for(WEIGHTS) == ["", "bytes=20480-"]


def test_a_hub_that_is_not_reached_is_not_asked_again(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[object] = []
    nowhere = "http://127.0.0.1:9/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", nowhere)
    monkeypatch.setattr(hub_of_models, "hf_hub_download", lambda *asked, **_: tried.append(asked))
    assert "was not asked or not reached (offline?)" in refusal()
    assert tried == []


def test_a_cancelled_download_offline_is_no_model(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.hold_after = 20_000
    with pytest.raises(LoadingCancelled):
        lv.load_model(NAME, device="cpu", on_progress=lambda stage, share: hub.sent < 20_000)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "only in part (it has no weights" in refusal() and "(offline?)" in refusal()


@pytest.mark.parametrize("ranges", [True, False])
def test_a_broken_connection_is_taken_up_again(hub: FakeHub, ranges: bool) -> None:
    """Also on a server that can only send a whole file."""
    hub.cut_after, hub.ranges = 12_000, ranges
    assert lv.load_model(NAME, device="cpu").name == NAME
    first, second = hub.asked_for(WEIGHTS)
    assert first == "" and second.startswith("bytes=")


def test_what_arrived_damaged_is_thrown_away(hub: FakeHub, tmp_path: Path) -> None:
    blobs = tmp_path / "hub" / "models--someone--small" / "blobs"
    sha256 = next(
        one["lfs"]["sha256"] for one in hub.listing()["siblings"] if one["rfilename"] == WEIGHTS
    )
    blobs.mkdir(parents=True)
    (blobs / f"{sha256}.incomplete").write_bytes(b"x" * 1000)  # of a disk gone bad
    assert "arrived damaged and was thrown away; load the model again" in refusal()
    assert lv.load_model(NAME, device="cpu").name == NAME


def test_weights_that_do_not_fit_are_not_downloaded(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as small:
        small.setattr(memory, "free", lambda device: 2_000)
        assert "only 2.0 kB are free on cpu" in refusal()
    full = shutil.disk_usage("/")._replace(free=3_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: full)
    assert "but only 3.0 kB are free on the disk of the hub's cache" in refusal()
    assert hub.asked_for(WEIGHTS) == []


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"model_type": "t5"}, "is a t5 model, which is no decoder-only language model"),
        ({"num_hidden_layers": 10**9}, "at most 1,000 are allowed"),
        ({"quantization_config": {"quant_method": "gptq", "bits": 4}}, "quantised with gptq"),
    ],
)
def test_what_its_settings_forbid_is_not_downloaded(
    hub: FakeHub, changes: dict[str, object], words: str
) -> None:
    hub.files["config.json"] = json.dumps(json.loads(hub.files["config.json"]) | changes).encode()
    assert words in refusal()
    assert {name for _, name, _ in hub.asked} == {"config.json", "listing"}


def test_weights_in_several_files(hub: FakeHub) -> None:
    content = hub.files.pop(WEIGHTS)
    parts = {"model-1.safetensors": "model.norm.weight", "model-2.safetensors": "lm_head.weight"}
    index = {"weight_map": {tensor: name for name, tensor in parts.items()}}
    hub.files[WEIGHTS + ".index.json"] = json.dumps(index).encode()
    hub.files["model-1.safetensors"] = content
    said = refusal()
    assert "1 of its files are not on the hub (the first is model-2.safetensors)" in said
    assert hub.asked_for("model-1.safetensors") == []


def test_a_repository_of_other_files(hub: FakeHub) -> None:
    del hub.files[WEIGHTS], hub.files["pytorch_model.bin"]
    hub.files["small.Q4_0.gguf"] = b"GGUF"
    assert "download one of its .gguf files and name that" in refusal()


def test_without_settings_it_is_no_model(hub: FakeHub) -> None:
    del hub.files["config.json"]
    assert "it has no config.json on the Hugging Face hub" in refusal()


def test_gated_and_missing_repositories(hub: FakeHub) -> None:
    hub.gated = True
    assert "needs an accepted licence or a login" in refusal()
    with pytest.raises(ValueError, match="there is no model 'no/such' here or on"):
        lv.load_model("no/such", device="cpu")


def test_the_settings_of_the_environment_are_obeyed(whole: Path, tmp_path: Path) -> None:
    """A fresh process with HF_ENDPOINT and HF_HOME, as a user behind a mirror has them."""
    script = "import lookahead_viz as lv; print(lv.load_model('someone/small', device='cpu').name)"
    with serving(whole) as found:
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ
            | {"HF_ENDPOINT": found.url, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "0"},
            capture_output=True,
            text=True,
        )
    assert (done.stdout, done.stderr) == (NAME + "\n", "")
    assert (tmp_path / "hub" / "models--someone--small" / "snapshots" / COMMIT).is_dir()
