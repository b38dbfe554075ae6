"""The command line refuses on one line with exit code 2, and before any time is spent."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from lookahead_viz import cli_inputs
from lookahead_viz.cli import main
from tests.model_folders import write_folder
from tests.test_cli import record, refused

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("models") / "small")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "run.json.gz"


@pytest.mark.parametrize(
    "options, words",
    [
        (["-W", "0"], "window_size (W) is 0"),
        (["-N", "1"], "ngram_size (N) is 1"),
        (["-G", "-1"], "max_candidates (G) is -1"),
        (["--max-new-tokens", "0"], "max_new_tokens is 0"),
        (["--block-size", "4"], "--block-size means nothing to --method lookahead"),
        (["--method", "greedy", "-W", "3"], "-W means nothing to --method greedy"),
        (["--method", "jacobi", "--accept", "full"], "--accept means nothing to --method jacobi"),
        (["--dtype", "int8"], "dtype is 'int8'"),
        (["--device", "tpu"], "device is 'tpu'"),
        (["--prompt", ""], "the prompt is empty"),
        (["--prompt-file", "no/such/file"], "there is no prompt file no/such/file"),
        (["--prompt-file", "tests"], "--prompt-file tests is a folder; name a text file in it."),
        (["--alternatives", "4096"], "alternatives is 4096; it must be a whole number from 0 to"),
        (["--stop-id", "99999"], "stop_ids holds token id 99999"),
        (["--max-new-tokens", "9999"], "has only 256 positions"),
    ],
)
def test_bad_values_are_one_line(
    folder: Path, out: Path, capsys: Capture, options: list[str], words: str
) -> None:
    assert words in refused(capsys, record(folder, out, *options))
    assert not out.exists()


@pytest.mark.parametrize(
    "argv, words",
    [
        ([], "COMMAND"),
        (["dance"], "dance"),
        (["record", "--model", "x", "--out", "y"], "--prompt"),
        (["record", "--model", "x", "--out", "y", "--prompt", "a", "-W", "many"], "'many'"),
        (["record", "--model", "x", "--out", "y", "--prompt", "a", "--metho", "x"], "--metho"),
        (
            ["record", "--model", "x", "--out", "y", "--prompt", "a", "--stop-ids", "3"],
            "unrecognized arguments: --stop-ids 3; did you mean --stop-id instead of --stop-ids? "
            "(see python -m lookahead_viz record --help)",
        ),
        (["info", "x", "--jsn"], "(see python -m lookahead_viz info --help)"),
        (["models", "get", "x", "y"], "arguments: y (see python -m lookahead_viz models get --he"),
        (["--htlm", "info", "x"], "arguments: --htlm (see python -m lookahead_viz --help)"),
        (["info"], "RUN"),
        (["export", "run.json.gz"], "export"),
    ],
)
def test_a_wrong_command_line_is_one_line(capsys: Capture, argv: list[str], words: str) -> None:
    with pytest.raises(SystemExit) as caught:
        main(argv)
    assert words in refused(capsys, int(str(caught.value.code)))


def test_the_out_path_is_checked_before_decoding(
    folder: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lookahead_viz.models.loading.load_model", None)  # must not be reached
    assert "is a folder" in refused(capsys, record(folder, tmp_path))
    assert "there is no folder" in refused(capsys, record(folder, tmp_path / "no" / "run.json.gz"))
    denied = OSError(13, "Permission denied")

    def refuse(**where: Any) -> None:
        raise denied

    monkeypatch.setattr("tempfile.NamedTemporaryFile", refuse)
    assert "(Permission denied)" in refused(capsys, record(folder, tmp_path / "run.json.gz"))


def test_a_prompt_file_that_is_no_text_is_refused(
    folder: Path, out: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "prompt.txt"
    path.write_bytes(b"ab\xff")
    assert "is not UTF-8 text (byte 2)" in refused(
        capsys, record(folder, out, "--prompt-file", str(path))
    )
    monkeypatch.setattr(cli_inputs, "MAX_PROMPT_BYTES", 2)
    assert "larger than" in refused(capsys, record(folder, out, "--prompt-file", str(path)))


def test_a_missing_or_foreign_file_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    assert "no run file" in refused(capsys, main(["info", str(tmp_path / "none")]))
    assert "no run file" in refused(capsys, main(["info", str(tmp_path)]))
    foreign = tmp_path / "foreign.json"
    foreign.write_text(json.dumps({"format": "something else"}))
    assert "not a run file" in refused(capsys, main(["info", str(foreign)]))
    for data in (b"\x89PNG\r\n\x1a\n\x00", b"", b"hello", b"[1, 2]", gzip.compress(b"text")):
        foreign.write_bytes(data)
        said = refused(capsys, main(["info", str(foreign)]))
        assert "malformed" not in said and "byte 0" not in said and "Expected" not in said
    assert "holds no JSON, packed or plain; take a .json.gz file that the app or" in said
    foreign.write_bytes(b"\x1f\x8b damaged")
    assert "damaged" in refused(capsys, main(["info", str(foreign)]))


def test_even_our_own_mistakes_show_no_traceback(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistaken(path: Path) -> None:
        raise KeyError("line\nbreak")

    monkeypatch.setattr("lookahead_viz.cli_info.load_run", mistaken)
    assert "unexpected KeyError" in refused(capsys, main(["info", "x"]))


def test_special_files_and_impossible_names_are_refused_before_decoding(
    folder: Path, tmp_path: Path, capsys: Capture
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "no ordinary file" in refused(capsys, record(folder, pipe))
    assert "cannot be written" in refused(capsys, record(folder, tmp_path / ("n" * 250)))
    assert list(tmp_path.iterdir()) == [pipe]


def test_standard_input_that_is_closed_is_named(
    folder: Path, out: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert "standard input is closed" in refused(capsys, record(folder, out, "--prompt-file", "-"))


@pytest.mark.parametrize("command", ["record", "divergence", "sweep"])
def test_an_unknown_model_is_answered_with_the_known_ones(
    command: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(name: str, *_: Any, **__: Any) -> None:
        raise ValueError(f"there is no model {name!r} here or on the Hugging Face hub.")

    # in this order: what takes the name when it is first imported takes the true one
    monkeypatch.setattr("lookahead_viz.models.diverging.load_model", unknown)
    monkeypatch.setattr("lookahead_viz.models.loading.load_model", unknown)
    monkeypatch.setattr(
        "lookahead_viz.cli_sweep._with_bar", lambda plan, workers, store: unknown(plan.model)
    )
    given = [command, "--model", "nosuch"]
    given += [] if command == "sweep" else ["--prompt", "a"]
    given += [] if command == "divergence" else ["--out", str(tmp_path / "run.csv")]
    assert refused(capsys, main(given)).endswith(
        "there is no model 'nosuch' here or on the Hugging Face hub; the known names are tiny and "
        "smollm2-135m (see 'python -m lookahead_viz models').\n"
    )
