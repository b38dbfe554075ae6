"""Masks that engines write down in another form: parents, position stacks, words, sequence ids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.masklab.normalise import UnreadableMask
from lookahead_viz.masklab.reading_model import (
    MAX_SIDE,
    Array,
    Kind,
    Sequences,
    check_shape,
)

BoolMatrix = NDArray[np.bool_]
Positions = NDArray[np.int64]


def mask_of_parents(parents: Array) -> tuple[BoolMatrix, Positions]:
    """A row is its parent's row and itself (QNN's ``attention_map``): mask [T, T], positions [T].

    The root's parent is -1 (or itself). Parents may stand in any order, without a cycle.
    """
    given = _numbers(parents, "parents")
    count = given.size
    for slot, parent in enumerate(given.tolist()):
        if not -1 <= parent < count:
            raise UnreadableMask(
                f"The parent of token {slot} is {parent}; it must be a token from 0 to "
                f"{count - 1}, or -1 for none."
            )
    above = np.where(given == np.arange(count), -1, given)
    mask = np.eye(count, dtype=bool)
    depth = np.zeros(count, dtype=np.int64)
    reached, pending = above == -1, np.flatnonzero(above >= 0)
    while pending.size:
        ready = pending[reached[above[pending]]]
        if not ready.size:
            slot = int(pending[0])
            raise UnreadableMask(
                f"The parents of token {slot} go round in a circle; none is a root."
            )
        mask[ready] |= mask[above[ready]]
        depth[ready] = depth[above[ready]] + 1
        reached[ready] = True
        pending = pending[~reached[pending]]
    return mask, depth


def mask_of_positions(positions: Array) -> tuple[BoolMatrix, Positions]:
    """TensorRT-LLM's walk over positions: a stack of the tokens on the way to the current one.

    Pops while the top stands at the same or a later position, then the token must stand one
    after the top. Only an order in which every token follows its path can be read so.
    """
    given = _numbers(positions, "positions")
    given = given - given[0]
    mask = np.eye(given.size, dtype=bool)
    stack: list[int] = []
    for slot, position in enumerate(given.tolist()):
        while stack and given[stack[-1]] >= position:
            stack.pop()
        if slot and (not stack or position != given[stack[-1]] + 1):
            raise UnreadableMask(
                f"Token {slot} stands at {position:+d} and no token before it at "
                f"{position - 1:+d}: positions alone give a mask only where every token follows "
                "its own path, column by column; give the mask itself for another order."
            )
        mask[slot, stack] = True
        stack.append(slot)
    return mask, given


def mask_of_words(words: Array) -> BoolMatrix:
    """Packed 32-bit words [T] or [T, ceil(K / 32)], bit j of a row = column j, low bits first."""
    if words.dtype.kind not in "iu":
        raise UnreadableMask("Packed words must be whole numbers.")
    rows = words.reshape(words.shape[-2] if words.ndim > 1 else words.size, -1)
    if words.ndim > 2 and rows.size != words.size:
        raise UnreadableMask("Packed words of several heads cannot be read; give one head.")
    count, per_row = rows.shape
    check_shape((count, min(per_row * 32, MAX_SIDE)), 1, "words")
    if not (-(2**31) <= int(rows.min()) and int(rows.max()) < 2**32):
        raise UnreadableMask("A packed word does not fit 32 bits; pack 32 columns into each word.")
    packed = np.ascontiguousarray((rows.astype(np.int64) & 0xFFFFFFFF).astype("<u4"))
    bits = np.unpackbits(packed.view(np.uint8), axis=1, bitorder="little").astype(bool)
    if per_row * 32 < count:
        raise UnreadableMask(
            f"{per_row} words a row hold {per_row * 32} columns and there are {count} tokens."
        )
    used = int(np.flatnonzero(bits.any(axis=0)).max(initial=0)) + 1
    return bits[:, : max(count, used)]


def mask_of_sequences(given: Sequences) -> BoolMatrix:
    """llama.cpp: i sees k if i's first sequence id is one of k's and k is not later."""
    highest = max(max(ids) for ids in given.sets) + 1
    known = {one: number for number, one in enumerate(sorted(set().union(*given.sets)))}
    member = np.zeros((len(given.sets), min(highest, len(known))), dtype=bool)  # [T, ids]
    for slot, ids in enumerate(given.sets):
        member[slot, [known[one] for one in ids]] = True
    positions = np.array(given.positions, dtype=np.int64)
    firsts = np.array([known[one] for one in given.firsts])
    visible: BoolMatrix = member[:, firsts].T & (positions[None, :] <= positions[:, None])
    return visible


def kind_of(array: Array) -> Kind:
    """What an array of numbers is, by its shape and its numbers."""
    if array.ndim > 2 and array.size == array.shape[-2] * array.shape[-1]:
        array = array.reshape(array.shape[-2:])  # a batch of one, one head
    if array.size > 1 and (array == 1).all():
        return "mask"  # no list of positions, parents or words is all ones
    if array.ndim == 1 or (array.ndim == 2 and array.shape[0] == 1 < array.shape[1]):
        flat = array.reshape(-1)
        if flat.dtype.kind not in "iu":
            return "mask"
        if int(flat.min()) == -1:
            return "parents"
        if _own_bits(flat.reshape(-1, 1)):
            return "words"
        return "positions"
    if array.ndim == 2 and array.dtype.kind in "iu":
        count, per_row = array.shape
        if per_row == -(-count // 32) and not _two_valued(array) and _own_bits(array):
            return "words"
    return "mask"


def _own_bits(rows: Array) -> bool:
    """Has every row its own bit set, as the words of a mask have?"""
    count, per_row = rows.shape
    if per_row * 32 < count:
        return False
    slots = np.arange(count)
    own = rows[slots, slots // 32].astype(np.int64) >> (slots % 32)
    return bool((own & 1).all()) and count > 1


def _two_valued(array: Array) -> bool:
    return bool(((array == 0) | (array == 1)).all())


def _numbers(values: Array, what: str) -> NDArray[np.int64]:
    flat = values.reshape(-1)
    if flat.size != max(values.shape) or flat.dtype.kind not in "iu":
        raise UnreadableMask(f"The {what} must be one list of whole numbers.")
    if flat.size > MAX_SIDE:
        raise UnreadableMask(
            f"There are {flat.size:,} {what}; at most {MAX_SIDE:,} can be checked."
        )
    if not (-(2**62) < int(flat.min()) and int(flat.max()) < 2**62):
        raise UnreadableMask(f"A number of the {what} is too large.")
    return flat.astype(np.int64)
