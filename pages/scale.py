"""Scale: when does it pay?"""

from __future__ import annotations

import streamlit as st

from lookahead_viz.figures.scale_cost import draw_cost
from lookahead_viz.figures.scale_law import draw_law
from lookahead_viz.figures.scale_time import draw_latency, draw_speed
from lookahead_viz.ui import figures, frame, scale_data, scale_sweep, scale_tables, scale_time
from lookahead_viz.ui.style import theme_name
from lookahead_viz.ui.text import say
from lookahead_viz.views.scale_cost import AXES, cost_view
from lookahead_viz.views.scale_headline import headline
from lookahead_viz.views.scale_law import law_view
from lookahead_viz.views.scale_time import best_table, latency_view, speed_view


def law() -> None:
    """Do exponentially larger windows save linearly many passes?"""
    summary, places = scale_data.chosen_summary(1, 1)
    if summary is None:
        return
    candidates, least = scale_data.law_menus(summary, *places)
    view = law_view(summary, candidates=candidates, least_window=least)
    say(view.sentence)
    figures.picture(draw_law(view, theme=theme_name()), view.sentence, key="scale_law")
    say(view.about, quiet=True)
    figures.table(view.table, "The scaling law as a table")


def cost() -> None:
    """What does a token per pass cost in slots and operations?"""
    summary, places = scale_data.chosen_summary(2, 2)
    if summary is None:
        return
    shape = scale_data.shape_menu(summary, places[0])
    axis = places[1].selectbox("Cost", list(AXES), format_func=AXES.__getitem__, key="scale_axis")
    view = cost_view(summary, shape, axis)
    say(view.sentence)
    figures.picture(draw_cost(view, theme=theme_name()), view.sentence, key="scale_cost")
    figures.table(view.table, "The settings as a table")


def time() -> None:
    """What do slots cost in time, and what speed-up follows?"""
    measured = scale_time.measured()
    devices, chosen = scale_time.modelled()
    curves = latency_view([*scale_time.drawn(measured), chosen])
    say(curves.sentence)
    figures.picture(draw_latency(curves, theme=theme_name()), curves.sentence, key="scale_latency")
    for note in filter(None, (chosen.note, curves.fits, *(one.note for one in measured[:1]))):
        say(note, quiet=True)
    figures.table(curves.table, "The times as a table")
    scale_time.measuring()
    st.header("The speed-up that follows")
    summary, places = scale_data.chosen_summary(3)
    if summary is None:
        return
    view = speed_view(summary, scale_time.clock_menu([chosen, *measured], places[0]))
    say(view.sentence)
    figures.picture(draw_speed(view, theme=theme_name()), view.sentence, key="scale_speed")
    figures.table(view.table, "The settings by predicted speed-up")
    figures.table(best_table(summary, [*measured, *devices]), "The best setting of every clock")


PARTS = {
    "Scaling law": law,
    "Cost": cost,
    "Time": time,
    "Calculator": scale_tables.calculator,
    "Claims": scale_tables.claims_card,
    "Sweep": scale_sweep.draw,
}

with frame.page(
    "When does it pay?",
    "Lookahead trades arithmetic for passes. It pays where a [[pass]] with many [[slots]] takes "
    "hardly longer than a pass with one: where moving the weights is the limit, not the "
    "arithmetic (the [[roofline]]). The rest is [[compression]] and what it costs.",
    code=("scale.roofline:speed_up", "scale.arithmetic:flops", "scale.fit:fit_line"),
    words=True,
    compares=False,
):
    scale_data.adopt()
    say(headline(scale_data.shipped_sweeps(), scale_data.latencies()))
    part = st.segmented_control(
        "Part",
        list(PARTS),
        default="Scaling law",
        required=True,
        key="part",
        bind="query-params",
        label_visibility="collapsed",
    )
    PARTS[part or "Scaling law"]()
