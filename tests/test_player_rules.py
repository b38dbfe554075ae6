"""The player's own rules and sentences against Python's, cell by cell, word by word."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from lookahead_viz import explain, visibility
from lookahead_viz.config import LookaheadConfig
from lookahead_viz.layout import guess_slots, pack
from lookahead_viz.player.payload import payload
from lookahead_viz.records import LookaheadStep, Role, Run, Step, Verification
from lookahead_viz.views.jacobi import jacobi_view
from lookahead_viz.views.pool import pool_view
from lookahead_viz.views.tree import tree_view
from lookahead_viz.views.window import window_view
from tests.node import ask, needs_node
from tests.toy_runs import toy_run

pytestmark = needs_node

RUNS: dict[str, dict[str, Any]] = {
    "code": {},
    "story": {"text": "story"},
    "hostile": {"text": "hostile"},
    "slide": {"shift": "slide"},
    "bigrams": {"ngram_size": 2},
    "one column": {"window_size": 1, "ngram_size": 3},
    "deep": {"window_size": 3, "ngram_size": 7, "max_candidates": 2},
    "nothing verified": {"max_candidates": 0},
    "from the text": {"pool_from_prompt": True, "pool_per_key": 1},
    "original": {"accept": "original"},
    "limit": {"position_limit": 34, "max_new_tokens": 28},
    "stopped": {"stop_after": 9},
    "merged": {"merge_candidates": True},
    "window verified": {"verify_window": True, "pool_from_prompt": True},
    "all merged": {"merge_candidates": True, "verify_window": True, "column_key": "next"},
    "llama.cpp": {
        "pool_policy": "ring",
        "column_key": "stale",
        "shift": "level",
        "warm_up": "none",
        "window_fill": "constant",
        "fill_token": 3,
    },
    "sampled": {"temperature": 0.8},
    "sampled, merged": {
        "temperature": 1.0,
        "merge_candidates": True,
        "verify_window": True,
        "pool_policy": "unlimited",
        "seed": 3,
    },
    "sampled, original": {"temperature": 1.0, "accept": "original", "text": "story"},
}


def random_run(seed: int, layouts: int, *, merge: bool = False) -> Run:
    """A run whose steps have windows and candidates of any size; only the layouts make sense."""
    rng = random.Random(seed)
    base = toy_run("lookahead", text="hostile")
    vocabulary = sorted(base.token_text)
    current, steps = base.prompt_ids[-1], []
    for index in range(layouts):
        rows, cols = rng.randint(1, 5), rng.randint(1, 6)
        window = [[rng.choice(vocabulary) for _ in range(cols)] for _ in range(rows)]
        window[0][0] = current
        size = rng.randint(1, 4)
        # of few tokens where they are merged, so that many begin alike; no two are the same
        letters = vocabulary[:2] if merge else vocabulary
        drawn = (tuple(rng.choice(letters) for _ in range(size)) for _ in range(rng.randint(0, 5)))
        guesses = tuple(dict.fromkeys(drawn))
        position = len(base.prompt_ids) - 1 + index
        layout = pack(window, guesses, position=position, merge=merge)
        predictions = tuple(rng.choice(vocabulary) for _ in range(layout.slots))
        found = Verification(
            candidates=guesses,
            predictions=guesses,
            matched=(0,) * len(guesses),
            winner=0 if guesses else None,
            slots=guess_slots(guesses, len(window) * len(window[0]), merge=merge),
        )
        current = predictions[0]
        steps.append(
            LookaheadStep(
                index=index,
                layout=layout,
                predictions=predictions,
                accepted=(current,),
                kept_slots=(0,),
                mask_sha256="",
                window=tuple(tuple(row) for row in window),
                verification=found,
            )
        )
    config = LookaheadConfig(max_new_tokens=layouts, merge_candidates=merge)
    return replace(base, steps=tuple(steps), config=config)


CELLS = """(run) => {
  const model = readRun(run);
  return model.steps.map((step) => {
    const slots = [...Array(step.layout.slots).keys()];
    return {
      reasons: slots.map((q) => slots.map((k) => rule(step.layout, q, k))),
      why: slots.map((q) => slots.map((k) => why(model, step, q, k))),
      reads: slots.map((q) => readRow(model, step, q)),
      names: slots.map((q) => slotName(step.layout, q)),
      parents: slots.map((q) => parentOf(step.layout, q)),
      positions: slots.map((q) => step.position + step.layout.offsets[q]),
      roles: step.layout.roles,
      committed: whyCommitted(step),
      runs: maskRuns(step.layout),
    };
  });
}"""


@pytest.mark.parametrize("merge", [False, True])
def test_every_cell_of_200_random_layouts(merge: bool) -> None:
    run = random_run(seed=7, layouts=200, merge=merge)
    if merge:
        shared = [step for step in run.steps if has_shared_slot(step)]
        assert len(shared) > 60
    answers = ask(CELLS, payload(run))
    assert len(answers) == 200
    for index, (step, found) in enumerate(zip(run.steps, answers, strict=True)):
        layout = step.layout
        slots = range(layout.slots)
        assert found["reasons"] == [list(line) for line in explain.rule_ids(layout)]
        assert found["why"] == [[explain.why(run, index, q, k) for k in slots] for q in slots]
        assert found["reads"] == [explain.read_row(run, index, q) for q in slots]
        assert found["names"] == [explain.slot_name(layout, q) for q in slots]
        assert found["parents"] == list(visibility.parents(layout))
        assert found["positions"] == list(layout.positions)
        assert found["roles"] == [int(role) for role in layout.roles]
        assert found["committed"] == explain.why_committed(run, index)


def has_shared_slot(step: Step) -> bool:
    assert isinstance(step, LookaheadStep)
    slots = [slot for slots in step.candidate_slots for slot in slots]
    return len(set(slots)) < len(slots)


def test_the_runs_of_equal_cells_cover_the_mask_once() -> None:
    run = random_run(seed=8, layouts=20)
    for step, found in zip(run.steps, ask(CELLS, payload(run)), strict=True):
        covered = [
            (row, column, reason)
            for row, start, stop, reason in found["runs"]
            for column in range(start, stop)
        ]
        names = explain.rule_ids(step.layout)
        slots = range(step.layout.slots)
        assert covered == [(q, k, names[q][k]) for q in slots for k in slots]


@pytest.mark.parametrize("name", RUNS)
def test_every_step_has_the_same_sentence_and_layout(name: str) -> None:
    run = toy_run("lookahead", **RUNS[name])
    answers = ask(
        "(run) => { const model = readRun(run); return model.steps.map((step) => "
        "[stepSentence(model, step), step.tokens.map((t) => model.ids[t]), step.phase]); }",
        payload(run),
    )
    for index, (sentence, tokens, phase) in enumerate(answers):
        assert sentence == explain.step_sentence(run, index)
        assert tokens == list(run.steps[index].layout.token_ids)
        assert phase == explain.phase(run, index)


@pytest.mark.parametrize("method", ["greedy", "jacobi"])
def test_other_methods_have_the_same_sentences_and_layouts(method: str) -> None:
    run = toy_run(method)
    answers = ask(
        "(run) => { const model = readRun(run); return model.steps.map((step) => "
        "[stepSentence(model, step), step.tokens.map((t) => model.ids[t]), step.position]); }",
        payload(run),
    )
    for index, (sentence, tokens, position) in enumerate(answers):
        assert sentence == explain.step_sentence(run, index)
        assert tokens == list(run.steps[index].layout.token_ids)
        assert position == run.steps[index].layout.positions[0]


WINDOWS = """async (run) => {
  const model = readRun(run);
  await unpackAlternatives(model);
  return model.steps.map((step) => windowCells(model, step).map((cell) => ({
    ...cell, token: model.ids[cell.token] ?? null, lines: cellLines(model, step, cell),
  })));
}"""


@pytest.mark.parametrize("name", RUNS)
def test_every_window_cell_has_the_same_history(name: str) -> None:
    run = toy_run("lookahead", **RUNS[name])
    for index, found in enumerate(ask(WINDOWS, payload(run))):
        view = window_view(run, index)
        cells = view.cells + view.entering
        assert [cell["lines"] for cell in found] == [cell.hover.split("\n") for cell in cells]
        for ours, theirs in zip(found, cells, strict=True):
            for field in ("row", "col", "slot", "position", "fill", "changed", "final", "age"):
                assert ours[field] == getattr(theirs, field), (index, theirs)
            assert ours["token"] == theirs.token
            assert ours["probability"] == theirs.probability


@pytest.mark.parametrize("name", RUNS)
def test_the_candidate_tree_is_the_same(name: str) -> None:
    run = toy_run("lookahead", **RUNS[name])
    answers = ask(
        "(run) => readRun(run).steps.map((step) => trieOf(step).map((node) => "
        '({ ...node, drawn: node.draw ? drawComparison(node.draw) : "" })))',
        payload(run),
    )
    for index, found in enumerate(answers):
        view = tree_view(run, index)
        key = [(node["parent"], node["depth"], node["y"], node["state"]) for node in found]
        assert key == [(node.parent, node.depth, node.y, node.state) for node in view.nodes]
        step = run.steps[index]
        assert isinstance(step, LookaheadStep)
        layout = step.layout
        for ours, theirs in zip(found, view.nodes, strict=True):
            assert tuple(map(tuple, ours["origins"])) == theirs.origins
            places = [step.candidate_slots[g][j] for g, j in theirs.origins]
            assert ours["slots"] == list(dict.fromkeys(places))
            assert all(layout.token_ids[slot] == theirs.token for slot in places)
            assert ours["drawn"] == theirs.draw


POOLS = """(run) => {
  const model = readRun(run), pooled = buildProvenance(model);
  const tail = (entry) => entry.tail.map((token) => model.ids[token]);
  const pool = (step) => poolOfKey(pooled, step.tokens[0], step.index).map(tail);
  return { entries: pooled.entries, pools: model.steps.map(pool) };
}"""


@pytest.mark.parametrize("name", RUNS)
def test_every_ngram_has_the_same_life(name: str) -> None:
    run = toy_run("lookahead", **RUNS[name])
    data = payload(run)
    answer = ask(POOLS, data)
    last = pool_view(run, len(run.steps) - 1)
    assert len(answer["entries"]) == len(last.entries)
    for ours, theirs in zip(answer["entries"], last.entries, strict=True):
        assert data["ids"][ours["key"]] == theirs.key
        assert tuple(data["texts"][token] for token in ours["tail"]) == theirs.tokens
        assert ours["inserted"][0]["step"] == theirs.inserted_at
        column = ours["inserted"][0]["col"]
        if column is not None:
            assert theirs.origin == f"window column {column}"
        else:
            assert not theirs.origin.startswith("window")
        assert len(ours["inserted"]) - 1 == theirs.refreshed
        assert len(ours["tried"]) == theirs.tried
        assert len(ours["won"]) == theirs.won
        assert ours["evicted"] == theirs.evicted_at
    for step, pool in zip(run.steps, answer["pools"], strict=True):
        assert isinstance(step, LookaheadStep)
        if step.pool_candidates:
            candidates = step.verification.candidates[: step.pool_candidates]
            found = [list(tail) for tail in candidates]
            assert pool[-len(found) :] == found


ORIGINS = """(run) => {
  const model = readRun(run);
  model.pooled = buildProvenance(model);
  return model.outputs.map((output, index) => {
    const { step, nth, candidate, insertion, entry } = originOf(model, index);
    return { step, nth, candidate, insertion, tail: entry && entry.tail.map((t) => model.ids[t]) };
  });
}"""


@pytest.mark.parametrize("name", RUNS)
def test_every_output_token_is_traced_to_the_window_column_that_made_it(name: str) -> None:
    run = toy_run("lookahead", **RUNS[name])
    origins = iter(ask(ORIGINS, payload(run)))
    for index, step in enumerate(run.steps):
        assert isinstance(step, LookaheadStep)
        for nth, token in enumerate(step.accepted):
            found = next(origins)
            if found["candidate"] is not None and found["candidate"] >= step.pool_candidates:
                assert found["tail"] is None  # read from the window
                continue
            assert (found["step"], found["nth"]) == (index, nth)
            if found["candidate"] is None:
                continue
            candidate = step.verification.candidates[found["candidate"]]
            assert candidate[nth] == token and found["candidate"] == step.verification.winner
            assert found["tail"] == list(candidate)
            check_insertion(run, index, found["insertion"], step.window[0][0], candidate)


def check_insertion(
    run: Run, index: int, insertion: dict[str, Any], key: int, tail: tuple[int, ...]
) -> None:
    """Written on its own: the latest insertion of the n-gram before the step that used it."""
    latest = max(
        (number, place)
        for number, step in enumerate(run.steps[:index])
        if isinstance(step, LookaheadStep)
        for place, change in enumerate(step.pool_changes)
        if (change.key, change.ngram) == (key, tail) and change.kind != "ignored"
    )
    number, place = latest
    assert insertion["step"] == number
    maker = run.steps[number]
    assert isinstance(maker, LookaheadStep)
    if maker.pool_changes[place].source == "window":
        column = tuple(row[insertion["col"]] for row in maker.window)
        assert column[1:] == tail[:-1]
        assert isinstance(run.config, LookaheadConfig)
        if insertion["col"] or run.config.column_key == "current":
            assert column[0] == key
    else:
        assert insertion["col"] is None


@pytest.mark.parametrize("config", [{}, {"block_size": 5}, {"stop_after": 4}])
def test_the_jacobi_sheet_is_the_same(config: dict[str, Any]) -> None:
    run = toy_run("jacobi", **config)
    answer = ask(
        "(run) => { const model = readRun(run); return { gain: jacobiGain(model), "
        "cells: model.steps.map((pass) => pass.next.map((token, at) => [pass.blockStart + at, "
        "pass.index, model.texts[token], jacobiState(model, pass, at), "
        "token !== pass.iterate[at]])), right: model.steps.map((pass) => rightTokens(model, pass))"
        " }; }",
        payload(run),
    )
    view = jacobi_view(run, 0)
    found = sorted(tuple(cell) for line in answer["cells"] for cell in line)
    assert found == sorted(
        (cell.x, cell.y, cell.text, cell.state, cell.changed)
        for cell in view.cells
        if cell.state != "start"
    )
    assert answer["gain"] == view.saved
    assert answer["right"] == [one.correct for one in view.passes]


def test_guesses_are_guesses() -> None:
    """The numbers of the roles are shared with the records."""
    assert ask("() => [CURRENT, WINDOW, GUESS]", None) == [int(role) for role in Role]


def test_a_link_names_whatever_can_be_locked() -> None:
    links = {
        "s:12": "12",
        "m:12:9": "12,9",
        "m:12:-1": "12,-1",
        "n:3": "n3",
        "e:0": "e0",
        "g:15": "g15",
        "g:15,18,21": "g15,18,21",
        "p:104": "p104",
        "o:7": "o7",
        "j:3:11": "j3,11",
    }
    assert ask("(refs) => refs.map(cellOfRef)", list(links)) == list(links.values())
    assert ask("(cells) => cells.map(refOfCell)", list(links.values())) == list(links)
    wrong = ["", "1,2,3", "x1", "n", "1;2", "<b>", "g1,", "9999999"]
    assert ask("(cells) => cells.map(refOfCell)", wrong) == [None] * len(wrong)


def test_the_legend_of_the_mask_names_the_rules_that_it_has() -> None:
    """Three steps of one run: warm-up has rule 2 only, later there are columns and candidates."""
    given = [payload(toy_run("lookahead")), payload(toy_run("lookahead", max_candidates=0))]
    code = (
        "([run, bare]) => [[run, 0], [bare, 9], [run, %d]].map(([data, index]) => "
        "maskLegend(readRun(data).steps[index].layout, THEMES.light).map(([, words]) => words))"
    )
    run = toy_run("lookahead")
    checked = next(i for i, step in enumerate(run.steps) if len(step.accepted) > 1)
    start, window, full = ask(code % checked, given)
    assert start == ["● itself", "1 text", "2, 3 row 0"]
    assert window == [*start, "4 own column"]
    assert full == [*window, "5 own candidate"]
    marked = code.replace("THEMES.light)", "THEMES.light, true)")
    start, window, _ = ask(marked % checked, given)
    assert start[-1] == "2, 3 row 0" and window[-1] == "✗ not on, as many expect"
