"""Below the mask: is it the one that ran, which kernel ran it, how does it fall into tiles?"""

from __future__ import annotations

from lookahead_viz.records import Run
from lookahead_viz.ui import figures
from lookahead_viz.ui.text import say
from lookahead_viz.views.tiles import kernel_sentence, tile_table
from lookahead_viz.visibility import mask_digest


def panel(run: Run, index: int) -> None:
    """The digest of the drawn mask beside the recorded one, the kernel and the tiles."""
    drawn, recorded = mask_digest(run.steps[index].layout), run.steps[index].mask_sha256
    verdict = "equal" if drawn == recorded else "NOT EQUAL"
    say(
        f"SHA-256 of the mask drawn here {drawn[:16]}…, of the mask that ran "
        f"{recorded[:16]}…: {verdict}.",
        quiet=True,
    )
    say(kernel_sentence(run, index), quiet=True)
    figures.table(
        lambda: tile_table(run, index),
        "The mask in tiles, as a block-sparse kernel sees it (prefix included, cut from the top "
        "left; a tile that sticks out counts as partial)",
    )
