"""Own prompts: live decoding, the classroom prompts, another model than the listed ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import unescape
from pathlib import Path
from time import sleep

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from lookahead_viz import gallery
from lookahead_viz.classroom import PROMPTS
from lookahead_viz.config import Config, LookaheadConfig
from lookahead_viz.models import registry
from lookahead_viz.models.registry import ModelChoice
from lookahead_viz.records import Run, Step
from lookahead_viz.ui import controls, models, progress, session, sidebar
from lookahead_viz.ui.decoding import Encoder, Worker
from tests.toy_gallery import menu
from tests.toy_runs import toy_run

ROOT = Path(__file__).resolve().parent.parent


class ToyModel:
    has_chat_template = False

    def encode_chat(self, text: str) -> Sequence[int]:
        raise AssertionError("not asked for")


@pytest.fixture
def asked(toy_gallery: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, Config]]:
    """Every decoding that was asked for: model, prompt, config."""
    found: list[tuple[str, str, Config]] = []
    loaded: list[str] = []

    def load(name: str, on_progress: object = None) -> ToyModel:
        loaded.append(name)
        return ToyModel()

    def record(
        model: Encoder, prompt: str, config: Config, on_step: Callable[[Step], bool]
    ) -> Run:
        found.append((loaded[-1], prompt, config))
        run = toy_run(config.method, max_new_tokens=config.max_new_tokens)
        for step in run.steps:
            on_step(step)
        return run

    choice = ModelChoice(registry.TINY, "Tiny", "", installed=True, needs_fetch=False)
    monkeypatch.setattr(gallery, "RUNS", toy_gallery)
    monkeypatch.setattr(registry, "available", lambda: [choice])
    monkeypatch.setattr(models, "load", load)
    monkeypatch.setattr(controls, "_record", record)
    worker = Worker()  # AppTest has one session for all tests: leave it no job
    monkeypatch.setattr(session, "worker", lambda: worker)
    return found


def opened(page: str = "window") -> AppTest:
    at = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=60)
    at.session_state["panel_own"] = True
    return at.run()


def settled(at: AppTest) -> AppTest:
    for _ in range(200):
        at.run()
        if not at.get("progress"):
            assert not at.exception
            return at
    raise AssertionError("the decoding did not end")


def test_opening_the_panel_decodes_nothing(asked: list[object]) -> None:
    settled(opened())
    assert asked == []


def test_moving_a_slider_decodes_again_and_the_page_follows(
    asked: list[tuple[str, str, Config]],
) -> None:
    at = settled(opened())
    at.slider("own_w").set_value(7).run()
    settled(at)
    sizes = [c.window_size for _, _, c in asked if isinstance(c, LookaheadConfig)]
    assert sizes == [7]
    assert menu(at).value == session.OWN
    at.session_state["step"] = 3
    at.slider("own_g").set_value(2).run()
    settled(at)
    assert at.session_state["step"] == 3  # it stays where the reader is
    candidates = [c.max_candidates for _, _, c in asked if isinstance(c, LookaheadConfig)]
    assert candidates == [5, 2]


def test_a_decoding_that_ends_while_the_page_is_drawn_is_not_missed(
    asked: list[tuple[str, str, Config]], monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = progress.draw

    def late() -> None:
        job = session.worker().job
        while job is not None and job.running:
            sleep(0.01)
        draw()

    monkeypatch.setattr(progress, "draw", late)
    at = opened()
    at.slider("own_w").set_value(7).run()
    assert asked and menu(at).value == session.OWN


def test_a_menu_that_lags_behind_does_not_bring_back_what_was_there(
    asked: list[object],
) -> None:
    at = settled(opened())
    before = menu(at)
    at.button("own_run").click().run()
    now = menu(settled(at).run())  # once more: the job may have ended while the page was drawn
    assert now.value == session.OWN and now.key != before.key
    picked = now.set_value("toy/code").run()
    assert session_source(picked) == "toy/code" and menu(picked).key == now.key, "focus stays"
    # what a browser sends that has not drawn the menu of the own prompt yet
    at.session_state["source"] = session.OWN
    at.session_state[before.key] = "toy/code"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(st, "session_state", at.session_state)
        sidebar._picked(before.key)
        assert session_source(at) == session.OWN
        at.session_state["step"] = 3
        sidebar._picked(now.key)  # it says what it said before: no pick
        assert at.session_state["step"] == 3


def session_source(at: AppTest) -> object:
    """The comparison that the session looks at."""
    return at.session_state["source"]


def test_without_live_a_change_waits_for_run(asked: list[tuple[str, str, Config]]) -> None:
    at = settled(opened())
    at.toggle("own_live").set_value(False).run()
    at.slider("own_w").set_value(7).run()
    settled(at)
    assert asked == []
    at.button("own_run").click().run()
    settled(at)
    assert len(asked) == 3


def test_a_bad_value_starts_nothing(asked: list[tuple[str, str, Config]]) -> None:
    at = settled(opened())
    at.text_area("own_prompt").set_value("").run()
    settled(at)
    assert asked == []


def said(at: AppTest) -> str:
    return unescape(" ".join(element.proto.body for element in at.get("html")))


def test_a_prompt_of_any_length_arrives_and_too_long_a_one_is_told_so(
    asked: list[tuple[str, str, Config]],
) -> None:
    at = settled(opened())
    assert at.text_area("own_prompt").proto.max_chars == 0, "a browser drops what is beyond it"
    long = "word " * 1000
    at.text_area("own_prompt").set_value(long).run()
    settled(at)
    assert {text for _, text, _ in asked} == {long}
    at.text_area("own_prompt").set_value("x" * 200_001).run()
    assert "The prompt has 200,001 characters; at most 200,000 are allowed" in said(at)
    assert at.button("own_run").disabled


def failing(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page after "/tmp" was asked for as a model, which it is not."""

    def load(name: str, on_progress: object = None) -> ToyModel:
        raise ValueError(f"{name!r} is no model folder.")

    monkeypatch.setattr(models, "load", load)
    at = settled(opened())
    at.selectbox("own_model").set_value(controls.OTHER).run()
    at.text_input("own_other").set_value("/tmp").run()
    at.button("own_run").click().run()
    return settled(at)


