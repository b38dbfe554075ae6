"""The race's JavaScript as one text: its own modules and the few it shares with the player."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lookahead_viz.player import bundle as player

HERE = Path(__file__).resolve().parent
SHARED = ("vdom", "words", "keys", "apptheme")
OWN = ("racemodel", "laneview", "racetext", "racetree", "race", "racemount")
"""Every module after those it imports."""


@cache
def script() -> str:
    """All modules as one script; it declares ``mountRace``."""
    files = [player.HERE / "js" / f"{name}.js" for name in SHARED]
    return player.joined([*files, *(HERE / "js" / f"{name}.js" for name in OWN)])


@cache
def component_script() -> str:
    """The script with the default export that a Streamlit component needs."""
    return f"{script()}\nexport default mountRace;\n"


@cache
def stylesheet() -> str:
    """The styles; every colour is a variable that the script sets from the theme."""
    return (HERE / "lanes.css").read_text(encoding="utf-8")
