"""The mask lab's inputs: a mask from the gallery, a file or a text, and the step it is meant for.

Everything an upload can do wrong ends here as one sentence.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from typing import Any, Literal

import streamlit as st

from lookahead_viz.masklab.check import check
from lookahead_viz.masklab.gallery import EXHIBITS
from lookahead_viz.masklab.kinds import LAYOUTS
from lookahead_viz.masklab.layouts import PackedLayout, packed
from lookahead_viz.masklab.normalise import POLARITIES, Polarity, UnreadableMask
from lookahead_viz.masklab.reading import WORDS, Upload, read_pasted, read_upload
from lookahead_viz.masklab.reading_model import KINDS, MAX_UPLOAD_BYTES, MAX_UPLOAD_MB, Kind
from lookahead_viz.masklab.report import Report
from lookahead_viz.ui.text import say
from lookahead_viz.views.masklab import DifferenceView, difference_view
from lookahead_viz.words import one_line

Source = Literal["Try one", "Upload", "Paste"]
SOURCES: tuple[Source, ...] = ("Try one", "Upload", "Paste")
ENDINGS = ["npy", "npz", "pt", "pth", "safetensors", "json", "csv", "txt", "c"]
MOST_FILES = 12
_SIZES_IN_NAME = re.compile(r"W(\d{1,4})\D{0,3}N(\d{1,4})\D{0,3}G(\d{1,4})", re.IGNORECASE)
_KEPT: Any = "session"
_SETTINGS = {"lab_layout": "lade", "lab_w": 5, "lab_n": 4, "lab_g": 2}
_VARIANTS = {
    "step": "Warm-up step k",
    "fill": "Filling step f",
    "prompt_length": "Prompt tokens",
    "rank": "Rank k",
    "ranks": "of R ranks",
    "refed": "Re-fed tokens h",
    "length": "Tokens",
}


@dataclass(frozen=True)
class How:
    """How a mask is read and what it is compared with."""

    layout: PackedLayout
    polarity: Polarity
    kind: Kind | None
    sliding_window: int | None


@dataclass(frozen=True, eq=False)
class Checked:
    """One mask that was read and checked."""

    upload: Upload
    report: Report
    difference: DifferenceView | None


@dataclass(frozen=True, eq=False)
class _File:
    """What was given, before it is read."""

    name: str
    data: bytes | str

    @property
    def digest(self) -> str:
        data = self.data.encode("utf-8", "replace") if isinstance(self.data, str) else self.data
        return hashlib.sha256(data).hexdigest()


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
        persist_state=_KEPT,
    )
    problems: list[str] = []
    files = {"Upload": _uploaded, "Paste": _pasted}.get(str(source), _exhibited)(problems)
    how = _how(problems)
    found: list[Checked] = []
    if how is not None:
        for file in files:
            found += _checked(file, how, problems)
    return _chosen_first(found), problems


def _exhibited(problems: list[str]) -> list[_File]:
    """One of the ten wrong masks; choosing one sets the step that it is meant for."""
    for name, value in _SETTINGS.items():
        st.session_state.setdefault(name, value)
    key = st.selectbox(
        "Ten wrong masks to try",
        list(EXHIBITS),
        format_func=lambda key: EXHIBITS[key].title if key in EXHIBITS else str(key),
        key="lab_exhibit",
        on_change=_take_exhibit,
        persist_state=_KEPT,
    )
    exhibit = EXHIBITS.get(key or "", next(iter(EXHIBITS.values())))
    say(exhibit.story, quiet=True)
    name, data = exhibit.file()
    return [_File(name, data)]


def _take_exhibit() -> None:
    key = st.session_state.get("lab_exhibit", next(iter(EXHIBITS)))
    exhibit = EXHIBITS.get(str(key))
    if exhibit is not None and st.session_state.get("lab_source", SOURCES[0]) == SOURCES[0]:
        use(exhibit.step)


def use(layout: PackedLayout) -> None:
    """Compare with this step from now on (in a callback: widgets are set)."""
    sizes = (layout.name, layout.window_size, layout.ngram_size, layout.candidates)
    st.session_state.update(zip(_SETTINGS, sizes, strict=True))
    for name, value in layout.variant:
        if name in _VARIANTS:
            st.session_state[f"lab_{name}"] = value


def _uploaded(problems: list[str]) -> list[_File]:
    given = st.file_uploader(
        "Drop your mask here",
        type=ENDINGS,
        accept_multiple_files=True,
        max_upload_size=MAX_UPLOAD_MB,
        key="lab_file",
        help="The numbers of one step: a mask, parents, positions, packed words, sequence ids. "
        "Position ids and token texts may stand beside it in the same file.",
    )
    if len(given) > MOST_FILES:
        problems.append(f"{len(given)} files are too many at once; drop at most {MOST_FILES}.")
        return []
    large = [file.name for file in given if file.size > MAX_UPLOAD_BYTES]
    if large:
        problems.append(
            f"“{large[0]}” is larger than {MAX_UPLOAD_MB} MB: save the mask of one step alone."
        )
    if not given:
        say("Nothing is sent anywhere, and nothing in a file is ever run.", quiet=True)
    return [_File(file.name, file.getvalue()) for file in given if file.name not in large]


def _pasted(problems: list[str]) -> list[_File]:
    text = st.text_area(
        "Paste rows of 0 and 1, a printed array, C, parents, positions, words, sequence ids",
        key="lab_text",
        height=150,
        persist_state=_KEPT,
        placeholder="0 I   100000\n1 L01 110000\n…",
    )
    return [_File("the text", text)] if text and text.strip() else []


def _how(problems: list[str]) -> How | None:
    """The step that the mask is meant for, and how its numbers are to be taken."""
    for name, value in _SETTINGS.items():
        st.session_state.setdefault(name, value)
    layout = st.selectbox(
        "Layout",
        list(LAYOUTS),
        format_func=lambda name: LAYOUTS[name].title if name in LAYOUTS else str(name),
        key="lab_layout",
        persist_state=_KEPT,
        help="The order in which the engine packs the tokens of a step.",
    )
    kind = LAYOUTS[layout]
    say(kind.description, quiet=True)
    columns = st.columns(3)
    sizes = [
        column.number_input(label, least, 1000, key=key, persist_state=_KEPT, help=about)
        for column, label, key, least, about in zip(
            columns,
            ("W", "N", "G"),
            ("lab_w", "lab_n", "lab_g"),
            (1, 2, 0),
            (
                "Window columns",
                "Tokens of an n-gram",
                "Candidates present in this step",
            ),
            strict=True,
        )
    ]
    variant = _variant(kind.variants)
    with st.popover("How it is read", width="stretch"):
        taken, polarity, sliding = _reading()
    try:
        step = packed(layout, *(int(size) for size in sizes), **variant)
    except ValueError as error:
        problems.append(sentence(error))
        return None
    return How(step, polarity, taken, sliding or None)


def _variant(names: tuple[str, ...]) -> dict[str, Any]:
    """A layout's own settings."""
    found: dict[str, Any] = {}
    if "tokens" in names:
        text = st.text_input(
            "Tokens, one per canonical slot",
            key="lab_tokens",
            persist_state=_KEPT,
            help="Ids or texts apart by spaces, window row by row, then the candidates: equal "
            "prefixes are merged. Nothing given: all are different.",
        )
        found["tokens"] = text.split() or None
    numbers = [name for name in names if name in _VARIANTS]
    starts = {"prompt_length": 1, "length": 21, "ranks": 2, "fill": 1, "step": 1}
    for column, name in zip(st.columns(max(len(numbers), 1)), numbers, strict=False):
        st.session_state.setdefault(f"lab_{name}", starts.get(name, 0))
        found[name] = int(
            column.number_input(_VARIANTS[name], 0, 4000, key=f"lab_{name}", persist_state=_KEPT)
        )
    return found


