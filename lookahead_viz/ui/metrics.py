"""The metrics on a page, each with its definition, and a run's tables as files."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from lookahead_viz.comparison import Comparison, run_label
from lookahead_viz.counting import by_position
from lookahead_viz.measures import METRICS, measure
from lookahead_viz.records import Run
from lookahead_viz.ui import tables
from lookahead_viz.ui.files import file_name
from lookahead_viz.words import count

if TYPE_CHECKING:
    import pandas as pd


def of_run(run: Run) -> None:
    """Every metric of one run with what was counted, and how far its candidates carried."""
    tables.show(
        ("metric", "value", "unit", "counted", "per", "definition"),
        [
            (
                one.metric.name,
                one.value,
                one.metric.unit,
                f"{one.numerator} {one.metric.counted}",
                f"{one.denominator} {one.metric.per}",
                one.metric.definition,
            )
            for one in measure(run)
        ],
        "The metrics and how each is counted",
    )
    places = by_position(run)
    if places:
        tables.show(
            ("place in the pass", "guesses accepted", "share", "tokens accepted", "share "),
            [
                (
                    f"{one.number} of {len(places)}",
                    one.guesses,
                    one.guesses / one.passes,
                    one.tokens,
                    one.tokens / one.passes,
                )
                for one in places
            ],
            "Accepted by place, as shares of the "
            f"{count(places[0].passes, 'pass', 'passes')} with a candidate; the last accepted "
            "token of a pass is the model's own",
        )


def compared(comparison: Comparison) -> None:
    """The metrics of several runs side by side; a dash where a run has no such thing."""
    found = [{one.metric.name: one.value for one in measure(run)} for run in comparison.runs]
    names = [metric for metric in METRICS if any(metric.name in values for values in found)]
    tables.show(
        ("metric", *comparison.labels, "unit", "definition"),
        [
            (metric.name, *(values.get(metric.name) for values in found), metric.unit)
            + (metric.definition,)
            for metric in names
        ],
        "The metrics of all runs",
    )


def save_tables(run: Run) -> None:
    """Metrics, steps and pool of a run as CSV or Parquet; a file is made when it is asked for."""
    stem = file_name(run_label(run)).removesuffix(".json.gz")
    opened = st.expander("Save as tables", key="save_tables", on_change="rerun")
    if not opened.open:
        return
    with opened, st.container(horizontal=True):
        for name in ("metrics", "step_table", "pool_table"):
            for kind, write in (("csv", as_csv), ("parquet", as_parquet)):
                st.download_button(
                    f"{name}.{kind}",
                    data=partial(_written, run, name, write),
                    file_name=f"{stem}-{name}.{kind}",
                    on_click="ignore",
                    key=f"save_{name}_{kind}",
                    icon=":material/download:",
                )


def as_csv(table: pd.DataFrame) -> bytes:
    """UTF-8 with a mark in front, as spreadsheets want it; token texts cannot become formulas."""
    safe = table.map(_no_formula)
    return str(safe.to_csv(index=False)).encode("utf-8-sig", "replace")


def as_parquet(table: pd.DataFrame) -> bytes:
    """Parquet by pyarrow, which comes with Streamlit."""
    buffer = io.BytesIO()
    table.to_parquet(buffer, index=False)
    return buffer.getvalue()


def _no_formula(value: object) -> object:
    """A text that a spreadsheet would compute gets an apostrophe in front."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@"):
        return f"'{value}"
    return value


def _written(run: Run, name: str, write: Callable[[pd.DataFrame], bytes]) -> bytes:
    from lookahead_viz.views import tables as made

    return write(getattr(made, name)(run))
