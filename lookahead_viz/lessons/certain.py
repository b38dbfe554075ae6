"""Questions about the Jacobi sheet: what is certain, and from when on."""

from __future__ import annotations

from lookahead_viz.lessons.block import block_of
from lookahead_viz.lessons.question import Question, by_number, numbers, token
from lookahead_viz.records import JacobiStep, Run
from lookahead_viz.words import count


def newly_certain(run: Run, index: int) -> Question | None:
    """Which tokens became certain in this pass?"""
    block = block_of(run, index)
    if block is None:
        return None
    step, before = block.step(index), block.frozen_before(index)

    def explain(answer: str) -> str:
        x, y = numbers(answer)
        held = block.held(x, y)
        if y != index or held is None:
            return f"This is not in the row of pass {index}."
        if x - block.start < before:
            return f"{token(run, held[1])} was certain before this pass already."
        if step.iteration == 0:
            return f"{token(run, held[1])} was computed from arbitrary start tokens."
        return (
            f"A token left of {token(run, held[1])} changed in this pass. So it was computed from "
            "one that is gone by now, and may change as well."
        )

    return Question(
        step=index,
        text=(
            f"Which token became certain in pass {index}: whatever happens later, it stays? "
            "Click one in its row."
        ),
        kinds="j",
        right=frozenset(f"j:{block.start + at}:{index}" for at in range(before, step.frozen)),
        explain=explain,
        because=_why_certain(run, step, before),
        hide=("text",),
        plain_from=index,
        blank_from=index + 1,
        worth=1 if step.iteration == 0 else 0,
    )


def _why_certain(run: Run, step: JacobiStep, before: int) -> str:
    gained = step.frozen - before
    if step.iteration == 0 and gained == 1:
        return (
            f"{token(run, step.next_iterate[0])} was computed from the prompt alone, and the "
            "prompt is certain. All others were computed from arbitrary tokens."
        )
    return (
        f"Everything before it is certain, so it was computed from certain tokens: "
        f"{count(gained, 'token')} became certain here."
    )


def certain_count(run: Run, index: int) -> Question | None:
    """How many tokens does this pass make certain?"""
    block = block_of(run, index)
    if block is None:
        return None
    step, before = block.step(index), block.frozen_before(index)
    right, most = step.frozen - before, len(step.iterate) - before
    if most < 2:
        return None

    def explain(answer: str) -> str:
        (chosen,) = numbers(answer)
        if chosen < right:
            return (
                "Some more are certain: the rows stay equal further to the right, and the "
                "token after the equal ones counts as well."
            )
        changed = step.frozen - 1
        return (
            f"Output token {block.start + changed} changed from "
            f"{token(run, step.iterate[changed])} to {token(run, step.next_iterate[changed])}: "
            "what stands right of it was computed from the old one."
        )

    return Question(
        step=index,
        text=(
            f"How many tokens become certain in pass {index}? Compare its row with the row "
            "above, from the line on to the right."
        ),
        **by_number(right, range(1, min(most, max(right + 2, 4)) + 1)),
        explain=explain,
        because=_why_so_many(step, right),
        hide=("text",),
        plain_from=index,
        blank_from=index + 1,
        worth=right if right < most else 1,
    )


def _why_so_many(step: JacobiStep, right: int) -> str:
    if step.iterate[step.frozen - 1] == step.next_iterate[step.frozen - 1]:
        return f"Nothing changed any more: all {right} were computed from themselves."
    last = "was computed from certain tokens only"
    if right == 1:
        return f"The very next token changed. It {last}, so it is certain now; no other is."
    if right == 2:
        return f"One token stayed equal: it was computed from itself. The token after it {last}."
    return (
        f"{right - 1} tokens stayed equal: they were computed from themselves. The token after "
        f"them {last}."
    )
