"""A sweep on the page: what to decode, progress, cancel, and the table with its downloads."""

from __future__ import annotations

from functools import partial

import streamlit as st

from lookahead_viz.classroom import PROMPTS, by_name
from lookahead_viz.scale.plan import AS_WINDOW, Plan, grid
from lookahead_viz.scale.processes import most_workers
from lookahead_viz.scale.rows import SweepRow, csv_bytes, frame_of, parquet_bytes
from lookahead_viz.scale.store import Store
from lookahead_viz.scale.sweep import SweepProgress, SweepResult, identical_to_greedy, sweep
from lookahead_viz.ui import figures, models, scale_data
from lookahead_viz.ui.background import Report
from lookahead_viz.ui.text import say, trouble
from lookahead_viz.ui.watching import outcome, watch
from lookahead_viz.words import capitalised, count

WINDOWS, NGRAMS = (1, 2, 4, 8, 16, 32), (2, 3, 4, 5, 6, 7)
CANDIDATES: tuple[int | str, ...] = (AS_WINDOW, 0, 1, 2, 4, 8, 16, 32)
OTHER, OWN = "other", "own"
MOST_DECODINGS = 5000


def draw() -> None:
    """The form, the running sweep, and the rows of the sweep that is looked at."""
    job = scale_data.jobs().sweep
    if job is not None and job.running:
        watch(job, "sweep")
    else:
        outcome(job, _form(), "Stopped: what was decoded is kept, and Run goes on where it was.")
    _rows()


def _form() -> tuple[Plan, int] | None:
    """The plan and the worker processes that are asked for; None where they make no plan."""
    say(
        "Every combination of W, N and G decodes every prompt once, and greedy decoding too. What "
        "was decoded before comes from the cache on this machine's disk.",
        quiet=True,
    )
    left, right = st.columns(2)
    with left:
        model = _model()
        texts = {prompt.name: prompt.text for prompt in PROMPTS}
        own = str(st.session_state.get("own_prompt", ""))
        if own and own not in texts.values():
            texts[OWN] = own
        prompts = st.multiselect(
            "Prompts to decode",
            list(texts),
            default=[prompt.name for prompt in PROMPTS[:3]],
            format_func=lambda name: getattr(by_name(name), "title", "Your own prompt"),
            key="sweep_prompts",
            persist_state="session",
        )
        tokens = st.slider(
            "New tokens a prompt", 8, 256, 64, step=8, key="sweep_tokens", persist_state="session"
        )
        workers = (
            st.slider(
                "Worker processes",
                1,
                most_workers(),
                1,
                key="sweep_workers",
                persist_state="session",
            )
            if most_workers() > 1
            else 1
        )
    with right:
        sizes = _sizes()
    try:
        plan = Plan(
            model=model,
            prompts=tuple((name, text) for name, text in texts.items() if name in prompts),
            sizes=grid(*sizes),
            max_new_tokens=tokens,
        )
    except ValueError as error:
        trouble(capitalised(str(error)))
        return None
    problem = _problem(plan)
    say(problem or f"{count(len(plan.cells), 'decoding')} in all.", quiet=True)
    if st.button("Run the sweep", key="sweep_run", type="primary", disabled=bool(problem)):
        scale_data.jobs().start_sweep(partial(_work, plan, workers), (plan, workers))
        st.rerun()
    return plan, workers


def _sizes() -> tuple[list[int], list[int], list[int | str]]:
    """The W, N and G of the combinations."""
    windows = st.pills(
        "W",
        WINDOWS,
        selection_mode="multi",
        default=[1, 2, 4, 8],
        key="sweep_w",
        persist_state="session",
    )
    ngrams = st.pills(
        "N",
        NGRAMS,
        selection_mode="multi",
        default=[3, 4],
        key="sweep_n",
        persist_state="session",
    )
    candidates = st.pills(
        "G",
        CANDIDATES,
        selection_mode="multi",
        default=[AS_WINDOW],
        format_func=lambda g: "G = W" if g == AS_WINDOW else str(g),
        key="sweep_g",
        persist_state="session",
    )
    return windows, ngrams, candidates


def _problem(plan: Plan) -> str:
    if not plan.model:
        return "Name a model folder, a .gguf file or a hub id."
    if len(plan.cells) > MOST_DECODINGS:
        return (
            f"{len(plan.cells)} decodings are more than the {MOST_DECODINGS} that the page runs; "
            "choose fewer, or use the command line."
        )
    return ""


def _model() -> str:
    titles = {choice.name: choice.title for choice in models.installed()}
    name = st.selectbox(
        "Model",
        [*titles, OTHER],
        format_func=lambda name: titles.get(name, "Another model …"),
        key="sweep_model",
        persist_state="session",
    )
    if name != OTHER:
        return str(name)
    return st.text_input(
        "Folder, .gguf file or hub id", key="sweep_other", persist_state="session"
    ).strip()


def _work(plan: Plan, workers: int, report: Report) -> SweepResult:
    def show(progress: SweepProgress) -> bool:
        silent = progress.done == 0 and not progress.loading
        sentence = "Loading the model …" if silent else progress.sentence
        return report(progress.fraction, sentence)

    return sweep(plan, workers=workers, store=Store(), on_progress=show)


def _rows() -> None:
    found = scale_data.sweeps()
    if not found:
        return
    st.header("The rows")
    title = st.selectbox("Sweep", list(found), key="scale_sweep", persist_state="session")
    rows = found[title]
    _say_what(rows)
    name = f"sweep_{rows[0].model}".replace("/", "_")
    with st.container(horizontal=True):
        st.download_button(
            "Save as CSV", lambda: csv_bytes(rows), f"{name}.csv", "text/csv", key="sweep_csv"
        )
        st.download_button(
            "Save as Parquet",
            lambda: parquet_bytes(rows),
            f"{name}.parquet",
            "application/vnd.apache.parquet",
            key="sweep_parquet",
        )
    figures.table(lambda: frame_of(rows), "All rows as a table")


def _say_what(rows: tuple[SweepRow, ...]) -> None:
    same, compared = identical_to_greedy(rows)
    say(
        f"{count(len(rows), 'decoding')} by {rows[0].model}; {same} of {compared} lookahead texts "
        "are greedy's. No times: a sweep keeps every core busy, so its times would mean nothing."
    )
    failed = [row for row in rows if row.error]
    if failed:
        sizes = failed[0].sizes
        trouble(
            f"{count(len(failed), 'decoding')} failed; the first, {failed[0].prompt} with "
            f"{sizes.label if sizes else 'greedy'}: {failed[0].error}"
        )
