"""What a wrong mask does: a model decodes with it, beside the right one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, cast

import streamlit as st

from lookahead_viz.classroom import PROMPTS, by_name
from lookahead_viz.masklab.consequence import (
    COUNTERFACTUALS,
    Consequence,
    Counterfactual,
    config_of,
    consequence,
    counterfactuals,
)
from lookahead_viz.masklab.mistakes import MISTAKES
from lookahead_viz.masklab.oracle import Oracle, oracle
from lookahead_viz.masklab.report import Report
from lookahead_viz.models import registry
from lookahead_viz.ui import figures, masklab_result, models, tables
from lookahead_viz.ui.masklab_checked import Checked
from lookahead_viz.ui.masklab_step import sentence
from lookahead_viz.ui.style import theme_name
from lookahead_viz.ui.text import say, trouble

NEW_TOKENS = 48
MOST_PROMPTS = 4
MOST_TOKENS = 300
"""Larger passes take too long to watch."""
OWN = "own"
MOST_CHARACTERS = 4000
if TYPE_CHECKING:
    from lookahead_viz.engine.model import Model

Kind = TypeVar("Kind")
_TRIAL, _OTHERS, _ORACLE = "lab_trial", "lab_others", "lab_oracle"


def panel(checked: Checked) -> None:
    """Three buttons, each with its answer below; the report takes the first one's along."""
    st.header("What it does")
    report = checked.report
    columns = st.columns(3, gap="medium")
    with columns[0]:
        _consequence(report)
    tried = _kept(_TRIAL, report, Consequence)
    with columns[1]:
        _oracle(checked)
    with columns[2]:
        masklab_result.download(checked, tried.sentences if tried is not None else ())
    if tried is not None:
        _outcome(tried)
    _counterfactuals(report)


def _consequence(report: Report) -> None:
    name = st.selectbox(
        "Prompt",
        [*(prompt.name for prompt in PROMPTS), OWN],
        format_func=lambda name: getattr(by_name(name), "title", "A prompt of your own"),
        key="lab_prompt",
        persist_state="session",
    )
    chosen = by_name(name or "")
    prompt = _own_prompt() if name == OWN else (chosen or PROMPTS[0]).text
    model = _model_choice()
    pressed = st.button(
        "Decode with this mask",
        key="lab_decode",
        type="primary",
        disabled=bool(report) or report.scene is None,
        help="The model writes from this prompt with the right mask and with yours.",
    )
    if report:
        say("The mask is right: there is nothing to try.", quiet=True)
    elif pressed and not prompt.strip():
        trouble("Your own prompt is empty: write something for the model to continue.")
    elif pressed and len(prompt) > MOST_CHARACTERS:
        trouble(
            f"Your own prompt has {len(prompt):,} characters; at most {MOST_CHARACTERS:,} here."
        )
    elif pressed:
        _run(
            _TRIAL,
            report,
            lambda: consequence(_model(model), prompt, report, config_of(report, NEW_TOKENS)),
            f"{model} is decoding …",
            f"{model}, {getattr(chosen, 'title', 'your own prompt')}:",
        )


def _own_prompt() -> str:
    text = st.text_area(
        "Your own prompt",
        key="lab_own_prompt",
        height=100,
        persist_state="session",
    )
    return text or ""


def _model_choice() -> str:
    """The tiny model, or one that another page has loaded; nothing is fetched here."""
    names = list(dict.fromkeys((registry.TINY, *models.SHELF.names)))
    chosen = st.selectbox(
        "Model",
        names,
        key="lab_model",
        help="The tiny model and those that this app has loaded: decode a prompt of your own "
        "with another one, and it stands here.",
    )
    return chosen if chosen in names else registry.TINY


