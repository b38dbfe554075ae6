"""JavaScript as one text: the modules of a picture in order, without imports and exports.

There is no build step: the modules in ``js/`` are read when they are first wanted, and joined.
They are written so that no two of one script use one name for different things (tests check).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lookahead_viz.figures import theme as themes
from lookahead_viz.figures.theme import Fill, Theme
from lookahead_viz.glossary import terms

_PLAYER = Path(__file__).resolve().parent
AGES, PROBABILITIES = 12, 21  # rows with their own greys, shades of probability

_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


@dataclass(frozen=True)
class Bundle:
    """The script and the styles of one picture, which has the ``folder`` to itself.

    ``own``: its modules in ``js/``, every one after those it imports; ``shared``: the player's
    that stand before them. ``mount``: the function that a Streamlit component is begun with.
    """

    folder: Path
    mount: str
    own: tuple[str, ...]
    shared: tuple[str, ...] = ()

    @property
    def files(self) -> list[Path]:
        """The modules in order."""
        return [
            home / "js" / f"{name}.js"
            for home, names in ((_PLAYER, self.shared), (self.folder, self.own))
            for name in names
        ]

    @cached_property
    def script(self) -> str:
        """All modules as one script, after the themes and the glossary."""
        parts = [
            f"const {name} = {json.dumps(data, separators=(',', ':'))};\n"
            for name, data in (("THEMES", theme_data()), ("GLOSSARY", glossary_data()))
        ]
        for file in self.files:
            parts.append(_EXPORT.sub("", _IMPORT.sub("", file.read_text(encoding="utf-8"))))
        return "".join(parts)

    @cached_property
    def component(self) -> str:
        """The script with the default export that a Streamlit component needs."""
        return f"{self.script}\nexport default {self.mount};\n"

    @cached_property
    def styles(self) -> str:
        """The styles; every colour is a variable that the script sets from the theme."""
        return (self.folder / f"{self.folder.name}.css").read_text(encoding="utf-8")


PLAYER = Bundle(
    _PLAYER,
    "mountComponent",
    own=(
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
        "looks",
        "pictures",
        "tending",
        "player",
        "events",
        "mount",
    ),
)
"""The stepper; as one file it is begun with ``mountPage``."""

WORDS = Bundle(
    _PLAYER / "words",
    "mountWords",
    own=("wordsmount",),
    shared=("vdom", "help", "keys", "apptheme"),
)
"""The glossary alone, on pages that have no player."""

LANES = Bundle(
    _PLAYER.parent / "lanes",
    "mountRace",
    own=("racemodel", "laneview", "racetext", "racetree", "race", "racemount"),
    shared=("vdom", "words", "keys", "apptheme"),
)
"""The race in lanes."""

LABVIEW = Bundle(
    _PLAYER.parent / "labview",
    "mountLab",
    own=("cells", "drawing", "lab", "labmount"),
    shared=("rules", "sentences", "vdom", "words", "apptheme"),
)
"""The mask lab's difference; as one file it is begun with ``mountLabPage``."""


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
