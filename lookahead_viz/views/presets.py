"""The presets of engines on the classroom prompts: tokens per pass, as counted and shipped."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

from lookahead_viz.gallery import ASSETS
from lookahead_viz.presets import PRESETS

TABLE = ASSETS / "presets.json"
"""Written by ``benchmarks.presets``: per prompt its tokens, and the passes of every preset."""


def preset_counts() -> dict[str, Any]:
    """What ``benchmarks.presets`` wrote; empty where nothing was measured."""
    if not TABLE.exists():
        return {}
    found: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return found


def preset_table() -> pd.DataFrame:
    """Tokens per pass by prompt and preset, and how many times fewer passes ours takes than LADE."""
    import pandas as pd

    entries = list(preset_counts().get("prompts", {}).values())
    if entries:
        entries.append(
            {
                "title": "all of them",
                "tokens": sum(entry["tokens"] for entry in entries),
                "passes": {
                    name: sum(entry["passes"][name] for entry in entries) for name in PRESETS
                },
            }
        )
    lines = [
        (
            entry["title"],
            entry["tokens"],
            *(round(entry["tokens"] / entry["passes"][name], 2) for name in PRESETS),
            round(entry["passes"]["LADE"] / entry["passes"]["ours"], 2),
        )
        for entry in entries
    ]
    return pd.DataFrame(lines, columns=["prompt", "tokens", *PRESETS, "LADE ÷ ours, passes"])
