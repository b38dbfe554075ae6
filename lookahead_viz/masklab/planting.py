"""How a wrong mask, or wrong positions, get into a decoding: as a rule, or at one size only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lookahead_viz import visibility
from lookahead_viz.engine.interface import PassResult, Runner
from lookahead_viz.masklab.layouts import PackedLayout
from lookahead_viz.masklab.lint import whole
from lookahead_viz.masklab.mistake_kinds import Mistake
from lookahead_viz.masklab.orders import Order, row_major
from lookahead_viz.masklab.positions import PositionMistake, shift_of
from lookahead_viz.masklab.report import Report
from lookahead_viz.masklab.scene import Masks, Scene
from lookahead_viz.masklab.suspects import ORDERS
from lookahead_viz.records import StepLayout
from lookahead_viz.visibility import BoolMatrix


@dataclass
class Plant:
    """What is wrong in a decoding. ``applied`` counts the passes in which something differed."""

    title: str
    as_rule: bool  # made anew at every size, or the given mask at its own size only
    mask: Callable[[StepLayout], BoolMatrix | None]  # None: the right mask in this pass
    positions: Callable[[StepLayout], Sequence[int] | None]
    applied: int = 0

    def mask_of(self, step: StepLayout) -> BoolMatrix:
        """For ``lookahead_steps``: the mask of this pass, [S, S] or [S, cached + S]."""
        right = visibility.mask(step)
        if step.slots == 1:
            return right  # a lone token sees all there is, whatever its mask
        given = self.mask(step)
        if self.positions(step) is not None:
            self.applied += 1
        elif given is not None and not _equal(given, right):
            self.applied += 1
        return right if given is None else given


def _equal(given: BoolMatrix, right: BoolMatrix) -> bool:
    size = len(right)
    return bool(given[:, :-size].all() and np.array_equal(given[:, -size:], right))


def plant_of(report: Report) -> Plant:
    """What the checked mask would do: known mistakes as rules, an unknown mask at its own size.

    Raises ``ValueError`` with one sentence where there is nothing to plant.
    """
    if report:
        raise ValueError("the mask is right: it changes nothing.")
    if report.scene is None:
        raise ValueError("a mask of another size than the pass's cannot be run.")
    if report.scene.sliding_window is not None:
        raise ValueError(
            "the models here look back without a limit: what a mask for a sliding window does "
            "cannot be tried."
        )
    order = order_of(report.layout)
    places = report.diagnosis.positions[:1]
    move = _positions_rule(places[0], order) if places else _given_positions(report)
    mistakes = report.diagnosis.exact[:1] or report.diagnosis.together
    titles = [one.title for one in mistakes]
    if report.read.inverted:
        titles.insert(0, "inverted")
    titles += [f"positions {one.title}" for one in places]
    if report.wrong_cells and not mistakes:
        title = " and ".join(["your mask", *titles])
        return Plant(title, False, _given_mask(report), move)
    inverted = report.read.inverted
    if not (mistakes or inverted):  # wrong positions alone
        title = " and ".join(titles) or "your positions"
        return Plant(title, bool(places), lambda step: None, move)
    rule = rule_of(mistakes, order, inverted)
    return Plant(" and ".join(titles), not report.positions or bool(places), rule, move)


def plant_mistake(mistake: Mistake | PositionMistake, order: Order = row_major) -> Plant:
    """One known mistake, at every pass; ``order`` is that of the packed tokens."""
    if isinstance(mistake, PositionMistake):
        move = _positions_rule(mistake, order)
        return Plant(f"positions {mistake.title}", True, lambda step: None, move)
    return Plant(mistake.title, True, rule_of((mistake,), order), lambda step: None)


def order_of(layout: PackedLayout) -> Order:
    """The token order of a layout's full passes."""
    for _, order in ORDERS.values():
        if tuple(order(layout.grid)) == layout.order:
            return order
    return row_major


