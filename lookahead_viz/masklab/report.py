"""The report of a check: truthy when right; as text, as HTML, as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from lookahead_viz.masklab.diagnosis import Diagnosis, sentences
from lookahead_viz.masklab.findings import Cell, Finding
from lookahead_viz.masklab.layouts import LAYOUTS, PackedLayout
from lookahead_viz.masklab.lint import whole
from lookahead_viz.masklab.normalise import ReadMask
from lookahead_viz.masklab.positions import shift_of
from lookahead_viz.masklab.scene import Scene
from lookahead_viz.records import Role
from lookahead_viz.visibility import BoolMatrix
from lookahead_viz.words import count


@dataclass(frozen=True, eq=False)
class Report:
    """What a check found. ``scene`` is None where the mask has another number of tokens."""

    read: ReadMask
    layout: PackedLayout
    findings: tuple[Finding, ...]
    diagnosis: Diagnosis
    scene: Scene | None
    positions: tuple[int, ...] | None = None

    def __bool__(self) -> bool:
        return self.ok

    @property
    def ok(self) -> bool:
        """Is nothing wrong, with the mask, its polarity and the positions (where given)?"""
        return all(finding.passed is not False for finding in self.findings)

    @cached_property
    def given(self) -> BoolMatrix:
        """The mask as read, bool [T, P + T]."""
        return np.hstack([self.read.prefix, self.read.mask])

    @cached_property
    def expected(self) -> BoolMatrix | None:
        """The right mask, bool [T, P + T]; None where the sizes differ."""
        if self.scene is None:
            return None
        return whole(self.scene.masks, self.scene.committed)

    @cached_property
    def leaks(self) -> BoolMatrix | None:
        """[T, P + T] seen, and must be hidden; None where the sizes differ."""
        return None if self.expected is None else self.given & ~self.expected

    @cached_property
    def blind(self) -> BoolMatrix | None:
        """[T, P + T] hidden, and must be seen; None where the sizes differ."""
        return None if self.expected is None else ~self.given & self.expected

    @property
    def wrong_cells(self) -> int:
        """Leaks and blind cells together; 0 where the sizes differ."""
        if self.leaks is None or self.blind is None:
            return 0
        return int(np.count_nonzero(self.leaks) + np.count_nonzero(self.blind))

    @property
    def first_wrong(self) -> Cell | None:
        """The first wrong cell, with its sentence."""
        return next((f.cells[0] for f in reversed(self.findings) if f.cells), None)

    @property
    def verdict(self) -> str:
        """Right or wrong, in one sentence."""
        what = f"{self.layout.title}, {self.layout.settings}"
        if self.ok:
            return f"Right: the mask of {what}."
        if self.scene is None:
            return f"Wrong: {self.findings[0].message}"
        size = self.given.size
        if self.wrong_cells:
            verb = "differs" if self.wrong_cells == 1 else "differ"
            return f"Wrong: {self.wrong_cells:,} of {count(size, 'cell')} {verb} from {what}."
        if self.read.inverted:
            return f"Wrong: the mask of {what}, inverted in all its cells ({size:,})."
        return f"Wrong positions: the mask is that of {what}, the position ids are not."

    @cached_property
    def diagnosis_sentences(self) -> tuple[str, ...]:
        """Which known mistake it is and what to change."""
        said = sentences(self.diagnosis, self.layout, self.given.size, self.wrong_cells)
        if self.read.inverted:
            said = [f"Your mask is ‘inverted’. {self.read.flip}", *said]
        return tuple(said)

    @property
    def known_names(self) -> tuple[str, ...]:
        """Stable names of the mistakes that it is, "inverted" first where it was found out."""
        return (("inverted",) if self.read.inverted else ()) + self.diagnosis.names

    @property
    def effect(self) -> str:
        """What the fault can do to the output; empty where nothing is wrong."""
        if self.ok:
            return ""
        if self.scene is None:
            return "The pass cannot be run with a mask of another size."
        if self.read.inverted:
            return "As it stands it hides what every line needs: the text will be wrong."
        if self.can_change_text:
            return (
                "It can change the text: a line that decides which tokens are accepted is wrong, "
                f"{self._deciding}."
            )
        return (
            "It cannot change the text, only how many tokens are accepted: all wrong lines are "
            "those of window cells, which only make guesses."
        )

    @property
    def can_change_text(self) -> bool:
        """Is a row wrong whose output decides, or whose keys and values stay?

        These are the current token, re-fed text and guesses; where an engine verifies the window
        too (TensorRT-LLM), all lines.
        """
        if self.scene is None or self.expected is None:
            return False
        if self.read.inverted:
            return True  # every line is wrong as it stands
        rows = (self.given != self.expected).any(axis=1)
        if self.positions is not None:
            start = self.positions[self.scene.current]
            if shift_of(start, self.scene.committed, self.layout.refed):
                return True  # every line stands elsewhere to the cache
            rows = rows | (np.array(self.positions) - start != self.scene.position)
        if LAYOUTS[self.layout.name].reads_every_output:
            return bool(rows.any())
        return bool(rows[self.scene.role != Role.WINDOW].any())

    @property
    def _deciding(self) -> str:
        if LAYOUTS[self.layout.name].reads_every_output:
            return "and this engine verifies the window's tokens too"
        return "that of the current token or of a guess"

    @property
    def assertion(self) -> str:
        """A line for a test of the engine."""
        return f"lv.masklab.assert_mask({self.layout.arguments})"

    # --- forms

    def lines(self) -> list[str]:
        """The report as lines of plain text."""
        said = [self.verdict, *self.diagnosis_sentences]
        if self.effect:
            said.append(self.effect)
        if self.first_wrong is not None:
            said.append(f"First wrong cell: {self.first_wrong}")
        said += [f"read: {statement}" for statement in self.read.statements]
        said += [f"warning: {warning}" for warning in self.read.warnings]
        return said + [str(finding) for finding in self.findings]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        head = "".join(f"<p>{escape(line)}</p>" for line in self.diagnosis_sentences)
        rows = "".join(
            f"<tr><td>{'✓' if f.passed else '–' if f.passed is None else '✗'}</td>"
            f"<td>{escape(f.question)}</td><td>{escape(f.message)}</td></tr>"
            for f in self.findings
        )
        first = self.first_wrong
        cell = f"<p>First wrong cell: {escape(str(first))}</p>" if first is not None else ""
        read = "".join(
            f"<li>{escape(line)}</li>" for line in (*self.read.statements, *self.read.warnings)
        )
        effect = f"<p>{escape(self.effect)}</p>" if self.effect else ""
        return (
            f"<div><p><strong>{escape(self.verdict)}</strong></p>{head}{effect}{cell}"
            f"<table>{rows}</table><ul>{read}</ul></div>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values; stable names for programs."""
        diagnosis = self.diagnosis
        nearest, fits = diagnosis.nearest, diagnosis.fits
        return {
            "ok": self.ok,
            "verdict": self.verdict,
            "layout": self.layout.name,
            "window_size": self.layout.window_size,
            "ngram_size": self.layout.ngram_size,
            "candidates": self.layout.candidates,
            "tokens": self.layout.size,
            "committed": self.read.committed,
            "wrong_cells": self.wrong_cells,
            "leaks": 0 if self.leaks is None else int(np.count_nonzero(self.leaks)),
            "blind": 0 if self.blind is None else int(np.count_nonzero(self.blind)),
            "mistakes": list(self.known_names),
            "nearest": None if nearest is None else nearest.name,
            "nearest_cells": diagnosis.differing if nearest is not None else None,
            "cannot_be_seen_here": [one.name for one in diagnosis.unseen],
            "retry": None if diagnosis.retry is None else list(diagnosis.retry),
            "fits": None if fits is None else {"layout": fits.name, "settings": fits.settings},
            "can_change_text": self.can_change_text,
            "sentences": list(self.diagnosis_sentences),
            "effect": self.effect,
            "read": list(self.read.statements),
            "warnings": list(self.read.warnings),
            "findings": [asdict(finding) for finding in self.findings],
        }

    def to_json(self) -> str:
        """``to_dict`` as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    @property
    def summary(self) -> str:
        """One line: the verdict and what it is."""
        if self.ok:
            return self.verdict
        names = ", ".join(self.known_names)
        failed = count(sum(f.passed is False for f in self.findings), "check")
        return f"{self.verdict} {f'[{names}] ' if names else ''}({failed} failed)"
