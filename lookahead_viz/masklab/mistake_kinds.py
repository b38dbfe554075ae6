"""What a classic mistake is, and how its rule is registered in the library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lookahead_viz.masklab.scene import Masks, Scene
from lookahead_viz.visibility import BoolMatrix

Rule = Callable[[Scene], "Masks | None"]
"""None: the mistake cannot be made here (without committed columns, say)."""


@dataclass(frozen=True)
class Mistake:
    """A known mistake; the sentences are plain text."""

    name: str  # stable, for programs
    title: str  # completes "Your mask is ‘...’"
    fix: str  # what to change
    rule: Rule


Library = dict[str, Mistake]


def mistake(
    library: Library, name: str, title: str, fix: str
) -> Callable[[Callable[[Scene], BoolMatrix]], Rule]:
    """Register a rule that changes packed cells only: [T, T] instead of the right mask."""

    def register(change: Callable[[Scene], BoolMatrix]) -> Rule:
        def rule(scene: Scene) -> Masks:
            return Masks(scene.in_window(change(scene)), scene.right_prefix)

        library[name] = Mistake(name, title, fix, rule)
        return rule

    return register


def whole_mistake(library: Library, name: str, title: str, fix: str) -> Callable[[Rule], Rule]:
    """Register a rule that gives the committed columns too."""

    def register(rule: Rule) -> Rule:
        library[name] = Mistake(name, title, fix, rule)
        return rule

    return register
