"""One's own prompt: what to decode with which model; Run. Bad values are explained in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from lookahead_viz.classroom import PROMPTS, by_name
from lookahead_viz.comparison import config_label
from lookahead_viz.config import (
    CONFIGS,
    Config,
)
from lookahead_viz.models import registry
from lookahead_viz.presets import CHOSEN_BY_PRESETS
from lookahead_viz.ui import method_settings, models, progress, session
from lookahead_viz.ui.decoding import Recorder, Request
from lookahead_viz.ui.prompt_check import prompt_problem
from lookahead_viz.ui.text import say, trouble

MOST_LANES = 5
EXAMPLE = "Once upon a time, there was a little"
_KEPT: Any = "session"
OTHER = "other"
_SEEN = "own_seen"  # the request that was started last, or first seen


def draw() -> None:
    """All controls; Run, or in live mode any change, starts a decoding and redraws the page."""
    models.fetch_button()
    problems = _prompt()
    model = _model({choice.name: choice.title for choice in models.installed()})
    if not model:
        problems.append("Name a model folder, a .gguf file or a hub id.")
        say(problems[-1], quiet=True)
    configs = _configs(method_settings.draw(model), problems)
    request = Request(
        prompt=str(st.session_state["own_prompt"]),
        model=model,
        configs=configs,
        chat=models.has_chat_template(model) and bool(st.session_state.get("own_chat")),
    )
    pressed = st.button(
        "Run",
        key="own_run",
        type="primary",
        icon=":material/play_arrow:",
        width="stretch",
        disabled=bool(problems),
    )
    live = model == registry.TINY and st.toggle(
        "Live: decode again at every change",
        value=True,
        key="own_live",
        persist_state=_KEPT,
        help="The tiny model is quick enough: move a slider and every page follows.",
    )
    if not problems and (pressed or (live and _changed(request))):
        st.session_state[_SEEN] = request
        session.worker().start(request, models.load, _record)
        st.rerun()
    elif progress.outdated(request):
        st.rerun()  # the whole page: what it says went wrong with other inputs


def _changed(request: Request) -> bool:
    """Does this request differ from the last one seen? The first one seen is no change."""
    return bool(st.session_state.setdefault(_SEEN, request) != request)


def _prompt() -> list[str]:
    """The prompt box; a list of what is wrong with it."""
    _classroom()
    prompt = st.text_area(
        "Prompt",
        EXAMPLE,
        height=110,
        key="own_prompt",
        persist_state=_KEPT,
    )
    problem = prompt_problem(prompt)
    if not problem:
        return []
    trouble(problem)
    return [problem]


def _classroom() -> None:
    """A menu of prompts that each show something; choosing one puts it into the prompt box."""
    chosen = st.selectbox(
        "Classroom prompt",
        [prompt.name for prompt in PROMPTS],
        index=None,
        format_func=lambda name: getattr(by_name(name), "title", name),
        placeholder=f"Choose one of {len(PROMPTS)} …",
        key="own_classroom",
        on_change=_take_classroom_prompt,
        persist_state=_KEPT,
    )
    prompt = by_name(chosen or "")
    if prompt is not None and st.session_state.get("own_prompt") == prompt.text:
        say(prompt.note, quiet=True)


def _take_classroom_prompt() -> None:
    prompt = by_name(st.session_state["own_classroom"] or "")
    if prompt is not None:
        st.session_state["own_prompt"] = prompt.text


def _model(titles: Mapping[str, str]) -> str:
    """The name of the chosen model, or what was typed for another one (possibly nothing)."""
    name = st.selectbox(
        "Model",
        [*titles, OTHER],
        format_func=lambda name: titles.get(name, "Another model …"),
        key="own_model",
        persist_state=_KEPT,
    )
    if name == OTHER:
        name = st.text_input(
            "Folder, .gguf file or hub id",
            key="own_other",
            persist_state=_KEPT,
            help="A hub id is downloaded from the Hugging Face hub.",
        ).strip()
    if models.has_chat_template(name):
        st.toggle(
            "Chat template",
            key="own_chat",
            persist_state=_KEPT,
            help="Ask as a chat message, for models that were trained to answer.",
        )
    if models.exactness(name):
        say(models.exactness(name), quiet=True)
    return name


def _configs(settings: Mapping[str, Any], problems: list[str]) -> tuple[Config, ...]:
    """The lanes that are ticked; what is wrong is shown and added to ``problems``."""
    try:
        configs = configs_of(settings)
        if not configs:
            raise ValueError("Tick at least one method.")
        if len(configs) > MOST_LANES:
            raise ValueError(
                f"{len(configs)} lanes are ticked: {' · '.join(map(config_label, configs))}; at "
                f"most {MOST_LANES} race with one another. Take away "
                f"{len(configs) - MOST_LANES}: untick methods, or remove engines from "
                "“Lookahead as in”."
            )
    except ValueError as error:
        trouble(str(error))
        problems.append(str(error))
        return ()
    return configs


def configs_of(settings: Mapping[str, Any]) -> tuple[Config, ...]:
    """A config for every lane; ValueError in one sentence.

    That is one per method of ``settings["methods"]``, but one for each of
    ``settings["lookaheads"]`` (an engine's settings, or one's own) of lookahead. Lanes that are
    the same are one.
    """
    found: list[Config] = []
    for name in settings["methods"]:
        kind: type[Config] = CONFIGS[name]
        shared = {field: settings[field] for field in _fields(kind) if field in settings}
        if name == "lookahead" and "lookaheads" in settings:
            sizes = {key: value for key, value in shared.items() if key not in CHOSEN_BY_PRESETS}
            found += [kind(**sizes | lane) for lane in settings["lookaheads"]]
        else:
            found.append(kind(**shared))
    return tuple(dict.fromkeys(found))


def _fields(kind: type[Config]) -> tuple[str, ...]:
    return tuple(kind.__dataclass_fields__)


def _record(*arguments: Any, **settings: Any) -> Any:
    """``lookahead_viz.record``, imported (with torch) only in the decoding thread."""
    import lookahead_viz as lv

    recorder: Recorder = lv.record  # type: ignore[assignment]
    return recorder(*arguments, **settings)
