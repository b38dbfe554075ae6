"""The mask lab's other direction: the right mask of the chosen pass, in every format."""

from __future__ import annotations

from html import escape

import streamlit as st

from lookahead_viz.masklab.export import FORMATS, MOST_PREFIX, assertion, export_mask
from lookahead_viz.masklab.layouts import PackedLayout
from lookahead_viz.masklab.tiles import SIZES, tiles
from lookahead_viz.ui.text import say

SHOWN = 6_000
"""So many characters of a text are shown; the file holds all."""


def panel(layout: PackedLayout, committed: int) -> None:
    """Choose a format, see it, save it; a check for one's own tests beside it."""
    left, right = st.columns([1, 2])
    with left:
        chosen = st.selectbox(
            "Format",
            list(FORMATS),
            index=list(FORMATS).index("rows"),
            format_func=lambda name: FORMATS.get(name, name),
            key="lab_format",
            persist_state="session",
        )
        prefix = st.number_input(
            "Committed columns", 0, MOST_PREFIX, min(committed, MOST_PREFIX), key="lab_prefix"
        )
        made = export_mask(layout, chosen, prefix=int(prefix))
        say(f"{layout.title}, {layout.settings}. {made.note}")
        st.download_button(
            f"Save {made.file_name}",
            data=made.data,
            file_name=made.file_name,
            on_click="ignore",
            key="lab_save_mask",
            icon=":material/download:",
        )
        for size in SIZES:
            say(tiles(layout.mask, size).sentence, quiet=True)
    with right:
        text = made.text
        if text is None:
            say(f"{len(made.data):,} bytes; the numbers of the mask, for a program.", quiet=True)
        else:
            _shown(text, f"The beginning of {made.file_name}")
        say("For your tests:", quiet=True)
        st.code(assertion(layout), language=None, wrap_lines=True)


def _shown(text: str, label: str) -> None:
    """A text as it is, in a box that can be scrolled with the keyboard too."""
    more = f"\n… {len(text) - SHOWN:,} characters more in the file." if len(text) > SHOWN else ""
    st.html(
        f'<pre class="lv-code" role="region" tabindex="0" aria-label="{escape(label)}">'
        f"{escape(text[:SHOWN] + more)}</pre>"
    )
