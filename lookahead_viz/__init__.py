"""See parallel LLM decoding happen: record Jacobi and lookahead decoding, replay every pass.

The public names are loaded on first use: importing this package imports no torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lookahead_viz import collector

if TYPE_CHECKING:
    from lookahead_viz import figures, masklab, views
    from lookahead_viz.comparison import Comparison, compare
    from lookahead_viz.config import (
        DraftJacobiConfig,
        GreedyConfig,
        JacobiConfig,
        LookaheadConfig,
        MultiblockJacobiConfig,
        PromptLookupConfig,
        SpeculativeConfig,
        SpeculativeJacobiConfig,
    )
    from lookahead_viz.engine.layer_skip import layer_skip
    from lookahead_viz.engine.model import Model, wrap_model
    from lookahead_viz.engine.recording import record, steps
    from lookahead_viz.methods import METHODS
    from lookahead_viz.models.diverging import diverge
    from lookahead_viz.models.loading import load_model
    from lookahead_viz.player.notebook import show
    from lookahead_viz.presets import PRESETS, preset
    from lookahead_viz.records import Run
    from lookahead_viz.replay import mask_at, pool_at, reasons_at, text_at
    from lookahead_viz.run_io import load_run, save_run
    from lookahead_viz.views.tables import metrics, pool_table, step_table

_HOMES = {
    "DraftJacobiConfig": "config",
    "MultiblockJacobiConfig": "config",
    "PromptLookupConfig": "config",
    "SpeculativeConfig": "config",
    "SpeculativeJacobiConfig": "config",
    "layer_skip": "engine.layer_skip",
    "METHODS": "methods",
    "GreedyConfig": "config",
    "JacobiConfig": "config",
    "LookaheadConfig": "config",
    "Comparison": "comparison",
    "compare": "comparison",
    "Model": "engine.model",
    "wrap_model": "engine.model",
    "record": "engine.recording",
    "steps": "engine.recording",
    "load_model": "models.loading",
    "diverge": "models.diverging",
    "Run": "records",
    "mask_at": "replay",
    "pool_at": "replay",
    "reasons_at": "replay",
    "text_at": "replay",
    "load_run": "run_io",
    "save_run": "run_io",
    "show": "player.notebook",
    "metrics": "views.tables",
    "pool_table": "views.tables",
    "step_table": "views.tables",
    "PRESETS": "presets",
    "preset": "presets",
}
_MODULES = ("figures", "masklab", "views")

__all__ = [
    "Comparison",
    "DraftJacobiConfig",
    "GreedyConfig",
    "JacobiConfig",
    "LookaheadConfig",
    "METHODS",
    "Model",
    "PRESETS",
    "MultiblockJacobiConfig",
    "PromptLookupConfig",
    "Run",
    "SpeculativeConfig",
    "SpeculativeJacobiConfig",
    "compare",
    "diverge",
    "figures",
    "layer_skip",
    "load_model",
    "load_run",
    "mask_at",
    "masklab",
    "metrics",
    "pool_at",
    "pool_table",
    "preset",
    "reasons_at",
    "record",
    "save_run",
    "show",
    "step_table",
    "steps",
    "text_at",
    "views",
    "wrap_model",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name in _HOMES:
        with collector.paused():
            value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
