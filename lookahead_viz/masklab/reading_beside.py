"""What stands beside a mask in its file: position ids and token texts, and which belong to it.

What is there is used or refused in one sentence: dropped in silence it would seem to be right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.masklab.normalise import UnreadableMask
from lookahead_viz.masklab.reading_model import Array, Contents
from lookahead_viz.words import count

Places = NDArray[np.int64]

_POSITIONS = re.compile(
    r"(?:^|[._ -])pos(?:ition)?s?(?:[._ -]?(?:ids?|offsets?))?(?:$|[._ -])", re.I
)
_TOKENS = re.compile(r"(?:tok(?:en)?s?|texts?)(?:[._ -]?(?:texts?|ids?))?$|^names?$", re.I)
_IDS = re.compile(r"(?:tok(?:en)?s?(?:[._ -]?ids?)?|input[._ -]?ids?)$", re.I)
_COMMON_WORDS = re.compile(
    r"position|pos|offset|attention|attn|mask|token|tok|text|name|input|ids?|s(?=$|[._ -])", re.I
)


def is_beside(name: str) -> bool:
    """Does a name say for certain that position ids or tokens are meant? “text” may be a note."""
    return bool(_POSITIONS.search(name) or _IDS.search(name))


def positions_in(contents: Contents) -> dict[str, Places]:
    """The lists of position ids by name, each [n]. ``UnreadableMask`` where one is no list."""
    found = {}
    for name, value in contents.items():
        if not _POSITIONS.search(name):
            continue
        if isinstance(value, tuple):
            raise UnreadableMask(f"“{name}” holds texts; position ids are whole numbers.")
        if isinstance(value, np.ndarray) and _is_list(value):
            found[name] = _whole(name, value[0] if _rows(value) else value.reshape(-1))
    return found


def _is_list(value: Array) -> bool:
    """One number a token: [n], [1, n], a column [n, 1], or the same row for a whole batch."""
    return value.size == max(value.shape, default=0) or _rows(value)


def _rows(value: Array) -> bool:
    """[B, n] of equal rows that count further than a mask does."""
    flat = value.ndim == 2 and 1 < value.shape[0] < value.shape[1] and value.dtype.kind in "iu"
    return flat and bool((value == value[0]).all() and value.max() > 1)


def _whole(name: str, value: Array) -> Places:
    if value.dtype.kind == "f":
        odd = value[~(np.isfinite(value) & (value == np.round(value)))]
        if odd.size:
            raise UnreadableMask(
                f"“{name}” holds {odd[0]:g}; position ids are whole numbers, one a token."
            )
    elif value.dtype.kind not in "iu":
        raise UnreadableMask(f"“{name}” holds no numbers; position ids are whole numbers.")
    if value.size and not (-(2**31) <= value.min() and value.max() <= 2**31):
        raise UnreadableMask(f"A number of “{name}” is too large; position ids are below 2^31.")
    return value.astype(np.int64)


def texts_in(contents: Contents, masks: int) -> dict[str, tuple[str, ...]]:
    """The lists of token texts by name; token ids beside a mask are shown as they are.

    ``masks`` is how many other arrays there are: ids alone are no texts of anything.
    """
    found: dict[str, tuple[str, ...]] = {}
    for name, value in contents.items():
        if isinstance(value, tuple):
            found[name] = value
        elif masks > 1 and is_token_ids(name, value):
            assert isinstance(value, np.ndarray)
            found[name] = tuple(str(one) for one in value.reshape(-1).tolist())
    return found


def is_token_ids(name: str, value: object) -> bool:
    flat = isinstance(value, np.ndarray) and value.dtype.kind in "iu"
    return (
        flat
        and isinstance(value, np.ndarray)
        and value.size == max(value.shape, default=0)
        and bool(_IDS.search(name))
    )


def positions_of(
    mask: str, shape: Sequence[int], positions: Mapping[str, Places], alone: bool
) -> tuple[Places | None, tuple[str, ...]]:
    """The position ids of a mask [.., T, K] and what is said of them.

    Of several lists the one whose name belongs to the mask's, else the only one that fits.
    ``alone``: there is no other mask, so every list is meant for this one. Ids for the committed
    columns too (K of them) are cut to the last T.
    """
    rows, columns = shape[-2:]
    fitting = {name: one for name, one in positions.items() if one.size in (rows, columns)}
    related = {name: one for name, one in positions.items() if _belong(name, mask)}
    chosen = [name for name in related if name in fitting] or list(fitting)
    misfits = positions if alone else related
    if not chosen and misfits:
        name, one = next(iter(misfits.items()))
        raise UnreadableMask(
            f"“{name}” holds {count(one.size, 'position id')}, the mask has "
            f"{_tokens(rows, columns)}: give one for each packed token."
        )
    if not chosen:
        return None, ()
    first = fitting[chosen[0]]
    if any(not np.array_equal(first, fitting[name]) for name in chosen[1:]):
        names = " and ".join(f"“{name}”" for name in chosen[:3])
        raise UnreadableMask(
            f"{names} hold different position ids for “{mask}”: leave one, or name it like its "
            "mask."
        )
    if first.size == rows:
        return first, ("Position ids stand beside it.",)
    return first[-rows:], (
        f"Position ids stand beside it, {first.size} for all columns: the last {rows} are those "
        "of the packed tokens.",
    )


def fits_none(positions: Mapping[str, Places], shapes: Sequence[Sequence[int]]) -> None:
    """``UnreadableMask`` where a list belongs to none of several masks."""
    sizes = {size for shape in shapes for size in shape[-2:]}
    for name, one in positions.items():
        if one.size not in sizes:
            raise UnreadableMask(
                f"“{name}” holds {count(one.size, 'position id')}, and no mask beside it has so "
                "many packed tokens."
            )


def texts_of(
    shape: Sequence[int], texts: Mapping[str, tuple[str, ...]], alone: bool
) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """The token texts of a mask [.., T, K] and what is said of them; as ``positions_of``."""
    rows, columns = shape[-2:]
    for one in texts.values():
        if len(one) == rows:
            return one, ("Token texts stand beside it.",)
    for one in texts.values():
        if len(one) == columns:
            return one[-rows:], (
                f"Token texts stand beside it, {columns} for all columns: the last {rows} are "
                "those of the packed tokens.",
            )
    for name, one in texts.items():
        if alone and _TOKENS.search(name):
            raise UnreadableMask(
                f"“{name}” holds {count(len(one), 'token text')}, the mask has "
                f"{_tokens(rows, columns)}: give one for each packed token."
            )
    return None, tuple(f"“{name}” is not used." for name in texts if alone)


def _tokens(rows: int, columns: int) -> str:
    packed = count(rows, "packed token")
    return packed if rows == columns else f"{packed} and {count(columns, 'column')}"


def _belong(name: str, mask: str) -> bool:
    """Do ``positions_W5_N4_G2`` and ``mask_W5_N4_G2``, or ``pos_b`` and ``b``, belong together?"""
    return _own_part(name) == _own_part(mask)


def _own_part(name: str) -> str:
    return re.sub(r"[._ -]+", " ", _COMMON_WORDS.sub("", name.lower())).strip()
