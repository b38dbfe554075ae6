"""Fits against laws that are known: lines by the textbook formula, rooflines made by hand."""

from __future__ import annotations

import random
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookahead_viz.scale.arithmetic import forward_bytes, forward_flops, shape_of
from lookahead_viz.scale.fit import fit_line, supports_law
from lookahead_viz.scale.hardware import device
from lookahead_viz.scale.roofline import (
    MeasuredClock,
    ModelledClock,
    fit_roofline,
    ratios,
    speed_up,
)

XS = [log2(w) for w in (1, 2, 4, 8, 16, 32)]


def test_an_exact_line_is_found() -> None:
    line = fit_line(XS, [60 - 4 * x for x in XS])
    assert (line.intercept, line.slope, line.r2) == pytest.approx((60, -4, 1))
    assert line.worst == pytest.approx(0, abs=1e-9)


def test_a_line_by_hand() -> None:
    """y = 1, 3, 2 at x = 0, 1, 2: means 1 and 2, slope 1 / 2, residuals -.5, 1, -.5."""
    line = fit_line([0, 1, 2], [1, 3, 2])
    assert (line.intercept, line.slope) == pytest.approx((1.5, 0.5))
    assert line.residuals == pytest.approx((-0.5, 1.0, -0.5))
    assert line.r2 == pytest.approx(1 - 1.5 / 2)


@given(
    st.lists(st.tuples(st.floats(-9, 9), st.floats(-99, 99)), min_size=3, max_size=9).filter(
        lambda points: max(p[0] for p in points) - min(p[0] for p in points) > 0.1
    )
)
def test_lines_are_those_of_the_textbook(points: list[tuple[float, float]]) -> None:
    """slope = Σ(x - x̄)(y - ȳ) / Σ(x - x̄)²."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum(
        (x - mean_x) ** 2 for x in xs
    )
    line = fit_line(xs, ys)
    assert line.slope == pytest.approx(slope, rel=1e-6, abs=1e-6)
    assert line.at(mean_x) == pytest.approx(mean_y, rel=1e-6, abs=1e-6)
    assert sum(line.residuals) == pytest.approx(0, abs=1e-6)


def test_one_place_gives_no_line() -> None:
    with pytest.raises(ValueError, match="two points with different x"):
        fit_line([1, 1], [2, 3])


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([60, 56, 52, 48, 44, 40], "yes"),
        ([60, 56.5, 51.6, 48.3, 43.8, 40.2], "yes"),  # a little noise
        ([60, 50, 44, 41, 40, 40], "flattens"),  # the last doubling saves nothing
        ([60, 30, 28, 27, 25, 21], "flattens"),  # not straight
        ([60, 60, 60, 60, 60, 60], "no"),
        ([40, 44, 48, 52, 56, 60], "no"),
    ],
)
def test_the_verdict_on_the_scaling_law(steps: list[float], expected: str) -> None:
    assert supports_law(XS, steps) == expected


def test_three_windows_are_too_few_for_a_verdict() -> None:
    assert supports_law(XS[:3], [60, 56, 52]) == "too few"


SLOTS = (1, 2, 4, 8, 12, 21, 30, 60, 90, 120, 160, 256)


def known(slots: float, overhead: float, memory: float, slope: float) -> float:
    return overhead + max(memory, slope * slots)


@pytest.mark.parametrize("law", [(2.0, 10.0, 0.25), (0.0, 5.0, 0.1), (4.0, 0.0, 0.3)])
def test_a_known_roofline_is_found(law: tuple[float, float, float]) -> None:
    points = tuple((float(slots), known(slots, *law)) for slots in SLOTS)
    fit = fit_roofline(points)
    assert fit.worst < 0.01
    assert fit.packing_ms < 0.1
    assert fit.ms_per_slot == pytest.approx(law[2], rel=0.02)
    assert fit.ms(1) == pytest.approx(known(1, *law), rel=0.01)
    assert fit.ms(512) == pytest.approx(known(512, *law), rel=0.02)


def test_a_noisy_roofline_is_predicted_within_ten_per_cent() -> None:
    """5 % of noise on every point: no residual exceeds 10 %."""
    noise = random.Random(0)
    points = tuple(
        (float(slots), known(slots, 1.0, 8.0, 0.2) * (1 + noise.uniform(-0.05, 0.05)))
        for slots in SLOTS
    )
    fit = fit_roofline(points)
    assert fit.worst < 0.10
    for (slots, time), residual in zip(points, fit.residuals, strict=True):
        assert residual == pytest.approx(fit.ms(slots) / time - 1)


def test_what_falls_with_slots_is_fitted_flat() -> None:
    """No machine is faster with more slots: neither part may be negative."""
    fit = fit_roofline(((1, 4.0), (2, 3.0), (4, 2.0), (8, 1.0)))
    assert fit.ms(8) == pytest.approx(fit.ms(2)) and fit.packing_ms == 0
    steep = fit_roofline(((1, 0.1), (10, 5.0), (20, 11.0), (40, 24.0)))
    assert steep.overhead_ms == 0 and steep.ms_per_slot > 0


def test_what_a_second_slot_costs_at_once_is_found() -> None:
    """1 ms + 0.2 ms a slot, and 5 ms for packing as soon as there are two."""
    points = tuple((float(s), 1.0 + 0.2 * s + (5.0 if s > 1 else 0.0)) for s in SLOTS)
    fit = fit_roofline(points)
    assert fit.worst < 0.01
    assert fit.packing_ms == pytest.approx(5, rel=0.05)
    assert fit.ms(1) == pytest.approx(1.2, rel=0.01)


def test_three_points_make_no_roofline() -> None:
    with pytest.raises(ValueError, match="at least 4 points, not 3"):
        fit_roofline(((1, 1.0), (2, 1.0), (4, 1.0)))


def test_a_modelled_clock_by_hand() -> None:
    shape, card = shape_of("Llama 2 7B"), device("A100 80 GB")
    assert shape is not None
    clock = ModelledClock(shape, card, 2.0, context=0)
    assert clock.memory_ms(1) == pytest.approx(forward_bytes(shape, 1, 0, 2.0) / 2039e9 * 1e3)
    assert clock.ms(1) == pytest.approx(6.48, abs=0.02)  # 13.2 GB at 2039 GB/s
    assert clock.ms(1000) == pytest.approx(forward_flops(shape, 1000, 0) / 312e12 * 1e3)
    # operations of one slot ÷ bytes of a weight = 1: the knee is near the machine's balance
    assert clock.knee == pytest.approx(card.balance, rel=0.05)
    assert clock.compute_ms(clock.knee) >= clock.memory_ms(clock.knee)
    assert clock.compute_ms(clock.knee - 1) < clock.memory_ms(clock.knee - 1)
    assert clock.fits and not ModelledClock(shape, device("RTX 4090"), 4.0, 0).fits


def test_a_measured_clock_claims_nothing_beyond_its_points() -> None:
    clock = MeasuredClock(((1.0, 10.0), (21.0, 30.0)))
    assert clock.ms(11) == pytest.approx(20)
    assert clock.ms(22) is None
    assert ratios(clock, [1, 21, 30]) == [1, 3, None]
    assert speed_up(2.4, 21, clock) == pytest.approx(0.8)
    assert speed_up(2.4, 30, clock) is None
    assert MeasuredClock(()).ms(1) is None
