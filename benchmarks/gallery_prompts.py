"""The prompts of the shipped comparisons, each with the sentence that says what to look at."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Prompt:
    """One exhibit; ``chat`` wraps the text in the model's chat template."""

    name: str
    title: str
    note: str
    text: str
    chat: bool = False


VECTOR = """\
class Vector:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return"""

PRIME = """\
def is_prime(n):
    \"\"\"Return True if n is a prime number.\"\"\"
    if n < 2:
        return False
    for"""

PEOPLE = """\
[
  {"id": 1, "name": "Alice", "age": 30, "city": "Paris"},
  {"id": 2, "name": "Bob", "age": 25, "city": "London"},
  {"id": 3, "name":"""

WEEK = """\
Monday: the shop is open from 9 to 5.
Tuesday: the shop is open from 9 to 5.
Wednesday:"""

SMOLLM2_PROMPTS = (
    Prompt(
        "vector",
        "Code: a vector class",
        "Each method repeats the one above with another operator: whole n-grams are accepted, and "
        "guesses fail where the new operator stands.",
        VECTOR,
    ),
    Prompt(
        "prime",
        "Code: prime numbers",
        "New code goes one token a pass; the last docstring repeats the one before it, and there "
        "the wide window takes it mostly five tokens at a time.",
        PRIME,
    ),
    Prompt(
        "people",
        "JSON: a list of people",
        "Keys and punctuation come four or five at once, while every new name costs single "
        "passes: format is easy to guess, content is not.",
        PEOPLE,
    ),
    Prompt(
        "rain",
        "Prose: after the rain",
        "Lookahead wins little here: thirty tokens of fresh prose go one a pass, until phrases "
        "such as “will not” come back.",
        "When the rain finally stopped, the whole village",
    ),
    Prompt(
        "healthy",
        "Chat: three tips",
        "The wide window takes “Stay hydrated: Drink plenty of water, and” in two passes although "
        "the sentence is new: the window itself had guessed it.",
        "What are three tips for staying healthy?",
        chat=True,
    ),
    Prompt(
        "week",
        "Repetition: opening hours",
        "Four or five tokens a pass while the days repeat; as soon as the text turns to pizza, "
        "one a pass again.",
        WEEK,
    ),
)

# The tiny model has read Python code, its documentation and short stories, and no chats.
TINY_PROMPTS = (
    Prompt(
        "stack",
        "Code: a stack class",
        "Code has fixed phrases, so n-grams from the pool are right more often than in prose.",
        "class Stack:\n    def __init__(self):\n",
    ),
    Prompt(
        "arguments",
        "Code: parsing arguments",
        "Calls of one kind follow each other: look at how much of a line is accepted at once.",
        "def parse_args(argv):\n    parser = argparse.ArgumentParser(",
    ),
    Prompt(
        "days",
        "List: the days",
        "Quotes and commas repeat while the words between them do not.",
        'days = ["Monday", "Tuesday",',
    ),
    Prompt(
        "story",
        "Prose: a story",
        "Free prose repeats least, and so lookahead wins least.",
        "Once upon a time",
    ),
    Prompt(
        "fox",
        "Prose: a little fox",
        "A story names its hero again and again: see these n-grams being accepted.",
        "One day, a little fox",
    ),
    Prompt(
        "asserts",
        "Repetition: a test case",
        "Every line begins as the one before: compare the passes inside a line with those at its "
        "numbers.",
        "        self.assertEqual(f(1), 1)\n        self.assertEqual(f(2), 2)\n"
        "        self.assertEqual(",
    ),
)
