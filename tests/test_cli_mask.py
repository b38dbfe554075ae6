"""``check-mask`` and ``mask``: exit codes 0, 1, 2, one line for what cannot be read."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from lookahead_viz.cli import main
from lookahead_viz.masklab import MISTAKES, packed
from lookahead_viz.masklab.export import FORMATS
from lookahead_viz.masklab.scene import Scene

Capture = pytest.CaptureFixture[str]

STEP = ["-W", "5", "-N", "4", "-G", "2"]


@pytest.fixture
def mask(tmp_path: Path) -> Path:
    return tmp_path / "mask.npy"


def refused(capsys: Capture, code: int) -> str:
    captured = capsys.readouterr()
    assert code == 2 and captured.out == ""
    assert captured.err.startswith("error: ") and captured.err.count("\n") == 1
    return captured.err


def test_right_is_0_and_wrong_is_1(mask: Path, capsys: Capture) -> None:
    np.save(mask, packed("llama.cpp").mask)
    assert main(["check-mask", str(mask), *STEP, "--layout", "llama.cpp"]) == 0
    assert capsys.readouterr().out.startswith("Right: the mask of llama.cpp, W=5, N=4, G=2.")
    assert main(["check-mask", str(mask), *STEP]) == 1
    assert "in the order of llama.cpp" in capsys.readouterr().out
    np.save(mask, MISTAKES["same-row"].rule(Scene.of(packed())).packed)  # type: ignore[union-attr]
    assert main(["check-mask", str(mask), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["mistakes"] == ["same-row"] and report["ok"] is False


def test_json_is_sound_in_any_encoding(mask: Path, capsys: Capture) -> None:
    np.savez(
        mask.with_suffix(".npz"), mask=packed().mask.T, tokens=np.array([" é\U0001f600<"] * 21)
    )
    assert main(["check-mask", str(mask.with_suffix(".npz")), "--json"]) == 1
    out = capsys.readouterr().out
    assert out.isascii() and "é" in json.loads(out)["findings"][2 + 1]["message"]


def test_how_a_mask_is_read(mask: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    right = packed().mask
    np.save(mask, ~right)
    assert main(["check-mask", str(mask)]) == 1
    assert main(["check-mask", str(mask), "--polarity", "keep=0"]) == 0
    np.save(mask, right)
    positions = " ".join(map(str, packed().positions))
    assert main(["check-mask", str(mask), "--positions", positions]) == 0
    assert main(["check-mask", str(mask), "--positions", ",".join(map(str, range(21)))]) == 1
    capsys.readouterr()
    text = "\n".join("".join("1" if on else "0" for on in row) for row in right)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["check-mask", "-"]) == 0
    capsys.readouterr()
    parents = str(list(packed("trt").parents))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(parents.encode())))
    assert main(["check-mask", "-", "--layout", "trt"]) == 0
    assert "Read as parents" in capsys.readouterr().out
    several = mask.with_suffix(".npz")
    np.savez(several, one=right, two=right.T)
    assert main(["check-mask", str(several), "--array", "one"]) == 0
    assert main(["check-mask", str(several), "--array", "two"]) == 1
    capsys.readouterr()
    assert "choose one with --array: one, two" in refused(
        capsys, main(["check-mask", str(several)])
    )
    warm_up = packed("lade-warmup", step=0).mask
    np.save(mask, warm_up)
    assert main(["check-mask", str(mask), "--layout", "lade-warmup", "--step", "0"]) == 0


def test_what_cannot_be_read_is_2(tmp_path: Path, mask: Path, capsys: Capture) -> None:
    assert "no mask file" in refused(capsys, main(["check-mask", str(mask)]))
    mask.write_bytes(b"\x93NUMPY nonsense")
    refused(capsys, main(["check-mask", str(mask)]))
    np.save(mask, np.full((3, 3), 0.3))
    assert "attention weights" in refused(capsys, main(["check-mask", str(mask)]))
    np.save(mask, packed().mask)
    for options, words in [
        (["--layout", "vllm"], "not known"),
        (["-W", "0"], "window_size"),
        (["--step", "1"], "no setting"),
        (["--committed", "21"], "committed"),
        (["--positions", "0,x"], "--positions"),
        (["--positions", "0,1"], "positions"),
        (["--array", "other"], "no mask"),
        (["--sliding-window", "0"], "sliding_window"),
    ]:
        assert words in refused(capsys, main(["check-mask", str(mask), *options]))


def test_the_right_mask_is_written(mask: Path, capsys: Capture) -> None:
    assert main(["mask", *STEP, "--layout", "trt"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[:3] == ["1" + "0" * 20, "11" + "0" * 19, "111" + "0" * 18] and len(rows) == 21
    assert main(["mask", *STEP, "--layout", "trt", "--format", "words"]) == 0
    words = capsys.readouterr().out
    assert "1835009" in words and "786433" in words
    assert main(["mask", *STEP, "--prefix", "3", "--format", "npy", "--out", str(mask)]) == 0
    assert "21" not in capsys.readouterr().err and np.load(mask).shape == (21, 24)
    assert main(["check-mask", str(mask), *STEP]) == 0


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_written(name: str, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "mask"
    assert main(["mask", *STEP, "--layout", "llama.cpp", "--format", name, "--out", str(out)]) == 0
    assert out.stat().st_size > 0


def test_what_cannot_be_written_is_2(tmp_path: Path, capsys: Capture) -> None:
    for options, words in [
        (["--format", "png"], "--format png"),
        (["--format", "npy"], "--out"),
        (["--prefix", "-1"], "prefix"),
        (["--out", str(tmp_path)], "folder"),
        (["-N", "1"], "ngram_size"),
    ]:
        assert words in refused(capsys, main(["mask", *options]))
