"""Texts that fit their place: broken for hover, cut to a cell, always escaped."""

from __future__ import annotations

from lookahead_viz.tokens import escape, shorten

CHAR = 0.62  # width of a monospaced character, as a share of its size


def hover(text: str) -> str:
    """A plain text of several lines for ``customdata``; long lines are broken."""
    return "<br>".join(escape(part) for line in text.split("\n") for part in _wrapped(line))


def shortened(text: str, room: int) -> str:
    """A visible token text cut to ``room`` columns, and escaped."""
    return escape(shorten(text, room))


def room_in(cell_px: float, size: int) -> int:
    """How many monospaced characters of ``size`` px fit into a cell of this width."""
    return max(1, int((cell_px - 4) / (size * CHAR)))


def _wrapped(line: str, width: int = 70) -> list[str]:
    parts: list[str] = []
    for word in line.split(" "):
        if parts and len(parts[-1]) + len(word) < width:
            parts[-1] += " " + word
        else:
            parts.append(word)
    return parts
