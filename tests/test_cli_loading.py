"""The line that says how far a loading is: on a terminal, in a log, when it fails, on Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path

import pytest

from lookahead_viz import cli_loading
from lookahead_viz.cli import main
from lookahead_viz.cli_progress import progress_line
from tests.fake_hub import FakeHub, ask_only, serving
from tests.model_folders import write_folder

termios = pytest.importorskip("termios", reason="there are no pseudo terminals here")

NAME = "someone/small"
WEIGHTS = "model.safetensors"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("models") / "small")


@pytest.fixture
def hub(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    with serving(folder) as found:
        ask_only(found, tmp_path / "hub", monkeypatch)
        yield found


class Terminal:
    """What was written to a pseudo terminal of 80 columns."""

    def __init__(self) -> None:
        self.written = ""


@contextmanager
def watched() -> Iterator[Terminal]:
    """stderr is a terminal inside; afterwards it is known what was written."""
    lead, side = os.openpty()
    termios.tcsetwinsize(side, (24, 80))
    pieces: list[bytes] = []

    def read() -> None:
        while True:
            try:
                pieces.append(os.read(lead, 4096))
            except OSError:  # the other side is closed
                return

    reader = threading.Thread(target=read)
    reader.start()
    terminal = Terminal()
    with os.fdopen(side, "w", encoding="utf-8") as stream, redirect_stderr(stream):
        yield terminal
    reader.join()
    os.close(lead)
    terminal.written = b"".join(pieces).decode()


def screen(written: str) -> list[str]:
    """The lines that are left: what follows a carriage return overwrites the line."""
    lines = []
    for line in written.replace("\r\n", "\n").split("\n"):
        shown = ""
        for part in line.split("\r"):
            shown = part + shown[len(part) :]
        lines.append(shown.rstrip())
    return lines


def record(model: str, out: Path) -> int:
    argv = ["record", "--model", model, "--prompt", "ab", "--out", str(out), "--device", "cpu"]
    return main([*argv, "--max-new-tokens", "2"])


def test_a_download_is_one_line_that_is_gone_in_the_end(hub: FakeHub) -> None:
    with watched() as terminal:
        assert cli_loading.load(NAME, "cpu", "auto", "auto").name == NAME
    assert "\n" not in terminal.written and screen(terminal.written) == [""]
    frames = [frame for frame in terminal.written.split("\r") if frame.strip()]
    assert frames and all(frame.startswith(f"Loading {NAME} ") for frame in frames)
    assert any("Downloading: " in frame and " of 1" in frame for frame in frames)  # of 147 kB
    assert " 99%, Checking that it can be" in frames[-1]


def test_an_error_stands_on_a_clean_line(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "config.json").write_text((folder / "config.json").read_text())
    with watched() as terminal:
        assert record(str(tmp_path / "bad"), tmp_path / "run.json.gz") == 2
    assert "Loading …" in terminal.written  # the end of a long path
    first, *rest = screen(terminal.written)
    assert first.startswith("error: ") and "it has no weights" in first and rest == [""]
    assert capsys.readouterr().out == ""


def test_ctrl_c_says_that_the_download_goes_on(hub: FakeHub, tmp_path: Path) -> None:
    hub.hold_after = 20_000

    def press() -> None:
        patience = time.monotonic() + 60
        while hub.sent < 20_000 and time.monotonic() < patience:
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    # where the tests themselves run in the background, Ctrl-C is ignored
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with watched() as terminal:
            threading.Thread(target=press).start()
            assert record(NAME, tmp_path / "run.json.gz") == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert screen(terminal.written) == [f"error: {cli_loading.GOES_ON}", ""]
    hub.hold_after = None
    hub.released.set()
    assert cli_loading.load(NAME, "cpu", "auto", "auto").name == NAME
    assert hub.asked_for(WEIGHTS) == ["", "bytes=20480-"]


def test_a_log_gets_a_line_a_stage_of_what_takes_long(
    hub: FakeHub, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli_loading, "PATIENCE", 0.0)
    cli_loading.load(NAME, "cpu", "auto", "auto")
    lines = capsys.readouterr().err.splitlines()
    assert [line[5:].partition(":")[0] for line in lines] == [
        "Asking the Hugging Face hub",
        "Downloading",
        "Reading the settings",
        "Reading the weights",
        "Reading the tokenizer",
        "Checking that it can be decoded exactly",
    ]
    monkeypatch.undo()
    with progress_line("Loading x", patience=3600) as tell:
        tell("Reading the weights", 0.5)
    assert capsys.readouterr().err == ""


def test_a_name_cannot_drive_the_terminal() -> None:
    with watched() as terminal, progress_line("Loading \x1b[2Jx{y}") as tell:
        tell("stage\x1b[1A", 0.5)
    written = terminal.written
    assert "\x1b" not in written and "\\x1b[2Jx{y}" in written and screen(written) == [""]
