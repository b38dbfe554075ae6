"""The page Learn without a browser: cards, links, whose run, hidden answers, what is counted."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lookahead_viz import gallery
from lookahead_viz.lessons.cards import CARDS, asks, card
from lookahead_viz.lessons.forum import five
from lookahead_viz.lessons.question import Question
from lookahead_viz.run_io import save_run
from tests.app_pages import fine, sentences
from tests.toy_gallery import menu
from tests.toy_runs import toy_run

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.usefixtures("over_toy_runs")

SOLVED, ATTEMPTS = "lesson_solved", "lesson_attempts"


def opened(**query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "pages" / "learn.py"), default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    return at.run()


def data(at: AppTest) -> dict[str, Any]:
    """What the player was given."""
    found: dict[str, Any] = json.loads(at.get("bidi_component")[-1].proto.json)
    alone = (value[0] if isinstance(value, list) and value else None for value in found.values())
    return {
        name: inner if isinstance(inner, dict) else value
        for (name, value), inner in zip(found.items(), alone, strict=True)
    }


def asked_about(at: AppTest) -> Question:
    """The question on the page, built once more."""
    step = data(at)["ask"]["step"]
    run = toy_run("lookahead")
    question = card("window").asks[0].build(run, step)  # type: ignore[union-attr]
    assert question is not None
    return question


@pytest.mark.parametrize("name", ["one-by-one", "luck", "cost"])
def test_a_card_opens_with_its_question(name: str) -> None:
    at = fine(opened(card=name))
    asked = data(at)["ask"]
    assert asked["open"] and asked["text"] and not asked["said"]
    assert asked["choices"] or asked["kinds"]
    assert data(at)["only"] == list(card(name).asks[0].panels)  # type: ignore[union-attr]
    assert at.query_params["card"] == name
    assert bool(at.get("latex")) == bool(card(name).equation)  # type: ignore[union-attr]
    assert "lv-badge" in sentences(at)


def test_next_and_back_turn_the_cards() -> None:
    at = opened()
    assert at.button("lesson_back").disabled
    fine(at.button("lesson_next").click().run())
    assert at.query_params["card"] == CARDS[1].name
    fine(at.button("lesson_back").click().run())
    assert at.query_params["card"] == CARDS[0].name
    fine(at.selectbox("lesson_menu").set_value(CARDS[-1].name).run())
    assert at.button("lesson_next").disabled


def test_a_link_opens_card_and_step_and_a_broken_one_what_there_is() -> None:
    at = fine(opened(card="window", step="9"))
    assert data(at)["ask"]["step"] == 9 and data(at)["start"]["step"] == 9
    for wrong in ({"card": "<b>"}, {"card": "window", "step": "0"}, {"step": "99999999999999"}):
        assert data(fine(opened(**wrong)))["ask"]["open"]


def test_the_answer_can_be_shown_and_asked_again() -> None:
    at = opened(card="window")
    question = asked_about(at)
    fine(at.button("lesson_reveal").click().run())
    asked = data(at)["ask"]
    assert not asked["open"] and set(asked["marks"]) == question.right
    assert at.session_state[ATTEMPTS] and SOLVED not in at.session_state
    fine(at.button("lesson_again").click().run())
    assert data(at)["ask"]["open"]


def test_a_teacher_can_hide_the_answers_by_link_and_by_switch() -> None:
    at = fine(opened(card="window", reveal="0"))
    assert not [one for one in at.button if one.key == "lesson_reveal"]
    assert at.query_params["reveal"] == "0"
    fine(at.toggle("lesson_hide_toggle").set_value(False).run())
    assert at.button("lesson_reveal") and "reveal" not in at.query_params
    fine(at.toggle("lesson_hide_toggle").set_value(True).run())
    assert at.query_params["reveal"] == "0"


def test_a_card_with_several_questions_asks_them_in_turn() -> None:
    at = opened(card="verify")
    texts = []
    for number in range(3):
        texts.append(data(at)["ask"]["text"])
        fine(at.button("lesson_reveal").click().run())
        if number < 2:
            fine(at.button("lesson_next_question").click().run())
    assert len(set(texts)) == 3
    fine(at.button("lesson_question_back").click().run())
    assert data(at)["ask"]["text"] == texts[1]


def test_another_question_of_a_card_is_reached_before_an_answer() -> None:
    at = opened(card="verify")
    first = data(at)["ask"]["text"]
    assert "1 of 3" in sentences(at) and at.button("lesson_question_back").disabled
    for _ in range(2):
        fine(at.button("lesson_next_question").click().run())
    assert "3 of 3" in sentences(at) and at.button("lesson_next_question").disabled
    assert data(at)["ask"]["text"] != first
    assert not [one for one in opened(card="cost").button if one.key == "lesson_next_question"]


def test_what_people_ask_is_listed_and_leads_to_its_question() -> None:
    at = opened()
    asked = [one for one in at.button if str(one.key).startswith("lesson_people_")]
    assert [one.label for one in asked] == [
        there.part.question for parts in five() for there in parts
    ]
    fine(at.button("lesson_people_verify_2").click().run())
    assert at.query_params["card"] == "verify" and at.query_params["question"] == "3"
    assert data(at)["ask"]["text"].startswith("Green 1 is ")
    assert not [one for one in at.button if str(one.key).startswith("lesson_people_")]
    assert [one for one in opened(people="1").button if "lesson_people_" in str(one.key)]
    assert not [one for one in opened(card="cost").button if "lesson_people_" in str(one.key)]


def test_what_people_ask_has_short_answers_on_demand_but_not_where_answers_are_hidden() -> None:
    answers = [there.part.answer for parts in five() for there in parts]
    at = opened()
    assert not any(escape(answer) in sentences(at) for answer in answers)
    fine(at.toggle("lesson_short_answers").set_value(True).run())
    assert all(escape(answer) in sentences(at) for answer in answers)
    fine(at.toggle("lesson_hide_toggle").set_value(True).run())
    assert not any(escape(answer) in sentences(at) for answer in answers)
    assert not [one for one in opened(reveal="0").toggle if one.key == "lesson_short_answers"]


def test_who_comes_for_what_people_ask_finds_the_answers_shown() -> None:
    answers = [escape(there.part.answer) for parts in five() for there in parts]
    assert all(answer in sentences(opened(people="1")) for answer in answers)
    at = opened(card="cost")
    assert not any(answer in sentences(at) for answer in answers)
    fine(at.button("people_ask").click().run())
    assert all(answer in sentences(at) for answer in answers)
    fine(at.button("people_ask").click().run())
    assert not any(answer in sentences(at) for answer in answers)
    assert not any(answer in sentences(opened(people="1", reveal="0")) for answer in answers)


def test_a_link_is_followed_whenever_the_reader_comes_from_another_page() -> None:
    at = opened(card="window")
    at.session_state["page_now"] = "another"
    at.query_params["card"], at.query_params["question"] = "n-grams", "2"
    fine(at.run())
    assert data(at)["ask"]["text"].startswith("How many n-grams does the window put")
    assert data(at)["start"]["straighten"]
    fine(at.button("lesson_back").click().run())
    assert at.query_params["card"] == "mask" and not data(at)["start"]["straighten"]


def test_the_lesson_can_be_about_the_readers_own_comparison() -> None:
    at = opened(card="n-grams", run="toy/story")
    assert at.toggle("lesson_mine_toggle").value and at.query_params["run"] == "toy/story"
    story = data(at)["ask"]["text"]
    fine(menu(at).set_value("toy/hostile").run())
    hostile = data(at)["ask"]["text"]
    assert story != hostile
    assert "<script" not in sentences(at).replace("<style", "")


def test_the_same_step_is_opened_on_the_full_page() -> None:
    at = opened(card="window", step="9")
    at.button("lesson_open").click()
    at.run()  # the page cannot be switched here, but what it will show is set
    assert at.session_state["step"] == 9


def test_a_comparison_without_the_method_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only" / "greedy").mkdir(parents=True)
    save_run(toy_run("greedy"), tmp_path / "only" / "greedy" / "0.json.gz")
    (tmp_path / "gallery.json").write_text(
        '[{"key": "only/greedy", "title": "Greedy only", "note": "", "runs": ["0.json.gz"]}]'
    )
    monkeypatch.setattr(gallery, "RUNS", tmp_path)
    for one in CARDS[1::5]:
        at = fine(opened(card=one.name))
        assert "“Greedy only” has no" in sentences(at)
    monkeypatch.setattr(gallery, "RUNS", tmp_path / "nowhere")
    assert "Nothing is recorded yet" in sentences(fine(opened()))


def test_the_troubles_are_counted_on_the_run_and_on_four_tokens() -> None:
    at = fine(opened(card="troubles"))
    names = {one.key: one.label for one in at.button if "trouble" in str(one.key)}
    assert len(names) == 4
    fine(at.button("lesson_trouble_flip").click().run())
    assert data(at)["ask"] is None and data(at)["start"]["cell"].startswith("j")
    assert "1 of " in sentences(at)
    fine(at.button("lesson_trouble_flip").click().run())
    assert "2 of " in sentences(at)
    fine(at.toggle("lesson_four_toggle").set_value(True).run())
    labels = [one.label for one in at.button if "trouble" in str(one.key)]
    assert labels[:4] == [
        "Right tokens lost: 2",
        "Displaced n-grams: 1",
        "Overwritten n-grams: 3",
        "Passes of one token: 4",
    ]
    fine(at.button("lesson_trouble_displaced").click().run())
    assert "‘·sat·down’ belongs 1 place to the right" in sentences(at)
    fine(at.button("lesson_trouble_back").click().run())
    assert data(at)["ask"]["open"]


def test_the_code_of_the_card_is_shown_when_asked_for() -> None:
    at = opened(card="verify")
    assert not at.code
    at.session_state["code"] = True
    fine(at.run())
    assert [one.value.splitlines()[0][:18] for one in at.code] == [
        "def matched_length",
        "def verify(",
    ]


def test_nothing_is_answered_yet() -> None:
    assert f"Answered: 0 of {len(asks())}" in sentences(opened())
