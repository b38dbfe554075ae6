"""Acceptance: what did each pass give?"""

from __future__ import annotations

from lookahead_viz.figures.acceptance import draw_acceptance
from lookahead_viz.methods import METHODS
from lookahead_viz.records import Run
from lookahead_viz.ui import figures, frame, metrics, player
from lookahead_viz.ui.style import theme_name
from lookahead_viz.views.acceptance import acceptance_view


def draw(run: Run, index: int) -> None:
    """What all passes accepted, with the cursor on one."""
    view = acceptance_view(run, index)
    figures.picture(draw_acceptance(view, theme=theme_name()), view.sentence, key="acceptance")


def facts(run: Run, index: int) -> None:
    """The sums of all passes, each with its definition."""
    metrics.of_run(run)
    metrics.save_tables(run)


with frame.page(
    "What did each pass give?",
    "A pass accepts the [[guesses|guess]] that match and the model's own next token, a "
    "Jacobi pass the tokens that became [[final|frozen]]. [[Accepted]] tokens divided by "
    "[[passes]] is the [[compression]]: an upper bound on the [[speed-up]], not the speed-up.",
    code=("measures:measure",),
):
    chosen = frame.run_of("lookahead", *(name for name in METHODS if name != "lookahead"))
    if chosen is not None:
        player.steps(chosen, draw, view="all", below=facts)
