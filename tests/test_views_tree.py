"""The candidate trie: merged prefixes, the accepted path, what the model wanted instead."""

from __future__ import annotations

from typing import Any

import pytest

from lookahead_viz.records import LookaheadStep, Run
from lookahead_viz.views.tree import TreeView, tree_view
from tests.toy_runs import toy_run


@pytest.fixture(scope="module")
def run() -> Run:
    return toy_run("lookahead")


def drawn(view: TreeView) -> list[str]:
    """The trie as indented lines, in the order of the nodes."""
    order = sorted(view.nodes, key=lambda node: _path(view, node.id))
    return [f"{'  ' * node.depth}{node.text} {node.state}" for node in order]


def _path(view: TreeView, node: int) -> list[int]:
    parent = next(n.parent for n in view.nodes if n.id == node)
    return [node] if parent is None else [*_path(view, parent), node]


def test_equal_prefixes_are_one_node(run: Run) -> None:
    view = tree_view(run, 22)  # four candidates, two of them start with ‘n’
    assert drawn(view) == [
        "( current",
        "  n accepted",
        "    ·- rejected",
        "      · faded",
        "    ): accepted",
        "      ⏎ accepted",
        "        ···· bonus",
        "  1 rejected",
        "    ) faded",
        "      ·+ faded",
        "  2 rejected",
        "    : faded",
        "      ·fact faded",
    ]
    assert view.nodes[1].origins == ((0, 0), (2, 0))
    assert view.nodes[1].hover == (
        "‘n’\n✓ the model's own token here: accepted\n"
        "2 lines of the mask: candidate 1 guess 1, candidate 3 guess 1"
    )
    assert (view.depth, view.lines) == (4, 4)


def test_a_full_match_is_compared_with_the_original_code(run: Run) -> None:
    assert tree_view(run, 22).note == (
        "A full match: 3 guesses and the model's own token are accepted. The original code "
        "cannot see it and would accept 3."
    )
    assert tree_view(run, 8).note == tree_view(run, -1).note == ""  # no match; cut at the end


def test_a_rejected_guess_says_what_the_model_wanted(run: Run) -> None:
    rejected = next(node for node in tree_view(run, 22).nodes if node.text == "·-")
    assert "the model wants ‘):’" in rejected.hover


def test_boxes_never_overlap() -> None:
    for text in ("code", "story", "hostile"):
        run = toy_run("lookahead", text=text)
        for index in range(len(run.steps)):
            nodes = tree_view(run, index).nodes
            for depth in range(5):
                ys = sorted(node.y for node in nodes if node.depth == depth)
                assert all(b - a >= 1 for a, b in zip(ys, ys[1:], strict=False))


def test_the_path_is_what_was_accepted() -> None:
    for text in ("code", "story", "hostile"):
        run = toy_run("lookahead", text=text)
        for index, step in enumerate(run.steps):
            path = [node for node in tree_view(run, index).nodes if node.on_path]
            tokens = [run.token_text[t] for t in step.accepted + step.discarded]
            assert len(path) == len(tokens)
            assert sum(node.state in ("accepted", "bonus") for node in path) == len(step.accepted)


def test_the_table_has_one_line_per_candidate(run: Run) -> None:
    assert tree_view(run, 22).table.to_numpy().tolist() == [
        [1, "n·-·", "1 of 3", "", 15],
        [2, "1)·+", "0 of 3", "", 18],
        [3, "n):⏎", "3 of 3", "✓", 21],
        [4, "2:·fact", "0 of 3", "", 24],
    ]


def test_what_is_cut_off_at_the_end_is_no_bonus(run: Run) -> None:
    states = [node.state for node in tree_view(run, -1).nodes if node.on_path]
    assert states == ["accepted", "accepted", "cut", "cut bonus"]


def test_the_original_code_cannot_see_a_full_match() -> None:
    run = toy_run("lookahead", accept="original")
    views = [tree_view(run, i) for i in range(len(run.steps))]
    view = next(view for view in views if view.note)
    capped = next(v for v in views if any(node.state == "capped" for node in v.nodes))
    assert "a full match counts as 2 of 3" in capped.note and view.note
    bonus = next(node for node in capped.nodes if node.state == "bonus")
    other = next(node for node in capped.nodes if node.state == "capped")
    assert (bonus.text, bonus.depth) == (other.text, other.depth)


@pytest.mark.parametrize(
    ("index", "config", "note"),
    [
        (0, {}, "Warm-up: the window is not full yet"),
        (5, {}, "No n-gram in the pool starts with ‘·’: this pass can only accept 1 token."),
        (5, {"max_candidates": 0}, "With G = 0 nothing is verified"),
        (-1, {"position_limit": 30, "max_new_tokens": 24}, "The model's position limit is near"),
    ],
)
def test_no_candidates_is_said(index: int, config: dict[str, Any], note: str) -> None:
    view = tree_view(toy_run("lookahead", **config), index)
    assert view.note.startswith(note)
    assert [node.state for node in view.nodes] == ["current", "bonus"]
    assert view.table.empty


def test_bigrams() -> None:
    run = toy_run("lookahead", window_size=1, ngram_size=2, text="story")
    for index, step in enumerate(run.steps):
        assert isinstance(step, LookaheadStep)
        assert tree_view(run, index).depth <= 2


def test_what_has_no_candidates_says_so() -> None:
    assert tree_view(toy_run("greedy"), 0) == TreeView("A greedy run has no candidates.")
