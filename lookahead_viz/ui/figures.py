"""Pictures on a page: the viewer's theme, no clutter, a description, the same data as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

CONFIG: dict[str, Any] = {
    "displaylogo": False,
    "showSendToCloud": False,
    "scrollZoom": False,
    "modeBarButtons": [["toImage"]],
    "toImageButtonOptions": {"format": "svg", "filename": "lookahead_viz"},
}


def picture(figure: go.Figure, alt: str, *, key: str) -> None:
    """Draw ``figure`` in its own colours; ``alt`` says what it shows."""
    st.plotly_chart(figure, theme=None, config=CONFIG, alt=alt, key=key)


def table(
    data: pd.DataFrame | Mapping[str, Sequence[Any]] | Callable[[], pd.DataFrame], label: str
) -> None:
    """The data of a picture, for those who read rather than look; made when it is opened."""
    opened = st.expander(label, key=f"table_{label}", on_change="rerun")
    if opened.open:
        import pandas as pd

        made = data() if callable(data) else data
        opened.dataframe(pd.DataFrame(made), hide_index=True, alt=label)
