"""The exported page as text: small, safe, whole; and the command that writes it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import lookahead_viz as lv
from lookahead_viz.cli import main
from lookahead_viz.player.export import export_html, inline_json
from lookahead_viz.run_io import save_run
from tests.player_pages import hostile_run
from tests.toy_runs import toy_run

MOST_BYTES = 300_000


def test_a_page_is_small_and_names_no_address() -> None:
    run = toy_run("lookahead")
    page = export_html(run)
    assert len(page.encode()) < MOST_BYTES
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page)
    assert "default-src 'none'" in page and "connect-src" not in page


def test_no_text_of_a_run_can_end_the_script_element() -> None:
    page = export_html(hostile_run())
    assert page.count("</script>") == 2 and page.count("<script") == 2
    assert "<img" not in page and "\u2028" not in page and "<!--" not in page
    assert inline_json('"</script>"') == '"\\u003c/script\\u003e"'


def test_a_run_without_steps_is_refused() -> None:
    empty = replace(toy_run("greedy"), steps=(), finish_reason="stopped by user")
    with pytest.raises(ValueError, match="no passes"):
        export_html(empty)
    with pytest.raises(ValueError, match="no passes"):
        lv.show(empty)
    with pytest.raises(ValueError, match="height is 20"):
        lv.show(toy_run("greedy"), height=20)


def test_show_is_a_sandboxed_frame() -> None:
    html = lv.show(toy_run("lookahead"))._repr_html_()
    assert 'sandbox="allow-scripts allow-downloads"' in html
    assert html.count("<") == 2, "everything inside the frame is escaped"


def test_the_command_line_exports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "run.json.gz", tmp_path / "run.html"
    save_run(toy_run("lookahead"), source)
    assert main(["export", str(source), "--html", str(target)]) == 0
    assert "24 passes" in capsys.readouterr().out
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")
    whole = target.stat().st_size
    assert main(["export", str(source), "--html", str(target), "--no-alternatives"]) == 0
    assert target.stat().st_size < whole
    for wrong in (str(tmp_path), str(tmp_path / "no" / "x.html"), str(source)):
        capsys.readouterr()
        assert main(["export", str(source), "--html", wrong]) == 2
        assert capsys.readouterr().err.startswith("error: --html ")
