"""The command line as a real process: help, pipes, terminals, Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import lookahead_viz as lv
from tests.model_folders import write_folder
from tests.toy_runs import toy_run


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "run.json.gz"


def run_process(*argv: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lookahead_viz", *argv]
    return subprocess.run(command, capture_output=True, text=True, check=False, **settings)


def test_help_imports_no_torch() -> None:
    script = (
        "import sys; from lookahead_viz.cli import build_parser; build_parser().format_help();"
        "assert not {'torch', 'transformers', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    shown = run_process("record", "--help")
    assert shown.returncode == 0 and "--pool-from-prompt" in shown.stdout


@pytest.mark.skipif(os.name != "posix", reason="pipes")
def test_a_reader_that_goes_away_is_no_error(out: Path) -> None:
    lv.save_run(toy_run("lookahead"), out)
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "lookahead_viz", "info", str(out)]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert done.returncode == 0 and done.stderr == ""


def test_a_terminal_without_unicode_gets_escapes(out: Path) -> None:
    lv.save_run(toy_run("lookahead"), out)
    plain = os.environ | {"PYTHONIOENCODING": "ascii"}
    shown = run_process("info", str(out), env=plain)
    assert shown.returncode == 0 and "\\u201c" in shown.stdout


@pytest.mark.skipif(os.name != "posix", reason="SIGINT")
def test_sigint_in_a_real_process(tmp_path: Path, out: Path) -> None:
    """Wait for the first pass, press Ctrl-C, find a whole run file."""
    script = (
        "import sys, time; from lookahead_viz.cli import main\n"
        "import lookahead_viz.engine.recording as recording\n"
        "whole = recording.decode\n"
        "def slow(*a):\n"
        "    for step in whole(*a):\n"
        "        yield step\n"
        "        print('step', flush=True); time.sleep(0.2)\n"
        "recording.decode = slow\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    folder = write_folder(tmp_path / "small")
    argv = ["record", "--model", str(folder), "--prompt", "ab", "--out", str(out), "--no-stop"]
    command = [sys.executable, "-c", script, *argv, "--max-new-tokens", "200"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # where the tests themselves run in the background, Ctrl-C is ignored and that is inherited
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == "step\n"
        process.send_signal(signal.SIGINT)
        said, errors = process.communicate(timeout=60)
    assert process.returncode == 130 and errors == ""
    assert "finish reason: stopped by user" in said
    assert lv.load_run(out).finish_reason == "stopped by user"
