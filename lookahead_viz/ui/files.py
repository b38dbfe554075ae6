"""Run files in and out: every run can be downloaded, a run file can be opened."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from lookahead_viz.comparison import Comparison
from lookahead_viz.records import Run
from lookahead_viz.run_io import MAX_FILE_BYTES, dump_refusal, dump_run, read_run
from lookahead_viz.ui import session
from lookahead_viz.ui.joining import Opened, joined
from lookahead_viz.ui.kept import Kept
from lookahead_viz.ui.text import trouble
from lookahead_viz.words import one_line, quoted

MAX_UPLOAD_BYTES = MAX_FILE_BYTES  # what can be saved; the browser's own limit is no guard
MAX_UPLOAD_MB = MAX_UPLOAD_BYTES // 2**20
_REFUSALS: Kept[Run, str | None] = Kept(dump_refusal)
_PROBLEMS = "run_file_problems"  # the files that were judged, and what is wrong with them


def downloads(comparison: Comparison) -> None:
    """One button per run; the file is made when it is asked for.

    A run that no file can hold has a sentence instead: a download that fails says nothing.
    """
    for number, (run, label) in enumerate(zip(comparison.runs, comparison.labels, strict=True)):
        _, refusal = _REFUSALS.of(run)
        if refusal is not None:
            trouble(f"{label}: {refusal}")
            continue
        st.download_button(
            f"Save {label}",
            data=partial(dump_run, run),
            file_name=file_name(label),
            mime="application/gzip",
            on_click="ignore",
            key=f"save_{number}",
            icon=":material/download:",
        )


def file_name(label: str) -> str:
    """A plain file name for the run called ``label``."""
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-") + ".json.gz"


def upload() -> None:
    """Open run files of up to ``MAX_UPLOAD_MB`` each; those of one prompt are compared."""
    given = st.file_uploader(
        "Run files (.json.gz)",
        type=["gz", "json"],
        accept_multiple_files=True,
        max_upload_size=MAX_UPLOAD_MB,
        key="run_file",
        on_change=_opened,
        help="Files saved by this app or by `python -m lookahead_viz record`. Several of one "
        "prompt and model become one comparison.",
    )
    if st.session_state.pop("run_file_new", False):
        st.rerun()  # not only this panel: there is another comparison to draw
    judged, problems = st.session_state.get(_PROBLEMS, ((), ()))
    for problem in problems if judged == _ids(given) else ():
        trouble(problem)


def _ids(given: Sequence[UploadedFile]) -> tuple[str, ...]:
    return tuple(file.file_id for file in given)


def _opened() -> None:
    """Read the files once, when one arrives: reruns of the page do not read them again."""
    given = st.session_state.get("run_file") or []
    several, problems = len(given) > 1, []
    found: dict[bytes, Opened] = {}
    for file in given:
        try:
            if file.size > MAX_UPLOAD_BYTES:
                raise ValueError(f"the file is larger than {MAX_UPLOAD_MB} MB.")
            data = file.getvalue()
            if data in found:
                raise ValueError(f"the file is the same as {quoted(found[data].file)}.")
            found[data] = Opened(file.name, read_run(data))
        except ValueError as error:
            which = f" {quoted(file.name)}" if several else ""
            problems.append(f"Not opened{which}: {one_line(error)}")
    st.session_state[_PROBLEMS] = (_ids(given), problems)
    if found:
        session.put_files(joined(list(found.values())))
        st.session_state["run_file_new"] = True
