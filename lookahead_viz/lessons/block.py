"""A block of a Jacobi run, as its questions look at it."""

from __future__ import annotations

from dataclasses import dataclass

from lookahead_viz.records import JacobiStep, Run


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

    @property
    def places(self) -> range:
        """The places of its final tokens."""
        return range(len(self.final))

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
