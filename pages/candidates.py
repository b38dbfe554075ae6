"""Candidates: which guess was right, and how far?"""

from __future__ import annotations

from lookahead_viz import methods
from lookahead_viz.figures.tree import draw_tree
from lookahead_viz.records import Run
from lookahead_viz.ui import figures, frame, player
from lookahead_viz.ui.style import theme_name
from lookahead_viz.views.tree import tree_view


def draw(run: Run, index: int) -> None:
    """The candidates of one pass as a trie."""
    view = tree_view(run, index)
    figures.picture(draw_tree(view, theme=theme_name()), view.sentence, key="tree")
    figures.table(view.table, "The candidates as a table")


with frame.page(
    "Which guess was right, and how far?",
    "The newest [[n-grams]] of the [[pool]] that begin with the [[current token]] (at most G of "
    "them), or one draft, are [[verified|verification]] in one [[pass]]. The longest match is "
    "[[accepted]], and after it the model's own next token ([[★|bonus]]), so every pass gives at "
    "least one.",
    code=("engine.verify:matched_length", "engine.verify:verify"),
):
    chosen = frame.run_of(
        *methods.with_candidates(),
        why="Greedy decoding and the other Jacobi methods verify no candidates.",
    )
    if chosen is not None:
        player.steps(chosen, draw, view="trie")
