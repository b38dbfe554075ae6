"""A long computation as the page shows it: its progress, and Stop."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lookahead_viz.ui.background import Background
from lookahead_viz.ui.text import say, trouble


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


def outcome(job: Background[Any] | None, asked: object, stopped: str = "") -> bool:
    """Say what went wrong in an ended job, or ``stopped`` where the reader stopped it.

    Only while the form still asks for what the job was asked for: it is said of those inputs
    alone. True where they are still the inputs.
    """
    if job is None or job.running or job.asked != asked:
        return False
    if job.error is not None:
        trouble(job.error)
    elif job.stopping and stopped:
        say(stopped, quiet=True)
    return True
