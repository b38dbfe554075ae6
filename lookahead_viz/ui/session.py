"""What a session looks at: one comparison, one run of each method, one step shared by all pages.

The truth lives in plain session-state entries; widgets are set from it before they are drawn and
write to it in their callbacks. So it survives page switches, which drop the values of widgets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from lookahead_viz import gallery
from lookahead_viz.comparison import Comparison, run_label
from lookahead_viz.config import LookaheadConfig
from lookahead_viz.records import LookaheadStep, Run
from lookahead_viz.ui.decoding import Worker

OWN = "own"
FILE = "file"
_SOURCE, _STEP, _LINK, _LABELS, _MARK = "source", "step", "link_read", "labels", "mark"
_PAGE, _ARRIVED = "page_now", "page_arrived"
_NUMBER = r"-?\d{1,6}"
_IS_MARK = re.compile(
    rf"(?:{_NUMBER}(?:,{_NUMBER})?|[negpoj]{_NUMBER}(?:,{_NUMBER}){{0,31}})?\|1?"
)


@dataclass(frozen=True)
class Source:
    """One entry of the menu of comparisons."""

    key: str
    title: str


def sources() -> list[Source]:
    """What can be looked at: the session's own decodings first, then what ships."""
    found = [Source(OWN, "Your prompt")] if OWN in st.session_state else []
    files = [Source(key, load(key).name) for key in _file_keys()]
    found += files
    for exhibit in gallery.exhibits(gallery.RUNS):
        found.append(Source(exhibit.key, exhibit.title))
    return found


def put(key: str, comparison: Comparison) -> None:
    """Keep ``comparison`` as the session's ``OWN`` one and show it from its start."""
    st.session_state[key] = comparison
    choose(key)


def put_files(comparisons: Sequence[Comparison]) -> None:
    """Keep what the uploaded run files hold, instead of earlier ones, and show the first."""
    for key in _file_keys():
        del st.session_state[key]
    for number, found in enumerate(comparisons):
        st.session_state[f"{FILE}-{number}" if number else FILE] = found
    choose(FILE)


def is_kept(key: str | None) -> bool:
    """Is it a comparison of this session alone, which no link can name?"""
    return key == OWN or key in _file_keys()


def _file_keys() -> list[str]:
    """``FILE``, and "file-1" … where the uploaded files are of several prompts."""
    found = [FILE] if FILE in st.session_state else []
    while found and (key := f"{FILE}-{len(found)}") in st.session_state:
        found.append(key)
    return found


def choose(key: str) -> None:
    """Show another comparison, each run from where ``opening`` says."""
    st.session_state[_SOURCE] = key
    st.session_state.pop(_STEP, None)


def chosen() -> str | None:
    """The key of the comparison being looked at; None when there is nothing at all."""
    keys = [source.key for source in sources()]
    key = st.session_state.get(_SOURCE)
    if key in keys:
        return str(key)
    shipped = [key for key in keys if not is_kept(key)]
    return next(iter(shipped or keys), None)


def comparison() -> Comparison | None:
    """The comparison being looked at."""
    key = chosen()
    return None if key is None else load(key)


def load(key: str) -> Comparison:
    """The comparison called ``key``, one of ``sources()``."""
    if is_kept(key):
        kept = st.session_state[key]
        assert isinstance(kept, Comparison)
        return kept
    return _exhibit(key, gallery.RUNS)


@st.cache_resource(max_entries=8, show_spinner=False)
def _exhibit(key: str, folder: Path) -> Comparison:
    exhibit = next(one for one in gallery.exhibits(folder) if one.key == key)
    return gallery.load_exhibit(exhibit)


def runs_of(*methods: str) -> list[Run]:
    """The runs of these methods, in the order of ``methods``."""
    found = comparison()
    return [run for method in methods for run in found.of_method(method)] if found else []


def run_of(*methods: str) -> Run | None:
    """The run of these methods to draw: the one chosen last, on any page, else the first."""
    runs = {label_of(run): run for run in reversed(runs_of(*methods))}
    preferred = [label for label in st.session_state.get(_LABELS, ()) if label in runs]
    return runs[preferred[0]] if preferred else next(iter(reversed(runs.values())), None)


