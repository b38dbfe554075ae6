"""A pasted text without what people and programs put around a mask: fences, quotes, numbers."""

from __future__ import annotations

import re

from lookahead_viz.masklab.normalise import UnreadableMask

_FENCE = re.compile(r"^\s*(?:```|~~~)")
_QUOTE = re.compile(r"^\s*>+ ?")
_NUMBERED = re.compile(r"^\s*\[?(\d{1,4})\]?\s*[:)|]\s*(?=[\d\[xX#.])")
_COMMENT = re.compile(r"^\s*(?:#|//|--)\s*(?=.*[A-WYZa-wyz])")  # rows are drawn with # and x too
_SOURCE = re.compile(r"^\s*(?:def \w+\(|import \w|from \w[\w.]* import |return )", re.M)


def cleaned(text: str) -> str:
    """The text of the mask alone. ``UnreadableMask`` where it is a program.

    A fenced block is taken out of the words around it; quote marks, row numbers that count
    through and lines of comment are left out; ``1,0;1,1`` is two rows.
    """
    lines = _unquoted(_fenced(text.splitlines()))
    if _SOURCE.search("\n".join(lines)):
        raise UnreadableMask(
            "This is source code, such as a mask_mod for flex_attention, and nothing pasted is "
            "run: export or print the dense mask instead, one row of 0 and 1 per packed token."
        )
    lines = _unnumbered([line for line in lines if not _COMMENT.match(line)])
    return _semicolons("\n".join(lines))


def _fenced(lines: list[str]) -> list[str]:
    """What stands in the first fenced block; all lines but the fence where it is not closed."""
    fences = [place for place, line in enumerate(lines) if _FENCE.match(line)]
    for first, last in zip(fences[::2], fences[1::2], strict=False):
        if any(line.strip() for line in lines[first + 1 : last]):
            return lines[first + 1 : last]
    return [line for line in lines if not _FENCE.match(line)]


def _unquoted(lines: list[str]) -> list[str]:
    """Without the > of an answered mail; fences may stand behind it."""
    written = [line for line in lines if line.strip()]
    if not written or not all(_QUOTE.match(line) for line in written):
        return lines
    return _unquoted(_fenced([_QUOTE.sub("", line) for line in lines]))


def _unnumbered(lines: list[str]) -> list[str]:
    """Without ``0:``, ``1:`` ... in front, where every line has its number."""
    written = [line for line in lines if line.strip()]
    found = [_NUMBERED.match(line) for line in written]
    numbers = [int(match[1]) for match in found if match]
    if len(written) < 2 or len(numbers) < len(written) or numbers[0] not in (0, 1):
        return lines
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return lines
    return [_NUMBERED.sub("", line) for line in written]


def _semicolons(text: str) -> str:
    """``1,0;1,1`` and ``[1 0; 1 1]``: rows apart by semicolons on one line, as Matlab has them."""
    line = text.strip()
    if ";" not in line or "\n" in line or "=" in line or "{" in line:
        return text
    rows = [row.strip() for row in line.strip("[]; ").split(";")]
    sizes = {len(re.split(r"[,\s]+", row)) for row in rows}
    if len(rows) < 2 or len(sizes) > 1 or sizes == {1}:
        return text
    return "\n".join(rows)
