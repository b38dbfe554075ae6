"""The troubles of a Jacobi run on its page: how many of each, and the way to each of them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lookahead_viz.records import Run
from lookahead_viz.troubles import TROUBLES, Kind, Trouble, trouble_sentence, troubles
from lookahead_viz.ui import session
from lookahead_viz.ui.text import say

NAMES: dict[Kind, str] = {
    "flip": "Right tokens lost",
    "displaced": "Displaced n-grams",
    "overwritten": "Overwritten n-grams",
    "low yield": "Passes of one token",
}
MOST_LISTED = 400


def ways(run: Run) -> None:
    """One menu a trouble; choosing an occurrence moves the player to its pass and its cell."""
    if not run.ended:
        say("The run did not end by itself, so what was right is unknown.", quiet=True)
        return
    found = troubles(run)
    for column, (kind, words) in zip(st.columns(len(TROUBLES)), TROUBLES.items(), strict=True):
        listed = [one for one in found if one.kind == kind]
        with column:
            _menu(run, kind, listed, words)


def _menu(run: Run, kind: Kind, listed: Sequence[Trouble], words: str) -> None:
    key = f"trouble_{kind.replace(' ', '_')}"
    more = f" The first {MOST_LISTED} are listed." if len(listed) > MOST_LISTED else ""
    shown = listed[:MOST_LISTED]
    st.selectbox(
        f"{NAMES[kind]}: {len(listed)}",
        range(len(shown)),
        format_func=lambda number: trouble_sentence(run, shown[number]),
        index=None,
        placeholder="Go to one …" if listed else "None",
        disabled=not listed,
        key=key,
        help=words + more,
        on_change=_go,
        args=(key, tuple(shown)),
    )


def _go(key: str, listed: tuple[Trouble, ...]) -> None:
    number = st.session_state.get(key)
    if number is None:
        return
    where = listed[number]
    session.go_to(where.step)
    session.set_mark(f"j{where.x},{where.step}|{session.mark().split('|')[1]}")
