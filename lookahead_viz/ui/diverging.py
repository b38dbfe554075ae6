"""The divergence explorer on the Race page: one prompt, several precisions, and what came out."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lookahead_viz.comparison import Comparison
from lookahead_viz.config import CONFIGS, Config
from lookahead_viz.divergence import (
    ATTENTIONS,
    DTYPES,
    USUAL_DTYPES,
    Divergence,
    Progress,
    Setting,
    comparison,
)
from lookahead_viz.divergence_words import OUTCOME_COLUMNS, answer, outcome_rows
from lookahead_viz.methods import METHODS
from lookahead_viz.ui import models, session, tables
from lookahead_viz.ui.background import Background, Report
from lookahead_viz.ui.prompt_check import prompt_problem
from lookahead_viz.ui.text import say, trouble
from lookahead_viz.ui.watching import outcome, watch
from lookahead_viz.words import count

QUESTION = "Why is my half-precision output different from greedy?"
COMPARED = [name for name in METHODS if name not in ("greedy", "speculative-jacobi")]


class Explorer:
    """The exploration of one session; a new one ends the one before."""

    def __init__(self) -> None:
        self.job: Background[Divergence] | None = None

    def close(self) -> None:
        if self.job is not None:
            self.job.stop()


@st.cache_resource(scope="session", on_release=lambda found: found.close(), show_spinner=False)
def explorer() -> Explorer:
    """The ``Explorer`` of this session; it stops when the session ends."""
    return Explorer()


def panel(shown: Comparison) -> None:
    """Drawn when it is opened: the form, the progress, the answer and its numbers."""
    opened = st.expander(QUESTION, key="divergence", on_change="rerun")
    if not opened.open:
        return
    with opened:
        job = explorer().job
        if job is not None and job.running:
            watch(job, "divergence")
            return
        same = outcome(job, _form(shown))
        if job is not None and job.result is not None:
            _show(job.result, same)


def _form(shown: Comparison) -> object:
    """Draws the form; what it asks for, to be compared with ``==``."""
    say(
        "One prompt is decoded in every precision and attention by every method; where a text "
        "parts from greedy's, the gap between the two best logits is set against how much the "
        "shape of the passes moves such gaps.",
        quiet=True,
    )
    left, right = st.columns(2)
    with left:
        titles = {choice.name: choice.title for choice in models.installed()}
        model = st.selectbox(
            "Model to compute with",
            list(titles),
            format_func=titles.__getitem__,
            key="div_model",
            persist_state="session",
        )
        first = shown.runs[0].prompt if shown.runs else ""
        prompt = st.text_area(
            "Prompt to decode", first, height=110, key="div_prompt", persist_state="page"
        )
    with right:
        dtypes = st.multiselect(
            "Precisions",
            DTYPES,
            default=list(USUAL_DTYPES),
            key="div_dtypes",
            persist_state="session",
        )
        attentions = st.multiselect(
            "Attentions",
            ATTENTIONS,
            default=list(ATTENTIONS),
            key="div_attentions",
            persist_state="session",
        )
        methods = st.multiselect(
            "Methods against greedy",
            COMPARED,
            default=["jacobi", "lookahead"],
            format_func=lambda name: METHODS[name].label,
            key="div_methods",
            persist_state="session",
        )
        tokens = st.slider(
            "New tokens", 8, 256, 64, step=8, key="div_tokens", persist_state="session"
        )
    asked = (model, prompt, tuple(dtypes), tuple(attentions), tuple(methods), tokens)
    problem = _problem(model, prompt, dtypes, attentions, methods)
    runs = len(dtypes) * len(attentions) * (len(methods) + 1)
    say(problem or f"{count(runs, 'decoding')} of {count(tokens, 'token')}.", quiet=True)
    if st.button("Explore", key="div_run", type="primary", disabled=bool(problem)):
        configs = _configs(methods, tokens)
        explorer().close()
        explorer().job = Background(
            lambda report: _work(str(model), prompt, configs, dtypes, attentions, report), asked
        )
        st.rerun()
    return asked


def _problem(
    model: str | None,
    prompt: str,
    dtypes: Sequence[str],
    attentions: Sequence[str],
    methods: Sequence[str],
) -> str:
    if model is None:
        return "There is no model here yet: get one at the left."
    if prompt_problem(prompt):
        return prompt_problem(prompt)
    if not dtypes or not attentions or not methods:
        return "Choose at least one precision, one attention and one method."
    return ""


def _configs(methods: Sequence[str], tokens: int) -> list[Config]:
    return [CONFIGS[name](max_new_tokens=tokens, alternatives=0) for name in ("greedy", *methods)]


def _work(
    model: str,
    prompt: str,
    configs: Sequence[Config],
    dtypes: Sequence[str],
    attentions: Sequence[str],
    report: Report,
) -> Divergence:
    from lookahead_viz.models.diverging import diverge

    def show(progress: Progress) -> bool:
        done = f"{progress.done} of {progress.runs} done"
        return report(progress.done / progress.runs, f"{progress.sentence} ({done})")

    return diverge(model, prompt, configs, dtypes=dtypes, attentions=attentions, on_progress=show)


def _show(found: Divergence, same: bool) -> None:
    """The answer; what was refused, or stopped, only while the ``same`` is asked for."""
    if same and not found.whole:
        say("Stopped: what was decoded is kept.", quiet=True)
    for one in found.refused if same else ():
        trouble(f"{one.setting.label}: {one.reason}")
    if not found.outcomes:
        return
    say(answer(found))
    tables.show(OUTCOME_COLUMNS, outcome_rows(found), "Every run against greedy decoding")
    settings = list(dict.fromkeys(one.setting for one in found.outcomes))
    chosen = st.selectbox(
        "Look at the runs of",
        settings,
        index=None,
        format_func=lambda setting: setting.label,
        placeholder="Choose a precision and an attention …",
        key="div_look",
    )
    if chosen is not None:
        st.button("Race them", key="div_race", on_click=_race, args=(found, chosen))


def _race(found: Divergence, setting: Setting) -> None:
    session.put(session.OWN, comparison(found, setting))
