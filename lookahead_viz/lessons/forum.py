"""Where in the lesson is answered what people ask about the published picture."""

from __future__ import annotations

from dataclasses import dataclass

from lookahead_viz import people_ask
from lookahead_viz.lessons.cards import CARDS
from lookahead_viz.lessons.question import Ask, Card
from lookahead_viz.people_ask import Part

TOPICS = {
    people_ask.OWN_COLUMN: "red 6",
    people_ask.ROW_ZERO: "yellow",
    people_ask.ITERATIONS: "own row",
    people_ask.LAST_GUESS: "last guess",
    people_ask.FINAL: "green 1",
}


@dataclass(frozen=True)
class Asked:
    """One thing that people ask, and the question of the lesson that shows it."""

    part: Part
    card: str  # its name
    number: int  # which question of that card, from 0


def five() -> tuple[tuple[Asked, ...], ...]:
    """The five questions, each in its parts."""
    return tuple(tuple(_asked(part) for part in parts) for parts in people_ask.FIVE)


def other_part(ask: Ask) -> Asked | None:
    """Where a question's second part is asked on another card: there; else None."""
    parts = next((parts for parts in people_ask.FIVE if ask.forum in parts[:-1]), None)
    if parts is None or ask.forum is None:
        return None
    here, there = _asked(ask.forum), _asked(parts[parts.index(ask.forum) + 1])
    return there if there.card != here.card else None


def _asked(part: Part) -> Asked:
    card, ask = next((card, ask) for card in CARDS for ask in card.asks if ask.forum is part)
    return Asked(part, card.name, card.asks.index(ask))


def topics(card: Card) -> str:
    """What of the published picture a card explains, in a few words for a menu."""
    return ", ".join(TOPICS[ask.forum] for ask in card.asks if ask.forum in TOPICS)
