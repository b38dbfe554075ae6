"""The clocks of the Scale page: measured ones, modelled devices with editable rates, measuring."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lookahead_viz.scale.arithmetic import SHAPES, Shape
from lookahead_viz.scale.hardware import DEVICES, PRECISIONS, Device
from lookahead_viz.scale.latency import Latency
from lookahead_viz.scale.roofline import ModelledClock
from lookahead_viz.scale.shipped import is_gpu
from lookahead_viz.ui import models, scale_data
from lookahead_viz.ui.background import Report
from lookahead_viz.ui.text import say
from lookahead_viz.ui.watching import outcome, watch
from lookahead_viz.views.scale_time import NamedClock, measured_clocks

SERVED = tuple(shape for shape in SHAPES if shape.billions > 0.1)
CUSTOM = "Your own numbers"
MOST_DRAWN = 3


def modelled() -> tuple[list[NamedClock], NamedClock]:
    """All devices with the chosen model and precision, and the one that was chosen."""
    first, second, *rates, fifth, sixth = st.columns([2.2, 1.8, 1.1, 1.1, 1.1, 1.3, 0.9])
    names = [device.name for device in DEVICES]
    with first:
        shape = _shape()
    kept: Any = {"persist_state": "session"}
    name = second.selectbox(
        "Modelled device", [*names, CUSTOM], index=1, key="scale_device", **kept
    )
    template = next((one for one in DEVICES if one.name == name), DEVICES[1])
    bandwidth, rate, memory = _rates(template, rates)
    context = fifth.slider("Cached rows", 0, 8192, 512, step=128, key="scale_context", **kept)
    precision = sixth.selectbox("Weights", list(PRECISIONS), key="scale_precision", **kept)
    size = PRECISIONS[str(precision)]
    usual = (template.bandwidth, template.rate, template.memory)
    edited = (bandwidth, rate, memory) != usual or name == CUSTOM
    device = Device(
        f"{name}, edited" if edited and name != CUSTOM else name,
        bandwidth,
        rate,
        memory,
        "your own numbers" if edited else template.source,
    )
    clocks = [_clock(one, shape, size, str(precision), context) for one in DEVICES]
    chosen = _clock(device, shape, size, str(precision), context)
    return clocks, chosen


def _shape() -> Shape:
    names = [shape.name for shape in SERVED]
    name = st.select_slider(
        "Model that is decoded",
        names,
        value="Llama 2 7B",
        format_func=lambda name: f"{name} ({_named(name).billions:.3g} B)",
        key="scale_shape",
        persist_state="session",
    )
    return _named(name)


def _named(name: str) -> Shape:
    return next(shape for shape in SERVED if shape.name == name)


def _rates(template: Device, places: list[DeltaGenerator]) -> tuple[float, float, float]:
    """Bandwidth, FLOP rate and memory, editable; they start anew with each device."""
    bandwidth, rate, memory = (
        float(
            place.number_input(
                label, least, 1e5, float(value), format=form, key=f"scale_{name}_{template.name}"
            )
        )
        for place, label, name, value, least, form in zip(
            places,
            ("GB/s", "TFLOP/s", "Memory (GB)"),
            ("bandwidth", "rate", "memory"),
            (template.bandwidth, template.rate, template.memory),
            (1.0, 0.1, 1.0),
            ("%.0f", "%.1f", "%.0f"),
            strict=True,
        )
    )
    return bandwidth, rate, memory


def _clock(device: Device, shape: Shape, size: float, precision: str, context: int) -> NamedClock:
    clock = ModelledClock(shape, device, size, context)
    note = (
        f"Modelled, not measured: {device.name} with {device.bandwidth:g} GB/s, {device.rate:g} "
        f"TFLOP/s and {device.memory:g} GB ({device.source}); the larger of bytes ÷ bandwidth and "
        "operations ÷ rate, at the published peaks, one sequence, no overhead: an upper bound."
    )
    if size < 2:
        note += " Only the weights are quantised; cache and arithmetic stay in bfloat16."
    if not clock.fits:
        note += f" The weights do not fit into {device.memory:g} GB: read it as a thought only."
    return NamedClock(f"{device.name}, {shape.name} {precision}", clock, note)


def measured() -> list[NamedClock]:
    """Every measured clock: the session's own first, then GPUs, then CPUs; names differ."""
    shipped = scale_data.shipped_latencies()
    own = [one for one in scale_data.latencies() if one not in shipped]
    clocks = [replace(one, name=f"{one.name}, just now") for one in measured_clocks(own)]
    return clocks + measured_clocks(sorted(shipped, key=lambda one: not is_gpu(one)))


def drawn(clocks: list[NamedClock]) -> list[NamedClock]:
    """The measured clocks to draw: at most three, chosen where there are more."""
    if len(clocks) <= MOST_DRAWN:
        return clocks
    names = [named.name for named in clocks]
    chosen = st.multiselect(
        "Measured curves",
        names,
        default=names[:MOST_DRAWN],
        max_selections=MOST_DRAWN,
        key="scale_curves",
    )
    return [named for named in clocks if named.name in chosen]


def clock_menu(clocks: list[NamedClock], place: DeltaGenerator) -> NamedClock:
    """The clock that predicts."""
    by_name = {named.name: named for named in clocks}
    name = place.selectbox(
        "Time on",
        list(by_name),
        format_func=lambda name: f"{name} · {by_name[name].kind}",
        key="scale_clock",
    )
    named = by_name[name]
    return named


def measuring() -> None:
    """A button that times passes on this machine, its progress, and the file it makes."""
    job = scale_data.jobs().latency
    if job is not None and job.running:
        watch(job, "latency")
        return
    names = {choice.name: choice.title for choice in models.installed()}
    if not names:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            "Model to time",
            list(names),
            format_func=names.__getitem__,
            key="latency_model",
            persist_state="session",
        )
        if st.button("Measure this machine", key="latency_run"):
            scale_data.jobs().start_latency(lambda report: _measure(str(name), report), name)
            st.rerun()
        if job is not None and job.result is not None:
            st.download_button(
                "Save the measurement",
                job.result.as_json(),
                "latency_here.json",
                "application/json",
                key="latency_save",
            )
    outcome(job, name)
    if job is not None and job.result is not None and job.result.note:
        say(job.result.note, quiet=True)


def _measure(name: str, report: Report) -> Latency | None:
    from lookahead_viz.models.loading import load_model
    from lookahead_viz.scale.latency import measure

    report(0.0, "Loading the model …")
    model = load_model(name)
    return measure(
        model, on_round=lambda share: report(share, f"Timing passes: {share:.0%} of the rounds")
    )
