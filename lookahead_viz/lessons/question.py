"""A question about one step of a run: what may be clicked, what is right, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lookahead_viz.config import LookaheadConfig
from lookahead_viz.people_ask import Part
from lookahead_viz.records import LookaheadStep, Run
from lookahead_viz.tokens import quoted_token

Explain = Callable[[str], str]
Hidden = Literal["verdict", "text"]


@dataclass(frozen=True)
class Question:
    """Asked about step ``step``. A thing is named as in the player: "s:12" a slot, "e:3" a
    prediction, "m:7:1" a mask cell, "j:5:2" a cell of the Jacobi sheet, "o:4" an output token,
    "g:15,18" a node of the candidate tree; "c:3" is the button 3.

    ``explain`` says one sentence about a wrong answer, without giving the right one away where
    that can be avoided; ``because`` is said after the right one.
    """

    step: int
    text: str
    right: frozenset[str]
    explain: Explain
    because: str
    kinds: str = ""  # first letters of the things that can be the answer
    choices: tuple[str, ...] = ()  # buttons
    hide: tuple[Hidden, ...] = ()
    plain_from: int | None = None  # Jacobi passes from here on are drawn without their state
    blank_from: int | None = None  # and from here on without their tokens
    worth: int = 0  # how much there is to see at this step: the most is asked first

    def is_right(self, answer: str) -> bool:
        """Is the thing that was clicked a right answer?"""
        return not self.right.isdisjoint(same_things(answer))

    def accepts(self, answer: str) -> bool:
        """Can it be an answer at all?"""
        kind, _, rest = answer.partition(":")
        if kind == "c":
            return rest in self.choices
        found = _numbers(rest)
        if len(kind) != 1 or kind not in self.kinds or not found or min(found) < -1:
            return False
        pair = kind in "mj"  # the column -1 of the mask is the text in the cache
        fits = len(found) == 2 if pair else kind == "g" or len(found) == 1
        return fits and min(found[:1] if pair else found) >= 0

    def sentence(self, answer: str) -> str:
        """What is said to an answer: why it is wrong, or why it is right."""
        if self.is_right(answer):
            return f"✓ Right. {self.because}"
        said = answer.removeprefix("c:")
        begin = f"✗ Not {said}. " if answer != said else "✗ "
        return begin + self.explain(answer)


@dataclass(frozen=True)
class Attempts:
    """What a reader has answered to one question so far."""

    answers: tuple[str, ...] = ()
    revealed: bool = False

    def answered(self, question: Question) -> bool:
        """Is the question over: answered rightly, or given up?"""
        return self.revealed or any(map(question.is_right, self.answers))

    def first_try(self, question: Question) -> bool:
        """Was the very first answer right?"""
        return bool(self.answers) and question.is_right(self.answers[0])


def asked(question: Question, attempts: Attempts) -> dict[str, Any]:
    """``question`` as the player wants it (see ``player/js/ask.js``)."""
    open_ = not attempts.answered(question)
    marks = {
        answer: "right" if question.is_right(answer) else "wrong" for answer in attempts.answers
    }
    if attempts.revealed:
        marks |= dict.fromkeys(sorted(question.right), "right")
    return {
        "step": question.step,
        "text": question.text,
        "kinds": question.kinds,
        "choices": list(question.choices),
        "hide": list(question.hide),
        "plainFrom": question.plain_from,
        "blankFrom": question.blank_from,
        "open": open_,
        "marks": marks,
        "said": _said(question, attempts),
    }


def _said(question: Question, attempts: Attempts) -> list[str]:
    if attempts.revealed and not any(map(question.is_right, attempts.answers)):
        return [f"The answer: {answer_in_words(question)}{question.because}"]
    return [question.sentence(answer) for answer in attempts.answers[-1:]]


def answer_in_words(question: Question) -> str:
    """The right number, for questions that are answered by a button; else empty."""
    numbers = [one.removeprefix("c:") for one in sorted(question.right) if one.startswith("c:")]
    return f"{', '.join(numbers)}. " if numbers else ""


def same_things(answer: str) -> frozenset[str]:
    """The slots of a tree node, which several candidates may share; anything else is itself."""
    kind, _, rest = answer.partition(":")
    if kind != "g":
        return frozenset({answer})
    return frozenset({answer, *(f"s:{slot}" for slot in rest.split(","))})


def numbers(answer: str) -> tuple[int, ...]:
    """The numbers of a thing's name: "j:5:2" -> (5, 2)."""
    return _numbers(answer.partition(":")[2])


def _numbers(rest: str) -> tuple[int, ...]:
    parts = rest.replace(",", ":").split(":")
    if not all(part.lstrip("-").isdecimal() and part.isascii() for part in parts):
        return ()
    return tuple(int(part) for part in parts)


def by_number(right: int, choices: Iterable[int]) -> dict[str, Any]:
    """The fields of a question that is answered by a button with a number."""
    return {
        "choices": tuple(str(number) for number in sorted({right, *choices})),
        "right": frozenset({f"c:{right}"}),
    }


def plain_step(run: Run, index: int) -> LookaheadStep | None:
    """Step ``index`` where every prediction is the most likely token and guesses stand alone.

    None for other methods, for sampled runs, where candidates share slots and where an engine's
    own ways with window and pool were chosen: there the same questions have other answers.
    """
    step, config = run.steps[index], run.config
    if not isinstance(step, LookaheadStep) or not isinstance(config, LookaheadConfig):
        return None
    ways = (config.column_key, config.pool_policy, config.shift)
    usual = ways == ("current", "lru", "reanchor")
    return None if config.temperature or step.verification.slots or not usual else step


def token(run: Run, number: int) -> str:
    """A token as it stands in a sentence; hostile texts are made visible."""
    return quoted_token(run.token_text, number)


Builder = Callable[[Run, int], Question | None]


@dataclass(frozen=True)
class Ask:
    """A question by its name, and how it is asked: of which method, on which panels."""

    name: str
    build: Builder
    methods: tuple[str, ...]
    panels: tuple[str, ...]
    forum: Part | None = None  # what people ask about the published picture, if it is that
    upright: bool = False  # the window is drawn with each column upright

    def best_step(self, run: Run) -> int | None:
        """The step where there is most to see; None when it can be asked nowhere."""
        found: Mapping[int, int] = {
            index: question.worth
            for index in range(len(run.steps))
            if (question := self.build(run, index)) is not None
        }
        return max(found, key=lambda index: (found[index], -index)) if found else None


@dataclass(frozen=True)
class Card:
    """One screen: a few sentences, an equation, and questions about the live picture."""

    name: str
    chapter: int
    title: str
    text: str  # may mark words of the glossary
    asks: tuple[Ask, ...]
    page: str  # the full page that shows the same: "window" is pages/window.py
    equation: str = ""  # LaTeX
    after: str = ""  # said below the equation
    code: tuple[str, ...] = field(default=())  # "engine.verify:verify"
