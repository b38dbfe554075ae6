"""How a run file that contradicts itself is refused: one sentence."""

from __future__ import annotations


def require(holds: bool, fault: str) -> None:
    """ValueError that names ``fault`` unless ``holds``."""
    if not holds:
        raise ValueError(f"this run file contradicts itself: {fault}.")
