"""Masks as text: words, batch tables, FlexAttention source, C arrays, rows with names."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from lookahead_viz.masklab.encodings import pack_words
from lookahead_viz.masklab.layouts import PackedLayout
from lookahead_viz.masklab.tiles import SIZES, tiles
from lookahead_viz.visibility import BoolMatrix

_WIDTH = 92

_MASK_MOD = '''"""FlexAttention mask of one lookahead pass: {title}, {settings}.

{size} packed tokens behind {prefix} committed ones.
{tiles}
"""

import torch

PREFIX = {prefix}
# A token reads its ancestors on the tree of paths, and itself. ENTER numbers the tree depth first,
# LEAVE is one past the last descendant: k is an ancestor of q if ENTER[q] is between the two.
ENTER = torch.tensor(
{enter}
)
LEAVE = torch.tensor(
{leave}
)
# committed tokens are everybody's ancestors
KV_ENTER = torch.cat([torch.full((PREFIX,), -1), ENTER])
KV_LEAVE = torch.cat([torch.full((PREFIX,), {size}), LEAVE])


def mask_mod(b, h, q_idx, kv_idx):
    place = ENTER[q_idx]
    return (KV_ENTER[kv_idx] <= place) & (place < KV_LEAVE[kv_idx])


# Move the four tables to your device, then:
# from torch.nn.attention.flex_attention import create_block_mask
# block_mask = create_block_mask(mask_mod, None, None, Q_LEN={size}, KV_LEN={columns})
'''


def words(layout: PackedLayout, prefix: int) -> str:
    """``words: [1, 3, 7]``, or a list per row; unsigned."""
    packed = pack_words(layout.mask).astype(np.int64) & 0xFFFFFFFF
    rows = packed[:, 0].tolist() if packed.shape[1] == 1 else packed.tolist()
    return f'{{"words": {rows}}}\n'


def parents(layout: PackedLayout, prefix: int) -> str:
    return f"parents: {list(layout.parents)}\n"


def batch(layout: PackedLayout, prefix: int) -> str:
    """A CSV table with one token a line, as llama.cpp fills its batches."""
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(["index", "token", "kind", "position", "sequence ids", "logits"])
    places = _positions(layout, prefix)
    for one, ids, place in zip(layout.who, _sequence_sets(layout), places, strict=True):
        shown = " ".join(str(number) for number in sorted(ids))
        table.writerow([one.slot, one.name, one.branch, place, shown, int(one.logits)])
    return stream.getvalue()


def _positions(layout: PackedLayout, prefix: int) -> list[int]:
    """[T] position ids behind ``prefix`` cached tokens; tokens fed again stand right behind."""
    return [prefix + layout.refed + offset for offset in layout.positions]


def _sequence_sets(layout: PackedLayout) -> Sequence[Iterable[int]]:
    """llama.cpp's own ids; elsewhere one id per leaf of the tree, held by the whole path."""
    own = layout.sequence_sets
    if own is not None:
        return own
    inner = set(layout.parents)
    leaves = [slot for slot in range(layout.size) if slot not in inner]
    above = layout.mask[leaves]  # [leaves, T]: a leaf's row is its path
    return [np.flatnonzero(above[:, slot]).tolist() for slot in range(layout.size)]


def mask_mod(layout: PackedLayout, prefix: int) -> str:
    """Python source of a FlexAttention ``mask_mod`` over the columns of prefix and pass."""
    enter, leave = intervals(layout.parents)
    committed = np.ones((layout.size, prefix), dtype=bool)
    whole = np.hstack([committed, layout.mask])
    return _MASK_MOD.format(
        title=layout.title,
        settings=layout.settings,
        size=layout.size,
        prefix=prefix,
        columns=layout.size + prefix,
        tiles="\n".join(tiles(whole, size).sentence for size in SIZES),
        enter=_wrapped(enter),
        leave=_wrapped(leave),
    )


def intervals(parents: Sequence[int]) -> tuple[list[int], list[int]]:
    """Depth-first numbers of a tree: k is q or an ancestor iff enter[k] <= enter[q] < leave[k].

    ``parents``: -1 for a root. Children are visited in slot order.
    """
    children: dict[int, list[int]] = {}
    for slot, parent in enumerate(parents):
        children.setdefault(parent, []).append(slot)
    enter, leave = [0] * len(parents), [0] * len(parents)
    counter = 0
    pending = [(slot, False) for slot in reversed(children.get(-1, []))]
    while pending:
        slot, done = pending.pop()
        if done:
            leave[slot] = counter
            continue
        enter[slot] = counter
        counter += 1
        pending.append((slot, True))
        pending += [(child, False) for child in reversed(children.get(slot, []))]
    return enter, leave


def c_arrays(layout: PackedLayout, prefix: int) -> str:
    size, columns = layout.size, layout.size + prefix
    rows = [_c_row([1] * prefix + line) for line in layout.mask.astype(int).tolist()]
    return (
        "#include <stdint.h>\n\n"
        f"/* {layout.title}, {layout.settings}: {size} packed tokens behind {prefix} committed\n"
        "   ones; line = who reads, column = what is read, 1 = may attend.\n"
        f"   {' '.join(layout.names)} */\n"
        f"static const uint8_t mask[{size}][{columns}] = {{\n" + ",\n".join(rows) + "\n};\n\n"
        f"static const int32_t positions[{size}] = {_c_row(_positions(layout, prefix)).strip()};\n"
    )


def _c_row(numbers: Iterable[int]) -> str:
    return "    {" + ",".join(str(number) for number in numbers) + "}"


def csv_rows(mask: BoolMatrix) -> str:
    return "".join(",".join(row) + "\n" for row in _digits(mask))


def named_rows(layout: PackedLayout, prefix: int) -> str:
    """Names, positions and rows, as in a discussion of masks."""
    wide = max(len(name) for name in layout.names)
    lines = [
        f"tok {' '.join(layout.names)}",
        f"pos [{','.join(str(place) for place in _positions(layout, prefix))}]",
    ]
    for slot, row in enumerate(_digits(layout.mask)):
        lines.append(f"{slot:>4} {layout.names[slot]:<{wide}} {''.join(row)}")
    return "\n".join(lines) + "\n"


def _digits(mask: NDArray[np.bool_]) -> list[list[str]]:
    return [["1" if cell else "0" for cell in row] for row in mask.tolist()]


def _wrapped(numbers: Sequence[int]) -> str:
    """``    [1, 2, 3]`` over as many lines as it takes."""
    lines, line = [], "    ["
    for place, number in enumerate(numbers):
        piece = f"{number}, " if place + 1 < len(numbers) else f"{number}]"
        if len(line) + len(piece) > _WIDTH:
            lines.append(line.rstrip())
            line = "     "
        line += piece
    return "\n".join([*lines, line])