def label_of(run: Run) -> str:
    """The name of a run of the comparison being looked at."""
    found = comparison()
    return run_label(run) if found is None else found.label(run)


def prefer(label: str) -> None:
    """Draw the run called ``label`` wherever it is one of those to choose from."""
    others = [one for one in st.session_state.get(_LABELS, ()) if one != label]
    st.session_state[_LABELS] = [label, *others]


def step(run: Run) -> int:
    """The shared step, clamped to what ``run`` has; before anybody moved, ``opening``."""
    asked = st.session_state.get(_STEP)
    return max(0, min(opening(run) if asked is None else int(asked), len(run.steps) - 1))


def opening(run: Run) -> int:
    """The step that a newcomer sees first: the first one in which lookahead gained something.

    The window is full there, there are candidates, and the pool and the mask have something to
    show; step 0 has none of it.
    """
    gains = (
        index
        for index, step in enumerate(run.steps)
        if isinstance(step, LookaheadStep) and len(step.accepted) > 1
    )
    return next(gains, 0)


def go_to(index: int) -> None:
    """Move the shared step; ``step`` clamps it for each run."""
    st.session_state[_STEP] = max(0, index)


def mark() -> str:
    """What the reader has locked | "1" in lecture mode.

    "12,9|" is a mask cell, "12|1" a slot, "p7|" a pool entry: see ``player/js/state.js``.
    """
    return str(st.session_state.get(_MARK, "|"))


def set_mark(value: str) -> None:
    """Keep the reader's mark; anything that is none is ignored."""
    if _IS_MARK.fullmatch(value):
        st.session_state[_MARK] = value


def enter(page: str) -> None:
    """Note on which page the reader is."""
    st.session_state[_ARRIVED] = st.session_state.get(_PAGE) != page
    st.session_state[_PAGE] = page


def arrived() -> bool:
    """Did the reader come to this page just now, from another one or from outside?"""
    return bool(st.session_state.get(_ARRIVED))


def read_link() -> None:
    """Adopt what the address asks for, once: afterwards the session writes it itself."""
    if _LINK in st.session_state:
        return
    st.session_state[_LINK] = True
    asked = st.query_params
    key, number = asked.get("run"), asked.get("step")
    if key in [source.key for source in sources()]:
        choose(str(key))
    if number is not None and number.isascii() and number.isdecimal():
        go_to(int(number[:9]))
    set_mark(f"{asked.get('cell', '')}|{'1' if asked.get('lecture') == '1' else ''}")
    sizes = {name: asked.get(name) for name in _SIZES}
    for run in runs_of("lookahead"):
        if _sizes(run) == sizes:
            prefer(label_of(run))


def write_link(run: Run | None) -> None:
    """Put what is shown into the address, so that it can be copied and opened elsewhere."""
    cell, lecture = mark().split("|")
    link: dict[str, str | None] = {
        "run": chosen(),
        "step": None if run is None else str(step(run)),
        "cell": cell or None,
        "lecture": lecture or None,
        **(dict.fromkeys(_SIZES) if run is None else _sizes(run)),
    }
    for name, value in link.items():
        if value is None or is_kept(value):
            st.query_params.pop(name, None)
        elif value is not None and st.query_params.get(name) != value:
            st.query_params[name] = value


_SIZES = ("W", "N", "G", "as")


def _sizes(run: Run) -> dict[str, str | None]:
    """W, N and G of a lookahead run and what else is in its name; all None for another."""
    config = run.config
    if not isinstance(config, LookaheadConfig):
        return dict.fromkeys(_SIZES)
    sizes = (config.window_size, config.ngram_size, config.max_candidates)
    found: dict[str, str | None] = {
        name: str(size) for name, size in zip(_SIZES, sizes, strict=False)
    }
    _, _, variant = run_label(run).partition(", ")
    return found | {"as": variant or None}


@st.cache_resource(scope="session", on_release=lambda worker: worker.close(), show_spinner=False)
def worker() -> Worker:
    """The decodings of this session; they stop when the session ends."""
    return Worker()
