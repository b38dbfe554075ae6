"""The player's JavaScript as one text: its modules in order, without imports and exports.

There is no build step: the modules in ``js/`` are read at import and joined. They are written so
that no two of them use one name for different things (a test checks).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from lookahead_viz.figures import theme as themes
from lookahead_viz.figures.theme import Fill, Theme
from lookahead_viz.glossary import terms

HERE = Path(__file__).resolve().parent
MODULES = (
    "rules",
    "run",
    "sentences",
    "history",
    "provenance",
    "origins",
    "links",
    "vdom",
    "ask",
    "words",
    "windowview",
    "maskview",
    "trie",
    "timeline",
    "textview",
    "jacobiview",
    "poolview",
    "help",
    "panels",
    "save",
    "keys",
    "state",
    "apptheme",
    "player",
    "events",
    "mount",
)
"""Every module after those it imports."""

WORDS = HERE / "words"
WORDS_MODULES = ("vdom", "help", "keys", "apptheme")
"""What the glossary shares with the player, on pages that have none."""

AGES, PROBABILITIES = 12, 21  # rows with their own greys, shades of probability

_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


@cache
def script() -> str:
    """All modules as one script; it declares ``mountComponent`` and ``mountPage``."""
    return joined(HERE / "js" / f"{name}.js" for name in MODULES)


def joined(files: Iterable[Path]) -> str:
    """The modules in ``files`` as one script, after the themes and the glossary."""
    parts = [
        f"const {name} = {json.dumps(data, separators=(',', ':'))};\n"
        for name, data in (("THEMES", theme_data()), ("GLOSSARY", glossary_data()))
    ]
    for file in files:
        parts.append(_EXPORT.sub("", _IMPORT.sub("", file.read_text(encoding="utf-8"))))
    return "".join(parts)


def module(name: str) -> str:
    """The source of one module."""
    return (HERE / "js" / f"{name}.js").read_text(encoding="utf-8")


@cache
def component_script() -> str:
    """The script with the default export that a Streamlit component needs."""
    return f"{script()}\nexport default mountComponent;\n"


@cache
def words_script() -> str:
    """The component that shows the glossary alone."""
    files = [HERE / "js" / f"{name}.js" for name in WORDS_MODULES]
    return f"{joined([*files, WORDS / 'wordsmount.js'])}\nexport default mountWords;\n"


@cache
def words_stylesheet() -> str:
    """The styles of the glossary alone."""
    return (WORDS / "words.css").read_text(encoding="utf-8")


@cache
def stylesheet() -> str:
    """The styles; every colour is a variable that the script sets from the theme."""
    return (HERE / "player.css").read_text(encoding="utf-8")


def glossary_data() -> list[tuple[str, str]]:
    """Every term and its explanation, for the sheet that the key G opens."""
    return [(", ".join((one.name, *one.also)), one.sentence) for one in terms()]


def theme_data() -> dict[str, Any]:
    """Both themes and the fonts, as the script wants them."""
    data: dict[str, Any] = {name: _theme(themes.theme(name)) for name in ("light", "dark")}
    return data | {"mono": themes.MONO, "font": themes.FONT}


def _theme(colours: Theme) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in vars(colours).items():
        if isinstance(value, Fill):
            found |= {name: value.colour, f"{name}-text": value.text}
        elif isinstance(value, str) and name != "name":
            found[name] = value
    found["ages"] = [[colours.age(i, n) for i in range(n)] for n in range(1, AGES + 1)]
    shades = [colours.probability(i / (PROBABILITIES - 1)) for i in range(PROBABILITIES)]
    return found | {"probabilities": shades}
