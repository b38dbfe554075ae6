"""What the Scale page looks at: shipped sweeps and measurements, and those of this session."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lookahead_viz.classroom import by_name
from lookahead_viz.scale import shipped
from lookahead_viz.scale.arithmetic import SHAPES, Shape
from lookahead_viz.scale.fit import LEAST_POINTS
from lookahead_viz.scale.latency import Latency
from lookahead_viz.scale.plan import AS_WINDOW
from lookahead_viz.scale.rows import SweepRow
from lookahead_viz.scale.summary import Summary, summarise
from lookahead_viz.scale.sweep import SweepResult
from lookahead_viz.ui.background import Background, Report
from lookahead_viz.ui.text import say, trouble

OWN = "Your sweep"
_ADOPTED = "scale_adopted"


class Jobs:
    """The sweep and the measurement of one session; starting one ends the one before."""

    def __init__(self) -> None:
        self.sweep: Background[SweepResult] | None = None
        self.latency: Background[Latency | None] | None = None

    def start_sweep(self, work: Callable[[Report], SweepResult], asked: object) -> None:
        self.close()
        self.sweep = Background(work, asked)

    def start_latency(self, work: Callable[[Report], Latency | None], asked: object) -> None:
        self.close()
        self.latency = Background(work, asked)

    def close(self) -> None:
        """The session is gone, or something else begins: stop whatever runs."""
        for job in (self.sweep, self.latency):
            if job is not None:
                job.stop()


@st.cache_resource(scope="session", on_release=lambda found: found.close(), show_spinner=False)
def jobs() -> Jobs:
    """The jobs of this session; they stop when the session ends."""
    return Jobs()


@st.cache_resource(show_spinner=False)
def shipped_sweeps() -> dict[str, tuple[SweepRow, ...]]:
    """Read once."""
    return shipped.sweeps()


@st.cache_resource(show_spinner=False)
def shipped_latencies() -> tuple[Latency, ...]:
    """Read once."""
    return shipped.latencies()


def sweeps() -> dict[str, tuple[SweepRow, ...]]:
    """By title: the session's own first, then what ships."""
    found: dict[str, tuple[SweepRow, ...]] = {}
    job = jobs().sweep
    if job is not None and not job.running and job.result is not None and job.result.rows:
        found[f"{OWN} ({job.result.rows[0].model})"] = job.result.rows
    return found | shipped_sweeps()


def adopt() -> None:
    """Look at the session's own sweep as soon as it has ended, once."""
    job = jobs().sweep
    if job is None or job.running or st.session_state.get(_ADOPTED) is job:
        return
    st.session_state[_ADOPTED] = job
    title = next(iter(sweeps()), "")
    if title.startswith(OWN):
        st.session_state["scale_sweep"] = title


def latencies() -> tuple[Latency, ...]:
    """What was measured: here in this session, then what ships."""
    job = jobs().latency
    own = (job.result,) if job is not None and not job.running and job.result else ()
    return own + shipped_latencies()


def chosen_summary(*more: float) -> tuple[Summary | None, Sequence[DeltaGenerator]]:
    """The sweep and the prompts that the reader chose, added up; None, and a sentence, without.

    Beside these two menus there is room for ``more``, given as widths; returned as columns.
    """
    found = sweeps()
    if not found:
        say("No sweep is here yet: run one under “Sweep”.")
        return None, ()
    left, right, *others = st.columns([2, 2, *more])
    title = left.selectbox("Sweep", list(found), key="scale_sweep", persist_state="session")
    rows = found[title]
    prompts = right.multiselect(
        "Prompts",
        list(dict.fromkeys(row.prompt for row in rows)),
        format_func=lambda name: getattr(by_name(name), "title", name),
        placeholder="all",
        key="scale_prompts",
        persist_state="session",
    )
    summary = summarise(rows, prompts or None)
    if summary is None:
        trouble("Nothing of this sweep can be added up: every setting needs the same prompts.")
    return summary, others


def law_menus(
    summary: Summary, left: DeltaGenerator, right: DeltaGenerator
) -> tuple[int | str, int]:
    """Which G the scaling law is drawn for, and from which W on it is fitted."""
    values = sorted({setting.sizes.max_candidates for setting in summary.settings})
    windows = sorted({setting.sizes.window_size for setting in summary.settings})
    labels = {g: f"G = {g}" for g in (AS_WINDOW, *map(str, values))}
    candidates = left.selectbox(
        "Candidates",
        list(labels),
        format_func=lambda g: labels.get(g, g),
        key="scale_candidates",
    )
    least = right.selectbox(
        "Fit from W", windows[: max(1, len(windows) - LEAST_POINTS + 1)], key="scale_least"
    )
    return AS_WINDOW if candidates == AS_WINDOW else int(candidates), int(least)


def shape_menu(summary: Summary, place: DeltaGenerator) -> Shape:
    """The model whose operations are counted: the swept one where its shape is known."""
    job = jobs().sweep
    own = job.result.shape if job is not None and not job.running and job.result else None
    shapes: dict[str, Shape] = {shape.name: shape for shape in SHAPES}
    if own is not None:
        shapes[own.name] = own
    names = list(shapes)
    swept = names.index(summary.model) if summary.model in shapes else 0
    name = place.selectbox(
        "Operations of a model like",
        names,
        index=swept,
        format_func=lambda name: f"{name} ({shapes[name].billions:.3g} B parameters)",
        key=f"scale_cost_shape_{summary.model}",
    )
    return shapes[str(name)]
