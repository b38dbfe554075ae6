"""Every word is explained once: the design's terms, the metrics, the words marked on pages."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from lookahead_viz import glossary
from lookahead_viz.player.bundle import PLAYER
from lookahead_viz.views.tables import metrics
from tests.toy_runs import toy_run

ROOT = Path(__file__).resolve().parent.parent

DESIGN_TERMS = (
    "step",
    "pass",
    "iteration",
    "iterate",
    "block",
    "n",
    "current token",
    "window",
    "W",
    "row",
    "column",
    "cell",
    "n-gram",
    "N",
    "key",
    "pool",
    "change",
    "added",
    "refreshed",
    "eviction",
    "candidate",
    "G",
    "guess",
    "lookahead branch",
    "verification branch",
    "slot",
    "S",
    "layout",
    "position",
    "offset",
    "prediction",
    "matched",
    "accepted",
    "bonus",
    "frozen",
    "lucky",
    "visible",
    "rule",
    "reason",
    "kept slots",
    "run",
    "view",
    "figure",
    "compression",
    "speed-up",
    "comparison",
    "candidate order",
)
"""The words that code, pages and documents agreed on."""


@pytest.mark.parametrize("word", DESIGN_TERMS)
def test_every_agreed_word_is_explained(word: str) -> None:
    assert glossary.term(word) is not None


@pytest.mark.parametrize("method", ["greedy", "jacobi", "lookahead"])
def test_every_metric_shown_is_explained_with_its_division(method: str) -> None:
    for name in metrics(toy_run(method))["metric"]:
        entry = glossary.term(name)
        assert entry is not None and entry.over and entry.under, name


def test_a_word_is_explained_once() -> None:
    names = [name for term in glossary.terms() for name in (term.name, *term.also)]
    assert len(names) == len(set(names))
    for entry in glossary.terms():
        assert entry.words.endswith(".") and bool(entry.over) == bool(entry.under), entry.name


def marked_texts() -> dict[str, str]:
    """Every string of the project's own texts that marks a word."""
    sources = [*(ROOT / "pages").glob("*.py"), *(ROOT / "lookahead_viz").rglob("*.py")]
    found = {}
    for path in sources:
        if path.name == "glossary.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and glossary.MARK.search(node.value)
            ):
                found[f"{path.name}:{node.lineno}"] = node.value
    return found


def test_every_marked_word_has_an_entry() -> None:
    texts = marked_texts()
    assert len(texts) >= 7
    for place, text in texts.items():
        shown = glossary.unmarked(text)  # KeyError names the word
        assert "[[" not in shown and "]]" not in shown, place


def test_a_marked_word_without_an_entry_is_found() -> None:
    with pytest.raises(KeyError, match="‘gadget’ has no entry"):
        glossary.unmarked("Turn the [[knob|gadget]].")


def test_words_are_known_in_the_plural_and_with_a_capital() -> None:
    for form, name in (("passes", "pass"), ("Windows", "window"), ("n-grams", "n-gram")):
        entry = glossary.term(form)
        assert entry is not None and entry.name == name
    assert glossary.term("trace") is None


def test_the_player_shows_every_entry() -> None:
    text = PLAYER.script
    for entry in glossary.terms():
        start = entry.words.split("·")[0].split("−")[0].split("÷")[0][:25].rstrip()
        assert re.search(re.escape(start), text), entry.name
