"""The mask lab's reading: every mask of a file, read and checked against the pass it is meant for.

Everything an upload can do wrong ends here as one sentence.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace

import streamlit as st

from lookahead_viz.masklab.check import check
from lookahead_viz.masklab.layouts import PackedLayout, packed
from lookahead_viz.masklab.normalise import UnreadableMask
from lookahead_viz.masklab.reading import Upload, read_pasted, read_upload
from lookahead_viz.masklab.reading_model import Kind
from lookahead_viz.masklab.report import Report
from lookahead_viz.ui.masklab_step import How, sentence
from lookahead_viz.ui.text import say
from lookahead_viz.views.masklab import DifferenceView, difference_view

MOST_FILES = 12
_SIZES_IN_NAME = re.compile(r"W(\d{1,4})\D{0,3}N(\d{1,4})\D{0,3}G(\d{1,4})", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class File:
    """What was given, before it is read."""

    name: str
    data: bytes | str

    @property
    def digest(self) -> str:
        data = self.data.encode("utf-8", "replace") if isinstance(self.data, str) else self.data
        return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, eq=False)
class Checked:
    """One mask that was read and checked."""

    upload: Upload
    report: Report
    difference: DifferenceView | None


def checked(file: File, how: How, problems: list[str]) -> list[Checked]:
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
    """The pass to compare with: of another size where the mask's name, mask_W5_N4_G2, says so."""
    named = _SIZES_IN_NAME.search(upload.name)
    if named is None or layout.variant or upload.mask.shape[-2] == layout.size:
        return layout
    other = packed(layout.name, *(int(size) for size in named.groups()))
    return other if other.size == upload.mask.shape[-2] else layout


@st.cache_resource(max_entries=4, show_spinner=False)
def _read(digest: str, name: str, kind: Kind | None, _file: File) -> tuple[Upload, ...]:
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
