"""The semantics of engines in the sidebar, and sampling: what is asked for."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lookahead_viz.comparison import config_label
from lookahead_viz.config import Config, GreedyConfig, LookaheadConfig
from lookahead_viz.presets import PRESETS, preset, semantics
from lookahead_viz.ui import session
from lookahead_viz.ui.controls import configs_of
from lookahead_viz.ui.lookahead_settings import OWN
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
    at.multiselect("own_engines").set_value([name]).run()
    assert PRESETS[name].sentence in said(at)
    pressed(at)
    config = asked[-1][2]
    assert isinstance(config, LookaheadConfig)
    assert semantics(config) == semantics(preset(name))


def test_several_engines_race_with_one_another_on_an_own_prompt(asked: Asked) -> None:
    at = settled(opened())
    at.toggle("own_live").set_value(False).run()
    at.multiselect("own_methods").set_value(["greedy", "lookahead"])
    at.slider("own_w").set_value(6)
    at.multiselect("own_engines").set_value(["ours", "LADE", "llama.cpp"]).run()
    pressed(at)
    lanes = [config for _, _, config in asked]
    assert [config_label(lane) for lane in lanes] == [
        "Greedy",
        "Lookahead, LADE",
        "Lookahead, llama.cpp",
        "Lookahead, ours",
    ]
    assert [lane.window_size for lane in lanes if isinstance(lane, LookaheadConfig)] == [6, 6, 6]
    assert len(at.session_state[session.OWN].runs) == 4


def test_one_lookahead_more_has_sizes_of_its_own(asked: Asked) -> None:
    at = settled(opened())
    at.toggle("own_live").set_value(False).run()
    at.toggle("own_verify_window").set_value(True)
    at.toggle("own_second").set_value(True).run()
    at.slider("own_second_ngram_size").set_value(3)
    pressed(at)
    found = [config for _, _, config in asked if isinstance(config, LookaheadConfig)]
    sizes = [(one.window_size, one.ngram_size, one.max_candidates) for one in found]
    assert sizes == [(5, 4, 5), (15, 3, 15)]
    assert all(one.verify_window for one in found)


def test_an_engine_is_not_changed_by_the_settings_beside_it(asked: Asked) -> None:
    at = settled(opened())
    at.toggle("own_live").set_value(False).run()
    at.multiselect("own_engines").set_value([OWN, "LADE"]).run()
    at.number_input("own_per_key").set_value(2)
    at.toggle("own_pool_from_prompt").set_value(True).run()
    pressed(at)
    own, lade = [config for _, _, config in asked if isinstance(config, LookaheadConfig)]
    assert own.pool_per_key == 2 and own.pool_from_prompt
    assert semantics(lade) == semantics(preset("LADE"))


def test_more_than_five_lanes_are_refused_in_one_sentence(asked: Asked) -> None:
    at = settled(opened())
    at.multiselect("own_engines").set_value([OWN, "LADE", "ours"]).run()
    settled(at)
    assert not at.button("own_run").disabled
    at.multiselect("own_engines").set_value([OWN, "LADE", "ours", "ExecuTorch"]).run()
    assert "⚠ 6 lanes are ticked: Greedy · Jacobi · Lookahead · Lookahead, LADE" in said(at)
    assert "at most 5 race with one another. Take away 1: untick methods, or remove" in said(at)
    assert at.button("own_run").disabled


def test_selecting_all_engines_decodes_nothing_and_loses_nothing(asked: Asked) -> None:
    at = settled(opened())  # live: any change that is no mistake decodes
    at.multiselect("own_engines").set_value([OWN, "LADE"]).run()
    settled(at)
    before, decoded = len(asked), at.session_state[session.OWN]
    at.multiselect("own_engines").set_value([OWN, *PRESETS]).run()
    settled(at)
    assert f"{2 + 1 + len(PRESETS)} lanes are ticked" in said(at)
    assert len(asked) == before and at.session_state[session.OWN] is decoded
    at.multiselect("own_engines").set_value([OWN, "LADE"]).run()
    assert "race with one another" not in said(settled(at))
    assert len(asked) == before  # what was there is still what is asked for


def test_two_lanes_that_are_the_same_are_one() -> None:
    settings: dict[str, Any] = {
        "methods": ["lookahead"],
        "lookaheads": [{"accept": "original"}, {}],
    }
    assert len(configs_of(settings)) == 2
    assert len(configs_of(settings | {"lookaheads": [{}, {"accept": "full"}]})) == 1


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
