"""Questions of the first chapter and of cost: what a pass reads, writes and computes."""

from __future__ import annotations

from lookahead_viz.lessons.question import Question, by_number, numbers, plain_step, token
from lookahead_viz.records import Role, Run
from lookahead_viz.words import count


def tokens_before(run: Run, index: int) -> int:
    """How many tokens of output there are before a pass."""
    return sum(len(step.accepted) for step in run.steps[:index])


def current_token(run: Run, index: int) -> Question | None:
    """Which token was read last?"""
    before = tokens_before(run, index)
    if not before:
        return None  # the last token read belongs to the prompt, which cannot be clicked
    wrote = f"Pass {index} wrote {token(run, run.token_ids[before])}"

    def explain(answer: str) -> str:
        (at,) = numbers(answer)
        if at >= before:
            return "This token was written by the pass itself: it was not there to be read."
        return (
            f"{token(run, run.token_ids[at])} was read too, but other tokens stood after it "
            "already. Which was the last one?"
        )

    return Question(
        step=index,
        text=f"{wrote}. Which token was the last one that it read? Click it in the text.",
        kinds="o",
        right=frozenset({f"o:{before - 1}"}),
        explain=explain,
        because=(
            f"{token(run, run.token_ids[before - 1])} is the current token: the last one of the "
            "text so far. The model reads everything up to it and says what comes next."
        ),
        worth=min(before, 5),
    )


def tokens_written(run: Run, index: int) -> Question | None:
    """How many tokens did this pass write?"""
    step, sizes = run.steps[index], [len(step.accepted) for step in run.steps]
    most = max(sizes)
    if most < 2:
        return None
    right = len(step.accepted)
    return Question(
        step=index,
        text=f"How many tokens did pass {index} write? They are marked in the text.",
        **by_number(right, range(1, most + 1)),
        explain=lambda answer: (
            "Every box with a ✓ or a ★ in the text is one token, however long it is."
        ),
        because=(
            f"{count(right, 'token')} in one pass: ✓ marks a guess that the model confirmed, ★ "
            "the token that the model gave itself."
        ),
        worth=right,
    )


def slots_fed(run: Run, index: int) -> Question | None:
    """How many slots does this pass feed?"""
    step = plain_step(run, index)
    if step is None:
        return None
    slots, guesses = step.layout.slots, step.layout.roles.count(Role.GUESS)
    window, rows = slots - guesses, len(step.window)
    candidates = len(step.verification.candidates)
    if not candidates:
        return None
    names = {
        window: "These are the slots of the window alone. The candidates are fed in the same pass",
        guesses: "These are the guesses of the candidates alone. The window is fed too",
        window + candidates: "Each candidate is several slots: one for each of its guesses",
        len(step.window[0]): "That is one row of the window",
    }

    def explain(answer: str) -> str:
        (chosen,) = numbers(answer)
        return f"{names.get(chosen, 'Count the cells of the window and the guesses')}."

    per = guesses // candidates
    return Question(
        step=index,
        text=f"How many slots does pass {index} feed to the model: window and candidates?",
        **by_number(slots, names),
        explain=explain,
        because=(
            f"{rows} rows × {window // rows} columns, and {count(candidates, 'candidate')} of "
            f"{count(per, 'guess', 'guesses')} each: {window} + {guesses} = {slots} slots, for "
            f"{count(len(step.accepted), 'token')} of the text."
        ),
        worth=candidates,
    )
