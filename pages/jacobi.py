"""Jacobi: can all tokens be guessed at once?"""

from __future__ import annotations

import streamlit as st

from lookahead_viz.figures.jacobi import draw_jacobi
from lookahead_viz.methods import methods_of
from lookahead_viz.records import JacobiStep, Run
from lookahead_viz.ui import figures, frame, player, troubles
from lookahead_viz.ui.style import theme_name
from lookahead_viz.ui.text import say
from lookahead_viz.views.jacobi import JacobiView, jacobi_view
from lookahead_viz.words import count


def draw(run: Run, index: int) -> None:
    """The sheet of all iterates, with the cursor on one pass."""
    whole = st.toggle(
        "The whole run",
        key="jacobi_all",
        persist_state="session",
        help="All blocks in one sheet instead of the block of this pass.",
    )
    view = jacobi_view(run, index, blocks="all" if whole else "current")
    if view.note:
        say(view.note, quiet=True)
    figures.picture(draw_jacobi(view, theme=theme_name()), view.sentence, key="jacobi")
    figures.table(
        {
            "pass": [one.y for one in view.passes],
            "block": [one.block + 1 for one in view.passes],
            "iteration": [one.iteration for one in view.passes],
            "frozen": [one.frozen for one in view.passes],
            "correct": [one.correct for one in view.passes],
            "of": [one.size for one in view.passes],
        },
        "The passes as a table",
    )


def gain(run: Run, index: int) -> None:
    """What the whole run gained, in one sentence, and what it lost on the way."""
    say(achievement(jacobi_view(run, index, blocks="current")))
    troubles.ways(run)


def achievement(view: JacobiView) -> str:
    """What the whole run gained over one token a pass."""
    passes = count(view.total_passes, "pass", "passes")
    gain = f"The whole run: {count(view.tokens, 'token')} in {passes}, {view.saved}"
    if not view.finished:
        return f"{gain}. The run did not end by itself, so which tokens were lucky is unknown."
    lost = count(view.flips, "time")
    return f"{gain}. In this block a token that was right was lost again: {lost}."


with frame.page(
    "Can all tokens be guessed at once?",
    "Jacobi decoding starts from n arbitrary [[tokens]], or from a draft, and lets the model "
    "correct all of them in every [[pass]], until nothing changes. Each pass makes at least one "
    "more token [[final|frozen]]; more only where a token was "
    "[[right before its context was|lucky]].",
    code=("engine.jacobi:block_steps", "engine.jacobi:fixed_point"),
):
    chosen = frame.run_of(*methods_of(JacobiStep), why="Only Jacobi methods have iterates.")
    if chosen is not None:
        player.steps(chosen, draw, view="jacobi", below=gain)
