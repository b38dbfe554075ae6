"""From logits to what a record keeps: predictions, gaps, the most likely tokens.

Over a wide vocabulary this costs as much as several layers of a small model, so the vocabulary is
walked once in blocks: the k largest values lie in the k blocks with the largest maxima.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from lookahead_viz.records import Alternatives

T = TypeVar("T")

BLOCK = 64
"""Logits a block; a vocabulary of fewer than ``BLOCK`` blocks is searched whole."""

FEW = 65_536
"""Up to so many logits a plain topk is faster than to make blocks."""

AT_ONCE = 8 * 49_152
"""Logits made probabilities at a time: what they need stays in the processor's cache."""


def largest(logits: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The ``count`` largest logits of each row and their ids, [rows, count] each.

    The first is ``argmax``: of equal logits the lowest id. Further equal ones come in any order.
    """
    whole = logits.shape[-1] // BLOCK * BLOCK
    if logits.is_cuda or logits.numel() <= FEW or whole < BLOCK * max(BLOCK, count):
        return ranked(logits, count)
    blocks = logits[:, :whole].unflatten(-1, (-1, BLOCK))
    best = ranked(blocks.amax(-1), count)[1].sort(-1).values
    found = blocks.gather(1, best[:, :, None].expand(-1, -1, BLOCK)).flatten(1)
    places = (best[:, :, None] * BLOCK + torch.arange(BLOCK)).flatten(1)
    found = torch.cat([found, logits[:, whole:]], dim=-1)
    rest = torch.arange(whole, logits.shape[-1]).expand(len(logits), -1)
    places = torch.cat([places, rest], dim=-1)  # ascending, so that argmax means the lowest id
    values, chosen = ranked(found, count)
    return values, places.gather(1, chosen)


def ranked(logits: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """``topk``, with the lowest id first where the largest logits are equal."""
    values, ids = logits.topk(count)
    if count == 1 or bool((values[:, 0] == values[:, 1]).any()):
        ids = first(ids, logits.argmax(-1, keepdim=True))
    return values, ids


def first(ids: Tensor, best: Tensor) -> Tensor:
    """``ids`` [rows, count] with ``best`` [rows, 1] in front: topk orders equal values anyhow.

    A row whose equal values left ``best`` out loses its last entry for it.
    """
    if bool((ids[:, :1] == best).all()):
        return ids
    fixed = [
        [head, *[token for token in row if token != head]][: len(row)]
        for row, (head,) in zip(ids.tolist(), best.tolist(), strict=True)
    ]
    return torch.tensor(fixed, device=ids.device)


def probabilities(logits: Tensor, ids: Tensor) -> Tensor:
    """Softmax probability of each of ``ids`` [rows, count] in its row of logits."""
    rows = max(1, AT_ONCE // logits.shape[-1])
    parts = [
        part.log_softmax(-1).gather(1, wanted)
        for part, wanted in zip(logits.split(rows), ids.split(rows), strict=True)
    ]
    return torch.cat(parts).exp()


def alternatives(logits: Tensor, ids: Tensor, used: Sequence[int]) -> tuple[Alternatives, ...]:
    """One entry a used slot: its ``ids`` with their probabilities."""
    chances = rounded(probabilities(logits, ids))
    return tuple(
        Alternatives(slot, tuple(row), tuple(chance))
        for slot, row, chance in zip(used, ids.tolist(), chances, strict=True)
    )


def spread(values: Sequence[T], used: Sequence[int], slots: int) -> tuple[T | None, ...]:
    """``values`` of the used slots, put where they belong among all slots."""
    found: list[T | None] = [None] * slots
    for slot, value in zip(used, values, strict=True):
        found[slot] = value
    return tuple(found)


def rounded(chances: Tensor) -> list[list[float]]:
    """Each probability to four significant digits, as ``significant``, all of them at once."""
    values = chances.double().cpu().numpy()
    digits = 3 - np.floor(np.log10(np.clip(values, 1e-18, 1.0)))
    # whole numbers up to 10^4 over powers of ten up to 10^21: the doubles that 0.1234 stands for
    found: list[list[float]] = (np.round(values * 10**digits) / 10**digits).tolist()
    return found


def significant(value: float) -> float:
    """Four significant digits, finite: what a record keeps of a probability or a gap."""
    return float(f"{min(value, sys.float_info.max):.4g}")
