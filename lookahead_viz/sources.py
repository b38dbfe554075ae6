"""The project's own source, read from its files: shown code cannot drift, and nothing is run."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Source:
    """The text of one function or class, and where it stands."""

    name: str  # "engine.verify:verify"
    file: str  # "lookahead_viz/engine/verify.py"
    line: int
    text: str


def source_of(name: str) -> Source:
    """The source of ``name``: a module below ``lookahead_viz``, a colon, a function or class.

    A method is named like ``engine.window:Window.rolled``. The module is parsed, not imported.
    LookupError in one sentence when there is no such thing.
    """
    module, _, path = name.partition(":")
    file = PACKAGE.joinpath(*module.split(".")).with_suffix(".py")
    if not file.is_file():
        raise LookupError(f"there is no module lookahead_viz.{module}.")
    text = file.read_text(encoding="utf-8")
    found: ast.AST = ast.parse(text)
    for part in path.split("."):
        found = _member(found, part, name)
    assert isinstance(found, ast.FunctionDef | ast.ClassDef)
    first = min([found.lineno, *(one.lineno for one in found.decorator_list)])
    lines = text.splitlines()[first - 1 : found.end_lineno]
    indent = found.col_offset
    shown = "\n".join(line[indent:] for line in lines)
    return Source(name, file.relative_to(PACKAGE.parent).as_posix(), first, shown)


def _member(parent: ast.AST, wanted: str, name: str) -> ast.AST:
    for node in getattr(parent, "body", ()):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == wanted:
            return node
    raise LookupError(f"there is no {name}.")
