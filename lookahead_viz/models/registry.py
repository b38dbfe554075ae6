"""The models this project knows by name. Imports no torch: menus and ``--help`` stay quick."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lookahead_viz.models import smollm2

TINY = "tiny"
SMOLLM2 = "smollm2-135m"
NAMES = (TINY, SMOLLM2)

TINY_FOLDER = Path(__file__).resolve().parents[2] / "assets" / "models" / "tiny"


@dataclass(frozen=True)
class ModelChoice:
    """One line of a model menu."""

    name: str  # what load_model takes
    title: str
    note: str
    installed: bool  # load_model works now, without a network
    needs_fetch: bool  # not here yet, but ``fetch`` can bring it
    chats: bool = False  # has a chat template
    damage: str | None = None  # what is wrong with what is here, as half a sentence


def available() -> list[ModelChoice]:
    """Every known model, the smallest first, and whether it can be loaded right now."""
    fetched = smollm2.installed()
    return [
        ModelChoice(
            name=TINY,
            title="Tiny model",
            note="Trained by this project; small enough to run anywhere, at once.",
            installed=tiny_installed(),
            needs_fetch=False,
        ),
        ModelChoice(
            name=SMOLLM2,
            title=smollm2.NAME,
            note="A real instruct model (Apache-2.0); 93 MB to download, 540 MB on disk.",
            installed=fetched,
            needs_fetch=not fetched,
            chats=True,
            damage=smollm2.damage(),
        ),
    ]


def tiny_installed() -> bool:
    return (TINY_FOLDER / "config.json").is_file()


def refusal(name: str) -> str | None:
    """Why the known model ``name`` cannot be loaded right now, in one sentence; None if it can."""
    if name == TINY and not tiny_installed():
        return (
            f"the tiny model is not part of this version yet; use {SMOLLM2!r}, a model folder, a "
            ".gguf file or a hub id."
        )
    if name == SMOLLM2 and not smollm2.installed():
        damage = smollm2.damage()
        state = "not here yet; fetch it once" if damage is None else f"damaged ({damage}); mend it"
        return f"{smollm2.NAME} is {state} with 'python -m lookahead_viz models get {name}'."
    return None
