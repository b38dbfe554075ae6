"""Token texts: everything visible, nothing read as markup."""

from __future__ import annotations

import pytest

from lookahead_viz.records import TokenText
from lookahead_viz.tokens import columns, escape, printable, printable_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (" the", "·the"),
        ("\n", "⏎"),
        ("\r\n", "⟨U+000D⟩⏎"),
        ("\t\tx", "⇥⇥x"),
        ("        ", "········"),
        (b"\xe2", "⟨E2⟩"),
        (b" \x82\xac", "·⟨82⟩⟨AC⟩"),
        ("\u202eabc", "⟨U+202E⟩abc"),
        ("\u200b", "⟨U+200B⟩"),
        ("\ufeff", "⟨U+FEFF⟩"),
        ("\u00a0", "⟨U+00A0⟩"),
        ("\u2028", "⟨U+2028⟩"),
        ("\x00", "⟨U+0000⟩"),
        ("\ud800", "⟨U+D800⟩"),
        ("·", "⟨U+00B7⟩"),
        ("⏎", "⟨U+23CE⟩"),
        ("\u0301", "◌\u0301"),
        ("日本", "日本"),
        ("", "⟨empty⟩"),
        ("<b>", "<b>"),
    ],
)
def test_every_character_is_visible(text: TokenText, shown: str) -> None:
    assert printable({3: text}, 3) == shown


def test_an_unknown_id_is_shown_as_the_id() -> None:
    assert printable({}, 17) == "⟨17⟩"


def test_different_texts_look_different() -> None:
    texts: list[TokenText] = [" ", "·", "\n", "⏎", "⟨E2⟩", b"\xe2", "\u200b", "", "⟨empty⟩"]
    assert len({printable({0: text}, 0) for text in texts}) == len(texts)


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("return", 6, "return"),
        ("return", 5, "retu…"),
        ("            x", 6, "·····…"),
        ("日本語日本語", 6, "日本…"),
        ("\u202eabcdef", 10, "⟨U+202E⟩a…"),
        ("\u202eabcdef", 5, "…"),  # an escape is shown whole or not at all
    ],
)
def test_long_tokens_are_shortened(text: str, limit: int, shown: str) -> None:
    assert printable({0: text}, 0, limit) == shown
    assert columns(shown) <= limit


def test_several_tokens() -> None:
    assert printable_text({0: "a", 1: "\n"}, (0, 1, 0)) == "a⏎a"


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"),
        ("&lt;", "&amp;lt;"),
        ("$x^2$", "&#36;x^2&#36;"),
        ("%{x}", "&#37;{x}"),
        ("·⏎a", "·⏎a"),
    ],
)
def test_plotly_reads_no_markup(text: str, safe: str) -> None:
    assert escape(text) == safe
