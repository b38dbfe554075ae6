"""Plotly drawings of views: ``x_figure(run, i)`` is ``draw_x(x_view(run, i))``.

Names are loaded on first use, as in ``views``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lookahead_viz.figures.acceptance import acceptance_figure, draw_acceptance
    from lookahead_viz.figures.jacobi import draw_jacobi, jacobi_figure
    from lookahead_viz.figures.mask import draw_mask, mask_figure
    from lookahead_viz.figures.pool import draw_pool, pool_figure
    from lookahead_viz.figures.race import draw_race, race_figure
    from lookahead_viz.figures.saving import save_figure
    from lookahead_viz.figures.tree import draw_tree, tree_figure
    from lookahead_viz.figures.window import draw_window, window_figure

__all__ = [
    "acceptance_figure",
    "draw_acceptance",
    "draw_jacobi",
    "draw_mask",
    "draw_pool",
    "draw_race",
    "draw_tree",
    "draw_window",
    "jacobi_figure",
    "mask_figure",
    "pool_figure",
    "race_figure",
    "save_figure",
    "tree_figure",
    "window_figure",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "saving"
    if name != "save_figure":
        home = name.removeprefix("draw_").removesuffix("_figure")
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return __all__
