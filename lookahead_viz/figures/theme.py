"""Every colour and every glyph, light and dark. No other file of the app names a colour.

The fills were chosen so that any two that can meet in one picture (``MEETING``) differ by at
least 20 (CIE 1976 ΔE) for readers with normal vision, deuteranopia, protanopia and tritanopia
(Machado et al. 2009, severity 1.0), and every text has a contrast of at least 4.5:1 on its fill.
Colour never stands alone: states also have a glyph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

ThemeName = Literal["light", "dark"]

FONT = "DejaVu Sans, Verdana, Arial, sans-serif"
MONO = "DejaVu Sans Mono, Menlo, Consolas, monospace"

ACCEPTED, BONUS, REJECTED, PENDING = "✓", "★", "✗", "?"
LEAK, BLIND, SEES_ITSELF = "●", "○", "●"

BLACK, WHITE = "#000000", "#FFFFFF"


class Fill(NamedTuple):
    """A fill colour and the colour of the text on it."""

    colour: str
    text: str


@dataclass(frozen=True)
class Theme:
    """One set of colours. Fields of type ``Fill`` are fills; the others are for lines and text."""

    name: ThemeName
    background: str
    text: str
    muted: str  # small grey labels on the background
    faint: str  # grid lines and separators
    outline: str  # the border of a light fill
    cursor: str  # the current step, a highlighted row
    ribbon: str  # an n-gram through the window

    # states of tokens
    committed: Fill
    accepted: Fill
    bonus: Fill
    rejected: Fill
    changed: Fill
    guess: Fill
    # Jacobi sheet, and "already equal to the final text" in the window
    frozen: Fill
    lucky: Fill
    plain: Fill
    # rules of the mask
    r0: Fill
    r1: Fill
    r2: Fill
    r3: Fill
    r4: Fill
    r5: Fill
    off: Fill
    # mask lab: four states of a difference
    match_on: Fill
    match_off: Fill
    leak: Fill
    blind: Fill
    # lanes of the race, sources of tokens
    greedy: Fill
    jacobi: Fill
    lookahead: Fill
    drafted: Fill
    prompt: Fill
    # series of a chart, told apart by symbol and label too
    series_1: Fill
    series_2: Fill
    series_3: Fill
    series_4: Fill
    # ramps, newest or smallest first
    ages: tuple[str, str, str, str]
    probabilities: tuple[str, str, str]

    def age(self, steps_ago: int, rows: int) -> Fill:
        """The grey of a window row guessed ``steps_ago`` passes ago, in a window of ``rows``."""
        if rows <= len(self.ages):
            return _filled(self.ages[steps_ago])
        return _filled(_between(self.ages, steps_ago / (rows - 1)))

    def probability(self, value: float) -> Fill:
        """The fill for a probability between 0 and 1."""
        return _filled(_between(self.probabilities, value))

    def rule(self, name: str) -> Fill:
        """The fill of a mask cell by its rule: "R0" to "R5"; anything else is off."""
        return {
            "R0": self.r0,
            "R1": self.r1,
            "R2": self.r2,
            "R3": self.r3,
            "R4": self.r4,
            "R5": self.r5,
        }.get(name, self.off)

    def source(self, name: str) -> Fill:
        """The fill of an output token by where it came from (see ``views.text``)."""
        return {
            "guess": self.accepted,
            "bonus": self.bonus,
            "greedy": self.greedy,
            "jacobi": self.jacobi,
        }.get(name, self.prompt)

    @property
    def series(self) -> tuple[Fill, Fill, Fill, Fill]:
        """The fills of a chart's series, in order."""
        return self.series_1, self.series_2, self.series_3, self.series_4

    def lane(self, method: str) -> Fill:
        """The fill of a method's lane in the race."""
        fill = getattr(self, lane_name(method))
        assert isinstance(fill, Fill)
        return fill


MEETING: dict[str, tuple[str, ...]] = {
    "candidate tree": ("committed", "accepted", "bonus", "rejected", "guess"),
    "text": ("prompt", "accepted", "bonus"),
    "greedy text": ("prompt", "greedy"),
    "Jacobi text": ("prompt", "jacobi"),
    "acceptance": ("accepted", "bonus"),
    "pool": ("committed", "accepted", "changed", "guess"),
    "Jacobi sheet": ("plain", "lucky", "frozen"),
    "window, changed": ("committed", "plain", "changed"),
    "window, final": ("committed", "plain", "lucky"),
    # R2 and R3 both read row 0: one colour, told apart by the sentence
    "mask": ("r0", "r1", "r2", "r4", "r5", "off"),
    "mask lab": ("match_on", "match_off", "leak", "blind"),
    "race": ("greedy", "jacobi", "lookahead", "drafted"),
    "charts of the Scale page": ("series_1", "series_2", "series_3", "series_4"),
}
"""The fills that can meet in one picture, by the names of ``Theme`` fields."""


