"""What the page shows of a decoding in the background: progress per pass, Stop, the outcome."""

from __future__ import annotations

import streamlit as st

from lookahead_viz.methods import METHODS
from lookahead_viz.ui import session
from lookahead_viz.ui.decoding import Job, Request
from lookahead_viz.ui.text import say, trouble

_ADOPTED = "adopted_job"
_OUTDATED = "outdated_job"  # its error belongs to other inputs than those of now
_EVERY = 0.5  # seconds between two looks at a running job


def adopt() -> None:
    """Make the runs of a job that has just ended what the session looks at."""
    job = session.worker().job
    if job is None or job.running or _adopted(job):
        return
    st.session_state[_ADOPTED] = job
    found = job.comparison()
    if found is None:
        return
    if session.chosen() == session.OWN:
        st.session_state[session.OWN] = found  # decoded anew: stay at the step
    else:
        session.put(session.OWN, found)


def draw() -> None:
    """The progress of a running job, looked at again and again, or the outcome of an ended one."""
    job = session.worker().job
    if job is None:
        return
    if job.running or not _adopted(job):
        _watch(job)  # one that ended since ``adopt`` too: the page is drawn again with its runs
    elif job.error is not None and st.session_state.get(_OUTDATED) is not job:
        trouble(job.error)
    elif session.chosen() == session.OWN:
        _outcome(job)


def _adopted(job: Job) -> bool:
    return st.session_state.get(_ADOPTED) is job


def outdated(request: Request) -> bool:
    """Is what is asked for now another thing than what went wrong? Then forget that it did.

    True once, for the page that still shows it.
    """
    job = session.worker().job
    if job is None or job.running or job.error is None or job.request == request:
        return False
    return forget()


def forget() -> bool:
    """No longer say what went wrong in the last decoding; False where nothing was said."""
    job = session.worker().job
    if job is None or job.error is None or st.session_state.get(_OUTDATED) is job:
        return False
    st.session_state[_OUTDATED] = job
    return True


def _watch(job: Job) -> None:
    @st.fragment(run_every=_EVERY)
    def watching() -> None:
        if not job.running:
            st.rerun()  # the whole page: there is a new comparison
        with st.container(horizontal=True, vertical_alignment="center"):
            st.progress(job.progress.fraction, text=job.progress.sentence)
            st.button(
                "Stopping …" if job.stopping else "Stop",
                key="stop",
                icon=":material/stop:",
                help="Ends before the next pass; the passes so far are kept.",
                on_click=job.stop,
                disabled=job.stopping,
            )

    watching()


def _outcome(job: Job) -> None:
    found = job.comparison()
    runs = found.runs if found else ()
    failed = [run for run in runs if run.failure is not None]
    for run in failed:
        trouble(f"{METHODS[run.method].label} ended early: {run.failure}")
    if job.stopping and not failed:
        say("Stopped: the passes so far are kept.", quiet=True)