def _reading() -> tuple[Kind | None, Polarity, int]:
    taken = st.selectbox(
        "Taken for",
        ("auto", *KINDS),
        format_func=lambda kind: "what it looks like" if kind == "auto" else WORDS[kind],
        key="lab_kind",
        persist_state=_KEPT,
    )
    polarity = st.selectbox(
        "The numbers mean",
        POLARITIES,
        format_func={
            "auto": "what they look like",
            "keep=1": "1 or True = may attend",
            "keep=0": "0 or False = may attend",
            "additive": "added to the scores",
        }.__getitem__,
        key="lab_polarity",
        persist_state=_KEPT,
    )
    sliding = st.number_input(
        "The model's sliding window (0: none)", 0, 100_000, key="lab_sliding", persist_state=_KEPT
    )
    kind = next((kind for kind in KINDS if kind == taken), None)
    return kind, polarity, int(sliding)


def _checked(file: _File, how: How, problems: list[str]) -> list[Checked]:
    """Every mask of one file; a sentence where it holds none."""
    try:
        uploads = _read(file.digest, file.name, how.kind, file)
    except UnreadableMask as error:
        problems.append(f"{file.name}: {sentence(error)}")
        return []
    found = []
    for number, upload in enumerate(uploads[:MOST_FILES]):
        try:
            own = replace(how, layout=_own_size(upload, how.layout))
            with st.spinner("Checking …"):
                found.append(_check(file.digest, file.name, number, own, upload))
        except ValueError as error:
            problems.append(f"{upload.name}: {sentence(error)}")
    if len(uploads) > MOST_FILES:
        say(
            f"Of {len(uploads)} masks in {file.name} the first {MOST_FILES} are shown.", quiet=True
        )
    return found


def _own_size(upload: Upload, layout: PackedLayout) -> PackedLayout:
    """The step to compare with: of another size where the mask's name, mask_W5_N4_G2, says so."""
    named = _SIZES_IN_NAME.search(upload.name)
    if named is None or layout.variant or upload.mask.shape[-2] == layout.size:
        return layout
    other = packed(layout.name, *(int(size) for size in named.groups()))
    return other if other.size == upload.mask.shape[-2] else layout


@st.cache_resource(max_entries=4, show_spinner=False)
def _read(digest: str, name: str, kind: Kind | None, _file: _File) -> tuple[Upload, ...]:
    if isinstance(_file.data, str):
        return read_pasted(_file.data, kind)
    return read_upload(_file.data, name, kind)


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs={How: repr})
def _check(digest: str, name: str, number: int, how: How, _upload: Upload) -> Checked:
    report = check(
        _upload.mask,
        layout=how.layout,
        positions=_upload.positions,
        tokens=_upload.tokens,
        polarity=how.polarity,
        sliding_window=how.sliding_window,
    )
    return Checked(_upload, report, difference_view(report, _upload.tokens))


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


def sentence(error: ValueError) -> str:
    """What went wrong, beginning with a capital letter; the name of a setting stays as it is."""
    said = one_line(error)
    first, space, rest = said.partition(" ")
    if "_" in first or first in _VARIANTS:
        return f"‘{first}’{space}{rest}"
    return said[:1].upper() + said[1:]
