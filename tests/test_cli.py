"""The command line: record, look, and every refusal on one line with exit code 2."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lookahead_viz as lv
from lookahead_viz.cli import main
from lookahead_viz.cli_text import printable
from lookahead_viz.models import smollm2
from tests.model_folders import write_folder
from tests.toy_runs import toy_run

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("models") / "small")


@pytest.fixture(autouse=True)
def no_fetched_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(smollm2.CACHE_VARIABLE, str(tmp_path / "cache"))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "run.json.gz"


def record(folder: Path, out: Path, *options: str) -> int:
    """``record`` on the small model, with a prompt unless the options hold one."""
    prompt = [] if any("--prompt" in option for option in options) else ["--prompt", "def add(a"]
    fixed = ["record", "--model", str(folder), "--out", str(out), "--device", "cpu"]
    return main([*fixed, *prompt, *options])


def refused(capsys: Capture, code: int, wanted: int = 2) -> str:
    """The one line on stderr of a command that ended with ``wanted``."""
    captured = capsys.readouterr()
    assert code == wanted and captured.out == ""
    assert captured.err.startswith("error: ") and captured.err.count("\n") == 1
    return captured.err


# --- record and info


def test_record_then_info(folder: Path, out: Path, capsys: Capture) -> None:
    sizes = ["-W", "3", "-N", "3", "-G", "2", "--max-new-tokens", "12", "--no-stop"]
    assert record(folder, out, *sizes, "--pool-from-prompt", "--seed", "7") == 0
    assert "12 tokens in" in capsys.readouterr().out
    run = lv.load_run(out)
    assert run.config == lv.LookaheadConfig(
        window_size=3,
        ngram_size=3,
        max_candidates=2,
        max_new_tokens=12,
        seed=7,
        pool_from_prompt=True,
        stop_ids=(),
    )
    assert main(["info", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "Lookahead W=3 N=3 G=2" in shown
    assert f"{len(run.steps)}/{len(run.steps)} proved" in shown
    assert "“def add(a”" in shown and "length" in shown and " kB " in shown


def test_every_method_writes_the_same_text(folder: Path, tmp_path: Path) -> None:
    texts = set()
    for method, options in {
        "greedy": ["--alternatives", "0"],
        "jacobi": ["--block-size", "4", "--init", "random"],
        "lookahead": ["--window-fill", "repeat", "--accept", "original", "--shift", "slide"],
    }.items():
        out = tmp_path / f"{method}.json.gz"
        common = ["--method", method, "--max-new-tokens", "10", "--no-stop"]
        assert record(folder, out, *common, *options, "--dtype", "float64") == 0
        texts.add(lv.load_run(out).text)
    assert len(texts) == 1


def test_stop_ids_may_be_repeated(folder: Path, out: Path) -> None:
    assert record(folder, out, "--stop-id", "7", "--stop-id", "3", "--max-new-tokens", "4") == 0
    assert lv.load_run(out).stop_ids == (3, 7)


def test_a_chat_prompt_gets_the_template(folder: Path, out: Path) -> None:
    assert record(folder, out, "--chat", "--prompt", "hi", "--max-new-tokens", "2") == 0
    assert lv.load_run(out).prompt == "<|user|>hi\n<|assistant|>"


def test_a_prompt_file_is_taken_as_it_is(
    folder: Path, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "é\n\tx \r\n"
    (tmp_path / "prompt.txt").write_bytes(text.encode())
    options = ["--max-new-tokens", "2"]
    assert record(folder, out, "--prompt-file", str(tmp_path / "prompt.txt"), *options) == 0
    assert lv.load_run(out).prompt == text
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"from a pipe")))
    assert record(folder, out, "--prompt-file", "-", *options) == 0
    assert lv.load_run(out).prompt == "from a pipe"


def test_info_escapes_what_would_drive_the_terminal(out: Path, capsys: Capture) -> None:
    run = toy_run("lookahead", text="hostile")
    lv.save_run(run, out)
    assert main(["info", str(out)]) == 0
    shown = capsys.readouterr().out
    assert all(letter.isprintable() or letter == "\n" for letter in shown)
    assert printable("a\x1b[2J\r\u202e\ud800b") == "a\\x1b[2J\\r\\u202e\\ud800b"


# --- stopping


def test_ctrl_c_keeps_what_was_recorded(
    folder: Path, out: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lookahead_viz.engine import recording

    whole = recording.decode

    def interrupted(*arguments: Any) -> Iterator[Any]:
        for step in whole(*arguments):
            yield step
            if step.index == 2:
                raise KeyboardInterrupt

    monkeypatch.setattr(recording, "decode", interrupted)
    assert record(folder, out, "--method", "greedy", "--no-stop") == 130
    assert "3 tokens in 3 passes" in capsys.readouterr().out
    assert lv.load_run(out).finish_reason == "stopped by user"


def test_a_failure_while_decoding_keeps_the_steps(
    folder: Path, out: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lookahead_viz.engine import recording

    whole = recording.decode

    def failing(*arguments: Any) -> Iterator[Any]:
        yield next(iter(whole(*arguments)))
        raise RuntimeError("out of\nmemory")

    monkeypatch.setattr(recording, "decode", failing)
    assert record(folder, out, "--method", "greedy", "--no-stop") == 2
    assert "decoding failed after 1 pass: out of memory" in capsys.readouterr().err
    assert len(lv.load_run(out).steps) == 1


def test_an_interrupt_before_the_first_pass_saves_nothing(
    folder: Path, out: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any, **named: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lookahead_viz.models.loading.load_model", interrupted)
    assert "stopped by user" in refused(capsys, record(folder, out), 130)
    assert not out.exists()


# --- models


def test_models_are_listed(capsys: Capture) -> None:
    assert main(["models"]) == 0
    shown = capsys.readouterr().out
    assert "tiny" in shown and "fetch it with: models get smollm2-135m" in shown


def test_a_model_that_is_not_here_says_how_to_get_it(out: Path, capsys: Capture) -> None:
    line = refused(capsys, record(Path("smollm2-135m"), out))
    assert "python -m lookahead_viz models get smollm2-135m" in line


def test_models_get_reports_stages_and_errors(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetch(report: smollm2.Progress) -> None:
        report("Downloading", 0.1)
        report("Downloading", 0.2)
        report("Writing", 0.9)

    monkeypatch.setattr(smollm2, "fetch", fetch)
    assert main(["models", "get", "smollm2-135m"]) == 0
    captured = capsys.readouterr()
    assert captured.err.splitlines() == [" 10% Downloading", " 90% Writing"]
    assert "smollm2-135m is ready" in captured.out
    assert "only smollm2-135m can be fetched" in refused(capsys, main(["models", "get", "gpt2"]))

    def broken(report: smollm2.Progress) -> None:
        raise RuntimeError("no network.")

    monkeypatch.setattr(smollm2, "fetch", broken)
    assert "no network" in refused(capsys, main(["models", "get", "smollm2-135m"]))
