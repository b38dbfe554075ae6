"""``lookahead_viz.show`` in a notebook that is really executed, and the page it makes there."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import pytest

import lookahead_viz as lv
from lookahead_viz.run_io import save_run
from tests.player_pages import Watched, hostile_run
from tests.toy_runs import toy_run

ROOT = Path(__file__).resolve().parent.parent


def executed(source: str) -> list[Any]:
    """The outputs of the last cell of a notebook with one cell."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}
    )
    return list(client.execute().cells[-1].outputs)


def test_a_cell_that_ends_in_show_displays_the_player(tmp_path: Path) -> None:
    save_run(toy_run("lookahead"), tmp_path / "run.json.gz")
    outputs = executed(
        f"import lookahead_viz as lv\nlv.show(lv.load_run({str(tmp_path / 'run.json.gz')!r}))"
    )
    (shown,) = outputs
    assert shown["data"]["text/plain"] == "Player(lookahead, 24 passes)"
    assert shown["data"]["text/html"] == lv.show(toy_run("lookahead"))._repr_html_()


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["plain", "hostile"])
def test_the_frame_plays_and_reaches_nothing(watched: Watched, tmp_path: Path, kind: str) -> None:
    run = toy_run("lookahead") if kind == "plain" else hostile_run()
    file = tmp_path / "notebook.html"
    title = f"<title>{escape('notebook')}</title>"
    file.write_text(f"<!doctype html>{title}{lv.show(run)._repr_html_()}", encoding="utf-8")
    watched.own = file.as_uri()
    watched.page.goto(file.as_uri())
    frame = watched.page.frame_locator("iframe")
    frame.locator(".panel svg").first.wait_for(timeout=20_000)
    frame.locator(".lv").press("ArrowRight")
    watched.page.wait_for_timeout(700)
    assert frame.locator(".lv .title b").inner_text() == "Step 1 / 23"
    assert watched.page.title() == "notebook"
    inside = watched.page.frames[1].evaluate(
        "() => { try { return String(parent.document.title); } catch { return 'closed'; } }"
    )
    assert inside == "closed"
    assert [one for one in watched.take_problems() if "about:srcdoc" not in one] == []
