"""The scaling law on a sweep: passes and compression against log2 W, a fit per N, a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log2

import pandas as pd

from lookahead_viz.scale.fit import LEAST_POINTS, Line, Support, fit_line, supports_law
from lookahead_viz.scale.plan import AS_WINDOW
from lookahead_viz.scale.summary import Setting, Summary
from lookahead_viz.words import count

LAW = "exponentially larger W, linearly fewer passes"
NGRAMS = (3, 4, 5, 6)
COLUMNS = (
    "N",
    "W",
    "G",
    "log2 W",
    "passes per prompt",
    "fitted",
    "residual",
    "compression",
    "compression fitted",
)


@dataclass(frozen=True)
class LawSeries:
    """All W of one N; passes are means per prompt."""

    ngram_size: int
    settings: tuple[Setting, ...]  # ascending W
    steps: tuple[float, ...]
    line: Line | None  # passes against log2 W; None under two W
    rise: Line | None  # compression against log2 W
    support: Support

    @property
    def windows(self) -> tuple[int, ...]:
        return tuple(setting.sizes.window_size for setting in self.settings)

    @property
    def compressions(self) -> tuple[float, ...]:
        return tuple(setting.compression for setting in self.settings)

    @property
    def last_cut(self) -> float:
        """Passes that the last doubling of W saved."""
        return (self.steps[-2] - self.steps[-1]) / log2(self.windows[-1] / self.windows[-2])


@dataclass(frozen=True)
class LawView:
    """What the scaling-law picture shows; no series where the sweep has no such settings."""

    sentence: str
    about: str
    series: tuple[LawSeries, ...] = ()
    table: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(COLUMNS)), compare=False
    )


def law_view(
    summary: Summary,
    *,
    ngrams: Sequence[int] = NGRAMS,
    candidates: int | str = AS_WINDOW,
    least_window: int = 1,
) -> LawView:
    """Passes against log2 W for each N of ``ngrams``; ``candidates`` is G, or "W" for G = W.

    Windows below ``least_window`` are left out: of the picture, of the fit and of the verdict.
    """
    found = tuple(
        series
        for ngram_size in ngrams
        if (series := _series(summary, ngram_size, candidates, least_window)).settings
    )
    about = _about(summary, candidates)
    if not found:
        return LawView("This sweep has no such settings: choose another N or G.", about)
    return LawView(_verdict(found), about, found, _table(found))


def _series(
    summary: Summary, ngram_size: int, candidates: int | str, least_window: int
) -> LawSeries:
    settings = tuple(
        sorted(
            (
                setting
                for setting in summary.settings
                if setting.sizes.ngram_size == ngram_size
                and setting.sizes.window_size >= least_window
                and setting.sizes.max_candidates
                == (setting.sizes.window_size if candidates == AS_WINDOW else candidates)
            ),
            key=lambda setting: setting.sizes.window_size,
        )
    )
    xs = [log2(setting.sizes.window_size) for setting in settings]
    steps = tuple(setting.total.steps / len(summary.prompts) for setting in settings)
    compressions = [setting.compression for setting in settings]
    return LawSeries(
        ngram_size,
        settings,
        steps,
        line=fit_line(xs, steps) if len(xs) > 1 else None,
        rise=fit_line(xs, compressions) if len(xs) > 1 else None,
        support=supports_law(xs, steps),
    )


def _about(summary: Summary, candidates: int | str) -> str:
    tokens = summary.greedy.tokens / len(summary.prompts)
    left_out = (
        f"; {count(summary.left_out, 'prompt')} left out because a decoding failed"
        if summary.left_out
        else ""
    )
    return (
        f"{summary.model}: mean over {count(len(summary.prompts), 'prompt')} of "
        f"{tokens:.0f} new tokens, G = {candidates}{left_out}. Passes and tokens are counts: they "
        "are the same on every machine."
    )


def _verdict(found: Sequence[LawSeries]) -> str:
    by_support: dict[Support, list[LawSeries]] = {"yes": [], "flattens": [], "no": []}
    for series in found:
        by_support.setdefault(series.support, []).append(series)
    few = by_support.get("too few", [])
    if len(few) == len(found):
        return f"Too few window sizes to judge “{LAW}”: a sweep needs at least {LEAST_POINTS}."
    parts = []
    if by_support["yes"]:
        cuts = [-series.line.slope for series in by_support["yes"] if series.line]
        parts.append(
            f"supports “{LAW}” for {_names(by_support['yes'])}: each doubling of W saves "
            f"{_range(cuts)} passes"
        )
    else:
        parts.append(f"does not support “{LAW}”")
    if by_support["flattens"]:
        cuts = [-series.line.slope for series in by_support["flattens"] if series.line]
        lasts = [series.last_cut for series in by_support["flattens"]]
        parts.append(
            f"for {_names(by_support['flattens'])} passes do fall, by {_range(cuts)} a doubling, "
            f"but not along a straight line (the last doubling saves {_range(lasts)})"
        )
    if by_support["no"]:
        parts.append(f"for {_names(by_support['no'])} passes do not fall with W at all")
    return f"Over W = {_windows(found)} this data {'; '.join(parts)}. {_rise(found)}"


def _windows(found: Sequence[LawSeries]) -> str:
    windows = [window for series in found for window in series.windows]
    return f"{min(windows)} to {max(windows)}"


def _rise(found: Sequence[LawSeries]) -> str:
    lines = [series.rise for series in found if series.rise is not None]
    return (
        f"Compression changes by {_range([line.slope for line in lines], 2)} a doubling "
        f"(R² {_range([line.r2 for line in lines], 2)})."
    )


def _names(found: Sequence[LawSeries]) -> str:
    return "N = " + ", ".join(str(series.ngram_size) for series in found)


def _range(values: Sequence[float], digits: int = 1) -> str:
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return low if low == high else f"{low} to {high}"


def _table(found: Sequence[LawSeries]) -> pd.DataFrame:
    lines = []
    for series in found:
        for place, setting in enumerate(series.settings):
            sizes, line, rise = setting.sizes, series.line, series.rise
            x = log2(sizes.window_size)
            lines.append(
                (
                    sizes.ngram_size,
                    sizes.window_size,
                    sizes.max_candidates,
                    round(x, 3),
                    round(series.steps[place], 2),
                    None if line is None else round(line.at(x), 2),
                    None if line is None else round(line.residuals[place], 2),
                    round(setting.compression, 3),
                    None if rise is None else round(rise.at(x), 3),
                )
            )
    return pd.DataFrame(lines, columns=list(COLUMNS))
