"""Pool: what is remembered?"""

from __future__ import annotations

import streamlit as st

from lookahead_viz.figures.pool import draw_pool
from lookahead_viz.records import Run
from lookahead_viz.ui import figures, frame, player
from lookahead_viz.ui.style import theme_name
from lookahead_viz.ui.text import say
from lookahead_viz.views.pool import pool_view


def draw(run: Run, index: int) -> None:
    """The pool after one pass, and where each n-gram came from."""
    only_current = st.toggle(
        "Only those with the current token as key", key="pool_current", persist_state="session"
    )
    view = pool_view(run, index, only_current=only_current)
    bound = "no bound for a key" if view.most is None else f"at most {view.most} for each"
    say(
        f"After this pass the pool holds {view.held} n-grams under {view.keys} keys, {bound}; "
        f"this pass looked up ‘{view.current}’.",
        quiet=True,
    )
    figures.picture(draw_pool(view, theme=theme_name()), view.sentence, key="pool")
    figures.table(view.table, "The n-grams as a table")
    figures.table(view.hot_keys, "The keys that were looked up most")


with frame.page(
    "What is remembered?",
    "The [[pool]] is a table of [[n-grams]] by their first token, the [[key]]. Every full "
    "[[window]] adds its W n-grams, multi-block Jacobi those it rejected; a full key "
    "[[evicts|eviction]] the one that was inserted longest ago.",
    code=("engine.pool:NgramPool",),
):
    chosen = frame.run_of(
        "lookahead", "multiblock-jacobi", why="Only methods that collect n-grams have a pool."
    )
    if chosen is not None:
        player.steps(chosen, draw, view="pool")
