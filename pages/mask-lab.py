"""Mask lab: is my mask right, and if not, what is wrong with it?"""

from __future__ import annotations

import streamlit as st

from lookahead_viz.ui import frame, masklab, masklab_export, masklab_result, masklab_trial

with frame.page(
    "Is my mask right?",
    "Drop in what your engine hands to its attention, and read which lines are wrong, by which "
    "rule, which known mistake it is and what it does to the output. Nothing leaves this machine.",
    code=("masklab.check:check", "visibility:rules"),
    words=True,
    compares=False,
):
    left, right = st.columns([1.25, 2.6], gap="medium")
    with left:
        found, problems = masklab.inputs()
    with right:
        masklab_result.problems(problems)
        if not found:
            masklab_result.nothing()
    if found:
        checked, others = found[0], found[1:]
        with right:
            masklab_result.verdict(checked)
        picture, beside = st.columns([2.6, 1], gap="medium")
        with picture, frame.guarded():
            masklab_result.difference(checked)
        with beside, frame.guarded():
            masklab_result.questions(checked.report)
        with frame.guarded():
            masklab_result.findings(checked)
            masklab_result.sizes(checked, others)
        with frame.guarded():
            masklab_trial.panel(checked)
        st.header("The right mask")
        with frame.guarded():
            masklab_export.panel(checked.report.layout, checked.report.read.committed)
