"""Every picture of every kind of run: drawn, bounded, escaped, in the theme's colours alone."""

from __future__ import annotations

import re
from typing import Any

import plotly.graph_objects as go
import pytest

from lookahead_viz import figures, views
from lookahead_viz.comparison import Comparison
from lookahead_viz.figures import labels
from lookahead_viz.figures.jacobi import draw_jacobi
from lookahead_viz.figures.pool import draw_pool
from lookahead_viz.figures.theme import theme
from lookahead_viz.records import Run
from tests.toy_runs import toy_comparison, toy_run

PICTURES = ("window", "mask", "tree", "acceptance", "jacobi", "pool")
RUNS: dict[str, dict[str, Any]] = {
    "lookahead": {"method": "lookahead"},
    "slide": {"method": "lookahead", "shift": "slide", "pool_from_prompt": True},
    "merged": {"method": "lookahead", "merge_candidates": True, "verify_window": True},
    "sampled": {"method": "lookahead", "temperature": 1.0, "shift": "level"},
    "original": {"method": "lookahead", "accept": "original", "text": "story"},
    "smallest": {"method": "lookahead", "window_size": 1, "ngram_size": 2, "max_candidates": 0},
    "bigrams": {"method": "lookahead", "ngram_size": 2},
    "near the limit": {"method": "lookahead", "position_limit": 30, "max_new_tokens": 24},
    "hostile": {"method": "lookahead", "text": "hostile"},
    "one token": {"method": "lookahead", "max_new_tokens": 1},
    "jacobi": {"method": "jacobi"},
    "hostile jacobi": {"method": "jacobi", "text": "hostile", "block_size": 8},
    "stopped jacobi": {"method": "jacobi", "stop_after": 3},
    "block of one": {"method": "jacobi", "block_size": 1, "max_new_tokens": 3},
    "greedy": {"method": "greedy"},
    "empty": {"method": "lookahead", "stop_after": 0},
    "empty jacobi": {"method": "jacobi", "stop_after": 0},
}


def draw(picture: str, run: Run, index: int, **options: Any) -> go.Figure:
    figure = getattr(figures, f"{picture}_figure")(run, index, **options)
    assert isinstance(figure, go.Figure)
    return figure


def notes(figure: go.Figure) -> list[str]:
    return [str(annotation.text) for annotation in figure.layout.annotations]


