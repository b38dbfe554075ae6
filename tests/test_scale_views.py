"""Summaries, scaling law, cost and time on a made-up sweep that follows a known law."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookahead_viz.figures.scale_cost import draw_cost
from lookahead_viz.figures.scale_law import draw_law
from lookahead_viz.figures.scale_time import draw_latency, draw_speed
from lookahead_viz.scale import shipped
from lookahead_viz.scale.arithmetic import flops, shape_of
from lookahead_viz.scale.claims import NO_GPU, QUOTED, claims, gpu_note
from lookahead_viz.scale.hardware import device
from lookahead_viz.scale.roofline import ModelledClock
from lookahead_viz.scale.sizes import Sizes
from lookahead_viz.scale.summary import (
    Setting,
    Summary,
    Total,
    pareto_front,
    predictions,
    summarise,
)
from lookahead_viz.views.scale_cost import cost_view
from lookahead_viz.views.scale_headline import headline
from lookahead_viz.views.scale_law import law_view
from lookahead_viz.views.scale_time import (
    NamedClock,
    best_table,
    latency_view,
    measured_clocks,
    speed_at,
    speed_view,
)
from tests.scale_rows import latency, law_rows, row

THEMES = ("light", "dark")


@pytest.fixture
def summary() -> Summary:
    found = summarise(law_rows())
    assert found is not None
    return found


# --- adding up


def test_rows_are_added_up_over_prompts(summary: Summary) -> None:
    assert summary.prompts == ("stack", "loop")
    assert summary.greedy == Total(tokens=120, steps=120, slots=120, scores=4800, logit_rows=120)
    one = summary.setting(Sizes(4, 3, 4))
    assert one is not None
    assert (one.total.tokens, one.total.steps) == (120, 84)  # 2 x (50 - 4 x 2)
    assert one.compression == pytest.approx(120 / 84)
    assert one.total.slots_per_step == 16


def test_a_prompt_that_failed_somewhere_counts_nowhere() -> None:
    rows = list(law_rows())
    place = next(i for i, one in enumerate(rows) if one.prompt == "loop" and one.W == 8)
    rows[place] = replace(rows[place], error="out of memory", steps=0, tokens=0)
    found = summarise(rows)
    assert found is not None
    assert (found.prompts, found.left_out) == (("stack",), 1)
    assert found.greedy.steps == 60
    assert "1 prompt left out because a decoding failed" in law_view(found).about
    assert summarise(rows, ["loop"]) is None
    assert summarise(()) is None
    assert summarise(rows[2:]) is None  # no greedy decoding to compare with


def test_the_cost_of_a_step_by_hand(summary: Summary) -> None:
    """16 slots of 40 pairs each against 1 slot of 40: all three terms grow 16 times."""
    shape, one = shape_of("Llama 2 7B"), summary.setting(Sizes(4, 3, 4))
    assert shape is not None and one is not None
    assert summary.cost(one, shape) == pytest.approx(16)
    assert one.total.flops_per_step(shape) == pytest.approx(flops(shape, 16, 640, 16))


SETTINGS = st.lists(
    st.builds(
        lambda steps, slots: Setting(Sizes(1, 2, 0), Total(1000, steps, slots * steps, 0, 0)),
        st.integers(100, 1000),
        st.integers(1, 50),
    ),
    max_size=12,
)


@given(SETTINGS)
def test_the_pareto_front_is_what_nothing_beats(settings: list[Setting]) -> None:
    front = pareto_front(settings, lambda one: one.total.slots_per_step)

    def beats(a: Setting, b: Setting) -> bool:
        cheaper = a.total.slots_per_step <= b.total.slots_per_step
        better = a.compression >= b.compression
        return cheaper and better and a.total != b.total

    unbeaten = {one.total for one in settings if not any(beats(other, one) for other in settings)}
    assert {one.total for one in front} == unbeaten
    costs = [one.total.slots_per_step for one in front]
    assert costs == sorted(costs)


# --- scaling law


def test_the_law_is_found_where_it_holds(summary: Summary) -> None:
    view = law_view(summary)
    straight, flat = view.series
    assert straight.line is not None and flat.line is not None
    assert (straight.line.intercept, straight.line.slope) == pytest.approx((50, -4))
    assert straight.windows == (1, 2, 4, 8) and straight.steps == (50, 46, 42, 38)
    assert (straight.support, flat.support) == ("yes", "flattens")
    assert flat.last_cut == 0
    assert view.sentence == (
        "Over W = 1 to 8 this data supports “exponentially larger W, linearly fewer passes” for "
        "N = 3: each doubling of W saves 4.0 passes; for N = 4 passes do fall, by 4.6 a doubling, "
        "but not along a straight line (the last doubling saves 0.0). Compression changes by "
        "0.13 to 0.27 a doubling (R² 0.86 to 0.99)."
    )
    assert list(view.table["fitted"][:4]) == [50, 46, 42, 38]
    assert view.table["residual"][:4].abs().max() == 0
    shorter = law_view(summary, least_window=2)
    assert shorter.sentence.startswith("Too few") and shorter.series[0].windows == (2, 4, 8)


def test_other_verdicts_are_said_too(summary: Summary) -> None:
    assert "does not support" in law_view(summary, ngrams=(4,)).sentence
    nothing = law_view(summary, ngrams=(6,))
    assert nothing.series == () and "no such settings" in nothing.sentence
    few = summarise([one for one in law_rows() if one.W <= 2])
    assert few is not None
    assert "Too few window sizes" in law_view(few).sentence
    rising = [
        row("stack", 60),
        *(row("stack", 30 + w, w, 3, w) for w in (1, 2, 4, 8)),
    ]
    found = summarise(rising)
    assert found is not None
    assert "for N = 3 passes do not fall with W at all" in law_view(found).sentence


def test_one_window_alone_is_drawn_without_a_line() -> None:
    found = summarise([row("stack", 60), row("stack", 30, 4, 3, 4)])
    assert found is not None
    view = law_view(found)
    assert view.series[0].line is None
    assert view.table["fitted"].isna().all()
    for theme in THEMES:
        draw_law(view, theme=theme)


# --- cost


def test_cost_points_know_the_front(summary: Summary) -> None:
    shape = shape_of("tiny")
    assert shape is not None
    view = cost_view(summary, shape)
    # W=1 N=3 costs least (4 slots) and gives 1.2; W=1 N=4 (6 slots) 1.5; W=2 N=4 (12) 2; ...
    assert [point.label for point in view.front] == [
        "W=1 N=3 G=1",
        "W=1 N=4 G=1",
        "W=2 N=4 G=2",
        "W=4 N=4 G=4",
    ]
    assert "4 of 8 settings are on the Pareto front" in view.sentence
    assert "10.4 times greedy's operations on each token" in view.sentence  # 24 / (60 / 26)
    assert view.table["Pareto front"].sum() == 4
    slots = cost_view(summary, shape, "slots")
    assert [point.cost for point in slots.front] == [4, 6, 12, 24]


# --- time


def test_a_prediction_by_hand(summary: Summary) -> None:
    """W=2 N=3 G=2: 8 slots in 17 ms instead of 10, 60 / 46 tokens per pass."""
    (clock,) = measured_clocks([latency()])
    assert clock.name == "toy on a machine (float32)"
    found = speed_at(summary, clock, Sizes(2, 3, 2))
    assert found == pytest.approx(60 / 46 * 10 / 17)
    assert speed_at(summary, clock, Sizes(3, 3, 3)) is None
    view = speed_view(summary, clock)
    assert view.found[0].speed_up == max(one.speed_up for one in view.found)
    assert "lookahead loses" in view.sentence and "0 of 8 settings beat greedy" in view.sentence


def test_clocks_of_equal_machines_have_different_names() -> None:
    names = [named.name for named in measured_clocks([latency(), latency(), latency()])]
    assert names[0] == "toy on a machine (float32)"
    assert names[1] == "toy on a machine (float32), 40 rows, 2026-01-31"
    assert len(set(names)) == 3


def test_settings_beyond_the_measured_slots_are_left_out(summary: Summary) -> None:
    short = latency()
    (clock,) = measured_clocks([replace(short, points=short.points[:2])])
    assert {one.setting.total.slots_per_step for one in predictions(summary.settings, clock.clock)}
    assert all(
        one.setting.total.slots_per_step <= 8 for one in predictions(summary.settings, clock.clock)
    )


def test_where_slots_are_free_the_speed_up_is_the_compression(summary: Summary) -> None:
    shape = shape_of("Llama 2 7B")
    assert shape is not None
    clock = NamedClock("card", ModelledClock(shape, device("A100 80 GB"), 2.0, 40))
    best = speed_view(summary, clock).found[0]
    assert best.speed_up == pytest.approx(best.setting.compression, rel=0.01)
    assert best.setting.compression == max(one.compression for one in summary.settings)


def test_the_latency_picture_says_what_slots_cost(summary: Summary) -> None:
    clocks = measured_clocks([latency()])
    shape = shape_of("Llama 2 7B")
    assert shape is not None
    clocks.append(NamedClock("card", ModelledClock(shape, device("A100 80 GB"), 2.0, 40)))
    view = latency_view(clocks)
    assert "21 slots cost 3.0× and 120 slots cost 12.9× one slot (measured)" in view.sentence
    assert "card: flat up to 1" in view.sentence and "(modelled" in view.sentence
    assert "off by 0% at most" in view.fits
    assert set(view.table["kind"]) == {"measured", "modelled"}
    table = best_table(summary, clocks)
    assert list(table["kind"]) == ["measured", "modelled"]
    for theme in THEMES:
        figure = draw_latency(view, theme=theme)
        assert {trace.line.dash for trace in figure.data if trace.mode != "markers"} >= {
            "solid",
            "dash",
        }


def test_the_headline_counts_measures_and_models() -> None:
    said = headline({"toy": law_rows()}, [latency()])
    assert "Counted: 2.31 tokens per pass at best with toy (W=4 N=4 G=4, a point of" in said
    assert "21 slots cost 3.0× one slot" in said and "lookahead loses" in said
    assert "Modelled: a 7B model in bf16 on one A100 80 GB" in said and "upper bound" in said
    assert "if it guessed as well as toy does" in said
    assert "Measured" not in headline({"toy": law_rows()}, [])
    assert "No sweep is here yet" in headline({}, [])


@pytest.mark.parametrize("theme", THEMES)
def test_every_picture_is_drawn_full_and_empty(summary: Summary, theme: str) -> None:
    shape = shape_of("tiny")
    assert shape is not None
    (clock,) = measured_clocks([latency()])
    law = draw_law(law_view(summary), theme=theme)
    assert {trace.name for trace in law.data} >= {"N = 3", "N = 4"}
    draw_cost(cost_view(summary, shape), theme=theme)
    draw_speed(speed_view(summary, clock), theme=theme)
    nothing = replace(summary, settings=())
    for figure in (
        draw_law(law_view(nothing), theme=theme),
        draw_cost(cost_view(nothing, shape), theme=theme),
        draw_speed(speed_view(nothing, clock), theme=theme),
        draw_latency(latency_view([]), theme=theme),
    ):
        assert figure.layout.annotations[0].text


# --- claims


def test_the_best_counted_setting_is_a_point_of_the_chart_that_the_headline_names() -> None:
    sweeps = shipped.sweeps()
    summary = summarise(next(iter(sweeps.values())))
    shape = shape_of("tiny")
    assert summary is not None and shape is not None
    best = max(cost_view(summary, shape, "slots").points, key=lambda one: one.compression)
    said = headline(sweeps, shipped.latencies())
    assert f"Counted: {best.compression:.2f} tokens per pass" in said and best.label in said


def test_each_model_is_claimed_with_the_threads_it_had() -> None:
    here = [one for one in shipped.latencies() if not shipped.is_gpu(one)]
    for claim in claims(shipped.sweeps(), here):
        if claim.kind in ("measured", "predicted") and "SmolLM2" not in claim.what:
            assert "1 thread" in claim.hardware, claim


def test_quoted_numbers_stand_with_hardware_and_devices() -> None:
    values = {claim.value: claim.devices for claim in QUOTED}
    assert values == {"up to 1.8×": "one device", "up to 4×": "several devices"}
    for claim in QUOTED:
        assert "2402.02057" in claim.source and "A100" in claim.hardware and claim.baseline


def test_our_numbers_are_computed_from_the_files() -> None:
    found = claims({"toy": law_rows()}, [latency(load_before=3.0, cores=2)])
    by_kind = {kind: [c for c in found if c.kind == kind] for kind in ("counted", "measured")}
    assert by_kind["counted"][0].value == "2.31"  # 60 / 26
    assert [claim.value for claim in by_kind["measured"]] == ["3.0×", "12.9×"]
    assert "busy (load 3.0 on 2 cores)" in by_kind["measured"][0].hardware
    assert all(claim.devices == "one device" for claim in by_kind["measured"])
    assert [claim.kind for claim in claims({}, [])] == ["quoted", "quoted"]


def test_without_a_gpu_file_no_gpu_figure_is_claimed() -> None:
    assert gpu_note([latency()]) == NO_GPU and "No GPU figures exist yet" in NO_GPU
    assert gpu_note([latency("cuda:0")]) == "Measured GPUs: a machine (2026-01-31)."
