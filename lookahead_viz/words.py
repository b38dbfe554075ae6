"""Small words of sentences: counts, quotes, an error in one line."""

from __future__ import annotations


def count(number: int, one: str, many: str | None = None) -> str:
    """ "1 pass", "3 passes", "1,400 cells": ``many`` is ``one`` + "s" unless given."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def amount_of_bytes(number: float) -> str:
    """ "512 B", "3.4 MB", "13.5 GB": powers of 1,000."""
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            return f"{number:,.0f} B" if unit == "B" else f"{number:,.1f} {unit}"
        number /= 1000
    raise AssertionError("the last unit takes everything")


def quoted(text: str) -> str:
    """A token as it stands in a sentence."""
    return f"‘{text}’"


def capitalised(text: str) -> str:
    """``text`` with a capital at its beginning; ``str.capitalize`` would change the rest too."""
    return text[:1].upper() + text[1:]


def one_line(error: BaseException, most: int = 300) -> str:
    """What ``error`` says, in one line of at most ``most`` characters, never empty."""
    said = str(error).encode("utf-8", "replace").decode()  # half a character cannot be saved
    text = " ".join(said.split()) or type(error).__name__
    return text if len(text) <= most else text[: most - 1] + "…"
