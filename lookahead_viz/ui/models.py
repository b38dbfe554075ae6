"""Models on a page: which are there, the shared loaded ones, fetching SmolLM2."""

from __future__ import annotations

import threading

import streamlit as st

from lookahead_viz.models import registry
from lookahead_viz.models.progress import OnProgress
from lookahead_viz.models.shelf import Shelf
from lookahead_viz.ui.decoding import Encoder
from lookahead_viz.ui.text import say, trouble
from lookahead_viz.words import one_line

_EVERY = 0.5


def installed() -> list[registry.ModelChoice]:
    """The models that can decode right now, the default first."""
    return [choice for choice in registry.available() if choice.installed]


def _load(name: str, on_progress: OnProgress | None) -> Encoder:
    import lookahead_viz as lv

    model: Encoder = lv.load_model(name, on_progress=on_progress)
    return model


SHELF: Shelf[Encoder] = Shelf(_load, limit=2)
"""The loaded models, shared by all sessions (each decoding has its own cache)."""


def load(name: str, on_progress: OnProgress | None = None) -> Encoder:
    """The model of that name, loaded if need be."""
    return SHELF.get(name, on_progress)


def has_chat_template(name: str) -> bool:
    """May the model be asked as a chat? A model that was never loaded here may."""
    known = next((one for one in registry.available() if one.name == name), None)
    loaded = SHELF.peek(name)
    if loaded is not None:
        return loaded.has_chat_template
    return known is None or known.chats


def exactness(name: str) -> str:
    """Why a loaded model is decoded exactly, in a sentence; empty when it is not loaded."""
    loaded = SHELF.peek(name)
    return "" if loaded is None else getattr(loaded, "exactness", "")


class Fetch:
    """The one download of SmolLM2 that all sessions share."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.what = "Starting …"
        self.share = 0.0
        self.error: str | None = None

    @property
    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Begin, unless it is going on already."""
        with self._lock:
            if not self.running:
                self.error = None
                self._thread = threading.Thread(target=self._work, name="fetch", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        from lookahead_viz.models import smollm2

        try:
            smollm2.fetch(self._on_progress)
        except Exception as error:
            self.error = one_line(error)

    def _on_progress(self, what: str, share: float) -> None:
        self.what, self.share = what, min(max(share, 0.0), 1.0)


@st.cache_resource(show_spinner=False)
def shared_fetch() -> Fetch:
    """The process's ``Fetch``."""
    return Fetch()


def fetch_button() -> None:
    """Offer SmolLM2 where it is not there yet, with the progress of getting it."""
    choice = next((one for one in registry.available() if one.needs_fetch), None)
    fetch = shared_fetch()
    if fetch.running:
        _watch(fetch)
    elif choice is not None:
        say(choice.note, quiet=True)
        if choice.damage is not None:
            trouble(f"{choice.title} is damaged ({choice.damage}): get it again.")
        if fetch.error is not None:
            trouble(fetch.error)
        st.button(f"Get {choice.title}", key="fetch", on_click=fetch.start)


def _watch(fetch: Fetch) -> None:
    @st.fragment(run_every=_EVERY)
    def watching() -> None:
        if not fetch.running:
            st.rerun()
        st.progress(fetch.share, text=fetch.what)

    watching()
