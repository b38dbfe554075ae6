"""What every command says: text for a terminal, and the one line of an error.

Nothing in a prompt or a run file may drive the terminal itself.
"""

from __future__ import annotations

import sys

PROGRAM = "python -m lookahead_viz"
INTERRUPTED = 130  # what shells report for Ctrl-C


def printable(text: str) -> str:
    """``text`` on one line, with control, invisible and direction characters escaped."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


def excerpt(text: str, limit: int = 400) -> str:
    """``printable`` text in quotes, cut to ``limit`` characters."""
    shown = printable(text[:limit])
    return f"“{shown}”" if len(text) <= limit else f"“{shown}…”"


def on_terminal() -> bool:
    """Does a person watch stderr?"""
    return sys.stderr.isatty()


def fail(message: str, code: int = 2) -> int:
    """One line on stderr."""
    print(f"error: {printable(message)}", file=sys.stderr)
    return code
