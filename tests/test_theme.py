"""Colours: told apart by every reader, texts legible, all in one file."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lookahead_viz.figures.theme import MEETING, Fill, Theme, luminance, text_on, theme

ROOT = Path(__file__).resolve().parent.parent
LEAST_DIFFERENCE = 20.0
LEAST_CONTRAST = 4.5

Array = NDArray[np.float64]

# Machado, Oliveira & Fernandes 2009, severity 1.0, on linear RGB
VISION: dict[str, Array] = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE_POINT = np.array([0.95047, 1.0, 1.08883])


def linear(colour: str) -> Array:
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(colour: str, vision: str) -> Array:
    """CIE L*a*b* of a colour as seen with ``vision``."""
    seen = np.clip(VISION[vision] @ linear(colour), 0, 1)
    ratio = XYZ @ seen / WHITE_POINT
    cube = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * cube[1] - 16, 500 * (cube[0] - cube[1]), 200 * (cube[1] - cube[2])])


def difference(a: str, b: str, vision: str) -> float:
    """CIE 1976 ΔE."""
    return float(np.linalg.norm(lab(a, vision) - lab(b, vision)))


def contrast(a: str, b: str) -> float:
    dark, light = sorted((luminance(a), luminance(b)))
    return (light + 0.05) / (dark + 0.05)


def fills(colours: Theme) -> dict[str, Fill]:
    return {name: value for name, value in vars(colours).items() if isinstance(value, Fill)}


@pytest.fixture(params=["light", "dark"])
def colours(request: pytest.FixtureRequest) -> Theme:
    return theme(request.param)


def test_the_measure_knows_black_from_white() -> None:
    assert difference("#000000", "#FFFFFF", "normal") == pytest.approx(100, abs=0.1)
    assert difference("#FF0000", "#FF0000", "protanopia") == 0
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("picture", MEETING)
def test_fills_that_meet_are_told_apart(colours: Theme, picture: str, vision: str) -> None:
    found = {name: fills(colours)[name].colour for name in MEETING[picture]}
    for (name, a), (other, b) in itertools.combinations(found.items(), 2):
        assert difference(a, b, vision) >= LEAST_DIFFERENCE, (name, other, picture)


@pytest.mark.parametrize("vision", VISION)
def test_up_to_four_window_rows_are_told_apart(colours: Theme, vision: str) -> None:
    greys = (*colours.ages, colours.committed.colour)  # the current token's cell is committed
    for a, b in itertools.combinations(greys, 2):
        assert difference(a, b, vision) >= LEAST_DIFFERENCE


def test_ramps_are_ordered(colours: Theme) -> None:
    ages = [luminance(colours.age(i, 9).colour) for i in range(9)]
    chances = [luminance(colours.probability(i / 8).colour) for i in range(9)]
    for ramp in (ages, chances):
        assert ramp in (sorted(ramp), sorted(ramp, reverse=True))


def test_every_text_is_legible_on_its_fill(colours: Theme) -> None:
    for name, fill in fills(colours).items():
        assert contrast(*fill) >= LEAST_CONTRAST, name
    for text in (colours.text, colours.muted):
        assert contrast(text, colours.background) >= LEAST_CONTRAST
    ramp = [colours.age(i, 9) for i in range(9)] + [colours.age(i, 4) for i in range(4)]
    for fill in [*ramp, *(colours.probability(i / 20) for i in range(21))]:
        assert contrast(*fill) >= LEAST_CONTRAST, fill


def test_text_is_black_or_white_by_contrast() -> None:
    for grey in range(256):
        colour = f"#{grey:02X}{grey:02X}{grey:02X}"
        assert contrast(colour, text_on(colour)) >= LEAST_CONTRAST


def test_every_fill_meets_the_others_somewhere(colours: Theme) -> None:
    declared = {name for names in MEETING.values() for name in names}
    assert set(fills(colours)) - declared == {"r3"}
    assert colours.r3 == colours.r2


def test_an_unknown_theme_is_refused() -> None:
    with pytest.raises(ValueError, match="'blue'; it must be 'light' or 'dark'"):
        theme("blue")


def test_colours_live_in_the_theme_file_alone() -> None:
    places = [ROOT / "lookahead_viz" / "figures", ROOT / "lookahead_viz" / "ui", ROOT / "pages"]
    files = [ROOT / "app.py", *(file for place in places for file in place.rglob("*.py"))]
    literal = re.compile(r"#[0-9A-Fa-f]{6}\b|#[0-9A-Fa-f]{3}\b(?=[\"'])")
    for file in files:
        if file.exists() and file.name != "theme.py":
            assert not literal.search(file.read_text(encoding="utf-8")), file
