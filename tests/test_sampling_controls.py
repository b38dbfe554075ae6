"""The semantics of engines in the sidebar, and sampling: what is asked for."""

from __future__ import annotations

from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from lookahead_viz.config import Config, GreedyConfig, LookaheadConfig
from lookahead_viz.presets import PRESETS, preset, semantics
from tests.test_live import asked, opened, settled

__all__ = ["asked"]

Asked = list[tuple[str, str, Config]]


def pressed(at: AppTest) -> AppTest:
    at.button("own_run").click().run()
    return settled(at)


def said(at: AppTest) -> str:
    return unescape(" ".join(element.proto.body for element in at.get("html")))


def test_a_temperature_reaches_lookahead_and_greedy(asked: Asked) -> None:
    at = settled(opened())
    at.toggle("own_live").set_value(False).run()
    at.number_input("own_temperature").set_value(0.8).run()
    assert "Always greedy: Jacobi." in said(at)
    at.number_input("own_top_k").set_value(5).run()
    pressed(at)
    greedy, lookahead = [config for _, _, config in asked if config.method != "jacobi"]
    assert isinstance(greedy, GreedyConfig) and isinstance(lookahead, LookaheadConfig)
    for config in (greedy, lookahead):
        assert (config.temperature, config.top_k, config.top_p) == (0.8, 5, None)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_sets_what_the_engine_does(asked: Asked, name: str) -> None:
    at = settled(opened())
    at.toggle("own_live").set_value(False).run()
    at.selectbox("own_preset").set_value(name).run()
    assert PRESETS[name].sentence in said(at)
    pressed(at)
    config = asked[-1][2]
    assert isinstance(config, LookaheadConfig)
    assert semantics(config) == semantics(preset(name))


def test_every_setting_can_be_chosen_by_itself(asked: Asked) -> None:
    at = settled(opened())
    at.toggle("own_live").set_value(False).run()
    at.selectbox("own_window_fill").set_value("constant").run()
    at.number_input("own_fill_token").set_value(3).run()
    at.selectbox("own_pool_policy").set_value("unlimited").run()
    for name in ("merge_candidates", "verify_window", "pool_from_generated"):
        at.toggle(f"own_{name}").set_value(True).run()
    pressed(at)
    config = asked[-1][2]
    assert isinstance(config, LookaheadConfig)
    assert (config.fill_token, config.pool_policy, config.pool_per_key) == (3, "unlimited", None)
    assert config.merge_candidates and config.verify_window and config.pool_from_generated


def test_without_a_change_the_settings_are_the_usual_ones(asked: Asked) -> None:
    pressed(settled(opened()))
    config = asked[-1][2]
    assert isinstance(config, LookaheadConfig)
    assert semantics(config) == semantics(LookaheadConfig())
