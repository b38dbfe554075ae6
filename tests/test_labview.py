"""The difference view's own script against Python, and the report as a file."""

from __future__ import annotations

import json
import random
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookahead_viz.labview.payload import lab_payload
from lookahead_viz.labview.report import report_html
from lookahead_viz.masklab import check, packed, right_mask
from lookahead_viz.masklab.findings import Names
from lookahead_viz.masklab.layouts import PackedLayout
from lookahead_viz.masklab.report import Report
from lookahead_viz.masklab.tiles import SIZES, tiles
from lookahead_viz.player.bundle import LABVIEW, theme_data
from lookahead_viz.views.masklab import DifferenceView, difference_view, report_view
from tests.node import needs_node

LAYOUTS: dict[str, PackedLayout] = {
    "lade": packed("lade", 5, 4, 2),
    "llama.cpp": packed("llama.cpp", 3, 4, 3),
    "trt": packed("trt", 4, 3, 2),
    "merged": packed("trt-merged", 2, 3, 2, tokens=("I", "a", "b", "c", "b", "d", "a", "c")),
    "parallel": packed("lade-parallel", 5, 4, 2, rank=1, refed=2),
    "warm-up": packed("lade-warmup", 5, 4, 0),
}


def damaged(layout: PackedLayout, prefix: int, flips: int, seed: int = 1) -> Report:
    """A check of the right mask with a few cells flipped."""
    rng = random.Random(seed)
    mask = np.hstack([np.ones((layout.size, prefix), dtype=bool), layout.mask])
    for _ in range(flips):
        mask[rng.randrange(mask.shape[0]), rng.randrange(mask.shape[1])] ^= True
    return check(mask, layout=layout, polarity="keep=1")


def view_of(report: Report) -> DifferenceView:
    found = difference_view(report)
    assert found is not None
    return found


