"""Figures as files: with kaleido a file, without it one clear sentence."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from lookahead_viz.figures import saving
from lookahead_viz.figures.window import window_figure
from tests.toy_runs import toy_run


def test_without_kaleido_a_sentence_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "find_spec", lambda name: None)
    figure = window_figure(toy_run("lookahead"), 12)
    with pytest.raises(RuntimeError, match="pip install kaleido"):
        saving.save_figure(figure, tmp_path / "window.svg")
    assert not list(tmp_path.iterdir())


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'window.gif' is none"):
        saving.save_figure(window_figure(toy_run("lookahead"), 12), tmp_path / "window.gif")


@pytest.mark.browser
@pytest.mark.skipif(find_spec("kaleido") is None, reason="there is no kaleido")
def test_with_kaleido_there_is_a_picture(tmp_path: Path) -> None:
    saving.save_figure(window_figure(toy_run("lookahead"), 12), tmp_path / "window.svg")
    assert (tmp_path / "window.svg").read_bytes().startswith(b"<svg")
