"""The mask lab's inputs: a mask from the gallery, a file or a text, read as its controls say."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from lookahead_viz.masklab.gallery import EXHIBITS
from lookahead_viz.masklab.reading_model import MAX_UPLOAD_BYTES, MAX_UPLOAD_MB
from lookahead_viz.ui.masklab_checked import MOST_FILES, Checked, File, checked
from lookahead_viz.ui.masklab_step import KEPT, set_defaults, step_controls, use
from lookahead_viz.ui.text import say

Source = Literal["Try one", "Upload", "Paste"]
SOURCES: tuple[Source, ...] = ("Try one", "Upload", "Paste")
ENDINGS = ["npy", "npz", "pt", "pth", "safetensors", "json", "csv", "txt", "c"]


def inputs() -> tuple[list[Checked], list[str]]:
    """All controls; the checked masks, the one to look at first, and what could not be read."""
    source = st.segmented_control(
        "A mask",
        SOURCES,
        default=SOURCES[0],
        required=True,
        key="lab_source",
        on_change=_take_exhibit,
        label_visibility="collapsed",
        persist_state=KEPT,
    )
    problems: list[str] = []
    files = {"Upload": _uploaded, "Paste": _pasted}.get(str(source), _exhibited)(problems)
    how = step_controls(problems)
    found: list[Checked] = []
    if how is not None:
        for file in files:
            found += checked(file, how, problems)
    return _chosen_first(found), problems


def _exhibited(problems: list[str]) -> list[File]:
    """One of the ten wrong masks; choosing one sets the pass that it is meant for."""
    set_defaults()
    key = st.selectbox(
        "Ten wrong masks to try",
        list(EXHIBITS),
        format_func=lambda key: EXHIBITS[key].title if key in EXHIBITS else str(key),
        key="lab_exhibit",
        on_change=_take_exhibit,
        persist_state=KEPT,
    )
    exhibit = EXHIBITS.get(key or "", next(iter(EXHIBITS.values())))
    say(exhibit.story, quiet=True)
    name, data = exhibit.file()
    return [File(name, data)]


def _take_exhibit() -> None:
    key = st.session_state.get("lab_exhibit", next(iter(EXHIBITS)))
    exhibit = EXHIBITS.get(str(key))
    if exhibit is not None and st.session_state.get("lab_source", SOURCES[0]) == SOURCES[0]:
        use(exhibit.step)


def _uploaded(problems: list[str]) -> list[File]:
    given = st.file_uploader(
        "Drop your mask here",
        type=ENDINGS,
        accept_multiple_files=True,
        max_upload_size=MAX_UPLOAD_MB,
        key="lab_file",
        help="The numbers of one pass: a mask, parents, positions, packed words, sequence ids. "
        "Position ids and token texts may stand beside it in the same file.",
    )
    if len(given) > MOST_FILES:
        problems.append(f"{len(given)} files are too many at once; drop at most {MOST_FILES}.")
        return []
    large = [file.name for file in given if file.size > MAX_UPLOAD_BYTES]
    if large:
        problems.append(
            f"“{large[0]}” is larger than {MAX_UPLOAD_MB} MB: save the mask of one pass alone."
        )
    if not given:
        say("Nothing is sent anywhere, and nothing in a file is ever run.", quiet=True)
    return [File(file.name, file.getvalue()) for file in given if file.name not in large]


def _pasted(problems: list[str]) -> list[File]:
    text = st.text_area(
        "Paste rows of 0 and 1, a printed array, C, parents, positions, words, sequence ids",
        key="lab_text",
        height=150,
        persist_state=KEPT,
        placeholder="0 I   100000\n1 L01 110000\n…",
    )
    return [File("the text", text)] if text and text.strip() else []


def _chosen_first(found: list[Checked]) -> list[Checked]:
    """Of several masks the reader chooses which one to look at."""
    if len(found) < 2:
        return found
    chosen = st.selectbox(
        "Look at",
        range(len(found)),
        format_func=lambda place: f"{place + 1}. {found[place].upload.name}",
        key="lab_look",
    )
    return [found[chosen], *(one for i, one in enumerate(found) if i != chosen)]
