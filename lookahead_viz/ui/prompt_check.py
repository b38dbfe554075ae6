"""Is a prompt one that can be decoded at all? One sentence where it is not."""

from __future__ import annotations

from lookahead_viz.words import count

MOST_CHARACTERS = 200_000
"""Against abuse only, above what the models here can take: how many tokens are too many for a
model is said, with the numbers, when it decodes."""


def prompt_problem(prompt: str) -> str:
    """What is wrong with ``prompt``; empty where nothing is.

    The text area itself sets no limit: a browser then drops what is beyond it without a word.
    """
    if not prompt:
        return "Write a prompt: it must hold at least one character."
    if len(prompt) > MOST_CHARACTERS:
        return (
            f"The prompt has {count(len(prompt), 'character')}; at most {MOST_CHARACTERS:,} are "
            "allowed: shorten it."
        )
    return ""
