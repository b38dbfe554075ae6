"""The prompts of the shipped comparisons, each with the sentence that says what to look at."""

from __future__ import annotations

from dataclasses import dataclass

from lookahead_viz.classroom import by_name


@dataclass(frozen=True)
class Prompt:
    """One exhibit; ``chat`` wraps the text in the model's chat template.

    ``methods`` names what decodes it: a key of ``record_gallery.METHOD_SETS``.
    """

    name: str
    title: str
    note: str
    text: str
    chat: bool = False
    methods: str = "usual"


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
TINY_PROMPTS = tuple(
    Prompt(prompt.name, f"Tiny model: {prompt.title.lower()}", prompt.note, prompt.text)
    for prompt in map(by_name, ("stack", "properties", "table", "story", "children", "days"))
    if prompt is not None
)
ERRORS = by_name("errors")
assert ERRORS is not None
TINY_PROMPTS += (
    Prompt(
        "lesson",
        "Tiny model: the lesson's example",
        "The example of the page Learn: 40 tokens, in Jacobi blocks of 8.",
        ERRORS.text,
        methods="lesson",
    ),
)
STACK, TABLE = by_name("stack"), by_name("table")
assert STACK is not None and TABLE is not None
TINY_PROMPTS += (
    Prompt(
        "engines",
        "Tiny model: the same prompt, five engines",
        "Engines differ in how they remember, shift and verify: the text stays the same, the "
        "number of passes does not; on Candidates, look for merged prefixes.",
        STACK.text,
        methods="engines",
    ),
    Prompt(
        "sampled",
        "Tiny model: drawn, not greedy",
        "Tokens are drawn: on Candidates, each guess shows the number drawn for it and what it "
        "had to stay below.",
        TABLE.text,
        methods="sampled",
    ),
    Prompt(
        "drafts",
        "Tiny model: every method on one prompt",
        "Another model, the text itself, remembered n-grams or earlier iterates: on Race, compare "
        "who drafts best; the two Jacobi methods without memory win least.",
        STACK.text,
        methods="drafts",
    ),
    Prompt(
        "sampled-drafts",
        "Tiny model: drafts, drawn",
        "A drafted token is accepted with probability min(1, p/q), shown at each token on "
        "Candidates; on Jacobi, each pass tests the tokens that the pass before drew.",
        TABLE.text,
        methods="sampled drafts",
    ),
)
