"""One's own prompt on a page: decoded by what is ticked; bad values explained in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lookahead_viz.config import Config
from lookahead_viz.models import registry
from lookahead_viz.models.registry import ModelChoice
from lookahead_viz.records import Run, Step
from lookahead_viz.ui import controls, models, session
from lookahead_viz.ui.decoding import Encoder
from tests.app_pages import fine, opened, sentences
from tests.toy_gallery import menu
from tests.toy_runs import toy_run

pytestmark = pytest.mark.usefixtures("over_toy_runs")


class ToyModel:
    has_chat_template = False

    def encode_chat(self, text: str) -> Sequence[int]:
        raise AssertionError("not asked for")


def recorded(model: Encoder, prompt: str, config: Config, on_step: Callable[[Step], bool]) -> Run:
    run = toy_run(config.method, max_new_tokens=config.max_new_tokens)
    for step in run.steps:
        on_step(step)
    return run


@pytest.fixture
def toy_model(over_toy_runs: None, monkeypatch: pytest.MonkeyPatch) -> None:
    choice = ModelChoice("toy", "Toy model", "", installed=True, needs_fetch=False)
    monkeypatch.setattr(registry, "available", lambda: [choice])
    monkeypatch.setattr(models, "load", lambda name, _: ToyModel())
    monkeypatch.setattr(controls, "_record", recorded)


@pytest.mark.usefixtures("toy_model")
def test_an_own_prompt_is_decoded_by_the_ticked_methods() -> None:
    at = opened("race", "own")
    at.slider("own_tokens").set_value(12)
    at.button("own_run").click().run()
    fine(wait_for_job(at))
    assert menu(at).value == session.OWN
    assert "identical: 12/12 tokens" in sentences(at)
    menu(at).set_value("toy/code").run()
    fine(menu(at).set_value(session.OWN).run())


def wait_for_job(at: AppTest) -> AppTest:
    """Look again until the decoding in the background is over."""
    for _ in range(200):
        at.run()
        if not at.get("progress"):
            return at
    raise AssertionError("the decoding did not end")


@pytest.mark.usefixtures("toy_model")
def test_bad_values_are_explained_where_they_are() -> None:
    at = opened("race", "own")
    at.text_area("own_prompt").set_value("").run()
    assert "it must hold at least one character" in sentences(at)
    assert at.button("own_run").disabled
    at.text_area("own_prompt").set_value("hello").run()
    at.multiselect("own_methods").set_value([]).run()
    assert "Tick at least one method" in sentences(at)
    assert at.button("own_run").disabled


@pytest.mark.usefixtures("toy_model")
def test_the_slots_of_a_pass_are_told_while_choosing() -> None:
    at = opened("race", "own")
    at.slider("own_w").set_value(10)
    at.slider("own_n").set_value(3)
    at.slider("own_g").set_value(0).run()
    assert "up to 20 slots" in sentences(at)
    assert "nothing is verified" in sentences(at)


def test_without_a_model_run_is_off_and_smollm2_is_offered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    choice = ModelChoice("smollm2-135m", "SmolLM2", "Real.", installed=False, needs_fetch=True)
    monkeypatch.setattr(registry, "available", lambda: [choice])
    at = opened("race", "own")
    assert at.button("own_run").disabled
    assert at.button("fetch").label == "Get SmolLM2" and "damaged" not in sentences(at)
    broken = replace(choice, damage="model.safetensors is missing")
    monkeypatch.setattr(registry, "available", lambda: [broken])
    at = opened("race", "own")
    assert "SmolLM2 is damaged (model.safetensors is missing): get it again." in sentences(at)
    assert at.button("fetch").label == "Get SmolLM2"


def test_settings_become_one_config_per_method() -> None:
    settings: dict[str, Any] = {
        "methods": ["greedy", "lookahead"],
        "max_new_tokens": 9,
        "seed": 3,
        "window_size": 2,
        "ngram_size": 3,
        "max_candidates": 1,
        "shift": "slide",
    }
    greedy, lookahead = controls.configs_of(settings)
    assert (greedy.method, greedy.max_new_tokens) == ("greedy", 9)
    assert vars(lookahead).items() >= {"window_size": 2, "shift": "slide", "seed": 3}.items()
