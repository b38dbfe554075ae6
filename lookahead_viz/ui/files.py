"""Run files in and out: every run can be downloaded, a run file can be opened."""

from __future__ import annotations

import re
from functools import partial

import streamlit as st

from lookahead_viz.comparison import Comparison, run_label
from lookahead_viz.run_io import MAX_FILE_BYTES, dump_run, read_run
from lookahead_viz.ui import session
from lookahead_viz.ui.text import trouble
from lookahead_viz.words import one_line

MAX_UPLOAD_BYTES = MAX_FILE_BYTES  # what can be saved; the browser's own limit is no guard
MAX_UPLOAD_MB = MAX_UPLOAD_BYTES // 2**20


def downloads(comparison: Comparison) -> None:
    """One button per run; the file is made when it is asked for."""
    for number, run in enumerate(comparison.runs):
        st.download_button(
            f"Save {run_label(run)}",
            data=partial(dump_run, run),
            file_name=file_name(run_label(run)),
            mime="application/gzip",
            on_click="ignore",
            key=f"save_{number}",
            icon=":material/download:",
        )


def file_name(label: str) -> str:
    """A plain file name for the run called ``label``."""
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-") + ".json.gz"


def upload() -> None:
    """Open a run file of up to ``MAX_UPLOAD_MB``; it becomes the comparison looked at."""
    st.file_uploader(
        "Run file (.json.gz)",
        type=["gz", "json"],
        max_upload_size=MAX_UPLOAD_MB,
        key="run_file",
        on_change=_opened,
        help="A file saved by this app or by `python -m lookahead_viz record`.",
    )
    if st.session_state.pop("run_file_new", False):
        st.rerun()  # not only this panel: there is another comparison to draw
    problem = st.session_state.get("run_file_problem")
    if problem:
        trouble(problem)


def _opened() -> None:
    """Read the file once, when it arrives: reruns of the page do not read it again."""
    st.session_state.pop("run_file_problem", None)
    given = st.session_state.get("run_file")
    if given is None:
        return
    try:
        if given.size > MAX_UPLOAD_BYTES:
            raise ValueError(f"the file is larger than {MAX_UPLOAD_MB} MB.")
        run = read_run(given.getvalue())
    except ValueError as error:
        st.session_state["run_file_problem"] = f"Not opened: {one_line(error)}"
        return
    note = "A single run: its text was not compared with greedy decoding."
    session.put(session.FILE, Comparison(name="Uploaded file", runs=(run,), note=note))
    st.session_state["run_file_new"] = True
