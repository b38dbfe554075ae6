"""The controls of every method: what is ticked decides what is offered and what is decoded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lookahead_viz import gallery
from lookahead_viz.config import CONFIGS, Config
from lookahead_viz.methods import METHODS
from lookahead_viz.models import registry
from lookahead_viz.models.registry import ModelChoice
from lookahead_viz.ui import controls, models, session
from lookahead_viz.ui.decoding import Worker
from tests.toy_runs import toy_run

ROOT = Path(__file__).parent.parent


class ToyModel:
    def __init__(self, name: str, on_progress: object = None) -> None:
        self.name = name
        self.has_chat_template = False


@pytest.fixture
def asked(toy_gallery: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Config, Any]]:
    """Every decoding that was asked for: config, and the draft model that was handed over."""
    found: list[tuple[Config, Any]] = []

    def record(model: Any, prompt: str, config: Config, on_step: Any, draft: Any = None) -> Any:
        found.append((config, draft))
        run = toy_run(config.method, max_new_tokens=9)
        for step in run.steps:
            on_step(step)
        return run

    choices = [
        ModelChoice(name, name.title(), "", installed=True, needs_fetch=False)
        for name in (registry.TINY, registry.SMOLLM2)
    ]
    monkeypatch.setattr(gallery, "RUNS", toy_gallery)
    monkeypatch.setattr(registry, "available", lambda: choices)
    monkeypatch.setattr(models, "load", lambda name, _: ToyModel(name))
    monkeypatch.setattr(controls, "_record", record)
    worker = Worker()
    monkeypatch.setattr(session, "worker", lambda: worker)
    return found


def decoded(at: AppTest) -> None:
    at.button("own_run").click().run()
    for _ in range(200):
        at.run()
        if not at.get("progress"):
            assert not at.exception
            return
    raise AssertionError("the decoding did not end")


def opened(*methods: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "pages" / "race.py"), default_timeout=60)
    at.session_state["panel_own"] = True
    at.session_state["own_live"] = False
    at.run()
    return at.multiselect("own_methods").set_value(list(methods)).run()


def sentences(at: AppTest) -> str:
    return " ".join(element.proto.body for element in at.get("html"))


def test_every_method_of_the_table_can_be_ticked_and_is_decoded(
    asked: list[tuple[Config, Any]],
) -> None:
    names = list(METHODS)
    at = opened(*names[:5])
    assert at.multiselect("own_methods").options == [m.label for m in METHODS.values()]
    decoded(at)
    at.multiselect("own_methods").set_value(names[5:]).run()
    decoded(at)
    assert [type(config) for config, _ in asked] == list(CONFIGS.values())
    assert all(draft is None for _, draft in asked)  # its own layers: nothing is handed over


def test_only_what_belongs_to_the_ticked_methods_is_offered(asked: list[Any]) -> None:
    at = opened("greedy")
    keys = {element.key for element in (*at.slider, *at.selectbox, *at.number_input)}
    assert not keys & {"own_w", "own_n", "own_block", "own_blocks", "own_draft", "own_gamma"}
    at.multiselect("own_methods").set_value(["multiblock-jacobi", "prompt-lookup"]).run()
    keys = {element.key for element in (*at.slider, *at.selectbox, *at.number_input)}
    assert {"own_n", "own_g", "own_block", "own_blocks", "own_gamma", "own_match"} <= keys
    assert not keys & {"own_w", "own_draft"}


def test_another_model_can_be_the_draft(asked: list[tuple[Config, Any]]) -> None:
    at = opened("speculative")
    at.slider("own_layers").set_value(1)
    at.slider("own_gamma").set_value(7)
    decoded(at)
    at.selectbox("own_draft").set_value(registry.SMOLLM2).run()
    decoded(at)
    (own, nothing), (other, draft) = asked
    assert vars(own)["draft"] == 1 and vars(own)["gamma"] == 7 and nothing is None
    assert vars(other)["draft"] == registry.SMOLLM2 and draft.name == registry.SMOLLM2


def test_temperature_goes_to_those_that_sample(asked: list[tuple[Config, Any]]) -> None:
    at = opened("jacobi", "speculative", "speculative-jacobi")
    assert "at temperature 0 (More settings) it is pure Jacobi" in sentences(at)
    at.number_input("own_temperature").set_value(0.7).run()
    assert "Always greedy: Jacobi." in sentences(at)
    at.number_input("own_top_k").set_value(5).run()
    decoded(at)
    found = {config.method: vars(config) for config, _ in asked}
    assert "temperature" not in found["jacobi"]
    for method in ("speculative", "speculative-jacobi"):
        settings = found[method]
        assert (settings["temperature"], settings["top_k"], settings["top_p"]) == (0.7, 5, None)
