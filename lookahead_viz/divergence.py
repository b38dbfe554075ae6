"""Where texts part, and why: one prompt in several precisions and attentions by several methods.

At temperature 0 every method must write greedy's text, and in exact arithmetic it does. Floating
point is not exact: a pass with many slots adds the same numbers in another order than a pass with
one, because the shape of its matrices is another. So each logit differs a little: by the *noise*.
Where the two most likely tokens are further apart than the noise, nothing happens; where they are
closer, their order may turn around, and from there on the texts are different.

Both are measured here. The noise is seen in the record: the gap between the two best logits, at
the same token after the same text, by another method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Protocol

from lookahead_viz.comparison import Comparison, Difference, compare, run_label
from lookahead_viz.config import Config, GreedyConfig
from lookahead_viz.records import Run, Step
from lookahead_viz.words import one_line

DTYPES = ("float64", "float32", "bfloat16", "float16")
USUAL_DTYPES = ("float64", "float32", "bfloat16")
ATTENTIONS = ("eager", "sdpa")

Load = Callable[[str, str, Callable[[str, float], bool]], object]
"""(dtype, attention, on_progress) -> a loaded ``Model``, as ``load_model``."""


class Record(Protocol):
    """``lookahead_viz.record``."""

    def __call__(
        self, model: object, prompt: object, config: Config, on_step: Callable[[Step], bool]
    ) -> Run: ...


@dataclass(frozen=True)
class Setting:
    """One way to compute."""

    dtype: str
    attention: str

    @property
    def label(self) -> str:
        return f"{self.dtype}, {self.attention}"


@dataclass(frozen=True)
class Outcome:
    """One run of one setting, against greedy decoding in the same setting.

    ``parted`` is None where they agree. ``noise`` is the largest change of a top-2 gap at tokens
    that both wrote after the same text (0 for greedy itself), ``least_gap`` the smallest top-2
    gap of the greedy run over these tokens.
    """

    setting: Setting
    run: Run
    parted: Difference | None
    noise: float
    least_gap: float | None

    @property
    def is_greedy(self) -> bool:
        return self.run.method == GreedyConfig.method


@dataclass(frozen=True)
class Refused:
    """A setting that could not be computed, and why."""

    setting: Setting
    reason: str


@dataclass(frozen=True)
class Divergence:
    """All outcomes in the order of computing; ``whole`` is False where it was stopped early."""

    outcomes: tuple[Outcome, ...]
    refused: tuple[Refused, ...] = ()
    whole: bool = True

    def greedy(self, setting: Setting) -> Outcome | None:
        """The greedy run of a setting."""
        found = (one for one in self.outcomes if one.setting == setting and one.is_greedy)
        return next(found, None)

    @property
    def reference(self) -> Outcome | None:
        """The greedy run that all others can be compared with: the first, most exact one."""
        return next((one for one in self.outcomes if one.is_greedy), None)

    def from_reference(self, outcome: Outcome) -> Difference | None:
        """The first difference of any run from the reference; None where they agree."""
        reference = self.reference
        assert reference is not None
        return compare(outcome.run, reference.run).difference


@dataclass(frozen=True)
class Progress:
    """How far an exploration is."""

    done: int  # runs
    runs: int
    sentence: str


def explore(
    load: Load,
    record: Record,
    prompt: object,
    configs: Sequence[Config],
    *,
    dtypes: Sequence[str] = USUAL_DTYPES,
    attentions: Sequence[str] = ATTENTIONS,
    on_progress: Callable[[Progress], bool] | None = None,
) -> Divergence:
    """Decode ``prompt`` once for every dtype, attention and config; greedy decoding is added.

    ``prompt`` is text, or token ids. ``load`` is asked once for each dtype and attention;
    what it refuses with a ValueError is kept as ``Refused``. ``on_progress`` is called before
    each run, after each pass and while a model is loaded; returning False ends the exploration,
    and what was decoded is kept. ValueError for configs that sample or an unknown name.
    """
    methods = _methods(configs)
    settings = _settings(dtypes, attentions)
    watch = _Watch(len(settings) * len(methods), on_progress)
    outcomes: list[Outcome] = []
    refused: list[Refused] = []
    for setting in settings:
        if not watch.say(f"Loading the model in {setting.label} …"):
            break
        try:
            model = load(setting.dtype, setting.attention, watch.loading(setting))
        except ValueError as error:
            refused.append(Refused(setting, one_line(error)))
            watch.done += len(methods)
            continue
        except Exception:
            if watch.stopped:  # in the middle of the loading
                break
            raise
        greedy: Run | None = None
        for config in methods:
            if not watch.say(f"{config.method}, {setting.label}"):
                break
            run = record(model, prompt, config, on_step=lambda step: watch.go_on())
            if watch.stopped:
                break
            watch.done += 1
            if run.failure is not None:
                refused.append(Refused(setting, f"{run_label(run)}: {run.failure}"))
                continue
            greedy = greedy or run
            outcomes.append(outcome(setting, run, greedy))
    return Divergence(tuple(outcomes), tuple(refused), whole=not watch.stopped)


def outcome(setting: Setting, run: Run, greedy: Run) -> Outcome:
    """One run against the greedy run of the same setting."""
    found = compare(run, greedy)
    same = found.difference.index if found.difference else found.compared
    theirs, own = _gaps(greedy), _gaps(run)
    # at the first difference too: there the text before it is still the same
    upto = min(same + (found.difference is not None), len(theirs), len(own))
    changes = [abs(a - b) for a, b in zip(theirs[:same], own[:same], strict=False)]
    return Outcome(
        setting, run, found.difference, max(changes, default=0.0), min(theirs[:upto], default=None)
    )


def comparison(divergence: Divergence, setting: Setting) -> Comparison:
    """The runs of one setting as a comparison that pages can show."""
    runs = tuple(one.run for one in divergence.outcomes if one.setting == setting)
    return Comparison(name=setting.label, runs=runs, note="From the divergence explorer.")


class _Watch:
    """Counts runs and asks whether to go on."""

    def __init__(self, runs: int, on_progress: Callable[[Progress], bool] | None) -> None:
        self.done, self.stopped = 0, False
        self._runs, self._tell, self._sentence = runs, on_progress, ""

    def say(self, sentence: str) -> bool:
        self._sentence = sentence
        return self.go_on()

    def loading(self, setting: Setting) -> Callable[[str, float], bool]:
        """``on_progress`` for the loading of the model in this setting."""
        what = f"Loading the model in {setting.label}"
        return lambda stage, share: self.say(f"{what}: {stage} ({share:.0%})")

    def go_on(self) -> bool:
        if self._tell is not None and not self.stopped:
            self.stopped = not self._tell(Progress(self.done, self._runs, self._sentence))
        return not self.stopped


def _methods(configs: Sequence[Config]) -> list[Config]:
    """Greedy decoding first, as long as the longest of the others."""
    for config in configs:
        warmth = getattr(config, "temperature", 0.0)
        if warmth:
            raise ValueError(
                f"{config.method} samples (temperature {warmth:g}); texts "
                "can only be compared at temperature 0."
            )
    others = [config for config in configs if config.method != GreedyConfig.method]
    given = [config for config in configs if config.method == GreedyConfig.method]
    longest = max((config.max_new_tokens for config in others), default=64)
    greedy = given[0] if given else GreedyConfig(max_new_tokens=longest)
    return [greedy, *others]


def _settings(dtypes: Sequence[str], attentions: Sequence[str]) -> list[Setting]:
    for name, given, known in (
        ("dtype", dtypes, DTYPES),
        ("attention", attentions, ATTENTIONS),
    ):
        for one in given:
            if one not in known:
                raise ValueError(f"{name} is {one!r}; it must be one of {', '.join(known)}.")
    if not dtypes or not attentions:
        raise ValueError("choose at least one precision and one attention.")
    order = sorted(dict.fromkeys(dtypes), key=DTYPES.index)
    # sdpa first: in float64 eager's softmax is float32
    return [Setting(d, a) for d, a in product(order, sorted(dict.fromkeys(attentions))[::-1])]


def _gaps(run: Run) -> list[float]:
    return [gap for step in run.steps for gap in step.gap]
