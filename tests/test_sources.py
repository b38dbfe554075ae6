"""Shown code is the code: read from the files, for every name that a page or a card mentions."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from lookahead_viz import comparison, layout, visibility
from lookahead_viz.engine import verify
from lookahead_viz.lessons.cards import CARDS
from lookahead_viz.sources import source_of

ROOT = Path(__file__).resolve().parent.parent


def names_on_pages() -> set[str]:
    """What pages give ``frame.page`` as ``code``."""
    found = set()
    for path in (ROOT / "pages").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "code":
                names = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
                found |= {name for name in names if isinstance(name, str)}
    return found


NAMES = sorted(names_on_pages() | {name for card in CARDS for name in card.code})


@pytest.mark.parametrize("name", NAMES)
def test_every_name_that_is_shown_exists(name: str) -> None:
    source = source_of(name)
    assert source.text.startswith(("def ", "class ", "@"))
    text = (ROOT / source.file).read_text(encoding="utf-8").splitlines()
    assert text[source.line - 1].strip() == source.text.splitlines()[0]
    ast.parse(source.text)


@pytest.mark.parametrize("path", sorted((ROOT / "pages").glob("*.py")), ids=lambda path: path.stem)
def test_every_page_shows_code(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "    code=(" in text or "code.show(" in text


def test_it_is_what_python_itself_calls_the_source() -> None:
    for name, thing in (
        ("engine.verify:verify", verify.verify),
        ("visibility:rules", visibility.rules),
        ("comparison:compare", comparison.compare),
        ("layout:pack", layout.pack),
    ):
        assert source_of(name).text == inspect.getsource(thing).rstrip("\n")


def test_a_method_stands_at_the_left() -> None:
    assert source_of("engine.window:Window.rolled").text.startswith("def rolled(self")


@pytest.mark.parametrize("name", ["engine.nothing:x", "engine.verify:nothing", "engine.verify:"])
def test_a_wrong_name_is_one_sentence(name: str) -> None:
    with pytest.raises(LookupError, match="there is no"):
        source_of(name)
