"""The race on the page: given the comparison once, it moves by itself in the browser."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lookahead_viz.comparison import Comparison
from lookahead_viz.lanes.payload import lanes_payload
from lookahead_viz.player.bundle import LANES
from lookahead_viz.ui.kept import Kept

_component = st.components.v2.component(
    "lookahead_viz_lanes", css=LANES.styles, js=LANES.component
)
_payloads: Kept[Comparison, dict[str, Any]] = Kept(lanes_payload)


def mount(comparison: Comparison) -> None:
    """Put the lanes of ``comparison`` on the page."""
    number, data = _payloads.of(comparison)
    # Of a dict's values Streamlit asks whether they are data frames, and loads pandas to ask; of
    # a tuple it does not: the first picture is there half a second sooner.
    _component(key="lanes", data={"race": (data,), "key": number})
