"""Tables of sentences on the Scale page: the calculator's and the claims'."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lookahead_viz.scale.arithmetic import SHAPES
from lookahead_viz.scale.claims import FOUR_TIMES, ONE_PROMPT, UPPER_BOUND, Claim, claims, gpu_note
from lookahead_viz.scale.sizes import Sizes
from lookahead_viz.ui import scale_data, tables
from lookahead_viz.ui.text import say
from lookahead_viz.views.scale_calculator import calculator_table

CLAIM_COLUMNS = ("kind", "what", "value", "against", "hardware", "devices", "source")


def calculator() -> None:
    """Sliders for W, N, G and the context, and everything that follows."""
    columns = st.columns(5)
    kept: Any = {"persist_state": "session"}
    w = columns[0].number_input("W", 1, 256, 5, key="calc_w", **kept)
    n = columns[1].number_input("N", 2, 32, 4, key="calc_n", **kept)
    g = columns[2].number_input("G", 0, 256, 5, key="calc_g", **kept)
    context = columns[3].number_input("Cached rows", 0, 1_000_000, 512, key="calc_rows", **kept)
    name = columns[4].selectbox(
        "Model", [shape.name for shape in SHAPES], index=4, key="calc_shape", **kept
    )
    shape = next(one for one in SHAPES if one.name == name)
    found = calculator_table(Sizes(int(w), int(n), int(g)), int(context), shape)
    tables.show(
        list(found.columns), found.itertuples(index=False, name=None), "What W, N and G mean"
    )


def claims_card() -> None:
    """What is quoted beside what was counted and measured here."""
    latencies = scale_data.shipped_latencies()
    say(FOUR_TIMES)
    say(UPPER_BOUND)
    say(ONE_PROMPT)
    say(gpu_note(latencies))
    rows = [_claim_row(one) for one in claims(scale_data.shipped_sweeps(), latencies)]
    tables.show(CLAIM_COLUMNS, rows, "Quoted and measured numbers")


def _claim_row(claim: Claim) -> tuple[str, ...]:
    return (
        claim.kind,
        claim.what,
        claim.value,
        claim.baseline,
        claim.hardware,
        claim.devices,
        claim.source,
    )
