"""Tokens as readers see them: nothing invisible, nothing that a renderer could take for markup."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from lookahead_viz.records import TokenText
from lookahead_viz.words import quoted

_MARKS = {" ": "·", "\n": "⏎", "\t": "⇥"}
_RESERVED = frozenset("·⏎⇥⟨⟩")  # a token that really contains a mark must not look like one
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"))
_UNIT = re.compile("⟨[^⟩]*⟩|◌?.", re.DOTALL)  # what must not be cut
_COMBINING = frozenset(("Mn", "Me", "Mc"))

_ESCAPES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "$": "&#36;",  # two of them make MathJax typeset what is between
    "%": "&#37;",  # %{...} is a field of a hover template
}


def printable(token_text: Mapping[int, TokenText], token: int, limit: int | None = None) -> str:
    """The text of one token with every character visible; different texts look different.

    Space ``·``, newline ``⏎``, tab ``⇥``, a byte of a split character ``⟨E2⟩``, control,
    direction and zero-width characters ``⟨U+202E⟩``, an unknown id ``⟨17⟩``. ``limit`` shortens
    to so many columns, the last one being ``…`` (East Asian wide characters take two).
    """
    if token not in token_text:
        return f"⟨{token}⟩"
    whole = "".join(_units(token_text[token])) or "⟨empty⟩"
    return whole if limit is None else shorten(whole, limit)


def printable_text(token_text: Mapping[int, TokenText], tokens: Iterable[int]) -> str:
    """The printable texts of several tokens, one after another."""
    return "".join(printable(token_text, token) for token in tokens)


def quoted_token(token_text: Mapping[int, TokenText], token: int) -> str:
    """The printable text of one token as it stands in a sentence."""
    return quoted(printable(token_text, token))


def shorten(text: str, limit: int) -> str:
    """A printable text cut to ``limit`` columns, the last one ``…``; an escape is never cut."""
    if columns(text) <= limit:
        return text
    return _head(_UNIT.findall(text), limit - 1) + "…"


def columns(text: str) -> int:
    """How many columns ``text`` takes in a monospaced font."""
    return sum(_char_columns(char) for char in text)


def escape(text: str) -> str:
    """``text`` for plotly's labels, hover texts and titles, shown there letter by letter.

    plotly.js reads a few tags, entities, LaTeX and ``%{...}`` fields in such strings; it decodes
    entities last, so an escaped character is never read as one of those.
    """
    return "".join(_ESCAPES.get(char, char) for char in text)


def _units(text: TokenText) -> list[str]:
    """One printable string per character, or per byte that is no character."""
    if isinstance(text, bytes):
        decoded = text.decode("utf-8", "surrogateescape")
        return [
            f"⟨{ord(char) - 0xDC00:02X}⟩" if 0xDC80 <= ord(char) <= 0xDCFF else _unit(char)
            for char in decoded
        ]
    return [_unit(char) for char in text]


def _unit(char: str) -> str:
    if char in _MARKS:
        return _MARKS[char]
    category = unicodedata.category(char)
    if category in _HIDDEN or char in _RESERVED:
        return f"⟨U+{ord(char):04X}⟩"
    # a combining mark needs something to stand on
    return f"◌{char}" if category in _COMBINING else char


def _head(units: list[str], room: int) -> str:
    taken: list[str] = []
    for unit in units:
        room -= columns(unit)
        if room < 0:
            break
        taken.append(unit)
    return "".join(taken)


def _char_columns(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
