"""The divergence explorer on the Race page."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from lookahead_viz.divergence import Divergence, Refused, Setting
from lookahead_viz.models.registry import ModelChoice
from lookahead_viz.ui import diverging, models, session
from tests.app_pages import ROOT, fine, sentences
from tests.toy_gallery import menu

pytestmark = pytest.mark.usefixtures("over_toy_runs")


@pytest.fixture
def explorer(monkeypatch: pytest.MonkeyPatch) -> diverging.Explorer:
    found = diverging.Explorer()  # AppTest has one session for all tests
    monkeypatch.setattr(diverging, "explorer", lambda: found)
    monkeypatch.setattr(
        models, "installed", lambda: [ModelChoice("tiny", "Tiny", "", True, False)]
    )
    return found


def explored() -> AppTest:
    """The Race page with the explorer open."""
    at = AppTest.from_file(str(ROOT / "pages" / "race.py"), default_timeout=60)
    at.session_state["divergence"] = True
    return fine(at.run())


def ended(at: AppTest, found: diverging.Explorer) -> AppTest:
    at.button("div_run").click().run()
    assert found.job is not None
    found.job.join(60)
    return at.run()


def test_what_went_wrong_in_the_explorer_is_said_of_the_same_inputs_alone(
    explorer: diverging.Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> Divergence:
        raise ValueError("there is no model <b>x</b>.")

    monkeypatch.setattr(diverging, "_work", broken)
    at = ended(explored(), explorer)
    assert "There is no model &lt;b&gt;x" in sentences(at)
    fine(at.slider("div_tokens").set_value(8).run())
    assert "There is no model" not in sentences(at)


def test_what_was_refused_in_the_explorer_is_said_of_the_same_inputs_alone(
    explorer: diverging.Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = Refused(Setting("float16", "eager"), "no kernel for it.")
    found = Divergence((), (refused,), whole=False)
    monkeypatch.setattr(diverging, "_work", lambda *_: found)
    at = ended(explored(), explorer)
    assert "no kernel for it" in sentences(at) and "Stopped" in sentences(at)
    fine(at.multiselect("div_dtypes").set_value(["float64"]).run())
    assert "Stopped" not in sentences(at)


def test_the_divergence_explorer_answers(explorer: diverging.Explorer) -> None:
    """The whole way with the smallest job: one precision, one attention, one method."""
    at = explored()
    at.multiselect("div_dtypes").set_value([]).run()
    assert "at least one precision" in sentences(at)
    at.multiselect("div_dtypes").set_value(["float64"])
    at.multiselect("div_attentions").set_value(["sdpa"])
    at.multiselect("div_methods").set_value(["lookahead"])
    at.slider("div_tokens").set_value(8)
    at.text_area("div_prompt").set_value("The <b>cat</b> [sat](x)").run()
    assert "2 decodings of 8 tokens" in sentences(at)
    shown = sentences(fine(ended(at, explorer)))
    assert "In float64 (sdpa) the text of one run is greedy&#x27;s own" in shown
    fine(at.selectbox("div_look").select_index(0).run())
    fine(at.button("div_race").click().run())
    assert menu(at).value == session.OWN
