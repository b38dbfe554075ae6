"""The words of this project, each explained once: for pages, player and documents alike.

Explanations are written for a reader who meets the word for the first time. In a text of a page,
``[[window]]`` marks a word that has an entry here, ``[[guesses|guess]]`` one in another form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from lookahead_viz.glossary_metrics import METRICS
from lookahead_viz.glossary_terms import TERMS, Term

__all__ = ["METRICS", "TERMS", "Term", "pieces", "term", "terms", "unmarked"]

MARK = re.compile(r"\[\[([^\[\]|]+)(?:\|([^\[\]]+))?\]\]")
"""``[[shown]]`` or ``[[shown|term]]``."""


def terms() -> tuple[Term, ...]:
    """Every entry, metrics last."""
    return TERMS + METRICS


@cache
def _by_name() -> dict[str, Term]:
    found: dict[str, Term] = {}
    for term in terms():
        for name in (term.name, *term.also):
            found[name] = term
    return found


def term(name: str) -> Term | None:
    """The entry of a word, in the singular or with an s or es; None when there is none."""
    known = _by_name()
    for form in (name, name.lower()):
        for ending in ("", "s", "es"):
            if form.endswith(ending) and (found := known.get(form.removesuffix(ending))):
                return found
    return None


def pieces(text: str) -> Iterator[tuple[str, Term | None]]:
    """The parts of a marked text in order: plain words, and words with their entry.

    KeyError for a marked word that has no entry.
    """
    start = 0
    for found in MARK.finditer(text):
        if found.start() > start:
            yield text[start : found.start()], None
        shown, name = found.group(1), found.group(2) or found.group(1)
        entry = term(name)
        if entry is None:
            raise KeyError(f"‘{name}’ has no entry in the glossary.")
        yield shown, entry
        start = found.end()
    if start < len(text):
        yield text[start:], None


def unmarked(text: str) -> str:
    """A marked text without its marks."""
    return "".join(shown for shown, _ in pieces(text))
