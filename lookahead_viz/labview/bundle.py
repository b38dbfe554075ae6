"""The difference view's JavaScript as one text: its modules, and those of the player it uses."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lookahead_viz.player import bundle as player

HERE = Path(__file__).resolve().parent
SHARED = ("rules", "sentences", "vdom", "words", "apptheme")
OWN = ("cells", "drawing", "lab", "labmount")
"""Every module after those it imports."""


@cache
def script() -> str:
    """All modules as one script; it declares ``mountLab`` and ``mountLabPage``."""
    files = [player.HERE / "js" / f"{name}.js" for name in SHARED]
    return player.joined([*files, *(HERE / "js" / f"{name}.js" for name in OWN)])


@cache
def component_script() -> str:
    """The script with the default export that a Streamlit component needs."""
    return f"{script()}\nexport default mountLab;\n"


@cache
def stylesheet() -> str:
    """The styles; every colour is a variable that the script sets from the theme."""
    return (HERE / "labview.css").read_text(encoding="utf-8")
