"""A long computation as the page shows it: its progress, and Stop."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lookahead_viz.ui.background import Background


def watch(job: Background[Any], key: str) -> None:
    """Progress and Stop of a running job, looked at again and again; the page again at its end."""

    @st.fragment(run_every=0.5)
    def watching() -> None:
        if not job.running:
            st.rerun()
        with st.container(horizontal=True, vertical_alignment="center"):
            st.progress(job.share, text=job.sentence)
            st.button(
                "Stopping …" if job.stopping else "Stop",
                key=f"stop_{key}",
                icon=":material/stop:",
                on_click=job.stop,
                disabled=job.stopping,
            )

    watching()
