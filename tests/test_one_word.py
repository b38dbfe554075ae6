"""One word for one thing in all that a user reads: passes, steps, lines of the mask."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

STRAYS = {
    "a step is a numbered place; what is done, counted or measured is a pass": (
        r"\b(per|each|every|full|packed|filling|warm-up|jacobi|lookahead|greedy) steps?\b"
        r"|(\b(fewer|many|several|no)|[0-9}]) steps\b|\b(in|since) the (last|same) step\b"
        r"|\b(tokens?|bytes|slots|candidates|lines?|rows?) a step\b"
        r"|\bsteps? (ago|per|so far|accepts|can|gave|gives?|costs?|feeds?|takes?|falls?|saves?)\b"
        r"|\b(in|of|by|before|after) this step\b|\bwhat (each|this) step\b"
        r"|\b(predicted|added|evicted|accepted|guessed|drafted) in step\b"
    ),
    "a pass is a pass": r"\bforward pass(es)?\b|\bjacobi iterations?\b",
    "the window has rows, the mask has lines": (
        r"\bmask rows?\b|\brows? of (the|a) mask\b|\bthe mask's rows?\b|\bread(s)? this row\b"
        r"|\bevery row may\b|\bthis row's output\b|\bthis row reads\b|\b(a|each|every) row reads\b"
    ),
    "a speed-up is by the clock; a guess is a guess": r"\bspeed ?ups?\b|\bspeculations?\b",
}
"""The wrong words as patterns, by the rule that they break."""

OTHER_NAMES = ("forward pass", "Jacobi iteration")
"""Other people's words for a pass, which the glossary knows."""


def python_texts(source: str) -> Iterator[str]:
    """Every string of a Python file, docstrings too; what an f-string fills in is "{}"."""
    tree = ast.parse(source)
    inside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in inside:
                yield node.value


def script_texts(source: str) -> Iterator[str]:
    """Every string of a JavaScript file; strings that are added up are one."""
    comment = r"//[^\n]*|/\*.*?\*/"
    string = r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`'
    joined = re.sub(r'["`]\s*\+\s*["`]', "", source)
    for found in re.finditer(f"{comment}|({string})", joined, re.DOTALL):
        if found[1]:
            yield re.sub(r"\$\{[^{}]*\}", "{}", found[1][1:-1])


def strays(texts: Iterator[str]) -> list[str]:
    """The texts with a wrong word, each with the rule."""
    found = []
    for text in texts:
        words = " ".join(text.split())
        found += [
            f"{rule}: “{match[0]}” in “{words[max(match.start() - 40, 0) : match.end() + 40]}”"
            for rule, pattern in STRAYS.items()
            for match in re.finditer(pattern, words, re.IGNORECASE)
            if words not in OTHER_NAMES
        ]
    return found


def read_by_users() -> dict[Path, Iterator[str]]:
    """The texts of pages, package, player and documents, by their file."""
    python = [ROOT / "app.py", *ROOT.glob("pages/*.py"), *ROOT.glob("lookahead_viz/**/*.py")]
    found = {path: python_texts(path.read_text("utf-8")) for path in python}
    for path in ROOT.glob("lookahead_viz/**/*.js"):
        found[path] = script_texts(path.read_text("utf-8"))
    for path in (ROOT / "README.md", *ROOT.glob("docs/*.md")):
        text = path.read_text("utf-8")
        words = (
            re.sub(r"^\| [^|]+\|", "|", text, flags=re.M) if path.name == "teaching.md" else text
        )
        found[path] = iter(words.splitlines())  # without the column of the glossary's names
    return found


def test_one_word_for_one_thing() -> None:
    wrong = {str(path.relative_to(ROOT)): strays(texts) for path, texts in read_by_users().items()}
    assert {path: found for path, found in wrong.items() if found} == {}


@pytest.mark.parametrize(
    "code",
    [
        "x = f'{tokens:.2f} tokens per step'",
        "def f():\n    '''What the mask row reads.'''",
        "print(f'{count} steps')",
        "x = ('was guessed in the same '\n 'step by a neighbour')",
        "x = 'with G = 0 each step accepts 1 token'",
        "x = 'the speedup'",
    ],
)
def test_a_stray_word_is_found(code: str) -> None:
    assert len(strays(python_texts(code))) == 1


@pytest.mark.parametrize(
    "code",
    [
        "lines.push(`guessed ${n} steps ago`);",
        'x = "in the same " +\n  "step by a neighbour";',
        'title: "read the next row of the mask" // a row of the mask',
    ],
)
def test_a_stray_word_of_the_player_is_found(code: str) -> None:
    assert strays(script_texts(code))


@pytest.mark.parametrize(
    "text",
    ["Step 12 / 31", "at step 4, 3 passes ago", "Bookmark this step (M)", "row 1, column 2"],
)
def test_the_places_of_a_run_are_steps(text: str) -> None:
    assert not strays(iter([text]))
