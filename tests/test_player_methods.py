"""Player and views against each other for the methods that draft: words, layouts, pictures."""

from __future__ import annotations

from typing import Any

import pytest

from lookahead_viz import explain
from lookahead_viz.methods import METHODS
from lookahead_viz.multiblock import by_candidate
from lookahead_viz.player.payload import payload
from lookahead_viz.records import (
    STEPS,
    DraftStep,
    JacobiStep,
    Run,
    verification_of,
)
from lookahead_viz.run_io import dump_run, read_run
from lookahead_viz.views.acceptance import acceptance_view
from lookahead_viz.views.jacobi import jacobi_view
from lookahead_viz.views.mask import mask_view
from lookahead_viz.views.pool import pool_view
from lookahead_viz.views.text import text_view, token_sources
from lookahead_viz.views.tree import tree_view
from tests.node import ask, needs_node
from tests.toy_runs import toy_run

RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "draft model": ("speculative", {}),
    "long drafts": ("speculative", {"gamma": 9, "text": "story"}),
    "prompt lookup": ("prompt-lookup", {"text": "story"}),
    "hostile": ("prompt-lookup", {"text": "hostile", "match_size": 1}),
    "draft Jacobi": ("draft-jacobi", {"block_size": 7}),
    "blocks": ("multiblock-jacobi", {"block_size": 6, "activation": 0.3, "ngram_size": 3}),
    "one block": ("multiblock-jacobi", {"block_size": 9, "blocks": 1, "text": "story"}),
    "many blocks": (
        "multiblock-jacobi",
        {"block_size": 4, "blocks": 4, "activation": 0.01, "ngram_size": 2, "pool_per_key": 1},
    ),
    "stopped": ("multiblock-jacobi", {"block_size": 6, "stop_after": 5}),
    "no candidates": ("multiblock-jacobi", {"max_candidates": 0}),
}
WITH_CANDIDATES = [name for name, (method, _) in RUNS.items() if method != "draft-jacobi"]


def toy(name: str) -> Run:
    method, settings = RUNS[name]
    return toy_run(method, **settings)


STEPS_OF = """(run) => { const model = readRun(run); return model.steps.map((step) => ({
  sentence: stepSentence(model, step), position: step.position, before: step.before,
  tokens: step.tokens.map((t) => model.ids[t]), slots: step.layout.slots,
  roles: step.layout.roles, table: slotTable(model, step), note: trieNote(model, step),
  sources: step.accepted.map((_, nth) => sourceOf(model, step, nth)),
})); }"""


@needs_node
@pytest.mark.parametrize("name", RUNS)
def test_every_step_has_the_same_words_layout_and_sources(name: str) -> None:
    run = toy(name)
    for index, found in enumerate(ask(STEPS_OF, payload(run))):
        step = run.steps[index]
        assert found["sentence"] == explain.step_sentence(run, index)
        assert found["tokens"] == list(step.layout.token_ids)
        assert found["position"] == step.layout.positions[0]
        assert found["roles"] == [int(role) for role in step.layout.roles]
        assert found["sources"] == list(token_sources(step))
        table = mask_view(run, index).slot_table
        kept = table[["slot", "kind", "where", "position", "token", "prediction"]]
        rows = [[str(value) for value in row] for row in found["table"]]
        theirs = [[str(value) for value in row] for row in kept.itertuples(index=False)]
        for row in theirs:  # the player calls slot 0 by its place
            row[2] = row[2].replace("current token", "row 0, column 0")
        assert rows == theirs


TREES = """(run) => readRun(run).steps.map((step) => trieOf(step).map((node) => node))"""


