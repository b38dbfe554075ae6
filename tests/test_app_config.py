"""The app as it is configured: its colours are the theme's, it tells nobody."""

from __future__ import annotations

import re
import tomllib

from lookahead_viz.figures.theme import theme
from lookahead_viz.ui import style
from tests.app_pages import ROOT


def test_the_config_agrees_with_the_theme() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    for name in ("light", "dark"):
        colours, section = theme(name), config["theme"][name]
        assert section["backgroundColor"] == colours.background
        assert section["textColor"] == colours.text
        assert section["primaryColor"] == colours.accepted.colour
        assert section["borderColor"] == colours.faint
    assert config["theme"]["light"]["secondaryBackgroundColor"] == theme("light").guess.colour
    assert config["theme"]["dark"]["secondaryBackgroundColor"] == theme("dark").plain.colour


def test_the_app_listens_on_this_machine_only_and_tells_nobody() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert config["server"]["address"] == "127.0.0.1"
    assert config["server"]["maxUploadSize"] <= 80
    assert config["browser"]["gatherUsageStats"] is False


def test_no_colour_is_named_outside_the_theme() -> None:
    sources = [*(ROOT / "pages").glob("*.py"), *(ROOT / "lookahead_viz" / "ui").glob("*.py")]
    named = [path.name for path in sources if re.search(r"#[0-9A-Fa-f]{6}\b", path.read_text())]
    assert named == []
    muted = (theme("light").muted, theme("dark").muted)
    assert f".lv-quiet {{ color: light-dark({muted[0]}, {muted[1]}); }}" in style.css()
