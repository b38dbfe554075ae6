"""The teacher's guide ``docs/teaching.md``: what it says about runs is written by the runs.

    python -m lookahead_viz.lessons.guide

rewrites the parts between ``<!-- begin NAME -->`` and ``<!-- end -->`` and leaves the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from lookahead_viz import gallery, glossary
from lookahead_viz.classroom import PROMPTS
from lookahead_viz.comparison import Comparison, run_label
from lookahead_viz.explain import slot_name
from lookahead_viz.lessons.cards import CARDS
from lookahead_viz.lessons.question import Question, answer_in_words, numbers
from lookahead_viz.records import Run
from lookahead_viz.troubles import TROUBLES, troubles

GUIDE = gallery.ASSETS.parent / "docs" / "teaching.md"
EXAMPLE = "tiny/lesson"
"""The comparison that the lesson is about unless the reader takes their own."""

COMPARED = (
    *("smollm2-135m/" + name for name in ("vector", "prime", "people", "rain", "healthy", "week")),
    *("tiny/" + name for name in ("stack", "properties", "table", "story", "children", "days")),
)
"""The comparisons of the last table: the same four runs of each."""

ADDRESS = "http://localhost:8501"
_PART = re.compile(r"(<!-- begin (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def example() -> Comparison:
    """The lesson's own comparison."""
    exhibit = next(one for one in gallery.exhibits(gallery.RUNS) if one.key == EXAMPLE)
    return gallery.load_exhibit(exhibit)


def written(text: str) -> str:
    """The guide with its generated parts written anew."""
    return _PART.sub(lambda part: f"{part[1]}{PARTS[part[2]]()}{part[3]}", text)


def in_the_app(text: str) -> str:
    """The guide as the app shows it: its own links, no title, no marks."""
    text = re.sub(r"<!-- .*? -->\n", "", text).partition("\n")[2]
    return text.replace(ADDRESS, "")


def answers() -> str:
    """Every question about the example, where it is asked, and its answer."""
    lines, comparison = [], example()
    for number, card in enumerate(CARDS, start=1):
        lines.append(f"\n**{number}. {card.title}**\n\n")
        for ask in card.asks:
            run = next(run for method in ask.methods for run in comparison.of_method(method))
            step = ask.best_step(run)
            question = None if step is None else ask.build(run, step)
            assert question is not None
            which = "" if ask is card.asks[0] else f"&question={card.asks.index(ask) + 1}"
            link = f"{ADDRESS}/learn?card={card.name}&step={question.step}{which}"
            lines.append(f"- [{_literal(question.text)}]({link})  \n")
            where = (answer_in_words(question) or _place(run, question)).strip()
            lines.append(f"  *{where}* {_literal(question.because)}\n")
    return "".join(lines)


def _place(run: Run, question: Question) -> str:
    """Where the right thing is, in the words of the picture."""
    (first, *_) = sorted(question.right)
    at, several = numbers(first), "" if len(question.right) == 1 else ", for example"
    if first[0] == "o":
        return f"Output token {at[0]}{several}."
    if first[0] == "j":
        return f"Output token {at[0]} in the row of pass {at[1]}{several}."
    if first[0] == "e":
        return f"The prediction below column {at[0]}{several}."
    if first[0] == "m":
        reader, read = (_slot(run, question.step, slot) for slot in at)
        return f"The line of {reader}, the column of {read}."
    return f"{_slot(run, question.step, at[0]).capitalize()}{several}."


def _slot(run: Run, step: int, slot: int) -> str:
    return slot_name(run.steps[step].layout, slot)


def comparisons() -> str:
    """How many passes each of ``COMPARED`` takes by each method."""
    lines = [
        "| comparison | method | tokens | passes | tokens per pass |\n",
        "|---|---|--:|--:|--:|\n",
    ]
    shipped = {one.key: one for one in gallery.exhibits(gallery.RUNS)}
    for exhibit in (shipped[key] for key in COMPARED):
        comparison = gallery.load_exhibit(exhibit)
        link = f"[{_literal(exhibit.title)}]({ADDRESS}/?run={exhibit.key})"
        for run in comparison.runs:
            lines.append(
                f"| {link} | {run_label(run)} | {len(run.token_ids)} | {len(run.steps)} | "
                f"{run.compression:.2f} |\n"
            )
            link = ""
    return "".join(lines)


def prompts() -> str:
    """The prompts of the classroom menu, each with what to look at."""
    lines = ["| prompt | what to look at |\n", "|---|---|\n"]
    lines += [f"| {_literal(one.title)} | {_literal(one.note)} |\n" for one in PROMPTS]
    return "".join(lines)


def counted() -> str:
    """The troubles of the example's Jacobi run."""
    (run, *_) = example().of_method("jacobi")
    found = troubles(run)
    lines = [
        f"| trouble | how often in {len(run.steps)} passes | what is counted |\n",
        "|---|--:|---|\n",
    ]
    for kind, words in TROUBLES.items():
        times = sum(one.kind == kind for one in found)
        lines.append(f"| {kind} | {times} | {words} |\n")
    return "".join(lines)


def used_terms() -> list[glossary.Term]:
    """The entries of the glossary that the cards mark or the guide itself says, in its order."""
    marked = {entry for card in CARDS for _, entry in glossary.pieces(card.text)}
    own = _PART.sub("", GUIDE.read_text(encoding="utf-8"))
    text = "".join((own, answers(), comparisons(), prompts(), counted()))
    return [one for one in glossary.terms() if one in marked or _says(text, one)]


def _says(text: str, entry: glossary.Term) -> bool:
    """Does the text say one of its names? Letters alone (W, N, G, n) are no words."""
    names = "|".join(re.escape(name) for name in (entry.name, *entry.also) if len(name) > 1)
    return re.search(rf"(?<![\w-])(?:{names})(?:s|es)?(?![\w-])", text, re.IGNORECASE) is not None


def words() -> str:
    """Every term that the lesson uses, as the glossary of pages and player explains it."""
    lines = ["| word | what it means |\n", "|---|---|\n"]
    for one in used_terms():
        names = ", ".join((one.name, *one.also))
        lines.append(f"| {_literal(names)} | {_literal(one.sentence)} |\n")
    return "".join(lines)


PARTS: dict[str, Callable[[], str]] = {
    "answers": answers,
    "comparisons": comparisons,
    "prompts": prompts,
    "troubles": counted,
    "words": words,
}


def _literal(text: str) -> str:
    """Token text as it stands: nothing in it is Markdown."""
    return re.sub(r"([\\`*_{}\[\]()#|<>$~:])", r"\\\1", text)


def main() -> None:
    """Rewrite the guide."""
    path = Path(GUIDE)
    path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