@needs_node
@pytest.mark.parametrize("name", WITH_CANDIDATES)
def test_the_candidate_tree_is_the_same(name: str) -> None:
    run = toy(name)
    for index, found in enumerate(ask(TREES, payload(run))):
        view = tree_view(run, index)
        key = [(node["parent"], node["depth"], node["y"], node["state"]) for node in found]
        assert key == [(node.parent, node.depth, node.y, node.state) for node in view.nodes]
        slots = run.steps[index].candidate_slots
        for ours, theirs in zip(found, view.nodes, strict=True):
            assert tuple(map(tuple, ours["origins"])) == theirs.origins
            places = [slots[g][j] for g, j in theirs.origins]
            assert ours["slots"] == list(dict.fromkeys(places))


SHEET = """(run) => {
  const model = readRun(run), cells = [];
  for (const pass of model.steps) {
    pass.rowBefore.forEach((token, at) => {
      if (at >= knownBefore(model, pass)) {
        cells.push([pass.blockStart + at, pass.index - 1, model.texts[token], "start", false]);
      }
    });
    pass.rowAfter.forEach((token, at) => cells.push([pass.blockStart + at, pass.index,
      model.texts[token], jacobiState(model, pass, at), token !== pass.rowBefore[at]]));
  }
  return cells;
}"""


@needs_node
@pytest.mark.parametrize("name", [n for n, (m, _) in RUNS.items() if STEPS[m] is JacobiStep])
def test_the_sheet_is_the_same_blocks_ahead_included(name: str) -> None:
    run = toy(name)
    view = jacobi_view(run, 0)
    theirs = [[cell.x, cell.y, cell.text, cell.state, cell.changed] for cell in view.cells]
    assert ask(SHEET, payload(run)) == theirs
    assert len({(cell.x, cell.y) for cell in view.cells}) == len(view.cells)  # none twice


POOLS = """(run) => {
  const model = readRun(run), pooled = buildProvenance(model);
  return pooled.entries.map((entry) => [entry.inserted.length - 1, entry.tried.length,
    entry.won.length, entry.evicted, entry.inserted[0].source]);
}"""


@needs_node
@pytest.mark.parametrize("name", ["blocks", "one block", "many blocks"])
def test_recycled_ngrams_have_the_same_life(name: str) -> None:
    run = toy(name)
    view = pool_view(run, len(run.steps) - 1)
    theirs = [
        [entry.refreshed, entry.tried, entry.won, entry.evicted_at, "rejected"]
        for entry in view.entries
    ]
    assert ask(POOLS, payload(run)) == theirs
    assert {entry.origin for entry in view.entries} == {"rejected iterate"}


def test_the_toy_runs_show_what_they_should() -> None:
    """Else the tests above would compare nothing."""
    blocks = [step for step in toy("blocks").steps if isinstance(step, JacobiStep)]
    assert any(step.ahead for step in blocks) and any(by_candidate(step) for step in blocks)
    assert any(step.iteration == 0 and step.block for step in blocks)
    drafts = [step for name in ("draft model", "prompt lookup") for step in toy(name).steps]
    longest = [seen.longest for step in drafts if (seen := verification_of(step))]
    assert 0 in longest and max(longest) > 2
    assert any(isinstance(s, DraftStep) and not s.verification.candidates for s in drafts)


@pytest.mark.parametrize("name", RUNS)
def test_every_picture_can_be_drawn_and_every_run_saved(name: str) -> None:
    run = toy(name)
    assert read_run(dump_run(run)) == run
    for index in (0, len(run.steps) // 2, -1):
        for view in (acceptance_view, jacobi_view, mask_view, pool_view, tree_view):
            assert view(run, index).sentence
        spans = text_view(run, index).spans
        assert [s.token for s in spans[: len(run.prompt_ids)]] == list(run.prompt_ids)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_says_what_it_is(method: str) -> None:
    found = METHODS[method]
    assert found.name == method and found.step is STEPS[method]
    assert found.sentence.endswith(".") and found.source and found.words
    assert found.samples == hasattr(found.config(), "temperature")
    assert found.needs_draft == hasattr(found.config(), "draft")
