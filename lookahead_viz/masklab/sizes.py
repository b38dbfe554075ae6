"""One mask function checked at several sizes: right at one and wrong at another is common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from lookahead_viz.masklab.check import check
from lookahead_viz.masklab.layouts import LAYOUTS, layout_name, packed
from lookahead_viz.masklab.mistakes import MISTAKES
from lookahead_viz.masklab.report import Report
from lookahead_viz.words import count, quoted

Size = tuple[int, int, int]

SIZES: tuple[Size, ...] = (
    (5, 4, 2),
    (5, 4, 0),
    (1, 2, 1),
    (3, 3, 1),
    (7, 5, 3),
    (2, 6, 2),
    (15, 5, 15),
)
"""(W, N, G'): the usual one, the corners, one of each kind."""

MakeMask = Callable[[int, int, int], Any]
"""(W, N, G') -> a mask, or (mask, positions)."""


@dataclass(frozen=True)
class SizesReport:
    """One report a size; truthy when all are right."""

    reports: tuple[tuple[Size, Report], ...]

    def __bool__(self) -> bool:
        return all(report for _, report in self.reports)

    @property
    def everywhere(self) -> tuple[str, ...]:
        """Names of the known mistakes that every wrong size shows."""
        wrong = [set(report.known_names) for _, report in self.reports if not report]
        return tuple(sorted(set.intersection(*wrong))) if wrong else ()

    @property
    def lines(self) -> list[str]:
        wrong = sum(not report for _, report in self.reports)
        sizes = count(len(self.reports), "size")
        said = [f"Wrong at {wrong} of {sizes}." if wrong else f"Right at {sizes}."]
        for name in self.everywhere:
            known = MISTAKES.get(name)
            title = name if known is None else known.title
            said.append(f"Every wrong size shows {quoted(title)}." + _fix(name))
        return said + [report.summary for _, report in self.reports]

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def _fix(name: str) -> str:
    return f" {MISTAKES[name].fix}" if name in MISTAKES else ""


def check_sizes(
    make_mask: MakeMask,
    layout: str = "lade",
    sizes: Sequence[Size] = SIZES,
    **settings: Any,
) -> SizesReport:
    """Check ``make_mask(W, N, G')`` at every size; ``settings`` as for ``check``.

    Raises ``ValueError`` with one sentence where a size cannot be had or a mask not be read.
    """
    name = layout_name(layout)
    if not LAYOUTS[name].steady:
        raise ValueError(f"{name} is no full pass; check its sizes one by one.")
    reports = []
    for size in sizes:
        made = make_mask(*size)
        mask, positions = made if isinstance(made, tuple) and len(made) == 2 else (made, None)
        report = check(mask, layout=packed(name, *size), positions=positions, **settings)
        reports.append((size, report))
    return SizesReport(tuple(reports))
