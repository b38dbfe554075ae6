"""The plain data of every picture: ``x_view(run, i)``. All decisions are here, drawings only draw.

Names are loaded on first use: a page that shows the window imports no networkx.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lookahead_viz.views.acceptance import AcceptanceView, acceptance_view
    from lookahead_viz.views.jacobi import JacobiView, jacobi_view
    from lookahead_viz.views.mask import MaskView, mask_view
    from lookahead_viz.views.pool import PoolView, pool_view
    from lookahead_viz.views.race import RaceView, race_view
    from lookahead_viz.views.text import TextView, text_view
    from lookahead_viz.views.tree import TreeView, tree_view
    from lookahead_viz.views.window import WindowView, window_view

__all__ = [
    "AcceptanceView",
    "JacobiView",
    "MaskView",
    "PoolView",
    "RaceView",
    "TextView",
    "TreeView",
    "WindowView",
    "acceptance_view",
    "jacobi_view",
    "mask_view",
    "pool_view",
    "race_view",
    "text_view",
    "tree_view",
    "window_view",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = name.removesuffix("View").removesuffix("_view").lower()
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return __all__
