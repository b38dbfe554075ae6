"""The questions of the lesson: asked on every kind of run, answered by the run itself."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from lookahead_viz.explain import rule_id, slot_name
from lookahead_viz.glossary import unmarked
from lookahead_viz.lessons.cards import CARDS, CHAPTERS, asks
from lookahead_viz.lessons.cards import card as card_called
from lookahead_viz.lessons.forum import five, other_part
from lookahead_viz.lessons.four_tokens import FOLLOWS, PROMPT, START, four_tokens
from lookahead_viz.lessons.published import published, yellow
from lookahead_viz.lessons.question import Ask, Attempts, Question, asked, numbers, same_things
from lookahead_viz.people_ask import FIVE, LAST_GUESS
from lookahead_viz.records import JacobiStep, LookaheadStep, Run
from lookahead_viz.replay import mask_proved
from lookahead_viz.run_io import dump_run, read_run
from lookahead_viz.tokens import printable
from lookahead_viz.troubles import troubles
from lookahead_viz.views.jacobi import jacobi_view
from lookahead_viz.views.window import window_view
from tests.toy_runs import toy_run

ASKS = {ask.name: ask for ask in asks()}
RUNS: dict[str, tuple[Run, ...]] = {
    "greedy": (toy_run("greedy"), toy_run("greedy", text="hostile")),
    "jacobi": (
        toy_run("jacobi"),
        toy_run("jacobi", text="story", block_size=8),
        toy_run("jacobi", text="hostile", block_size=5),
        toy_run("jacobi", stop_after=7),
        toy_run("jacobi", block_size=1),
        four_tokens(),
    ),
    "lookahead": (
        toy_run("lookahead"),
        toy_run("lookahead", text="story", window_size=8, ngram_size=3, max_candidates=6),
        toy_run("lookahead", text="hostile"),
        toy_run("lookahead", ngram_size=2),
        toy_run("lookahead", window_size=1, ngram_size=3),
        toy_run("lookahead", max_candidates=0),
        toy_run("lookahead", accept="original"),
        toy_run("lookahead", shift="slide"),
        toy_run("lookahead", pool_from_prompt=True, pool_per_key=1),
        toy_run("lookahead", position_limit=34, max_new_tokens=28),
        toy_run("lookahead", stop_after=9),
    ),
}


def questions(ask: Ask) -> list[tuple[Run, Question]]:
    """``ask`` at every step of every run that it can be asked of."""
    found = []
    for method in ask.methods:
        for run in RUNS[method]:
            for index in range(len(run.steps)):
                question = ask.build(run, index)
                if question is not None:
                    assert question.step == index
                    found.append((run, question))
    return found


def things(run: Run, question: Question) -> list[str]:
    """Everything that a reader could click while the question is open."""
    step, found = run.steps[question.step], [f"c:{choice}" for choice in question.choices]
    slots = step.layout.slots
    if "s" in question.kinds:
        found += [f"s:{slot}" for slot in range(slots)]
    if "m" in question.kinds:
        found += [f"m:{q}:{k}" for q in range(slots) for k in range(-1, slots)]
    if "e" in question.kinds and isinstance(step, LookaheadStep):
        found += [f"e:{col}" for col in range(len(step.window[0]))]
    if "g" in question.kinds and isinstance(step, LookaheadStep):
        found += [f"g:{slot}" for slot in range(slots)]
    if "o" in question.kinds:
        found += [f"o:{at}" for at in range(len(run.token_ids))]
    if "j" in question.kinds:
        found += [f"j:{cell.x}:{cell.y}" for cell in jacobi_view(run, question.step).cells]
    return found


@pytest.mark.parametrize("name", ASKS)
def test_every_click_has_a_sentence_and_some_are_right(name: str) -> None:
    """Whatever is clicked: no exception, one sentence, and the right ones can be clicked."""
    asked_of = questions(ASKS[name])
    assert len(asked_of) >= 10
    for run, question in asked_of[:: max(1, len(asked_of) // 25)]:
        every = things(run, question)
        reachable = {one for thing in every for one in same_things(thing)}
        assert question.right and question.right <= reachable, question.text
        wrong = [thing for thing in every if not question.is_right(thing)]
        assert wrong or question.kinds == "o", question.text
        for thing in every:
            assert question.accepts(thing)
            said = question.sentence(thing)
            assert said.startswith("✓ Right." if question.is_right(thing) else "✗ ")
            assert said.rstrip().endswith((".", "?")), said
            assert "None" not in said


@pytest.mark.parametrize("name", ASKS)
def test_what_is_no_answer_is_refused(name: str) -> None:
    _, question = questions(ASKS[name])[0]
    for thing in ("", "x:1", "s:", "s:-", "m:1:x", "c:99", "<b>", "j:1:2:", "o:½", "z:0"):
        assert not question.accepts(thing), thing
    for thing in ("s:1:2", "s:-1", "e:-1", "o:-1", "m:1", "m:-1:0", "m:0:-2", "j:1", "g:-1"):
        assert not question.accepts(thing), thing


@pytest.mark.parametrize("name", ASKS)
def test_a_thing_that_the_picture_does_not_have_is_wrong_and_no_failure(name: str) -> None:
    for _, question in questions(ASKS[name]):
        wide = question.kinds.replace("m", "").replace("j", "")
        made_up = [f"{kind}:{at}" for kind in wide for at in (5, 9, 77, 10**9)]
        made_up += [f"{kind}:{x}:{y}" for kind in "mj" for x in (0, 77) for y in (0, 77)]
        for thing in made_up:
            if question.accepts(thing) and not question.is_right(thing):
                assert question.sentence(thing).startswith("✗ "), thing


@pytest.mark.parametrize("name", ASKS)
def test_the_best_step_is_one_where_it_can_be_asked(name: str) -> None:
    ask = ASKS[name]
    for method in ask.methods:
        for run in RUNS[method]:
            best = ask.best_step(run)
            can = [i for i in range(len(run.steps)) if ask.build(run, i) is not None]
            assert (best in can) if can else best is None


# --- the answers against the records, said once more in another way


def test_the_current_token_is_the_one_before_the_new_ones() -> None:
    run = toy_run("greedy")
    question = ASKS["current token"].build(run, 7)
    assert question is not None and question.right == {"o:6"}
    assert ASKS["current token"].build(run, 0) is None


def test_why_tokens_are_certain_is_said_in_whole_sentences() -> None:
    """One token, one that stayed and its follower, several that stayed, or the whole block."""
    said = {question.because for _, question in questions(ASKS["certain count"])}
    last = "was computed from certain tokens only"
    assert f"The very next token changed. It {last}, so it is certain now; no other is." in said
    assert (
        f"One token stayed equal: it was computed from itself. The token after it {last}." in said
    )
    assert any(one.endswith(f"from themselves. The token after them {last}.") for one in said)
    assert any(one.startswith("Nothing changed any more: all ") for one in said)


def test_certain_tokens_are_those_of_the_view() -> None:
    run = toy_run("jacobi")
    view = jacobi_view(run, 0)
    frozen = {(cell.x, cell.y) for cell in view.cells if cell.state == "frozen"}
    for index in range(len(run.steps)):
        question = ASKS["certain first"].build(run, index)
        assert question is not None
        new = {(x, y) for x, y in frozen if y == index and (x, y - 1) not in frozen}
        assert {numbers(thing) for thing in question.right} == new


def test_lucky_and_lost_tokens_are_those_of_the_view() -> None:
    run = toy_run("jacobi")
    cells = jacobi_view(run, 0).cells
    for index, step in enumerate(run.steps):
        assert isinstance(step, JacobiStep)
        lucky = {(cell.x, cell.y) for cell in cells if cell.state == "lucky" and cell.y == index}
        question = ASKS["lucky"].build(run, index)
        assert lucky == ({numbers(one) for one in question.right} if question else set())
    passes = [step.index for step in run.steps if isinstance(step, JacobiStep) and step.block == 1]
    lost = {(cell.x, cell.y) for cell in cells if cell.flipped and cell.y in passes}
    question = ASKS["lost"].build(run, passes[0])
    assert lost == ({numbers(one) for one in question.right} if question else set())


def test_a_settled_token_is_the_final_one_from_there_on_and_not_before() -> None:
    for run in RUNS["jacobi"]:
        for index in range(len(run.steps)):
            question = ASKS["settled"].build(run, index)
            if question is None:
                assert not run.ended
                continue
            ((x, y),) = (numbers(one) for one in question.right)
            column = {cell.y: cell.text for cell in jacobi_view(run, index).cells if cell.x == x}
            texts = [column[one] for one in sorted(column) if one >= y]
            final = texts[-1]
            assert set(texts) == {final}
            block = run.steps[index]
            assert isinstance(block, JacobiStep)
            started = y == min(
                s.index for s in run.steps if isinstance(s, JacobiStep) and s.block == block.block
            )
            assert started or column[y - 1] != final


@pytest.mark.parametrize(
    ("name", "rule"), [("own column", "R4"), ("row zero", "R3"), ("mask cell", "R4")]
)
def test_what_may_be_read_is_on_in_the_mask_by_that_rule(name: str, rule: str) -> None:
    run = toy_run("lookahead")
    for index in range(2, len(run.steps)):
        question = ASKS[name].build(run, index)
        assert question is not None
        layout = run.steps[index].layout
        ((thing),) = question.right
        if name == "own column":
            reader, read = 14, numbers(thing)[0]
        else:
            reader, read = numbers(thing)
        assert rule_id(layout, reader, read) == rule
        if name == "row zero":  # the last one of row 0, which the column before does not read
            assert read == 4 and rule_id(layout, reader - 1, read) == "X8"


def test_an_ngram_that_enters_is_the_one_the_pool_took() -> None:
    run = toy_run("lookahead")
    for index in range(2, len(run.steps)):
        step, question = run.steps[index], ASKS["n-gram end"].build(run, index)
        assert isinstance(step, LookaheadStep) and question is not None
        (col,) = numbers(next(iter(question.right)))
        change = step.pool_changes[col]
        assert change.key == step.window[0][col]
        assert change.ngram[-1] == step.last_row_predictions[col]
        entering = ASKS["n-grams entering"].build(run, index)
        assert entering is not None and entering.right == {"c:5"}


@pytest.mark.parametrize("accept", ["full", "original"])
def test_the_accepted_number_is_what_the_step_accepted(accept: str) -> None:
    run, seen = toy_run("lookahead", accept=accept), set()
    for index, step in enumerate(run.steps):
        question = ASKS["accepted"].build(run, index)
        if question is not None:
            seen.add(len(step.accepted))
            assert question.right == {f"c:{len(step.accepted)}"}
            assert question.hide == ("verdict", "text")
    assert len(seen) > 1


def test_a_full_match_says_that_the_last_guess_counts() -> None:
    run = toy_run("lookahead")
    best = ASKS["accepted"].best_step(run)
    assert best is not None
    question = ASKS["accepted"].build(run, best)
    assert question is not None and question.right == {"c:4"}
    assert question.because.startswith("Yes, when all match the last guess is accepted too: all 3")


def test_the_first_wrong_guess_is_where_the_model_wants_another_token() -> None:
    run = toy_run("lookahead")
    for index, step in enumerate(run.steps):
        question = ASKS["first wrong"].build(run, index)
        if question is None:
            continue
        assert isinstance(step, LookaheadStep)
        (slot,) = numbers(next(iter(question.right)))
        candidate, place = step.layout.rows[slot], step.layout.cols[slot]
        own = (step.predictions[0], *step.verification.predictions[candidate])
        guesses = step.verification.candidates[candidate]
        assert guesses[place] != own[place] and guesses[:place] == own[:place]


def test_the_slots_are_those_of_the_layout() -> None:
    run = toy_run("lookahead")
    for index, step in enumerate(run.steps):
        question = ASKS["slots"].build(run, index)
        if question is not None:
            assert question.right == {f"c:{step.layout.slots}"}


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("own column", {"shift": "slide"}),
        ("n-gram end", {"column_key": "next"}),
        ("n-grams entering", {"pool_policy": "ring"}),
        ("accepted", {"temperature": 0.7}),
    ],
)
def test_unusual_runs_are_not_asked_what_they_answer_otherwise(
    name: str, settings: dict[str, Any]
) -> None:
    run = toy_run("lookahead")
    assert ASKS[name].best_step(run) is not None
    other = replace(run, config=replace(run.config, **settings))
    assert ASKS[name].best_step(other) is None


def test_candidates_that_share_slots_are_not_counted_one_by_one() -> None:
    run = toy_run("lookahead")
    best = ASKS["first wrong"].best_step(run)
    assert best is not None
    step = run.steps[best]
    assert isinstance(step, LookaheadStep)
    shared = replace(
        step.verification, slots=tuple((15, 16, 17) for _ in step.verification.matched)
    )
    steps = (*run.steps[:best], replace(step, verification=shared), *run.steps[best + 1 :])
    assert ASKS["first wrong"].build(replace(run, steps=steps), best) is None


def test_green_1_is_where_and_when_the_window_says_it_was_predicted() -> None:
    run = toy_run("lookahead")
    for index, step in enumerate(run.steps):
        question = ASKS["sure slot"].build(run, index)
        if question is None:
            continue
        assert isinstance(step, LookaheadStep)
        view = window_view(run, index)
        green = next(cell for cell in view.cells if (cell.row, cell.col) == (1, 0))
        said = question.because
        assert said.startswith(f"No: green 1, ‘{green.text}’ (row 1, column 0), ")
        assert f"Certain is ‘{printable(run.token_text, step.accepted[0])}’" in said
        assert ("It happens to be right" in said) == (green.token == step.accepted[0])
        if green.made_at < 0:
            assert "nobody predicted" in said
            continue
        maker = run.steps[green.made_at]
        assert isinstance(maker, LookaheadStep)
        from_a_guess = (
            rf"predicted in pass {green.made_at} from a guess .*?, (‘.*?’) \((.*?) then\)"
        )
        found = re.search(from_a_guess, said)
        source = maker.first_of_last_row + len(maker.window[0]) - view.cols
        assert maker.predictions[source] == green.token
        if found:
            assert found.group(2) == slot_name(maker.layout, source)
            assert (
                found.group(1) == f"‘{printable(run.token_text, maker.layout.token_ids[source])}’"
            )
        else:
            assert source == 0 and f"predicted in pass {green.made_at} after" in said


def test_the_published_picture_calls_its_slots_by_row_and_offset() -> None:
    step = toy_run("lookahead").steps[8]
    assert isinstance(step, LookaheadStep) and len(step.window) == 3 and len(step.window[0]) == 5
    names = [published(step, slot) for slot in (0, 4, 5, 9, 10, 14)]
    assert names == ["the current token", "orange 4", "green 1", "green 5", "red 2", "red 6"]
    assert yellow(step, 0) == "yellow 3" and yellow(step, 4) == "yellow 7"


def test_the_answers_to_what_people_ask_begin_plainly_and_name_the_colours() -> None:
    run, said = toy_run("lookahead"), {}
    for name in (ask.name for ask in asks() if ask.forum):
        step = ASKS[name].best_step(run)
        assert step is not None
        question = ASKS[name].build(run, step)
        assert question is not None
        said[name] = question.because
    begin = {
        "n-gram end": ("Every column gives one n-gram", "orange 1, green 2, red 3 and yellow 4"),
        "n-grams entering": ("All are kept: 5", "Discarded is only"),
        "own column": ("Because green 5 is the token before red 6", "Red 5, ‘"),
        "row zero": (
            "Because yellow is the prediction after red",
            "see orange 1 to 4.",
            "3 only.",
        ),
        "accepted": ("Yes, when all match the last guess is accepted too",),
        "mask cell": ("Because the token before it", "red 3 reads green 2", "neighbour red 2"),
        "sure slot": ("No: green 1, ‘", "Certain is ‘"),
    }
    for name, parts in begin.items():
        assert said[name].startswith(parts[0]), said[name]
        assert all(part in said[name] for part in parts), said[name]


def test_all_questions_of_the_forum_lead_to_a_card() -> None:
    places = [asked for parts in five() for asked in parts]
    assert len(five()) == 5 and len(places) == 7
    assert {one.part for one in places} == {ask.forum for ask in asks() if ask.forum}
    for one in places:
        found = card_called(one.card)
        assert found is not None and found.asks[one.number].forum is one.part


def test_short_answers_begin_plainly_and_are_short() -> None:
    answers = [part.answer for parts in FIVE for part in parts]
    assert [answer.split()[0] for answer in answers] == [
        "One", "All", "Because", "Yellow", "Yes.", "Because", "No.",
    ]  # fmt: skip
    assert max(len(answer.split()) for answer in answers) <= 70


# --- answers, marks, cards


def test_a_question_is_over_when_answered_or_given_up() -> None:
    run = toy_run("lookahead")
    question = ASKS["own column"].build(run, 12)
    assert question is not None
    fresh = asked(question, Attempts())
    assert fresh["open"] and fresh["marks"] == {} and fresh["said"] == []
    wrong = asked(question, Attempts(("s:13",)))
    assert wrong["open"] and wrong["marks"] == {"s:13": "wrong"}
    assert "Same row, other n-gram" in wrong["said"][0]
    right = asked(question, Attempts(("s:13", "s:9")))
    assert not right["open"] and right["marks"] == {"s:13": "wrong", "s:9": "right"}
    assert right["said"][0].startswith("✓ Right.") and len(right["said"]) == 1
    shown = asked(question, Attempts((), revealed=True))
    assert not shown["open"] and shown["marks"] == {"s:9": "right"}
    assert shown["said"] == [f"The answer: {question.because}"]
    assert Attempts(("s:9",)).first_try(question)
    assert not Attempts(("s:13", "s:9")).first_try(question)


def test_hostile_tokens_are_visible_in_sentences() -> None:
    for ask in asks():
        for method in ask.methods:
            run = toy_run(method, text="hostile")
            for index in range(len(run.steps)):
                question = ask.build(run, index)
                said = question.text + question.because if question else ""
                assert not any(char in said for char in "\n\t\r\u202e\u200b\x00\ufeff")


def test_there_are_twelve_cards_in_three_chapters_and_the_five_forum_questions() -> None:
    assert len(CARDS) == 12 and len(CHAPTERS) == 3
    assert [card.chapter for card in CARDS] == sorted(card.chapter for card in CARDS)
    assert len({card.name for card in CARDS}) == 12 and len(ASKS) >= 10
    assert len(ASKS) == len(asks())
    forum = " ".join(ask.forum.question for ask in asks() if ask.forum)
    for words in (
        "How are n-grams generated?",
        "which are discarded?",
        "attend to green 5 and not to red 5?",
        "see orange 1 to 4?",
        "last guess accepted when all match?",
        "not on those of its own? What if it did?",
        "is it final too?",
    ):
        assert words in forum


def test_a_card_is_a_few_sentences_in_known_words() -> None:
    for card in CARDS:
        text = unmarked(card.text)
        assert len(text) < 480, card.name
        assert card.code and card.asks


def test_no_speed_is_claimed_for_one_gpu_that_needed_several() -> None:
    text = " ".join(card.text for card in CARDS)
    assert "up to 1.8 times the speed of plain decoding on one GPU" in text
    assert "Its 4 times is code, on several GPUs" in text


# --- the four-token example


def test_the_four_token_example_shows_every_trouble_and_is_a_proper_run() -> None:
    run = four_tokens()
    assert {one.kind for one in troubles(run)} == {
        "flip",
        "displaced",
        "overwritten",
        "low yield",
    }
    assert all(mask_proved(run, index) for index in range(len(run.steps)))
    assert read_run(dump_run(run)) == run
    text, token = [], PROMPT
    for _ in START:
        text.append(token := FOLLOWS[token])
    assert run.token_ids == tuple(text)


def test_a_question_in_two_parts_leads_from_the_first_to_the_second() -> None:
    there = other_part(ASKS["row zero"])
    assert there is not None and (there.card, there.number) == ("verify", 0)
    assert there.part is LAST_GUESS
    # its second part is the card's next question; it is the second part; it has one part
    assert [other_part(ASKS[name]) for name in ("n-gram end", "accepted", "own column")] == [
        None
    ] * 3


@pytest.mark.parametrize("ask", asks(), ids=lambda ask: ask.name)
def test_no_sentence_holds_the_name_of_a_value_in_its_place(ask: Ask) -> None:
    for run, question in questions(ask):
        if not any("{" in str(text) for text in run.token_text.values()):
            assert "{" not in question.text + question.because


def test_the_answer_on_the_pool_says_how_many_a_key_holds() -> None:
    run = toy_run("lookahead", pool_per_key=3)
    index = ASKS["n-grams entering"].best_step(run)
    assert index is not None
    question = ASKS["n-grams entering"].build(run, index)
    assert question is not None and "a key holds at most 3 n-grams here" in question.because
