"""The presets of engines on the classroom prompts: tokens per pass, as counted and shipped."""

from __future__ import annotations

import json
from typing import Any

from lookahead_viz.gallery import ASSETS
from lookahead_viz.presets import PRESETS

TABLE = ASSETS / "presets.json"
"""Written by ``benchmarks.presets``: per prompt its tokens, and the passes of every preset."""

PRESET_COLUMNS = ("prompt", "tokens", *PRESETS, "passes: LADE ÷ ours")
"""Per preset: tokens per pass; last: how many times as many passes LADE takes as ours."""


def preset_counts() -> dict[str, Any]:
    """What ``benchmarks.presets`` wrote; empty where nothing was measured."""
    if not TABLE.exists():
        return {}
    found: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return found


def preset_rows() -> list[tuple[object, ...]]:
    """One row a prompt, the last for all: ``PRESET_COLUMNS``; none where nothing was counted."""
    entries = list(preset_counts().get("prompts", {}).values())
    if not entries:
        return []
    passes = {name: sum(entry["passes"][name] for entry in entries) for name in PRESETS}
    tokens = sum(entry["tokens"] for entry in entries)
    entries.append({"title": "all of them", "tokens": tokens, "passes": passes})
    return [
        (
            entry["title"],
            entry["tokens"],
            *(round(entry["tokens"] / entry["passes"][name], 2) for name in PRESETS),
            round(entry["passes"]["LADE"] / entry["passes"]["ours"], 2),
        )
        for entry in entries
    ]
