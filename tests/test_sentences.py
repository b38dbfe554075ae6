"""Sentences about what went wrong: a name stands in them as it was given."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

PACKAGE = Path(__file__).resolve().parent.parent / "lookahead_viz"
SOURCES = [
    *sorted((PACKAGE / "models").glob("*.py")),
    *sorted((PACKAGE / "scale").glob("*.py")),
    *sorted((PACKAGE / "ui").glob("*.py")),
    PACKAGE / "engine" / "model.py",
    PACKAGE / "engine" / "drafts.py",
]
"""Where sentences begin with the name of a model or a file."""


def bare_names(code: str) -> Iterator[str]:
    """What an error begins with that is a variable's own text, without quotes around it."""
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.Raise):
            continue
        for text in ast.walk(node):
            if isinstance(text, ast.JoinedStr) and isinstance(text.values[0], ast.FormattedValue):
                start, words = text.values[0], ast.unparse(text.values[0].value)
                if start.conversion == -1 and words.endswith(("name", "source", "path", "model")):
                    yield words


def test_a_name_at_the_beginning_is_quoted_so_that_it_keeps_its_first_letter() -> None:
    assert list(bare_names('raise ValueError(f"{path.name} is no table.")')) == ["path.name"]
    assert list(bare_names('raise ValueError(f"{path.name!r} is no table.")')) == []
    found = {path.name: list(bare_names(path.read_text("utf-8"))) for path in SOURCES}
    assert {name: bare for name, bare in found.items() if bare} == {}


@pytest.mark.parametrize(
    "sentence, shown",
    [
        ("'tmp' is no model folder.", "⚠ &#x27;tmp&#x27; is no model folder."),
        ("the prompt is empty.", "⚠ The prompt is empty."),
        ("max_new_tokens is 0.", "⚠ max_new_tokens is 0."),
    ],
)
def test_what_went_wrong_is_a_sentence(sentence: str, shown: str) -> None:
    def page(said: str) -> None:
        from lookahead_viz.ui.text import trouble

        trouble(said)

    at = AppTest.from_function(page, args=(sentence,), default_timeout=30).run()
    assert shown in at.get("html")[0].proto.body
