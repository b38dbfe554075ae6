"""The rows of a sweep added up over prompts: one setting each for (W, N, G), and the best ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lookahead_viz.scale.arithmetic import Shape, flops
from lookahead_viz.scale.roofline import Clock, speed_up
from lookahead_viz.scale.rows import SweepRow
from lookahead_viz.scale.sizes import Sizes


@dataclass(frozen=True)
class Total:
    """Sums over several decodings."""

    tokens: int
    steps: int
    slots: int
    scores: int
    logit_rows: int

    @property
    def compression(self) -> float:
        """All tokens divided by all passes; 0.0 without passes."""
        return self.tokens / self.steps if self.steps else 0.0

    @property
    def slots_per_step(self) -> float:
        return self.slots / self.steps if self.steps else 0.0

    def flops_per_step(self, shape: Shape) -> float:
        """Operations of an average pass of a model of this shape."""
        return flops(shape, self.slots, self.scores, self.logit_rows) / max(self.steps, 1)


@dataclass(frozen=True)
class Setting:
    """One (W, N, G) over all prompts of a summary."""

    sizes: Sizes
    total: Total

    @property
    def compression(self) -> float:
        return self.total.compression


@dataclass(frozen=True)
class Summary:
    """One model, one length: greedy and every setting, over the same prompts."""

    model: str
    prompts: tuple[str, ...]
    max_new_tokens: int
    greedy: Total
    settings: tuple[Setting, ...]
    left_out: int  # prompts with a failed or missing decoding

    def cost(self, setting: Setting, shape: Shape) -> float:
        """Operations of an average pass, relative to an average greedy pass."""
        return setting.total.flops_per_step(shape) / self.greedy.flops_per_step(shape)

    def setting(self, sizes: Sizes) -> Setting | None:
        return next((one for one in self.settings if one.sizes == sizes), None)


def summarise(rows: Sequence[SweepRow], prompts: Iterable[str] | None = None) -> Summary | None:
    """Add up the rows of one model and length, those of the first row; None without any.

    Only prompts that every setting decoded without a failure count, so that all settings are
    compared on the same text. ``prompts`` restricts them further.
    """
    if not rows:
        return None
    first = rows[0]
    same = [
        row
        for row in rows
        if (row.model_digest, row.max_new_tokens) == (first.model_digest, first.max_new_tokens)
    ]
    wanted = dict.fromkeys(row.prompt for row in same)
    if prompts is not None:
        chosen = set(prompts)
        wanted = {name: None for name in wanted if name in chosen}
    groups: dict[Sizes | None, dict[str, SweepRow]] = {}
    for row in same:
        group = groups.setdefault(row.sizes, {})
        if not row.error:
            group[row.prompt] = row
    whole = tuple(name for name in wanted if all(name in group for group in groups.values()))
    if None not in groups or not whole:
        return None
    totals = {sizes: _total(group[name] for name in whole) for sizes, group in groups.items()}
    return Summary(
        model=first.model,
        prompts=whole,
        max_new_tokens=first.max_new_tokens,
        greedy=totals[None],
        settings=tuple(
            Setting(sizes, total)
            for sizes, total in sorted(
                (item for item in totals.items() if item[0] is not None),
                key=lambda item: item[0],  # type: ignore[arg-type, return-value]
            )
            if sizes is not None
        ),
        left_out=len(wanted) - len(whole),
    )


def _total(rows: Iterable[SweepRow]) -> Total:
    found = tuple(rows)
    return Total(
        tokens=sum(row.tokens for row in found),
        steps=sum(row.steps for row in found),
        slots=sum(row.slots for row in found),
        scores=sum(row.scores for row in found),
        logit_rows=sum(row.logit_rows for row in found),
    )


def pareto_front(
    settings: Sequence[Setting], cost: Callable[[Setting], float]
) -> tuple[Setting, ...]:
    """Those that no other setting beats: nothing gives more compression for as little cost.

    The cheapest first; of equals the first.
    """
    front: list[Setting] = []
    for setting in sorted(settings, key=lambda one: (cost(one), -one.compression)):
        if not front or setting.compression > front[-1].compression:
            front.append(setting)
    return tuple(front)


@dataclass(frozen=True)
class Prediction:
    """A setting and its predicted wall-clock speed-up on one clock."""

    setting: Setting
    ratio: float  # t(slots) / t(1)
    speed_up: float


def predictions(settings: Iterable[Setting], clock: Clock) -> tuple[Prediction, ...]:
    """The predicted speed-up of each setting, the best first.

    The time is that of a pass with the setting's average slots per pass. Settings with more
    slots than the clock knows are left out.
    """
    found = []
    for setting in settings:
        slots = setting.total.slots_per_step
        gain = speed_up(setting.compression, slots, clock)
        if gain is not None and gain > 0:
            found.append(Prediction(setting, setting.compression / gain, gain))
    return tuple(sorted(found, key=lambda one: -one.speed_up))