def ask(answer: str, given: Any) -> Any:
    """What the JavaScript function ``answer`` returns for ``given``."""
    code = (
        f'import {{ readFileSync }} from "node:fs";\n{LABVIEW.script}\n'
        f'const given = JSON.parse(readFileSync(0, "utf8"));\nconst answer = {answer};\n'
        "process.stdout.write(JSON.stringify(answer(given)));\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "question.mjs"
        file.write_text(code, encoding="utf-8")
        done = subprocess.run(
            ["node", str(file)], input=json.dumps(given), capture_output=True, text=True
        )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@needs_node
def test_states_reasons_and_sentences_are_those_of_python() -> None:
    reports = [damaged(layout, 3, 9) for layout in LAYOUTS.values()]
    answers = ask(
        """(all) => all.map((data) => {
          const lab = readLab(data), found = [];
          for (let q = 0; q < lab.size; q++) {
            for (let c = 0; c < lab.columns; c++) {
              found.push([lab.cells[q * lab.columns + c], reasonOf(lab, q, c),
                sentenceOf(lab, q, c)]);
            }
          }
          return { found, wrong: lab.wrong };
        })""",
        [lab_payload(view_of(report)) for report in reports],
    )
    for report, answer in zip(reports, answers, strict=True):
        given, expected = report.given, report.expected
        assert expected is not None
        states = np.where(given == expected, given.astype(int), np.where(given, 2, 3))
        assert [one[0] for one in answer["found"]] == states.ravel().tolist()
        assert answer["wrong"] == np.flatnonzero(given != expected).tolist()
        names = Names(report.layout)
        row = np.zeros_like(given)
        for q in range(len(given)):
            row[:] = False
            row[q] = True  # the sentences of a whole row at once
            told = [[cell.rule, cell.sentence] for cell in names.cells(row, given)]
            columns = given.shape[1]
            shown = [one[1:] for one in answer["found"][q * columns : (q + 1) * columns]]
            assert shown[: len(told)] == told


@needs_node
@pytest.mark.parametrize("name", ["lade", "llama.cpp", "lade-parallel"])
def test_a_sliding_window_is_that_of_python(name: str) -> None:
    layout = packed(name)
    report = check(right_mask(layout, 9), layout=layout, sliding_window=4)
    data = lab_payload(view_of(report))
    (reads, because), told = ask(
        """(data) => {
          const lab = readLab(data), first = lab.wrong[0], found = [];
          const row = Math.floor(first / lab.columns), column = first % lab.columns;
          for (const cell of lab.wrong) {
            const q = Math.floor(cell / lab.columns), c = cell % lab.columns;
            found.push([reasonOf(lab, q, c), sentenceOf(lab, q, c)]);
          }
          return [cellWords(lab, row, column), found];
        }""",
        data,
    )
    assert report.expected is not None
    wrong = report.given != report.expected
    cells = Names(layout, None, 4).cells(wrong, report.given)
    assert told[: len(cells)] == [[cell.rule, cell.sentence] for cell in cells]
    assert {rule for rule, _ in told} == {"SW"}
    assert reads.startswith("Line 0 (") and "(SW: beyond the sliding window)" in because


@needs_node
def test_tiles_are_those_of_python() -> None:
    report = damaged(packed("lade", 15, 5, 15), 40, 5)
    answers = ask(
        "({ data, sizes }) => sizes.map((size) => tilesOf(readLab(data), size))",
        {"data": lab_payload(view_of(report)), "sizes": list(SIZES)},
    )
    for size, answer in zip(SIZES, answers, strict=True):
        states = tiles(report.given, size).states
        assert (answer["down"], answer["across"]) == states.shape
        assert answer["states"] == states.ravel().tolist()


@needs_node
def test_the_next_difference_from_everywhere() -> None:
    """Next and previous go round; every difference is reached, a right mask has none."""
    report = damaged(LAYOUTS["lade"], 0, 6)
    answer = ask(
        """([data, right]) => {
          const lab = readLab(data), cells = [];
          const cell = (i) => [Math.floor(lab.wrong[i] / lab.columns), lab.wrong[i] % lab.columns];
          const round = (direction) => {
            let at = null;
            return lab.wrong.map(() => { at = cell(nextWrong(lab, at, direction)); return at; });
          };
          return [round(1), round(-1), lab.wrong.map((_, i) => whichWrong(lab, cell(i))),
            whichWrong(lab, [0, 0]), nextWrong(readLab(right), [3, 3], 1)];
        }""",
        [lab_payload(view_of(report)), lab_payload(view_of(damaged(LAYOUTS["lade"], 0, 0)))],
    )
    wrong = np.argwhere(report.given != report.expected).tolist()
    assert answer[0] == wrong and answer[1] == wrong[::-1]
    assert answer[2] == list(range(len(wrong))) and answer[3:] == [-1, -1]


HOSTILE: tuple[str, ...] = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\u2028",
    "\ud800",
)


def test_a_report_is_whole_and_escaped() -> None:
    layout = packed("lade", 2, 3, 1)
    mask = layout.mask.copy()
    mask[0, 1] = True
    report = check(mask, layout=layout, tokens=(HOSTILE * 2)[:6])
    view = difference_view(report, (HOSTILE * 2)[:6])
    page = report_html(report_view(report, ["<i>read</i>"]), view, ["<b>changed</b>"])
    assert "onerror=alert" not in re.sub(r"&lt;img.*?&gt;", "", page.split("<script")[0])
    assert "<i>" not in page and "<b>" not in page and page.count("<script") == 2
    assert "Content-Security-Policy" in page and "assert_mask(mask, 2, 3, 1" in page
    assert not re.search(r"<[^>]*(src|href)=", page.split("<script")[0])
    page.encode("utf-8", "surrogatepass")


def test_a_report_about_another_size_has_no_picture() -> None:
    report = check(np.eye(4, dtype=bool), 5, 4, 2, "lade")
    assert difference_view(report) is None
    page = report_html(report_view(report), None)
    assert "<script" not in page and "It has 4 lines" in page


@pytest.mark.parametrize("name", ["match_on", "match_off", "leak", "blind"])
def test_the_four_states_have_a_fill(name: str) -> None:
    assert name in theme_data()["light"] and f"{name}-text" in theme_data()["dark"]
    assert name in LABVIEW.script
