"""The mask lab's controls: the pass that a mask is meant for, and how its numbers are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from lookahead_viz.masklab.kinds import LAYOUTS
from lookahead_viz.masklab.layouts import PackedLayout, packed
from lookahead_viz.masklab.normalise import POLARITIES, Polarity
from lookahead_viz.masklab.reading import WORDS
from lookahead_viz.masklab.reading_model import KINDS, Kind
from lookahead_viz.ui.text import say
from lookahead_viz.words import capitalised, one_line

KEPT: Any = "session"
_SETTINGS = {"lab_layout": "lade", "lab_w": 5, "lab_n": 4, "lab_g": 2}
_VARIANTS = {
    "step": "Warm-up pass k",
    "fill": "Filling pass f",
    "prompt_length": "Prompt tokens",
    "rank": "Rank k",
    "ranks": "of R ranks",
    "refed": "Re-fed tokens h",
    "length": "Tokens",
}


@dataclass(frozen=True)
class How:
    """How a mask is read and what it is compared with."""

    layout: PackedLayout
    polarity: Polarity
    kind: Kind | None
    sliding_window: int | None


def set_defaults() -> None:
    """Give the controls of the pass their first values."""
    for name, value in _SETTINGS.items():
        st.session_state.setdefault(name, value)


def use(layout: PackedLayout) -> None:
    """Compare with this pass from now on (in a callback: widgets are set)."""
    sizes = (layout.name, layout.window_size, layout.ngram_size, layout.candidates)
    st.session_state.update(zip(_SETTINGS, sizes, strict=True))
    for name, value in layout.variant:
        if name in _VARIANTS:
            st.session_state[f"lab_{name}"] = value


def step_controls(problems: list[str]) -> How | None:
    """The pass that the mask is meant for, and how its numbers are to be taken."""
    set_defaults()
    layout = st.selectbox(
        "Layout",
        list(LAYOUTS),
        format_func=lambda name: LAYOUTS[name].title if name in LAYOUTS else str(name),
        key="lab_layout",
        persist_state=KEPT,
        help="The order in which the engine packs the tokens of a pass.",
    )
    kind = LAYOUTS[layout]
    say(kind.description, quiet=True)
    columns = st.columns(3)
    sizes = [
        column.number_input(label, least, 1000, key=key, persist_state=KEPT, help=about)
        for column, label, key, least, about in zip(
            columns,
            ("W", "N", "G"),
            ("lab_w", "lab_n", "lab_g"),
            (1, 2, 0),
            (
                "Window columns",
                "Tokens of an n-gram",
                "Candidates present in this pass",
            ),
            strict=True,
        )
    ]
    variant = _variant(kind.variants)
    with st.popover("How it is read", width="stretch"):
        taken, polarity, sliding = _reading()
    try:
        step = packed(layout, *(int(size) for size in sizes), **variant)
    except ValueError as error:
        problems.append(sentence(error))
        return None
    return How(step, polarity, taken, sliding or None)


def _variant(names: tuple[str, ...]) -> dict[str, Any]:
    """A layout's own settings."""
    found: dict[str, Any] = {}
    if "tokens" in names:
        text = st.text_input(
            "Tokens, one per canonical slot",
            key="lab_tokens",
            persist_state=KEPT,
            help="Ids or texts apart by spaces, window row by row, then the candidates: equal "
            "prefixes are merged. Nothing given: all are different.",
        )
        found["tokens"] = text.split() or None
    numbers = [name for name in names if name in _VARIANTS]
    starts = {"prompt_length": 1, "length": 21, "ranks": 2, "fill": 1, "step": 1}
    for column, name in zip(st.columns(max(len(numbers), 1)), numbers, strict=False):
        st.session_state.setdefault(f"lab_{name}", starts.get(name, 0))
        found[name] = int(
            column.number_input(_VARIANTS[name], 0, 4000, key=f"lab_{name}", persist_state=KEPT)
        )
    return found


def _reading() -> tuple[Kind | None, Polarity, int]:
    taken = st.selectbox(
        "Taken for",
        ("auto", *KINDS),
        format_func=lambda kind: "what it looks like" if kind == "auto" else WORDS[kind],
        key="lab_kind",
        persist_state=KEPT,
    )
    polarity = st.selectbox(
        "The numbers mean",
        POLARITIES,
        format_func={
            "auto": "what they look like",
            "keep=1": "1 or True = may attend",
            "keep=0": "0 or False = may attend",
            "additive": "added to the scores",
        }.__getitem__,
        key="lab_polarity",
        persist_state=KEPT,
    )
    sliding = st.number_input(
        "The model's sliding window (0: none)", 0, 100_000, key="lab_sliding", persist_state=KEPT
    )
    kind = next((kind for kind in KINDS if kind == taken), None)
    return kind, polarity, int(sliding)


def sentence(error: Exception) -> str:
    """What went wrong, beginning with a capital letter; the name of a setting stays as it is."""
    said = one_line(error)
    first, space, rest = said.partition(" ")
    if "_" in first or first in _VARIANTS:
        return f"‘{first}’{space}{rest}"
    return capitalised(said)