@pytest.mark.parametrize("picture", PICTURES)
@pytest.mark.parametrize("kind", RUNS)
def test_every_step_of_every_run_is_drawn(kind: str, picture: str) -> None:
    run = toy_run(**RUNS[kind])
    for index in sorted({0, len(run.steps) // 2, max(len(run.steps) - 1, 0)}):
        for name in ("light", "dark"):
            figure = draw(picture, run, index, theme=name)
            assert 100 <= figure.layout.height <= 1200
            assert figure.layout.paper_bgcolor == theme(name).background
            assert figure.to_json()


@pytest.mark.parametrize("picture", PICTURES)
def test_a_run_without_steps_is_one_sentence(picture: str) -> None:
    method = "jacobi" if picture == "jacobi" else "lookahead"
    figure = draw(picture, toy_run(method, stop_after=0), 0)
    assert notes(figure) == ["This run has no passes yet."]
    assert len(figure.data) == 0


def test_the_race_is_drawn_along_every_axis() -> None:
    for axis in ("passes", "slots", "time"):
        for name in ("light", "dark"):
            figure = figures.race_figure(toy_comparison("hostile"), axis=axis, theme=name)
            assert [trace.type for trace in figure.data] == ["bar"] * 3
    nothing = figures.race_figure(Comparison("x", ()))
    assert notes(nothing) == ["There is no run to compare yet."]


@pytest.mark.parametrize("picture", PICTURES)
def test_colours_are_explicit(picture: str) -> None:
    """No template and no default colour: another page theme cannot recolour a picture."""
    run = toy_run("jacobi" if picture == "jacobi" else "lookahead")
    figure = draw(picture, run, 12)
    assert not figure.layout.template.layout.to_plotly_json()
    for trace in figure.data:
        if trace.type == "scatter" and trace.mode == "lines":
            assert trace.line.color or trace.line.width == 0
        if trace.type == "bar":
            assert trace.marker.color


def test_equal_tokens_are_separate_cells() -> None:
    run = toy_run("lookahead", text="story")
    index, view = next(
        (i, view)
        for i in range(len(run.steps))
        for view in [views.window_view(run, i)]
        if sum(cell.text == "·the" for cell in view.cells) >= 3
    )
    figure = draw("window", run, index)
    texts = next(trace for trace in figure.data if trace.mode == "text")
    places = [(x, y) for x, y, t in zip(texts.x, texts.y, texts.text, strict=True) if t == "·the"]
    assert len(set(places)) == len(places) >= 3
    assert figure.layout.xaxis.tickvals == tuple(view.ticks)
    assert all(isinstance(value, int) for value in figure.layout.xaxis.tickvals)


def test_the_mask_is_one_small_matrix_with_a_sentence_per_cell() -> None:
    figure = draw("mask", toy_run("lookahead"), 12)
    matrix = figure.data[0]
    assert matrix.z.shape == (21, 22) and matrix.z.dtype == "uint8"
    assert {len(line) for line in matrix.customdata} == {22}
    on = [[text.startswith("✓") for text in line[1:]] for line in matrix.customdata]
    assert on == [[bool(code) for code in line[1:]] for line in matrix.z]


def test_the_largest_mask_stays_bounded() -> None:
    run = toy_run("lookahead", window_size=15, ngram_size=7, max_candidates=15, max_new_tokens=220)
    index = max(range(len(run.steps)), key=lambda i: run.steps[i].layout.slots)
    assert run.steps[index].layout.slots == 180
    assert len(draw("mask", run, index).to_json()) < 4_000_000


def test_a_highlighted_row_is_framed_and_expected_cells_are_marked() -> None:
    run = toy_run("lookahead")
    plain, marked = draw("mask", run, 12), draw("mask", run, 12, highlight_row=12)
    assert len(marked.data) == len(plain.data) + 3
    glyphs = draw("mask", run, 12, show_expected=True).data[1].text
    assert glyphs.count("✗") == 20  # 4 + 3 + 2 + 1 cells in each of the rows 1 and 2


def test_a_highlighted_ngram_stands_out() -> None:
    run = toy_run("lookahead")
    widths = [trace.line.width for trace in draw("window", run, 12, highlight=3).data[:5]]
    assert widths == [7, 7, 7, 12, 7]


@pytest.mark.parametrize("name", ["light", "dark"])
def test_greedy_has_one_colour_in_every_picture(name: str) -> None:
    acceptance = draw("acceptance", toy_run("lookahead"), 12, theme=name)
    jacobi = draw("jacobi", toy_run("jacobi"), 12, theme=name)
    for figure in (acceptance, jacobi):
        lines = [trace for trace in figure.data if trace.type == "scatter" and trace.line.dash]
        dashed = {trace.line.color for trace in lines if trace.line.dash == "dash"}
        assert dashed == {theme(name).greedy.colour}


def test_long_jacobi_runs_stay_bounded() -> None:
    run = toy_run("jacobi", block_size=64, max_new_tokens=512)
    assert len(draw("jacobi", run, 70).to_json()) < 1_000_000
    whole = toy_run("jacobi", max_new_tokens=96)
    assert len(draw_jacobi(views.jacobi_view(whole, 5)).data) < 20


def test_the_pool_marks_what_won_and_what_was_evicted_alone() -> None:
    view = views.pool_view(toy_run("lookahead"), 22)
    found = notes(draw_pool(view))
    assert "40 more in the table" in found
    marked = {line.split(" · ")[0] for line in found if " · step" in line}
    assert {"✓ won", "tried", "added", "✗ evicted"} <= marked


MARKUP = re.compile(r"<(?!/?(?:b|br|span)\b)|%\{|\$[^$]*\$")


@pytest.mark.parametrize("picture", PICTURES)
def test_hostile_tokens_are_only_text(picture: str) -> None:
    method = "jacobi" if picture == "jacobi" else "lookahead"
    run = toy_run(method, text="hostile", max_new_tokens=60)
    for index in range(0, len(run.steps), 4):
        for text in _texts(draw(picture, run, index)):
            assert not MARKUP.search(text), text
            assert "</b>" not in text or "<b>" in text
            assert text.isprintable(), text


def _texts(figure: go.Figure) -> list[str]:
    """Every string that plotly.js may read as markup, but for hover templates, which are ours."""
    found = notes(figure)
    for axis in ("xaxis", "yaxis", "xaxis2", "yaxis2"):
        found += list(figure.layout[axis].ticktext or ()) if axis in figure.layout else []
        found.append((figure.layout[axis].title.text or "") if axis in figure.layout else "")
    for trace in figure.data:
        for field in (trace["text"], trace["customdata"], trace["name"]):
            found += _flat(field)
    return found


def _flat(field: Any) -> list[str]:
    if isinstance(field, str):
        return [field]
    if field is None or isinstance(field, int | float):
        return []
    return [text for part in field for text in _flat(part)]


def test_hover_texts_are_escaped_and_broken_into_lines() -> None:
    assert labels.hover("a <b>\n%{x} & $y$") == "a &lt;b&gt;<br>&#37;{x} &amp; &#36;y&#36;"
    words = labels.hover("word " * 40)
    assert max(len(line) for line in words.split("<br>")) <= 72


def test_the_public_names_are_there() -> None:
    for module in (figures, views):
        for name in module.__all__:
            assert callable(getattr(module, name))
        assert dir(module) == module.__all__
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            module.nothing  # noqa: B018
