"""Run files opened together: those of one prompt and model become one comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lookahead_viz.comparison import Comparison
from lookahead_viz.methods import METHODS
from lookahead_viz.records import Run
from lookahead_viz.words import count, quoted

ALONE = "A single run: its text was not compared with greedy decoding."


@dataclass(frozen=True)
class Opened:
    """A run, and the name of the file that it was in."""

    file: str
    run: Run


def joined(opened: Sequence[Opened]) -> list[Comparison]:
    """One comparison for each prompt and model, the one with most runs first.

    Its runs stand in the order of ``METHODS``. A run that belongs to no other says why.
    """
    groups: dict[object, list[Opened]] = {}
    for one in opened:
        model = one.run.model
        groups.setdefault((_prompt(one.run), model.name, model.revision), []).append(one)
    largest = sorted(groups.values(), key=len, reverse=True)
    return [_comparison(group, largest) for group in largest]


def _prompt(run: Run) -> tuple[tuple[int, ...], str]:
    """Ids and text: models of one name can have other tokens."""
    return run.prompt_ids, run.prompt


def _comparison(group: list[Opened], groups: list[list[Opened]]) -> Comparison:
    order = list(METHODS)
    runs = tuple(sorted((one.run for one in group), key=lambda run: order.index(run.method)))
    if len(group) > 1:
        note = f"{count(len(group), 'run file')} of one prompt, by {runs[0].model.name}."
        return Comparison(_title(group, groups), runs, note)
    reason = _why_alone(group[0], groups)
    return Comparison(_title(group, groups), runs, f"{reason} {ALONE}" if reason else ALONE)


def _title(group: list[Opened], groups: list[list[Opened]]) -> str:
    """What the menu says; with several groups it must tell them apart."""
    name = "Uploaded file" if len(group) == 1 else "Uploaded files"
    if len(groups) == 1:
        return name
    number = groups.index(group) + 1
    return f"{name} {number}: {group[0].file if len(group) == 1 else group[0].run.prompt[:40]}"


def _why_alone(one: Opened, groups: list[list[Opened]]) -> str:
    others = [other.run for group in groups for other in group if other is not one]
    if not others:
        return ""
    same_prompt = any(_prompt(other) == _prompt(one.run) for other in others)
    what = "was recorded with another model" if same_prompt else "decodes another prompt"
    return f"{quoted(one.file)} {what} than the others, so it stands alone."
