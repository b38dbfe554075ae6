"""The exported player of the methods that draft, in a real Chromium: every view, key and lock."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.player_pages import Watched, exported
from tests.test_player_axe import violations
from tests.toy_runs import toy_run

pytestmark = pytest.mark.browser


BLOCKS = {"block_size": 6, "activation": 0.3, "ngram_size": 3}


@pytest.mark.parametrize(
    ("method", "settings", "views"),
    [
        ("speculative", {"temperature": 0.8}, {"2": "mask", "3": "trie"}),
        ("prompt-lookup", {"text": "hostile"}, {"2": "mask", "3": "trie"}),
        ("draft-jacobi", {"block_size": 6}, {"2": "jacobi"}),
        ("speculative-jacobi", {"block_size": 6}, {"4": "jacobi"}),
        ("multiblock-jacobi", BLOCKS, {"2": "mask", "3": "trie", "4": "pool"}),
    ],
)
def test_every_view_opens_and_every_key_works(
    watched: Watched, tmp_path: Path, method: str, settings: dict[str, Any], views: dict[str, str]
) -> None:
    run = toy_run(method, **settings)
    watched.open(exported(run, tmp_path, method), "#step=3")
    assert violations(watched) == []
    for key, panel in views.items():
        watched.press(key)
        assert watched.page.locator(f".panel.{panel}").is_visible(), (key, panel)
        watched.press(key)
    watched.press("ArrowRight", "ArrowLeft", "Shift+ArrowRight", "Home", "End", "m", "j", "k")
    assert watched.step == len(run.steps) - 1
    for kind in ("trie", "sheet", "text"):
        for cell in watched.page.locator(f'[data-cell="{kind}"]').all()[:4]:
            cell.hover()
            watched.page.wait_for_timeout(30)
            assert watched.page.locator(".panel.why").inner_text().strip() != ""
    watched.press("l")
    assert violations(watched) == []
    watched.press("l")
    assert watched.take_problems() == []
