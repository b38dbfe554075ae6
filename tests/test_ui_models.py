"""What the sidebar says of a model: a chat toggle where it can chat, why it is exact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lookahead_viz.models.shelf import Shelf
from lookahead_viz.ui import models


class Loaded:
    exactness = "Proven by a test."

    def __init__(self, chats: bool) -> None:
        self.has_chat_template = chats

    def encode_chat(self, text: str) -> list[int]:
        return [len(text)]


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf[Any]]:
    found: Shelf[Any] = Shelf(lambda name, _: Loaded(chats=name == "talker"))
    monkeypatch.setattr(models, "SHELF", found)
    yield found


def test_only_models_that_can_chat_offer_it(shelf: Shelf[Any]) -> None:
    assert not models.has_chat_template("tiny") and models.has_chat_template("smollm2-135m")
    assert models.has_chat_template("some/folder")  # nobody knows before it is loaded
    models.load("some/folder")
    assert not models.has_chat_template("some/folder")
    models.load("talker")
    assert models.has_chat_template("talker")


def test_why_it_is_exact_is_said_once_it_is_loaded(shelf: Shelf[Any]) -> None:
    assert models.exactness("talker") == ""
    models.load("talker")
    assert models.exactness("talker") == Loaded.exactness
