"""The Jacobi sheet: every iterate of a run, output position from left to right, passes downwards.

Row t holds the iterate after pass t. A block's start fill stands one row above its first pass.
Frozen = guaranteed final; lucky = already equal to the final token, but not guaranteed yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from lookahead_viz.comparison import draft_name
from lookahead_viz.draws import draw_sentence
from lookahead_viz.explain import step_sentence
from lookahead_viz.records import JacobiStep, Run
from lookahead_viz.tokens import printable, quoted_token
from lookahead_viz.views.common import NothingToDraw, place, step_of
from lookahead_viz.words import count, quoted

State = Literal["start", "plain", "lucky", "frozen"]
Blocks = Literal["all", "current"]

MOST_CELLS = 5000
"""A run with more cells than this shows the current block alone."""


@dataclass(frozen=True)
class JacobiCell:
    """The token at output index ``x`` after pass ``y`` (the pass before the first: start fill)."""

    x: int
    y: int
    text: str  # visible, whole
    state: State
    changed: bool  # by this pass
    flipped: bool  # it was the final token and left it again
    hover: str


@dataclass(frozen=True)
class JacobiPass:
    """What one pass achieved; counts within its block of ``size`` tokens."""

    y: int
    block: int
    iteration: int
    frozen: int
    correct: int | None  # frozen and lucky; None where the final text is unknown
    size: int
    frontier: int  # output tokens guaranteed after it, counted from the start of the text


@dataclass(frozen=True)
class JacobiBlock:
    """Where one block lies on the sheet."""

    number: int
    x0: int  # first output index
    size: int
    y0: int  # first pass
    y1: int  # last pass


@dataclass(frozen=True)
class JacobiView:
    """Everything the Jacobi picture shows; no cells when there is nothing to draw."""

    sentence: str
    cells: tuple[JacobiCell, ...] = ()
    passes: tuple[JacobiPass, ...] = ()  # of the blocks shown
    blocks: tuple[JacobiBlock, ...] = ()  # shown
    cursor: int = 0  # the pass of this step
    finished: bool = False  # False: the final text is unknown, nothing is called lucky
    tokens: int = 0  # of the whole run
    total_passes: int = 0
    flips: int = 0  # on the blocks shown
    saved: str = ""  # "saved 5 of 24 passes", in the whole run
    note: str = ""  # what is not shown, and why
    start: str = "start fill"  # what the first iterates are


def jacobi_view(run: Run, index: int, blocks: Blocks = "all") -> JacobiView:
    """The sheet of a Jacobi run with the cursor on step ``index``.

    ``blocks="current"`` shows the block of that step alone, as does a run of more than
    ``MOST_CELLS`` cells.
    """
    try:
        step = step_of(run, index, JacobiStep, "Jacobi sheet")
    except NothingToDraw as nothing:
        return JacobiView(str(nothing))
    steps = [step for step in run.steps if isinstance(step, JacobiStep)]
    placed = _blocks(steps)
    shown, note = placed, ""
    if blocks == "current":
        shown = [placed[step.block]]
    elif sum(len(_row(step)[0]) for step in steps) > MOST_CELLS:
        shown = [placed[step.block]]
        note = (
            f"Block {step.block + 1} of {len(placed)}: the whole run has more than "
            f"{MOST_CELLS} cells."
        )
    cells = tuple(cell for block in shown for cell in _cells(run, steps, block))
    tokens = len(run.token_ids)
    return JacobiView(
        sentence=step_sentence(run, index),
        cells=cells,
        passes=tuple(_passes(run, steps, shown)),
        blocks=tuple(shown),
        cursor=place(run, index),
        finished=run.ended,
        tokens=tokens,
        total_passes=len(steps),
        flips=sum(cell.flipped for cell in cells),
        saved=f"saved {tokens - len(steps):,} of {count(tokens, 'pass', 'passes')}",
        note=note,
        start=_start_words(run),
    )


def _start_words(run: Run) -> str:
    return "start fill" if run.draft is None else f"draft of {draft_name(run)}"


def _blocks(steps: Sequence[JacobiStep]) -> list[JacobiBlock]:
    found: list[JacobiBlock] = []
    emitted = 0
    for y, step in enumerate(steps):
        if step.iteration == 0:
            found.append(JacobiBlock(step.block, emitted, len(step.iterate), y, y))
        last = found[-1]
        found[-1] = JacobiBlock(last.number, last.x0, last.size, last.y0, y)
        emitted += len(step.accepted)
    return found


def _cells(run: Run, steps: Sequence[JacobiStep], block: JacobiBlock) -> list[JacobiCell]:
    """The rows of a block's passes; blocks in flight behind it stand in the same rows."""
    final = run.token_ids[block.x0 :] if run.ended else ()
    cells = []
    for y in range(block.y0, block.y1 + 1):
        before, after = _row(steps[y])
        known = len(_row(steps[y - 1])[1]) if y else 0  # tokens that an earlier pass predicted
        if y and y == block.y0:
            known -= len(steps[y - 1].iterate)  # those of the block before
        cells += [_start_cell(run, block, y, x, before[x]) for x in range(known, len(before))]
        cells += [_cell(run, steps[y], block, y, x, final) for x in range(len(after))]
    return cells


