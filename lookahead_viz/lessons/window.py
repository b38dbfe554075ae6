"""Questions about the window: who reads whom, and what becomes an n-gram."""

from __future__ import annotations

from lookahead_viz.config import LookaheadConfig
from lookahead_viz.explain import phase, slot_name, why
from lookahead_viz.lessons.published import begin, published, yellow
from lookahead_viz.lessons.question import Question, by_number, numbers, plain_step, token
from lookahead_viz.records import LookaheadStep, Run


def full_window(run: Run, index: int) -> LookaheadStep | None:
    """Step ``index`` if its window is full and has at least two rows."""
    step = plain_step(run, index)
    if step is None or phase(run, index) != "full":
        return None
    return step if len(step.window) > 1 else None


def named(run: Run, step: LookaheadStep, slot: int) -> str:
    """ "‘x’ (row 2, column 4)" """
    return f"{token(run, step.layout.token_ids[slot])} ({slot_name(step.layout, slot)})"


def both_names(run: Run, step: LookaheadStep, slot: int) -> str:
    """ "red 6, ‘x’ (row 2, column 4)": as in the published picture, and as it is here."""
    return f"{published(step, slot)}, {named(run, step, slot)}"


def own_column(run: Run, index: int) -> Question | None:
    """Which token of the column above does the last cell read?"""
    step = full_window(run, index)
    if step is None:
        return None
    cols, offsets = len(step.window[0]), step.layout.positions
    reader = len(step.window) * cols - 1
    right = reader - cols
    asked = offsets[right] - offsets[0]

    def explain(answer: str) -> str:
        (slot,) = numbers(answer)
        if answer.startswith("e"):
            return "This is a prediction of this pass: it is not there yet to be read."
        if slot >= step.layout.slots:
            return "There is no such slot in this pass."
        reason, offset = why(run, index, reader, slot), offsets[slot] - offsets[0]
        return reason if offset == asked else f"{reason} Asked is offset +{asked}, not +{offset}."

    distinct = len({step.layout.token_ids[s] for s in (right, reader, reader - 1)})
    return Question(
        step=index,
        text=(
            f"{named(run, step, reader)} reads exactly one token at offset +{asked}. Which one? "
            "Click it in the window."
        ),
        kinds="se",
        right=frozenset({f"s:{right}"}),
        explain=explain,
        because=(
            f"Because {published(step, right)} is the token before {published(step, reader)} in "
            f"the same n-gram: here {named(run, step, right)}, one row before it in its own "
            f"column, along the thick line. {_neighbour(run, step, reader, asked)}"
        ).strip(),
        worth=seasoned(step) + distinct,
    )


def seasoned(step: LookaheadStep) -> int:
    """Much, once no row of the window is start fill any more."""
    return 100 if step.index > len(step.window) else 0


def _neighbour(run: Run, step: LookaheadStep, reader: int, asked: int) -> str:
    if len(step.window[0]) < 2:
        return ""
    return (
        f"{begin(both_names(run, step, reader - 1))}, stands at "
        f"+{asked} as well, but it was guessed in the same pass by a neighbour, so it never was "
        "its left context."
    )


def ngram_end(run: Run, index: int) -> Question | None:
    """Which token ends the n-gram of a column?"""
    step = full_window(run, index)
    if step is None:
        return None
    cols = len(step.window[0])
    col = min(1, cols - 1)
    column = [row[col] for row in step.window]
    end = step.last_row_predictions[col]
    assert end is not None

    def explain(answer: str) -> str:
        (at,) = numbers(answer)
        other = at if answer.startswith("e") else at % cols
        if at >= (cols if answer.startswith("e") else step.layout.slots):
            return "There is no such cell in this pass."
        if answer.startswith("s") and at >= cols * len(step.window):
            return "This is a guess of a candidate, which is verified and not stored."
        if other != col:
            return (
                f"This is column {other}: it belongs to the n-gram with the key "
                f"{token(run, step.window[0][other])}."
            )
        return "It belongs to this n-gram, but the model's prediction after the column ends it."

    return Question(
        step=index,
        text=(
            f"The n-gram with the key {token(run, column[0])} (row 0, column {col}) enters the "
            "pool now. Click its last token."
        ),
        kinds="se",
        right=frozenset({f"e:{col}"}),
        explain=explain,
        because=(
            f"Every column gives one n-gram: its tokens and the prediction after them. Here "
            f"{_colours(step, col)}: {' '.join(token(run, one) for one in (*column, end))}. Each "
            "was predicted from the one before it. The first is the key."
        ),
        worth=seasoned(step) + len({*column, end}),
    )


def _colours(step: LookaheadStep, col: int) -> str:
    cols = len(step.window[0])
    names = [published(step, row * cols + col) for row in range(len(step.window))]
    return f"{', '.join(names)} and {yellow(step, col)}"


def ngrams_entering(run: Run, index: int) -> Question | None:
    """How many n-grams enter the pool in this pass, and which are thrown away?"""
    step = plain_step(run, index)
    if step is None:
        return None
    changes = [change for change in step.pool_changes if change.source == "window"]
    wide, deep = len(step.window[0]), len(step.window)
    if len(changes) < 2 or any(change.kind == "ignored" for change in changes):
        return None
    again = sum(change.kind == "refreshed" for change in changes)
    evicted = sum(change.evicted is not None for change in changes)
    return Question(
        step=index,
        text=f"How many n-grams does the window put into the pool in pass {index}?",
        **by_number(len(changes), (0, 1, deep, wide)),
        explain=lambda answer: (
            "Every column of a full window is one n-gram, likely or not: none is thrown away at "
            "this point. Count the columns."
        ),
        because=(
            f"All are kept: {len(changes)}, one for each column. {again} of them were in the pool "
            "already and count as new again. Discarded is only what no longer fits: "
            f"{_room(run)}, and {_pushed_out(evicted)}. One that was tried and not confirmed "
            "stays."
        ),
        worth=bool(again) + bool(evicted),
    )


def _room(run: Run) -> str:
    assert isinstance(run.config, LookaheadConfig)
    most = run.config.pool_capacity
    return "this pool has no bound" if most is None else f"a key holds at most {most} n-grams here"


def _pushed_out(number: int) -> str:
    if not number:
        return "no old one had to go for them here"
    what = "one that had been put" if number == 1 else f"{number} that had been put"
    return f"here {what} in longest ago had to go"
