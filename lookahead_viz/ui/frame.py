"""What every page stands in: its question, two sentences, sidebar, progress, failures."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from lookahead_viz.comparison import Comparison
from lookahead_viz.methods import METHODS
from lookahead_viz.records import Run
from lookahead_viz.ui import code as source_code
from lookahead_viz.ui import progress, session, sidebar, words_button
from lookahead_viz.ui.style import favicon, style
from lookahead_viz.ui.text import explained, say, trouble
from lookahead_viz.words import one_line

logger = logging.getLogger(__name__)


@contextmanager
def page(
    question: str,
    about: str,
    *,
    code: Sequence[str] = (),
    aside: Callable[[], None] | None = None,
    compares: bool = True,
    menu_note: str = "",
    words: bool = False,
) -> Iterator[None]:
    """Set up a page that asks ``question`` and explains itself in two sentences.

    ``about`` may mark words of the glossary, like ``[[window]]``.
    ``code`` names the library's own functions that do what the page shows; ``aside`` draws what
    stands beside the title. A page that draws no recorded run says ``compares=False``: it has no
    menu of comparisons; ``menu_note`` stands below that. ``words`` puts the glossary on pages
    where no player brings it.

    A failure inside shows one sentence instead of a traceback.
    """
    _through_app()
    st.set_page_config(page_title=question, page_icon=favicon(), layout="wide")
    style()
    with guarded():
        progress.adopt()
        session.enter(question)
        session.read_link()
    with st.sidebar, guarded():
        sidebar.draw(compares=compares, note=menu_note)
    with st.container(
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
        key="page_title",
    ):
        st.title(question, width="content")
        with st.container(horizontal=True, width="content", vertical_alignment="center"):
            if aside is not None:
                aside()
            if words:
                words_button.draw()
    explained(about, quiet=True)
    progress.draw()
    with guarded():
        yield
    with guarded():
        _code(code)


@st.fragment
def _code(names: Sequence[str]) -> None:
    source_code.show(names)


def _through_app() -> None:
    """Enter by ``app.py`` even when the first visitor of a fresh server opens a deep link.

    Until ``st.navigation`` has run once, Streamlit takes ``pages/`` for the old kind of app and
    runs the page's file by itself, with a menu of file names.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()


@contextmanager
def guarded() -> Iterator[None]:
    """Show an exception as one sentence; the traceback goes to the log."""
    try:
        yield
    except Exception as error:
        logger.exception("a page failed")
        trouble(f"This could not be drawn ({type(error).__name__}): {one_line(error)}")


def comparison() -> Comparison | None:
    """The comparison to draw; None, and a sentence that says what to do, when there is none."""
    found = session.comparison()
    if found is None:
        say("Nothing is recorded yet: decode your own prompt, or open a run file, at the left.")
    return found


def run_of(*methods: str, why: str = "") -> Run | None:
    """The run of these methods to draw, with a choice where there are several.

    None, and a sentence that says what to do, where the comparison has none; ``why`` is one that
    says what the other methods lack.
    """
    found = comparison()
    if found is None:
        return None
    run = session.run_of(*methods)
    if run is None:
        *names, last = (METHODS[method].words for method in methods)
        name = f"{', '.join(names)} or {last}" if names else last
        say(
            f"{why} “{found.name}” has no {name} run: choose another comparison at the left, or "
            f"decode your own prompt with {name} ticked.".strip()
        )
        return None
    labels = [session.label_of(one) for one in session.runs_of(*methods)]
    if len(labels) > 1:
        key = "run_of_" + "_".join(methods)
        st.session_state[key] = session.label_of(run)
        st.segmented_control(
            "Run",
            labels,
            key=key,
            required=True,
            on_change=_choose,
            args=(key,),
            label_visibility="collapsed",
        )
    return run


def _choose(key: str) -> None:
    session.prefer(str(st.session_state[key]))