_LIGHT = Theme(
    name="light",
    background=WHITE,
    text="#1A1A1A",
    muted="#5F6672",
    faint="#D5D9DF",
    outline="#8A8F98",
    cursor="#B0006A",
    ribbon="#1B73C4",
    committed=Fill("#1A1A1A", WHITE),
    accepted=Fill("#0B5FA5", WHITE),
    bonus=Fill("#56B4E9", BLACK),
    rejected=Fill("#F6C55B", BLACK),
    changed=Fill("#F6C55B", BLACK),
    guess=Fill("#F2F2F2", BLACK),
    frozen=Fill("#0B5FA5", WHITE),
    lucky=Fill("#9BD0F5", BLACK),
    plain=Fill("#FAFAFA", BLACK),
    r0=Fill("#1A1A1A", WHITE),
    r1=Fill("#8F8F8F", BLACK),
    r2=Fill("#A6D4F4", BLACK),
    r3=Fill("#A6D4F4", BLACK),
    r4=Fill("#1B73C4", WHITE),
    r5=Fill("#F2A93B", BLACK),
    off=Fill(WHITE, "#5F6672"),
    match_on=Fill("#9A9A9A", BLACK),
    match_off=Fill(WHITE, "#5F6672"),
    leak=Fill("#8A3B78", WHITE),
    blind=Fill("#F6C55B", BLACK),
    greedy=Fill("#7A7A7A", BLACK),
    jacobi=Fill("#E69F00", BLACK),
    lookahead=Fill("#0B5FA5", WHITE),
    drafted=Fill("#C9A0DC", BLACK),
    prompt=Fill("#F2F2F2", BLACK),
    series_1=Fill("#0B5FA5", WHITE),
    series_2=Fill("#C76A00", BLACK),
    series_3=Fill("#1A1A1A", WHITE),
    series_4=Fill("#3FA06F", BLACK),
    ages=("#FFFFFF", "#C4C4C4", "#8B8B8B", "#545454"),
    probabilities=("#FFFFFF", "#8FC1EA", "#0B5FA5"),
)

_DARK = Theme(
    name="dark",
    background="#0E1117",
    text="#F2F2F2",
    muted="#A3ABB8",
    faint="#303743",
    outline="#7C8594",
    cursor="#FF8AC8",
    ribbon="#6DB6F2",
    committed=Fill("#F2F2F2", BLACK),
    accepted=Fill("#6DB6F2", BLACK),
    bonus=Fill("#8A5CD6", WHITE),
    rejected=Fill("#FFD166", BLACK),
    changed=Fill("#FFD166", BLACK),
    guess=Fill("#333842", WHITE),
    frozen=Fill("#6DB6F2", BLACK),
    lucky=Fill("#2E5F8F", WHITE),
    plain=Fill("#1B212B", "#F2F2F2"),
    r0=Fill("#F2F2F2", BLACK),
    r1=Fill("#808792", BLACK),
    r2=Fill("#2F5F8A", WHITE),
    r3=Fill("#2F5F8A", WHITE),
    r4=Fill("#6DB6F2", BLACK),
    r5=Fill("#E0A030", BLACK),
    off=Fill("#161B24", "#A3ABB8"),
    match_on=Fill("#646B76", WHITE),
    match_off=Fill("#161B24", "#A3ABB8"),
    leak=Fill("#D77BC4", BLACK),
    blind=Fill("#FFD166", BLACK),
    greedy=Fill("#8B929C", BLACK),
    jacobi=Fill("#E69F00", BLACK),
    lookahead=Fill("#6DB6F2", BLACK),
    drafted=Fill("#E8D5F5", BLACK),
    prompt=Fill("#333842", WHITE),
    series_1=Fill("#6DB6F2", BLACK),
    series_2=Fill("#E69F00", BLACK),
    series_3=Fill("#F2F2F2", BLACK),
    series_4=Fill("#7C8594", BLACK),
    ages=("#141922", "#454B55", "#7A818B", "#B3B9C2"),
    probabilities=("#161B24", "#3B6E9E", "#9AD0FA"),
)

_THEMES: dict[str, Theme] = {"light": _LIGHT, "dark": _DARK}


def theme(name: str = "light") -> Theme:
    """The theme called "light" or "dark"."""
    if name not in _THEMES:
        raise ValueError(f"theme is {name!r}; it must be 'light' or 'dark'.")
    return _THEMES[name]


def lane_name(method: str) -> str:
    """The name of the ``Theme`` field that fills a method's lane: one fill a family of methods."""
    if method in ("speculative", "prompt-lookup"):
        return "drafted"
    if method.endswith("jacobi"):
        return "jacobi"
    return "greedy" if method == "greedy" else "lookahead"


def text_on(colour: str) -> str:
    """Black or white, whichever reads better on ``colour``: never below 4.5:1."""
    return BLACK if luminance(colour) > 0.179 else WHITE


def luminance(colour: str) -> float:
    """Relative luminance of "#RRGGBB" (WCAG 2.2)."""
    shares = (0.2126, 0.7152, 0.0722)
    return sum(share * _linear(part) for share, part in zip(shares, _rgb(colour), strict=True))


def faded(colour: str, opacity: float = 0.35) -> str:
    """``colour`` as an ``rgba`` of this opacity."""
    red, green, blue = (round(part * 255) for part in _rgb(colour))
    return f"rgba({red},{green},{blue},{opacity})"


def _filled(colour: str) -> Fill:
    return Fill(colour, text_on(colour))


def _between(ramp: tuple[str, ...], share: float) -> str:
    """The colour at ``share`` (0 to 1) of the way along ``ramp``."""
    place = min(max(share, 0.0), 1.0) * (len(ramp) - 1)
    left = min(int(place), len(ramp) - 2)
    weight = place - left
    mixed = [
        round(255 * ((1 - weight) * a + weight * b))
        for a, b in zip(_rgb(ramp[left]), _rgb(ramp[left + 1]), strict=True)
    ]
    return "#{:02X}{:02X}{:02X}".format(*mixed)


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
