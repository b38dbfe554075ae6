"""Pages alone in an AppTest, over recorded toy runs: opened, moved, read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parent.parent
OTHERS = {"learn", "mask-lab", "scale"}
"""Pages that are no picture of a recorded run; they have tests of their own."""
PAGES = sorted({path.stem for path in (ROOT / "pages").glob("*.py")} - OTHERS)
STEPPED = [page for page in PAGES if page != "race"]
LOOKAHEAD = [page for page in STEPPED if page != "jacobi"]


def opened(page: str, panel: str = "", **query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    at.session_state["still"] = True  # the expander of the still picture
    at.run()
    if panel:
        at.session_state[f"panel_{panel}"] = True
        at.run()
    return at


def start(at: AppTest) -> dict[str, Any]:
    """Where the player of a page was told to begin."""
    data: dict[str, Any] = json.loads(at.get("bidi_component")[0].proto.json)
    found: dict[str, Any] = data["start"][0]
    return found


def moved(at: AppTest, step: int) -> AppTest:
    """As after the reader went to ``step`` in the player and rested."""
    at.session_state["step"] = at.session_state["player_seen"] = step
    return at.run()


def html(at: AppTest) -> list[str]:
    """The bodies of everything drawn by st.html."""
    return [element.proto.body for element in at.get("html")]


def sentences(at: AppTest) -> str:
    return "\n".join(html(at))


def fine(at: AppTest) -> AppTest:
    """No exception, no sentence about trouble."""
    assert not at.exception
    assert "lv-trouble" not in "".join(body for body in html(at) if "<style>" not in body)
    return at


def charts(at: AppTest) -> list[str]:
    return [element.proto.spec for element in at.get("plotly_chart")]
