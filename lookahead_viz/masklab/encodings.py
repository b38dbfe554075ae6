"""The other forms in which engines keep the same mask, each read and written.

Parent arrays (QNN), a stack of positions (TensorRT-LLM), packed 32-bit words (TensorRT-LLM) and
sets of sequence ids (llama.cpp). All masks are bool [T, T], True = may attend. Every reader raises
``ValueError`` with one sentence where its input encodes no mask.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.visibility import BoolMatrix

WORD_BITS = 32


def mask_from_parents(parents: Sequence[int]) -> BoolMatrix:
    """A row is its parent's row and itself; -1 (or a token's own index) = no parent.

    Parents may come after their children. Source: QNN's ``attention_map``.
    """
    size = len(parents)
    mask = np.zeros((size, size), dtype=bool)
    done = [False] * size
    for start in range(size):
        chain: list[int] = []  # from here up to the first ancestor whose row is known
        slot = start
        while slot != -1 and not done[slot]:
            if len(chain) == size:
                raise ValueError(f"the parents of token {start} go round in a circle.")
            chain.append(slot)
            slot = _parent(parents, slot)
        for slot in reversed(chain):
            parent = _parent(parents, slot)
            if parent != -1:
                mask[slot] = mask[parent]
            mask[slot, slot] = True
            done[slot] = True
    return mask


def _parent(parents: Sequence[int], slot: int) -> int:
    parent = int(parents[slot])
    if not -1 <= parent < len(parents):
        raise ValueError(
            f"token {slot} has parent {parent}; parents are indexes 0 to {len(parents) - 1}, or "
            "-1 for none."
        )
    return -1 if parent == slot else parent


def mask_from_positions(positions: Sequence[int]) -> BoolMatrix:
    """Read positions as a depth-first walk: a token sees the stack of those it stands on.

    Tokens of the top's position or later leave the stack before each token enters it; what then
    lies on top must stand exactly one position earlier. Works for column-major orders only.
    Source: TensorRT-LLM's ``posIdsToMask``.
    """
    size = len(positions)
    mask = np.zeros((size, size), dtype=bool)
    stack: list[int] = []
    for slot, position in enumerate(positions):
        while stack and positions[stack[-1]] >= position:
            stack.pop()
        if stack and positions[stack[-1]] != position - 1:
            raise ValueError(
                f"token {slot} stands at position {position}, but the token before it on the "
                f"stack at {positions[stack[-1]]}; a position stack needs steps of 1, tokens "
                "column by column."
            )
        if slot and not stack:
            raise ValueError(
                f"token {slot} stands at position {position}, not behind the first token "
                f"({positions[0]}); a position stack starts with the current token."
            )
        stack.append(slot)
        mask[slot, stack] = True
    return mask


def pack_words(mask: BoolMatrix) -> NDArray[np.int32]:
    """The mask as int32 [T, ceil(T / 32)]: bit j of word w is column 32 w + j.

    Bit 31 makes a word negative. Source: TensorRT-LLM's packed mask (bit 0 = first column).
    """
    rows, columns = mask.shape
    words = -(-columns // WORD_BITS)
    padded = np.zeros((rows, words * WORD_BITS), dtype=np.uint8)
    padded[:, :columns] = mask
    packed = np.packbits(padded, axis=1, bitorder="little")
    return np.ascontiguousarray(packed).view("<i4").astype(np.int32).reshape(rows, words)


def mask_from_words(words: Sequence[int] | Sequence[Sequence[int]]) -> BoolMatrix:
    """The mask of ``pack_words``: [T] or [T][ceil(T / 32)] integers, signed or unsigned.

    Bits behind the last column must be 0.
    """
    try:
        array = np.asarray(words, dtype=np.int64)
    except (OverflowError, TypeError, ValueError):
        raise ValueError("packed words must be whole numbers of 32 bits.") from None
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or not array.size:
        raise ValueError("packed words must be one number, or one list of numbers, per token.")
    size = len(array)
    needed = -(-size // WORD_BITS)
    if array.shape[1] != needed:
        raise ValueError(
            f"{size} tokens need {needed} words of 32 bits per row, not {array.shape[1]}."
        )
    if array.min() < -(2**31) or array.max() >= 2**32:
        raise ValueError("a packed word does not fit into 32 bits.")
    raw = (array % 2**32).astype("<u4").view(np.uint8).reshape(size, -1)
    bits = np.unpackbits(raw, axis=1, bitorder="little").astype(bool)
    if bits[:, size:].any():
        row = int(np.argwhere(bits[:, size:])[0, 0])
        raise ValueError(f"the words of row {row} have bits behind the last of {size} columns.")
    return np.ascontiguousarray(bits[:, :size])


def mask_from_sequences(
    sequences: Sequence[Collection[int]], positions: Sequence[int]
) -> BoolMatrix:
    """Token q sees k where q's first (smallest) sequence id is among k's, no later position.

    ``sequences`` has the ids of each token. Source: llama.cpp's unified KV cache.
    """
    if len(sequences) != len(positions):
        raise ValueError(
            f"{len(sequences)} sets of sequence ids but {len(positions)} positions; one each per "
            "token."
        )
    empty = [slot for slot, ids in enumerate(sequences) if not ids]
    if empty:
        raise ValueError(f"token {empty[0]} belongs to no sequence.")
    names = {name: i for i, name in enumerate(sorted(set().union(*sequences)))}
    member = np.zeros((len(sequences), len(names)), dtype=bool)
    for slot, ids in enumerate(sequences):
        member[slot, [names[name] for name in ids]] = True
    first = member.argmax(axis=1)
    place = np.asarray(positions)
    seen: BoolMatrix = member.T[first] & (place[None, :] <= place[:, None])
    return seen