def _oracle(checked: Checked) -> None:
    report = checked.report
    pressed = st.button(
        "Ask the oracle",
        key="lab_ask",
        disabled=report.scene is None
        or report.scene.sliding_window is not None  # the oracle looks back without a limit
        or report.layout.size > MOST_TOKENS,
        help="A small random model in float64 reads the packed tokens with your mask; every "
        "token must say what plain causal text says after its path.",
    )
    if pressed:
        _run(
            _ORACLE,
            report,
            lambda: oracle(report.read, report.layout, checked.upload.positions),
            "A small random model reads the packed tokens …",
        )
    answer = _kept(_ORACLE, report, Oracle)
    if answer is not None:
        say(str(answer))


def _outcome(tried: Consequence) -> None:
    """The text, the first other token, accepted tokens of every pass."""
    from lookahead_viz.figures.masklab import draw_acceptance_pair

    about = st.session_state[_TRIAL][2]
    if about:
        say(about, quiet=True)
    for said in tried.sentences:
        say(said)
    right, wrong = tried.right.accepted_counts, tried.wrong.accepted_counts
    figures.picture(
        draw_acceptance_pair(right, wrong, theme=theme_name()),
        f"Accepted tokens per pass: right mask {list(right)}; this mask {list(wrong)}.",
        key="lab_acceptance",
    )


def _counterfactuals(report: Report) -> None:
    """Masks that people propose, over several prompts."""
    st.subheader("What if the mask were another one?")
    left, right = st.columns(2)
    names = left.multiselect(
        "Masks",
        list(MISTAKES),
        default=list(COUNTERFACTUALS),
        format_func=lambda name: MISTAKES[name].title if name in MISTAKES else str(name),
        max_selections=6,
        key="lab_masks",
        persist_state="session",
    )
    prompts = right.multiselect(
        "Prompts",
        [prompt.name for prompt in PROMPTS],
        default=[prompt.name for prompt in PROMPTS[:3]],
        format_func=lambda name: getattr(by_name(name), "title", name),
        max_selections=MOST_PROMPTS,
        key="lab_prompts",
        persist_state="session",
    )
    if st.button("Compare", key="lab_compare", disabled=not (names and prompts)):
        chosen = [prompt for prompt in PROMPTS if prompt.name in prompts]
        texts = [prompt.text for prompt in chosen]
        titles = [prompt.title for prompt in chosen]
        model = str(st.session_state.get("lab_model") or registry.TINY)
        _run(
            _OTHERS,
            None,
            lambda: (titles, counterfactuals(_model(model), texts, names=names)),
            f"{model} is decoding …",
        )
    kept = st.session_state.get(_OTHERS)
    if kept is not None:
        _compared(*kept[1])


def _compared(titles: list[str], found: tuple[Counterfactual, ...]) -> None:
    many = len(titles)
    columns = ["mask", "all prompts", *(f"“{title}”" for title in titles), "the text"]
    lines = []
    for one in found:
        same = sum(one.identical)
        text = "identical" if same == many else f"identical on {same} of {many} prompts"
        each = [outcome.compression for outcome in one.outcomes]
        lines.append((one.title, one.compression, *each, text))
    tables.show(columns, lines, "Tokens per pass, and whether the text is that of the right mask")


def _model(name: str) -> Model:
    """A model, loaded when it is first needed and shared by all sessions."""
    return cast("Model", models.load(name))


def _run(
    key: str, about: Report | None, work: Callable[[], object], doing: str, title: str = ""
) -> None:
    """Do it now, and keep the answer for this report; a refusal is one sentence."""
    st.session_state.pop(key, None)
    try:
        with st.spinner(doing):
            st.session_state[key] = (about, work(), title)
    except (ValueError, OSError, ImportError) as error:
        trouble(sentence(error))


def _kept(key: str, report: Report, kind: type[Kind]) -> Kind | None:
    """The answer that was kept for this very report."""
    kept = st.session_state.get(key)
    if kept is None or kept[0] is not report or not isinstance(kept[1], kind):
        return None
    return kept[1]
