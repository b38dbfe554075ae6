"""The mask lab's answer: the verdict, the difference, the checks, the report to take away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from lookahead_viz.labview.payload import lab_payload
from lookahead_viz.labview.report import report_html
from lookahead_viz.masklab.report import Report
from lookahead_viz.masklab.values import EAGER_WARNING
from lookahead_viz.people_ask import PUBLISHED_COLOURS
from lookahead_viz.player.bundle import LABVIEW
from lookahead_viz.ui import figures, tables
from lookahead_viz.ui.kept import Kept
from lookahead_viz.ui.masklab_checked import Checked
from lookahead_viz.ui.masklab_step import use
from lookahead_viz.ui.text import say, trouble
from lookahead_viz.views.masklab import NAMING, DifferenceView, ReportView, report_view, who_table
from lookahead_viz.views.masklab_questions import five_answers
from lookahead_viz.views.masklab_sizes import SIZE_COLUMNS, size_lines

_component = st.components.v2.component(
    "lookahead_viz_difference", css=LABVIEW.styles, js=LABVIEW.component
)
_payloads: Kept[DifferenceView, dict[str, Any]] = Kept(lab_payload)


def problems(sentences: Iterable[str]) -> None:
    """What could not be read, one sentence each."""
    for sentence in sentences:
        trouble(sentence)


def nothing() -> None:
    """What the place of the verdict says while there is no mask."""
    say("No mask yet: drop a file, paste a text, or try one of the ten wrong masks at the left.")


def verdict(checked: Checked) -> None:
    """Right or wrong, what it is, what to change; what was assumed."""
    report = checked.report
    view = _view(checked)
    mark, look = ("✓", "lv-right") if view.ok else ("✗", "lv-wrong")
    st.html(f'<p class="lv-verdict {look}" role="status">{mark} {escape(view.verdict)}</p>')
    for sentence in view.diagnosis:
        say(sentence)
    if view.rows:
        say(f"Lines: {view.rows}")
    if view.first_wrong:
        say(f"First cell: {view.first_wrong}")
    if view.effect:
        say(view.effect)
    if not view.ok:
        say(NAMING, quiet=True)
    if report.diagnosis.fits is not None:
        fits = report.diagnosis.fits
        st.button(
            f"Compare with {fits.title}, {fits.settings}",
            key="lab_fits",
            on_click=use,
            args=(fits,),
        )
    for warning in view.warnings:
        if warning == EAGER_WARNING:  # only wrong where eager attention is used
            say(warning, quiet=True)
        else:
            trouble(warning)
    say(f"“{checked.upload.name}”: {' '.join(view.read)}", quiet=True)
    st.code(view.assertion, language=None, wrap_lines=True)


def _view(checked: Checked) -> ReportView:
    upload = checked.upload
    return report_view(checked.report, upload.statements, upload.kind != "mask")


def difference(checked: Checked) -> None:
    """The mask beside the right one; nothing where the sizes differ."""
    view = checked.difference
    if view is None:
        say("A picture of the difference needs a mask and a pass of the same size.", quiet=True)
        return
    number, data = _payloads.of(view)
    _component(key="difference", data={**data, "key": number})


def findings(checked: Checked) -> None:
    """All checks in their order, and the wrong cells with their sentences."""
    view = _view(checked)
    tables.show(("result", "check", "answer"), view.findings, "The checks, in order")
    if view.cells:
        opened = st.expander(f"The first {len(view.cells)} wrong cells in words", key="lab_cells")
        with opened:
            _list(view.cells)
    figures.table(
        lambda: who_table(checked.report.layout), "Who is where: the packed tokens as a table"
    )


def sizes(checked: Checked, others: Sequence[Checked]) -> None:
    """The other masks that were given, and the mistake at other sizes."""
    if others:
        lines = [
            ("✓" if one.report else "✗", one.upload.name, one.report.verdict)
            for one in (checked, *others)
        ]
        tables.show(("result", "mask", "verdict"), lines, "All masks that were given")
    diagnosis = checked.report.diagnosis
    mistakes = diagnosis.exact[:1] or diagnosis.together
    if not mistakes:
        return
    found = size_lines(mistakes, checked.report.layout, checked.report.read.committed)
    names = " and ".join(f"‘{one.title}’" for one in mistakes)
    tables.show(
        SIZE_COLUMNS,
        [(line.step, line.tokens, line.wrong, line.verdict) for line in found],
        f"{names} at other sizes",
    )


def questions(report: Report) -> None:
    """Five questions about the published picture, answered on this mask."""
    st.header("Five questions")
    say(PUBLISHED_COLOURS, quiet=True)
    answers = {answer.question: answer for answer in five_answers(report)}
    chosen = st.radio(
        "Five questions",
        list(answers),
        index=None,
        key="lab_question",
        label_visibility="collapsed",
        persist_state="session",
    )
    answer = answers.get(chosen or "")
    if answer is not None:
        for sentence in (*answer.sentences, *answer.cells):
            say(sentence)


def download(checked: Checked, extra: Sequence[str]) -> None:
    """The report as one file, made when it is asked for."""
    st.download_button(
        "Save the report",
        data=partial(_report, _view(checked), checked.difference, tuple(extra)),
        file_name="mask-report.html",
        mime="text/html",
        on_click="ignore",
        key="lab_report",
        icon=":material/download:",
        help="One HTML file with the verdict, the difference and the checks; needs no network.",
    )


def _report(view: ReportView, difference: DifferenceView | None, extra: tuple[str, ...]) -> bytes:
    return report_html(view, difference, extra).encode("utf-8", "replace")


def _list(sentences: Iterable[str]) -> None:
    items = "".join(f"<li>{escape(one)}</li>" for one in sentences)
    st.html(f'<ul class="lv-list">{items}</ul>')
