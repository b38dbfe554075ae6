"""Questions about the Jacobi sheet: what is certain, what is right by luck, what is lost."""

from __future__ import annotations

from dataclasses import dataclass

from lookahead_viz.lessons.question import Question, by_number, numbers, token
from lookahead_viz.records import JacobiStep, Run
from lookahead_viz.words import count


@dataclass(frozen=True)
class Block:
    """The block of one pass: its passes, and where it lies in the output."""

    run: Run
    steps: tuple[JacobiStep, ...]
    start: int  # output index of its first token
    final: tuple[int, ...]  # its final tokens, as far as the text goes; none of a stopped run

    @property
    def first(self) -> int:
        """Its first pass."""
        return self.steps[0].index

    @property
    def last(self) -> int:
        return self.steps[-1].index

    def step(self, index: int) -> JacobiStep:
        return self.steps[index - self.first]

    def frozen_before(self, index: int) -> int:
        """How many tokens were certain before a pass."""
        return self.step(index).frozen_before

    def held(self, x: int, y: int) -> tuple[int, int] | None:
        """The token at output ``x`` before and after pass ``y``; None outside the block."""
        at = x - self.start
        if not self.first <= y <= self.last or not 0 <= at < len(self.steps[0].iterate):
            return None
        return self.step(y).iterate[at], self.step(y).next_iterate[at]

    def settled(self, at: int) -> int:
        """From this pass on the token at place ``at`` of the block is the final one."""
        found = self.last
        while found > self.first and self.step(found - 1).next_iterate[at] == self.final[at]:
            found -= 1
        return found


def block_of(run: Run, index: int) -> Block | None:
    """The block of a pass; None for another kind of run, and for blocks that are not alone."""
    here = run.steps[index]
    if not isinstance(here, JacobiStep) or here.ahead or here.verification is not None:
        return None
    steps = tuple(
        step for step in run.steps if isinstance(step, JacobiStep) and step.block == here.block
    )
    start = sum(len(step.accepted) for step in run.steps[: steps[0].index])
    end = start + len(here.iterate)
    return Block(run, steps, start, run.token_ids[start:end] if run.ended else ())


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
    after = "the token after them was computed from certain tokens only"
    if right == 1:
        return f"The very next token changed. It {after[22:]}, so it is certain now; no other is."
    if right == 2:
        return f"One token stayed equal: it was computed from itself. And {after}."
    return f"{right - 1} tokens stayed equal: they were computed from themselves. And {after}."


def settled(run: Run, index: int) -> Question | None:
    """From which pass on is a token right?"""
    block = block_of(run, index)
    if block is None or not block.final:
        return None
    certain = [next(s.index for s in block.steps if s.frozen > at) for at in _places(block)]
    places = [(certain[at] - block.settled(at), at) for at in _places(block)]
    early, at = max(places, key=lambda place: (place[0], -place[1]))
    x, pass_ = block.start + at, block.settled(at)
    final = token(run, block.final[at])

    def explain(answer: str) -> str:
        column, y = numbers(answer)
        held = block.held(column, y)
        if held is None or column != x:
            return f"This is not in the column of output token {x}."
        if held[1] != block.final[at]:
            return f"In pass {y} this place holds {token(run, held[1])}, in the end {final}."
        if y > pass_:
            return "It is right here, but an earlier pass had it right already, and it stayed."
        return (
            "It is right here, but a later pass loses it again. From which pass on does it stay?"
        )

    return Question(
        step=index,
        text=(
            f"From which pass on is output token {x} right, and stays right? The lowest row is "
            "the final text. Click that cell in its column."
        ),
        kinds="j",
        right=frozenset({f"j:{x}:{pass_}"}),
        explain=explain,
        because=(
            f"It is right from pass {pass_} on, but certain only after pass {certain[at]}: until "
            "then a token before it was still wrong."
            if early
            else f"It is right from pass {pass_} on, and certain in the same pass."
        ),
        plain_from=block.first,
        worth=10 * early + (index == block.last),
    )


def _places(block: Block) -> range:
    return range(len(block.final))


def lucky(run: Run, index: int) -> Question | None:
    """Which token is right without being certain?"""
    block = block_of(run, index)
    if block is None or not block.final:
        return None
    step = block.step(index)
    right = [
        at for at in _places(block)[step.frozen :] if step.next_iterate[at] == block.final[at]
    ]
    if not right:
        return None

    def explain(answer: str) -> str:
        x, y = numbers(answer)
        held = block.held(x, y)
        if held is None or y != index:
            return f"This is not in the row of pass {index}."
        if x - block.start < step.frozen:
            return f"{token(run, held[1])} is certain: everything before it is. That is no luck."
        return f"{token(run, held[1])} is not right: in the end {_end(run, block, x)} stands here."

    return Question(
        step=index,
        text=(
            f"Click a token in the row of pass {index} that is right already, though nothing "
            "guarantees it yet. The lowest row is the final text."
        ),
        kinds="j",
        right=frozenset(f"j:{block.start + at}:{index}" for at in right),
        explain=explain,
        because=(
            "It equals the final token, but something before it is still wrong, so the next pass "
            "computes it anew and may lose it. Right and certain are two things."
        ),
        plain_from=index,
        worth=len(right),
    )


def _why_lost(block: Block, y: int) -> str:
    if y == block.first:
        return "for it was an arbitrary start token, right by accident"
    return "because a token before it had changed"


def _end(run: Run, block: Block, x: int) -> str:
    at = x - block.start
    return token(run, block.final[at]) if at < len(block.final) else "nothing"


def lost(run: Run, index: int) -> Question | None:
    """Which token was right and was lost again?"""
    block = block_of(run, index)
    if block is None or not block.final:
        return None
    right = [
        (block.start + at, step.index)
        for step in block.steps
        for at in _places(block)
        if step.iterate[at] == block.final[at] != step.next_iterate[at]
    ]
    if not right:
        return None

    def explain(answer: str) -> str:
        x, y = numbers(answer)
        held = block.held(x, y)
        if held is None:
            return "This is not in this block."
        before, after = (token(run, one) for one in held)
        if after == _end(run, block, x):
            return f"{after} is the right token here."
        return f"{after} is wrong, but one pass before, the wrong {before} stood here."

    x, y = right[0]
    held = block.held(x, y)
    assert held is not None
    return Question(
        step=index,
        text=(
            "A right token can be lost again. Click a wrong token that stands below a right one "
            "(light: right by luck)."
        ),
        kinds="j",
        right=frozenset(f"j:{x}:{y}" for x, y in right),
        explain=explain,
        because=(
            f"In this block it happens {count(len(right), 'time')}. For example: output token "
            f"{x} was {token(run, held[0])}, which is right, and pass {y} made it "
            f"{token(run, held[1])}, {_why_lost(block, y)}."
        ),
        worth=10 * len(right) + (index == block.last),
    )