@pytest.mark.usefixtures("asked")
def test_what_went_wrong_says_the_name_as_it_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    at = failing(monkeypatch)
    assert "⚠ '/tmp' is no model folder." in said(at)
    assert "is no model folder" in said(settled(at)), "it stays while nothing changes"


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize("change", ["clear", "prompt", "comparison", "again"])
def test_what_went_wrong_is_gone_with_other_inputs(
    monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    at = failing(monkeypatch)
    if change == "clear":
        at.text_input("own_other").set_value("").run()
    elif change == "prompt":
        at.text_area("own_prompt").set_value("another").run()
    elif change == "comparison":
        menu(at).set_value("toy/story").run()
    else:
        monkeypatch.setattr(models, "load", lambda name, on_progress: ToyModel())
        at.text_area("own_prompt").set_value("another")
        at.button("own_run").click().run()
    assert "is no model folder" not in said(settled(at))


def test_another_model_is_named_by_hand(asked: list[tuple[str, str, Config]]) -> None:
    at = settled(opened())
    at.selectbox("own_model").set_value(controls.OTHER).run()
    assert at.button("own_run").disabled
    at.text_input("own_other").set_value("  some/folder ").run()
    assert asked == []  # only the tiny model is live
    at.button("own_run").click().run()
    settled(at)
    assert {model for model, _, _ in asked} == {"some/folder"}


def test_a_classroom_prompt_fills_the_box_and_says_what_to_look_at(
    asked: list[tuple[str, str, Config]],
) -> None:
    at = settled(opened())
    prompt = PROMPTS[0]
    at.selectbox("own_classroom").set_value(prompt.name).run()
    settled(at)
    assert at.text_area("own_prompt").value == prompt.text
    assert {text for _, text, _ in asked} == {prompt.text}
    assert any(prompt.note[:20] in element.proto.body for element in at.get("html"))
