"""One packed pass as each engine lays it out: order, positions, mask, words, sequence ids.

The mask of every layout is the canonical one (``visibility.mask``) with its rows and columns in
that engine's order; there is no second copy of the rules. Positions are relative to p, the
position of the current token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lookahead_viz import visibility
from lookahead_viz.layout import pack
from lookahead_viz.masklab import kinds
from lookahead_viz.masklab.encodings import pack_words
from lookahead_viz.masklab.kinds import LAYOUTS, NAMES
from lookahead_viz.masklab.merging import merge
from lookahead_viz.masklab.orders import Grid, column_major
from lookahead_viz.masklab.who import Who, who_is_where
from lookahead_viz.records import Role, StepLayout
from lookahead_viz.visibility import BoolMatrix

__all__ = ["LAYOUTS", "PackedLayout", "Who", "layout_name", "packed"]

MOST_TOKENS = 4000
_CACHED_TOKENS = 1000
"""Larger layouts are computed anew: a mask of 4,000 tokens is 16 MB."""


@dataclass(frozen=True)
class PackedLayout:
    """One pass in one engine's layout; T packed tokens."""

    name: str
    window_size: int
    ngram_size: int
    candidates: int
    variant: tuple[tuple[str, Any], ...]
    step: StepLayout  # the canonical pass it is taken from, p = 0; token ids are its slots
    order: tuple[int, ...]  # [T] canonical slot of each packed token, -1 where it is committed
    merged: tuple[tuple[int, ...], ...]  # [T] all canonical slots of each, several in a trie
    refed: int  # committed tokens that are fed again, in front of the current one
    positions: tuple[int, ...]  # [T] relative to p
    mask: BoolMatrix = field(compare=False, repr=False)  # [T, T], read-only, True = may attend

    @property
    def title(self) -> str:
        return LAYOUTS[self.name].title

    @property
    def size(self) -> int:
        """T."""
        return len(self.order)

    @property
    def settings(self) -> str:
        """ "W=5, N=4, G=2", with the variant's own settings."""
        words = [f"W={self.window_size}", f"N={self.ngram_size}", f"G={self.candidates}"]
        words += [f"{name}={value}" for name, value in self.variant if name != "tokens"]
        return ", ".join(words)

    @property
    def arguments(self) -> str:
        """What ``check`` and ``assert_mask`` are to be given for this pass, as Python source.

        The tokens of a merged trie belong to ``packed``: those of ``check`` are texts.
        """
        variant = "".join(
            f", {name}={value!r}" for name, value in self.variant if value is not None
        )
        sizes = f"{self.window_size}, {self.ngram_size}, {self.candidates}"
        if dict(self.variant).get("tokens") is None:
            return f'mask, {sizes}, layout="{self.name}"{variant}'
        return f'mask, layout=lv.masklab.packed("{self.name}", {sizes}{variant})'

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know beside the mask, in sentences."""
        numbers = {
            "sequences": self.window_size + self.candidates + 1,
            "drafts": self.size - 1,
        }
        return tuple(note.format(**numbers) for note in LAYOUTS[self.name].notes)

    @cached_property
    def who(self) -> tuple[Who, ...]:
        """Who is where, [T]."""
        every = LAYOUTS[self.name].reads_every_output
        return who_is_where(self.step, self.order, self.merged, self.refed, every)

    @property
    def parents(self) -> tuple[int, ...]:
        """[T] packed index of each token's parent, -1 for none (QNN's ``attention_map``)."""
        return tuple(-1 if one.parent is None else one.parent for one in self.who)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.who)

    @property
    def words(self) -> NDArray[np.int32] | None:
        """int32 [T, ceil(T / 32)] where the engine packs its mask so, else None."""
        return pack_words(self.mask) if LAYOUTS[self.name].packs_words else None

    @property
    def sequence_sets(self) -> tuple[frozenset[int], ...] | None:
        """[T] llama.cpp's sequence ids of each token, else None; W + G + 1 sequences in all.

        I is in all of them, L(0, c) in c + 1 .. W, L(r, c) in c + 1, V(g, j) in W + 1 + g.
        """
        if not LAYOUTS[self.name].has_sequences:
            return None
        return tuple(self._sequences(one) for one in self.who)

    def _sequences(self, one: Who) -> frozenset[int]:
        if one.branch == "current":
            return frozenset(range(self.window_size + self.candidates + 1))
        if one.branch == "guess":
            return frozenset((self.window_size + 1 + one.row,))
        last = self.window_size + 1 if one.row == 0 else one.col + 2
        return frozenset(range(one.col + 1, last))

    @property
    def encode_map(self) -> tuple[int, ...] | None:
        """TensorRT-LLM's ``mEncodeMap`` of a merged trie, else None.

        For each draft token (the current one excluded) of the unmerged layout its new index.
        """
        if not LAYOUTS[self.name].merges:
            return None
        new = {slot: i for i, slots in enumerate(self.merged) for slot in slots}
        return tuple(new[slot] - 1 for slot in column_major(self.grid)[1:])

    @property
    def grid(self) -> Grid:
        """The size of the canonical pass."""
        rows, cols, candidates = step_size(self.step)
        return Grid(rows, cols, candidates, self.ngram_size - 1)


def packed(
    layout: str = "lade",
    window_size: int = 5,
    ngram_size: int = 4,
    candidates: int = 2,
    **variant: Any,
) -> PackedLayout:
    """One pass in one engine's layout.

    ``candidates`` are those present in this pass (G'). ``variant`` depends on the layout:
    ``step`` (lade-warmup, 0 .. N - 3; trt-fill, 1 .. N - 2), ``prompt_length`` (lade-prefill),
    ``rank``, ``ranks``, ``refed`` (lade-parallel), ``length`` (causal), ``tokens`` (trt-merged:
    one value per canonical slot, equal prefixes merge; all different unless given). Raises
    ``ValueError`` with one sentence.
    """
    name = layout_name(layout)
    for letter, value, least in (
        ("window_size (W)", window_size, 1),
        ("ngram_size (N)", ngram_size, 2),
        ("candidates (G)", candidates, 0),
    ):
        _check_number(letter, value, least, MOST_TOKENS)
    sizes = int(window_size), int(ngram_size), int(candidates)
    settings = LAYOUTS[name].settings(*sizes, variant)
    large = (sizes[1] - 1) * (sizes[0] + sizes[2]) > _CACHED_TOKENS
    return (_packed.__wrapped__ if large else _packed)(name, *sizes, settings)


def layout_name(layout: str) -> str:
    """The name in ``LAYOUTS`` of a layout or an alias of it; ``ValueError`` otherwise."""
    found = NAMES.get(layout.strip().lower()) if isinstance(layout, str) else None
    if found is None:
        raise ValueError(f"layout {layout!r} is not known; use one of {', '.join(LAYOUTS)}.")
    return found


_check_number = kinds.check_number


@lru_cache(maxsize=128)
def _packed(
    name: str, window_size: int, ngram_size: int, candidates: int, variant: kinds.Settings
) -> PackedLayout:
    kind = LAYOUTS[name]
    plan = kind.plan(window_size, ngram_size, candidates, dict(variant))
    grid = plan.grid
    if grid.slots + plan.refed > MOST_TOKENS:
        raise ValueError(
            f"a pass of {kind.title} with W={window_size}, N={ngram_size}, G={candidates} has "
            f"{grid.slots + plan.refed:,} tokens; {MOST_TOKENS} are the most."
        )
    step = canonical_step(grid)
    slots = [[slot] for slot in plan.order]
    if kind.merges:
        tokens = dict(variant).get("tokens") or range(grid.slots)
        if len(tokens) != grid.slots:
            raise ValueError(
                f"tokens has {len(tokens)} values; this pass has {grid.slots} canonical slots."
            )
        slots = merge(plan.order, visibility.parents(step), tokens)
    order = [group[0] for group in slots]
    mask = _mask(step, order, slots, plan.refed)
    mask.setflags(write=False)
    offsets = [step.positions[slot] for slot in order]
    return PackedLayout(
        name=name,
        window_size=window_size,
        ngram_size=ngram_size,
        candidates=candidates,
        variant=variant,
        step=step,
        order=(-1,) * plan.refed + tuple(order),
        merged=((),) * plan.refed + tuple(tuple(group) for group in slots),
        refed=plan.refed,
        positions=tuple(range(-plan.refed, 0)) + tuple(offsets),
        mask=mask,
    )


def canonical_step(grid: Grid) -> StepLayout:
    """The pass of this size at p = 0, its token ids its own slots."""
    window = [[grid.window(r, c) for c in range(grid.cols)] for r in range(grid.rows)]
    guesses = [[grid.guess(g, j) for j in range(grid.guesses)] for g in range(grid.candidates)]
    return pack(window, guesses, position=0)


def step_size(step: StepLayout) -> tuple[int, int, int]:
    """(R, C, G') of a canonical pass."""
    guesses = [row for role, row in zip(step.roles, step.rows, strict=True) if role == Role.GUESS]
    cols = visibility.window_columns(step)
    candidates = 1 + max(guesses, default=-1)
    return (step.slots - len(guesses)) // cols, cols, candidates


def _mask(
    step: StepLayout, order: Sequence[int], slots: Sequence[Sequence[int]], refed: int
) -> BoolMatrix:
    """The canonical mask in another order; a merged token sees what its first slot sees."""
    canonical = visibility.mask(step)
    rows = canonical[list(order)]
    if len(order) == sum(map(len, slots)):
        found = rows[:, list(order)]
    else:
        found = np.stack([rows[:, list(group)].any(axis=1) for group in slots], axis=1)
    if not refed:
        return np.ascontiguousarray(found)
    size = len(order) + refed
    mask = np.zeros((size, size), dtype=bool)
    mask[:, :refed] = np.tri(size, refed, dtype=bool)  # committed text, seen by all behind it
    mask[refed:, refed:] = found
    return mask
