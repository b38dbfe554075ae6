"""The five questions that people ask about the published picture, and where they are answered."""

from __future__ import annotations

from dataclasses import dataclass

from lookahead_viz.lessons.cards import CARDS
from lookahead_viz.lessons.question import Card

FIVE = (
    ("n-gram end", "n-grams entering"),
    ("own column",),
    ("row zero", "accepted"),
    ("mask cell",),
    ("sure slot",),
)
"""By the names of the lesson's questions; some are asked in two parts."""

TOPICS = {
    "own column": "red 6",
    "row zero": "yellow",
    "mask cell": "own row",
    "accepted": "last guess",
    "sure slot": "green 1",
}


@dataclass(frozen=True)
class Asked:
    """One question, or one part of it, in the words of those who ask."""

    words: str
    card: str  # its name
    number: int  # which question of that card, from 0


def people_ask() -> tuple[tuple[Asked, ...], ...]:
    """The five questions, each in its parts."""
    return tuple(tuple(_asked(name) for name in names) for names in FIVE)


def other_part(name: str) -> Asked | None:
    """Where a question's second part is asked on another card: there; else None."""
    parts = next((names for names in FIVE if name in names[:-1]), None)
    if parts is None:
        return None
    here, there = _asked(name), _asked(parts[parts.index(name) + 1])
    return there if there.card != here.card else None


def _asked(name: str) -> Asked:
    card, ask = next((card, ask) for card in CARDS for ask in card.asks if ask.name == name)
    return Asked(ask.forum, card.name, card.asks.index(ask))


def topics(card: Card) -> str:
    """What of the published picture a card explains, in a few words for a menu."""
    return ", ".join(TOPICS[ask.name] for ask in card.asks if ask.name in TOPICS)