def rule_of(
    mistakes: Sequence[Mistake], order: Order, inverted: bool = False
) -> Callable[[StepLayout], BoolMatrix | None]:
    """All ``mistakes`` together, made anew for every pass; then flipped where ``inverted``."""

    def mask(step: StepLayout) -> BoolMatrix | None:
        scene = Scene.of_step(step, order)
        right = whole(scene.masks, scene.committed)
        given = right.copy()
        for mistake in mistakes:
            masks = mistake.rule(scene)
            if masks is not None:
                changed = whole(masks, scene.committed) != right
                given[changed] = ~right[changed]
        if inverted:
            given = ~given
        cached = scene.committed
        masks = scene.canonical(Masks(given[:, cached:], given[:, :cached]))
        return whole(masks)

    return mask


def _given_mask(report: Report) -> Callable[[StepLayout], BoolMatrix | None]:
    """The packed part of the checked mask in passes of exactly its tokens."""
    scene = report.scene
    assert scene is not None
    if sorted(scene.order) != list(range(scene.grid.slots)):
        raise ValueError(
            "an unknown mask of a part of a pass, or of one with re-fed tokens, cannot be run."
        )
    packed = report.read.mask != report.read.inverted
    mask = scene.canonical(Masks(packed)).packed

    def given(step: StepLayout) -> BoolMatrix | None:
        return mask if _same_step(step, report.layout.step) else None

    return given


def _same_step(step: StepLayout, other: StepLayout) -> bool:
    one = (step.roles, step.rows, step.cols, step.parents)
    return one == (other.roles, other.rows, other.cols, other.parents)


# --- positions


def _positions_rule(
    mistake: PositionMistake, order: Order
) -> Callable[[StepLayout], Sequence[int] | None]:
    def positions(step: StepLayout) -> Sequence[int] | None:
        scene = Scene.of_step(step, order)
        places = mistake.rule(scene)
        if places is None or (places == scene.position).all():
            return None
        return _absolute(step, places[np.argsort(np.array(scene.order))].tolist())

    return positions


def _given_positions(report: Report) -> Callable[[StepLayout], Sequence[int] | None]:
    """The checked positions in passes of exactly the mask's tokens, where they are wrong."""
    scene, given = report.scene, report.positions
    assert scene is not None
    if given is None:
        return lambda step: None
    start = given[scene.current]
    places = np.array(given) - start + shift_of(start, scene.committed, report.layout.refed)
    if (places == scene.position).all() or sorted(scene.order) != list(range(scene.size)):
        return lambda step: None
    canonical = places[np.argsort(np.array(scene.order))].tolist()

    def positions(step: StepLayout) -> Sequence[int] | None:
        return _absolute(step, canonical) if _same_step(step, report.layout.step) else None

    return positions


def _absolute(step: StepLayout, relative: Sequence[int]) -> list[int]:
    return [max(step.positions[0] + place, 0) for place in relative]


class Misplaced:
    """A runner that is told wrong positions by ``plant``; implements ``interface.Runner``."""

    def __init__(self, runner: Runner, plant: Plant) -> None:
        self._runner = runner
        self._plant = plant

    @property
    def vocab_size(self) -> int:
        return self._runner.vocab_size

    @property
    def position_limit(self) -> int | None:
        return self._runner.position_limit

    @property
    def cached(self) -> int:
        return self._runner.cached

    def prefill(self, token_ids: Sequence[int]) -> None:
        self._runner.prefill(token_ids)

    def keep(self, slots: Sequence[int]) -> None:
        self._runner.keep(slots)

    def truncate(self, rows: int) -> None:
        self._runner.truncate(rows)

    def forward(self, layout: StepLayout, visible: BoolMatrix, used: Sequence[int]) -> PassResult:
        places = self._plant.positions(layout)
        if places is not None:
            limit = self.position_limit
            moved = [place if limit is None else min(place, limit - 1) for place in places]
            layout = replace(layout, positions=tuple(moved))
        return self._runner.forward(layout, visible, used)
