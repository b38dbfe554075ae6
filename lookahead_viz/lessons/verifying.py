"""Questions about verification: how far is a candidate right, and what is accepted?"""

from __future__ import annotations

from lookahead_viz.lessons.question import Question, by_number, numbers, plain_step, token
from lookahead_viz.prefix import common_prefix
from lookahead_viz.records import LookaheadStep, Run
from lookahead_viz.words import count


def accepted(run: Run, index: int) -> Question | None:
    """How many tokens will this pass accept?"""
    step = plain_step(run, index)
    if step is None or not step.verification.candidates or step.discarded:
        return None
    right, longest = len(step.accepted), step.verification.longest
    size = len(step.verification.candidates[0])
    full = longest == size

    def explain(answer: str) -> str:
        (chosen,) = numbers(answer)
        if chosen < right:
            return (
                "More are right: go through every candidate from the left, as long as the guess "
                "equals the model's own token below it. The model's token after the last right "
                "guess is accepted as well."
            )
        return _too_many(run, step)

    return Question(
        step=index,
        text=(
            "How many tokens will this pass write, the model's own one (★) included? Below each "
            "guess stands the model's own token at its place."
        ),
        **by_number(right, range(1, size + 2)),
        explain=explain,
        because=_what_was_accepted(run, step, full),
        hide=("verdict", "text"),
        worth=2 * longest + (len(step.verification.candidates) > 1),
    )


def _what_was_accepted(run: Run, step: LookaheadStep, full: bool) -> str:
    words = " ".join(token(run, one) for one in step.accepted)
    longest = step.verification.longest
    if not longest:
        return f"No candidate begins right, so only the model's own token is accepted: {words}."
    if full:
        return (
            f"Yes, when all match the last guess is accepted too: all {longest} of this "
            f"candidate, and the model's own token after them: {words}."
        )
    return (
        f"{count(longest, 'guess', 'guesses')} of the longest match, and the model's own token "
        f"after them: {words}."
    )


def _too_many(run: Run, step: LookaheadStep) -> str:
    verification = step.verification
    assert verification.winner is not None
    winner, matched = verification.winner, verification.longest
    if matched == len(verification.candidates[winner]):
        return "No candidate has so many guesses."
    own = (step.predictions[0], *verification.predictions[winner])[matched]
    assert own is not None
    guess = verification.candidates[winner][matched]
    if guess == own:
        return "The published code does not see that the last guess is right, and stops there."
    return (
        f"Even the best candidate, {winner + 1}, has {token(run, guess)} as guess {matched + 1} "
        f"where the model wants {token(run, own)}: there it ends."
    )


def right_guesses(step: LookaheadStep, candidate: int) -> int:
    """How many leading guesses of a candidate equal the model's own tokens."""
    own = (step.predictions[0], *step.verification.predictions[candidate])
    return common_prefix(step.verification.candidates[candidate], own)


def first_wrong(run: Run, index: int) -> Question | None:
    """Where does a candidate go wrong?"""
    step = plain_step(run, index)
    if step is None:
        return None
    lengths = [right_guesses(step, g) for g in range(len(step.verification.candidates))]
    size = len(step.verification.candidates[0]) if lengths else 0
    wrong = [g for g, length in enumerate(lengths) if length < size]
    if not wrong:
        return None
    chosen = max(wrong, key=lambda g: (lengths[g], -g))
    first = len(step.window) * len(step.window[0]) + chosen * size
    right = first + lengths[chosen]
    own = (step.predictions[0], *step.verification.predictions[chosen])[lengths[chosen]]
    assert own is not None

    def explain(answer: str) -> str:
        slots = [slot for slot in numbers(answer) if first <= slot < first + size]
        if not slots:
            return f"This is not a guess of candidate {chosen + 1}."
        if slots[0] < right:
            return "This guess equals the model's own token at its place."
        return "Something before it is wrong already, so it is not looked at."

    return Question(
        step=index,
        text=f"Candidate {chosen + 1}: click its first guess that is wrong.",
        kinds="gs",
        right=frozenset({f"s:{right}"}),
        explain=explain,
        because=(
            f"The model wants {token(run, own)} there, and that token is accepted instead if no "
            "other candidate gets further. What follows the wrong guess was computed after a "
            "wrong token, so it proves nothing."
        ),
        hide=("verdict", "text"),
        worth=2 * (0 < lengths[chosen]) + (len(lengths) > 1),
    )
