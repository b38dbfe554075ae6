"""axe-core over the exported player: no violations, light and dark, in every arrangement."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.player_pages import Watched, exported
from tests.toy_runs import toy_run

AXE_SCRIPT = pytest.importorskip("axe_playwright_python.base").AXE_SCRIPT

pytestmark = pytest.mark.browser


def violations(watched: Watched) -> list[Any]:
    """What axe finds, shortened: the rule and the first elements that break it."""
    # evaluated by the driver: the page's own policy allows no script but its own
    watched.page.evaluate(AXE_SCRIPT)
    found: list[Any] = watched.page.evaluate("async () => (await axe.run()).violations")
    return [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("method", ["lookahead", "jacobi", "greedy"])
def test_no_violations(watched: Watched, tmp_path: Path, method: str, scheme: str) -> None:
    watched.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    watched.open(exported(toy_run(method), tmp_path, method), "#step=12&cell=3,1")
    assert violations(watched) == []
    for key in ("2", "3", "4", "h", "l") if method == "lookahead" else ("g", "l"):
        watched.press(key)
        assert violations(watched) == [], key
