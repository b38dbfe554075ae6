"""Mask: who may look at whom, and why?"""

from __future__ import annotations

import streamlit as st

from lookahead_viz import methods
from lookahead_viz.explain import read_row, slot_name, why
from lookahead_viz.figures.mask import draw_mask
from lookahead_viz.people_ask import SHORT_COLOURS
from lookahead_viz.records import Run
from lookahead_viz.tokens import printable
from lookahead_viz.ui import figures, frame, learn_links, mask_panel, player
from lookahead_viz.ui.style import theme_name
from lookahead_viz.ui.text import say
from lookahead_viz.views.mask import mask_view


def draw(run: Run, index: int) -> None:
    """The mask of one pass, the reason of one cell, the layout as a table."""
    view = mask_view(run, index)
    picture, question = st.columns([3, 1])
    with question:
        row = cell(run, index)
        expected = st.toggle(
            "Mark what people expect",
            key="mask_expected",
            persist_state="session",
            help="Hidden neighbours in a row of the window, which many expect to be visible.",
        )
    with picture:
        drawn = draw_mask(view, highlight_row=row, show_expected=expected, theme=theme_name())
        figures.picture(drawn, f"Attention mask. {view.sentence}", key="mask")
    figures.table(view.slot_table, "The layout of the pass as a table, one line per slot")


def cell(run: Run, index: int) -> int:
    """Choose who reads and what is read; says why. Returns the slot that reads."""
    slots = run.steps[index].layout.slots
    reader = slot_menu(run, index, "Who reads (line)", "mask_row", min(7, slots - 1))
    read = slot_menu(run, index, "What is read (column)", "mask_column", min(1, slots - 1))
    say(why(run, index, reader, read))
    say("Read this line:", quiet=True)
    say(read_row(run, index, reader))
    return reader


def slot_menu(run: Run, index: int, label: str, key: str, first: int) -> int:
    """A menu of the slots of this pass; remembers its slot across passes, if it is there."""
    layout = run.steps[index].layout

    def name(slot: int) -> str:
        token = printable(run.token_text, layout.token_ids[slot], limit=16)
        return f"{slot}: ‘{token}’ · {slot_name(layout, slot)}"

    kept = st.session_state.get(key, first)
    st.session_state[key] = min(kept, layout.slots - 1)
    return st.selectbox(label, range(layout.slots), format_func=name, key=key)


with frame.page(
    "Who may look at whom, and why?",
    "One [[pass]] computes many tokens at once, and the [[mask]] keeps them from disturbing each "
    "other: a line reads, a column is read. Point at a cell to read [[why|reason]] it is on or "
    "off; click to lock it. " + SHORT_COLOURS,
    code=("visibility:rules", "visibility:mask"),
    aside=learn_links.people_ask,
):
    chosen = frame.run_of(
        *methods.with_candidates(),
        why="The other methods feed plain left-to-right text, which needs no mask of its own.",
    )
    if chosen is not None:
        player.steps(chosen, draw, view="mask", below=mask_panel.panel)
