"""A run in a notebook: the exported page in a sandboxed frame."""

from __future__ import annotations

from html import escape

from lookahead_viz.player.export import NO_STEPS, export_html
from lookahead_viz.records import Run
from lookahead_viz.words import count


class Player:
    """What ``lookahead_viz.show`` returns; a notebook displays it by ``_repr_html_``."""

    def __init__(self, run: Run, height: int = 680) -> None:
        self.run = run
        self.height = height

    def _repr_html_(self) -> str:
        # scripts run, but as a stranger: the frame reaches neither the notebook nor a network
        return (
            '<iframe sandbox="allow-scripts allow-downloads" title="lookahead_viz player" '
            f'style="width:100%;height:{self.height}px;border:0" '
            f'srcdoc="{escape(export_html(self.run), quote=True)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Player({self.run.method}, {count(len(self.run.steps), 'pass', 'passes')})"


def show(run: Run, height: int = 680) -> Player:
    """Step through ``run`` in a notebook. ``height`` in pixels, 300 to 4000."""
    if not 300 <= height <= 4000:
        raise ValueError(f"height is {height}; it must be between 300 and 4000 pixels.")
    if not run.steps:
        raise ValueError(NO_STEPS.format(run.finish_reason))
    return Player(run, height)
