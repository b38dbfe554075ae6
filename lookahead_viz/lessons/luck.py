"""Questions about the Jacobi sheet: what is right by luck, since when, and what is lost again."""

from __future__ import annotations

from lookahead_viz.lessons.block import Block, block_of
from lookahead_viz.lessons.question import Question, numbers, token
from lookahead_viz.records import Run
from lookahead_viz.words import count


def settled(run: Run, index: int) -> Question | None:
    """From which pass on is a token right?"""
    block = block_of(run, index)
    if block is None or not block.final:
        return None
    certain = [next(s.index for s in block.steps if s.frozen > at) for at in block.places]
    places = [(certain[at] - block.settled(at), at) for at in block.places]
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


def lucky(run: Run, index: int) -> Question | None:
    """Which token is right without being certain?"""
    block = block_of(run, index)
    if block is None or not block.final:
        return None
    step = block.step(index)
    right = [at for at in block.places[step.frozen :] if step.next_iterate[at] == block.final[at]]
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


def lost(run: Run, index: int) -> Question | None:
    """Which token was right and was lost again?"""
    block = block_of(run, index)
    if block is None or not block.final:
        return None
    right = [
        (block.start + at, step.index)
        for step in block.steps
        for at in block.places
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


def _why_lost(block: Block, y: int) -> str:
    if y == block.first:
        return "for it was an arbitrary start token, right by accident"
    return "because a token before it had changed"


def _end(run: Run, block: Block, x: int) -> str:
    at = x - block.start
    return token(run, block.final[at]) if at < len(block.final) else "nothing"
