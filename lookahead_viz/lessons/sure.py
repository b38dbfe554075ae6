"""Question: which prediction of a pass is certain, and why is green 1 not?"""

from __future__ import annotations

from lookahead_viz.explain import slot_name
from lookahead_viz.lessons.question import Question, numbers, token
from lookahead_viz.lessons.window import full_window, named, seasoned
from lookahead_viz.records import LookaheadStep, Run


def sure_slot(run: Run, index: int) -> Question | None:
    """After which token is the model's prediction certain to be the text?"""
    step = full_window(run, index)
    if step is None:
        return None
    cols = len(step.window[0])

    def explain(answer: str) -> str:
        (at,) = numbers(answer)
        if answer.startswith("e"):
            return "A prediction. It was computed from guesses, so it is a guess too."
        if at >= step.layout.slots:
            return "There is no such slot in this pass."
        if at >= cols * len(step.window):
            return f"{named(run, step, at)} is a guess: it counts only if it is accepted."
        return _only_a_guess(run, step, index, at)

    return Question(
        step=index,
        text=(
            f"Green 1 is {named(run, step, cols)} here. Only one token of this window has a "
            "prediction that is certain to be the next token of the text, whatever the guesses "
            "are worth. Click that token."
        ),
        kinds="se",
        right=frozenset({"s:0"}),
        explain=explain,
        because=_not_final(run, step, index),
        worth=seasoned(step),
    )


def _not_final(run: Run, step: LookaheadStep, index: int) -> str:
    """Where green 1 comes from, and what is certain instead."""
    cols, current = len(step.window[0]), token(run, step.layout.token_ids[0])
    expected = step.predictions[0]
    assert expected is not None
    same = "It happens to be right" if step.layout.token_ids[cols] == expected else "It is wrong"
    mark = "★" if len(step.accepted) == 1 else "✓"
    return (
        f"No: green 1, {named(run, step, cols)}, {_origin(run, step, index)}. The current token "
        f"{current} came later: green 1 reads it now, but was not computed from it. {same} here. "
        f"Certain is {token(run, expected)} ({mark} in the text), the prediction after {current} "
        "itself, which reads accepted text only. Guesses are compared with such predictions, "
        "never with another guess."
    )


def _origin(run: Run, step: LookaheadStep, index: int) -> str:
    """When and from what cell (1, 0) was predicted."""
    made_at = index - len(step.window) + 1
    if made_at < 0:
        return "is an arbitrary start token that nobody predicted"
    maker = run.steps[made_at]
    assert isinstance(maker, LookaheadStep)
    dropped = len(maker.window[0]) - len(step.window[0])  # warm-up drops left columns
    source = maker.first_of_last_row + dropped
    was = token(run, maker.layout.token_ids[source])
    where = slot_name(maker.layout, source)
    if not source:
        return f"was predicted in pass {made_at} after {was}, the current token then"
    return (
        f"was predicted in pass {made_at} from a guess that stood left of it, {was} ({where} then)"
    )


def _only_a_guess(run: Run, step: LookaheadStep, index: int, slot: int) -> str:
    cols = len(step.window[0])
    row, col = divmod(slot, cols)
    made_at = index - len(step.window) + row
    since = f"was guessed in pass {made_at}" if made_at >= 0 else "is an arbitrary start token"
    text = run.prompt_ids + run.token_ids
    place = step.layout.positions[slot]
    ends = ""
    if place < len(text):
        same = text[place] == step.layout.token_ids[slot]
        ends = "It turns out right here, but nobody could know. " if same else "It is wrong here. "
    reads = "It reads the current token, but it was not computed from it. " if col == 0 else ""
    before = ", before the current token was known" if made_at >= 0 else ""
    return f"{named(run, step, slot)} {since}{before}. {reads}{ends}".strip()
