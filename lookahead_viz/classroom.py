"""Twelve prompts for the classroom, each with one sentence on what to look at.

They are written for the shipped tiny model, which has read Python code, its documentation and
short stories; every other model takes them too.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ClassroomPrompt:
    """One entry of the menu; ``note`` says what to look at."""

    name: str
    title: str
    text: str
    note: str


PROMPTS = (
    ClassroomPrompt(
        "stack",
        "Jacobi fails, lookahead does not",
        "class Stack:\n    def __init__(self):\n",
        "Pure Jacobi gains almost nothing here, while lookahead needs less than half the passes: "
        "the same guesses, but remembered.",
    ),
    ClassroomPrompt(
        "properties",
        "A third of the passes",
        "    @property\n    def name(self):\n        return self._name\n\n"
        "    @property\n    def size(self):\n",
        "Whole methods repeat but for their names: try W = 15, N = 5, G = 15 and see on "
        "Acceptance how often all N tokens are accepted.",
    ),
    ClassroomPrompt(
        "children",
        "Nothing to win",
        "Lily and Ben",
        "A short story in which nothing comes twice: the pool fills, almost no guess is right.",
    ),
    ClassroomPrompt(
        "loop",
        "A loop body",
        "def total(numbers):\n    result = 0\n    for number in numbers:\n",
        "Lines that begin alike: on Candidates, look at which token of a line the guesses fail.",
    ),
    ClassroomPrompt(
        "days",
        "A repeated list, and a trap",
        'days = ["Monday", "Tuesday",',
        "The model falls into a loop, and a loop flatters every method: never judge by such text.",
    ),
    ClassroomPrompt(
        "docstring",
        "A docstring",
        'def read_lines(path):\n    """Return the lines of the file',
        "Free technical prose inside code: compare its passes with those of the code after it.",
    ),
    ClassroomPrompt(
        "imports",
        "An import block",
        "from __future__ import annotations\n\nimport os\nimport sys\n",
        "Names made of several tokens come back whole: on Pool, look for n-grams that won twice.",
    ),
    ClassroomPrompt(
        "prose",
        "Documentation",
        "The following example shows how to",
        "Prose repeats its phrases, not its sentences: only a few guesses are right, one or two "
        "tokens far.",
    ),
    ClassroomPrompt(
        "story",
        "A story",
        "Once upon a time, there was a little girl who",
        "Names and phrases of the story return: on Window, see them guessed before they are due.",
    ),
    ClassroomPrompt(
        "table",
        "A dictionary",
        'COLOURS = {\n    "red": 1,\n    "green": 2,\n',
        "Quotes, commas and line ends repeat while the words between them do not: n-grams match "
        "up to the next new word.",
    ),
    ClassroomPrompt(
        "errors",
        "Handling an error",
        "    def __getitem__(self, key):\n        try:\n",
        "try and except come in fixed phrases; on Jacobi, look for tokens that are right by luck "
        "long before they are final.",
    ),
    ClassroomPrompt(
        "numbers",
        "A larger window does not help",
        "One, two, three,",
        "Compare W = 5 with W = 15: three times the slots for the same number of passes.",
    ),
)


def by_name(name: str) -> ClassroomPrompt | None:
    """The prompt called ``name``; None when there is none."""
    return next((prompt for prompt in PROMPTS if prompt.name == name), None)