def _row(step: JacobiStep) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The iterates of all blocks in flight, before and after a pass."""
    return (
        (*step.iterate, *chain.from_iterable(step.ahead)),
        (*step.next_iterate, *chain.from_iterable(step.next_ahead)),
    )


def _place(block: JacobiBlock, x: int) -> str:
    """Where a cell is; behind the block stands a block ahead of it."""
    which = "block" if x < block.size else "ahead of block"
    return f"output token {block.x0 + x}, {which} {block.number + 1}"


def _start_cell(run: Run, block: JacobiBlock, y: int, x: int, token: int) -> JacobiCell:
    text = printable(run.token_text, token)
    origin = "start fill: no model predicted it"
    if run.draft is not None:
        origin = f"{_start_words(run)}: where the passes start from"
    return JacobiCell(
        x=block.x0 + x,
        y=y - 1,
        text=text,
        state="start",
        changed=False,
        flipped=False,
        hover=f"{quoted(text)} · {_place(block, x)}, before its first pass\n{origin}",
    )


def _cell(
    run: Run, step: JacobiStep, block: JacobiBlock, y: int, x: int, final: tuple[int, ...]
) -> JacobiCell:
    before, token = (row[x] for row in _row(step))
    known = final[x] if x < len(final) else None
    state: State = "plain"
    if x < step.frozen:
        state = "frozen"
    elif token == known:
        state = "lucky"
    return JacobiCell(
        x=block.x0 + x,
        y=y,
        text=printable(run.token_text, token),
        state=state,
        changed=before != token,
        flipped=before == known != token,
        hover="\n".join(_hover_lines(run, step, block, x, state, known)),
    )


def _hover_lines(
    run: Run, step: JacobiStep, block: JacobiBlock, x: int, state: State, known: int | None
) -> list[str]:
    before, token = (row[x] for row in _row(step))
    where = f"{_place(block, x)}, iteration {step.iteration}"
    lines = [f"{quoted_token(run.token_text, token)} · {where}"]
    if state == "frozen":
        lines.append("frozen: guaranteed final")
    elif state == "lucky":
        lines.append("lucky: already the final token, but not guaranteed yet")
    elif known is not None:
        lines.append(f"not the final token, which is {quoted_token(run.token_text, known)}")
    for draw in step.draws:
        if draw.depth == x - step.frozen_before:
            lines.append(f"{quoted_token(run.token_text, draw.token)}: {draw_sentence(draw)}")
    if before != token:
        left = ", the final token" if before == known else ""
        was = quoted_token(run.token_text, before)
        lines.append(f"changed: one pass ago it was {was}{left}")
    return lines


def _passes(
    run: Run, steps: Sequence[JacobiStep], blocks: Sequence[JacobiBlock]
) -> list[JacobiPass]:
    found = []
    for block in blocks:
        final = run.token_ids[block.x0 : block.x0 + block.size]
        frontier = block.x0
        for y in range(block.y0, block.y1 + 1):
            step = steps[y]
            frontier += len(step.accepted)
            equal = zip(step.next_iterate, final, strict=False)
            correct = sum(a == b for a, b in equal) if run.ended else None
            found.append(
                JacobiPass(
                    y=y,
                    block=block.number,
                    iteration=step.iteration,
                    frozen=step.frozen,
                    correct=None if correct is None else max(correct, step.frozen),
                    size=block.size,
                    frontier=frontier,
                )
            )
    return found
