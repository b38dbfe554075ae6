"""The layouts of other engines: the worked examples of W=5, N=4, G=2 by hand, and all sizes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from lookahead_viz import visibility
from lookahead_viz.layout import pack
from lookahead_viz.masklab import LAYOUTS, PackedLayout, packed
from lookahead_viz.masklab.encodings import pack_words
from lookahead_viz.masklab.kinds import NAMES
from lookahead_viz.masklab.reading_lists import (
    mask_of_parents,
    mask_of_positions,
    mask_of_sequences,
    mask_of_words,
)
from lookahead_viz.masklab.reading_tables import make_sequences

SIZES = [*itertools.product((1, 2, 3, 5, 8), (2, 3, 4, 5, 6), (0, 1, 2, 4))]  # W, N, G

# tokens in packed order, their positions relative to p, the mask
WORKED: dict[str, tuple[str, str, str]] = {
    "lade": (
        "I L01 L02 L03 L04 L10 L11 L12 L13 L14 L20 L21 L22 L23 L24 V00 V01 V02 V10 V11 V12",
        "0 1 2 3 4 1 2 3 4 5 2 3 4 5 6 1 2 3 1 2 3",
        """
        100000000000000000000
        110000000000000000000
        111000000000000000000
        111100000000000000000
        111110000000000000000
        100001000000000000000
        110000100000000000000
        111000010000000000000
        111100001000000000000
        111110000100000000000
        100001000010000000000
        110000100001000000000
        111000010000100000000
        111100001000010000000
        111110000100001000000
        100000000000000100000
        100000000000000110000
        100000000000000111000
        100000000000000000100
        100000000000000000110
        100000000000000000111
        """,
    ),
    "lade-flash": (
        "I L01 L02 L03 L04 L10 L20 L11 L21 L12 L22 L13 L23 L14 L24 V00 V01 V02 V10 V11 V12",
        "0 1 2 3 4 1 2 2 3 3 4 4 5 5 6 1 2 3 1 2 3",
        """
        100000000000000000000
        110000000000000000000
        111000000000000000000
        111100000000000000000
        111110000000000000000
        100001000000000000000
        100001100000000000000
        110000010000000000000
        110000011000000000000
        111000000100000000000
        111000000110000000000
        111100000001000000000
        111100000001100000000
        111110000000010000000
        111110000000011000000
        100000000000000100000
        100000000000000110000
        100000000000000111000
        100000000000000000100
        100000000000000000110
        100000000000000000111
        """,
    ),
    "llama.cpp": (
        "I V00 V10 V01 V11 V02 V12 L01 L02 L03 L04 L10 L11 L12 L13 L14 L20 L21 L22 L23 L24",
        "0 1 1 2 2 3 3 1 2 3 4 1 2 3 4 5 2 3 4 5 6",
        """
        100000000000000000000
        110000000000000000000
        101000000000000000000
        110100000000000000000
        101010000000000000000
        110101000000000000000
        101010100000000000000
        100000010000000000000
        100000011000000000000
        100000011100000000000
        100000011110000000000
        100000000001000000000
        100000010000100000000
        100000011000010000000
        100000011100001000000
        100000011110000100000
        100000000001000010000
        100000010000100001000
        100000011000010000100
        100000011100001000010
        100000011110000100001
        """,
    ),
    "trt": (
        "I L10 L20 L01 L11 L21 L02 L12 L22 L03 L13 L23 L04 L14 L24 V00 V01 V02 V10 V11 V12",
        "0 1 2 1 2 3 2 3 4 3 4 5 4 5 6 1 2 3 1 2 3",
        """
        100000000000000000000
        110000000000000000000
        111000000000000000000
        100100000000000000000
        100110000000000000000
        100111000000000000000
        100100100000000000000
        100100110000000000000
        100100111000000000000
        100100100100000000000
        100100100110000000000
        100100100111000000000
        100100100100100000000
        100100100100110000000
        100100100100111000000
        100000000000000100000
        100000000000000110000
        100000000000000111000
        100000000000000000100
        100000000000000000110
        100000000000000000111
        """,
    ),
}

ORDERS = {  # canonical slot of each packed token -> here: where each canonical slot is packed
    "lade-flash": [0, 1, 2, 3, 4, 5, 7, 9, 11, 13, 6, 8, 10, 12, 14, 15, 16, 17, 18, 19, 20],
    "llama.cpp": [0, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 1, 3, 5, 2, 4, 6],
    "trt": [0, 3, 6, 9, 12, 1, 4, 7, 10, 13, 2, 5, 8, 11, 14, 15, 16, 17, 18, 19, 20],
}

TRT_WORDS = [
    *(1, 3, 7, 9, 25, 57, 73, 201, 457, 585, 1609, 3657, 4681, 12873, 29257, 32769, 98305),
    *(229377, 262145, 786433, 1835009),
]

ROW_MAJOR = ("canonical", "lade", "executorch", "qnn", "llama.cpp-comment")


def drawn(layout: PackedLayout) -> list[str]:
    return ["".join("1" if on else "0" for on in row) for row in layout.mask]


@pytest.mark.parametrize("name", [*WORKED, *ROW_MAJOR])
def test_worked_examples(name: str) -> None:
    tokens, positions, rows = WORKED["lade" if name in ROW_MAJOR else name]
    layout = packed(name, 5, 4, 2)
    assert " ".join(layout.names) == tokens
    assert " ".join(map(str, layout.positions)) == positions
    assert drawn(layout) == rows.split()


@pytest.mark.parametrize("name", ORDERS)
def test_worked_permutations(name: str) -> None:
    order = packed(name, 5, 4, 2).order
    assert [order.index(slot) for slot in range(21)] == ORDERS[name]


def test_worked_words_and_sequences() -> None:
    words = packed("trt", 5, 4, 2).words
    assert words is not None and words.dtype == np.int32 and words.shape == (21, 1)
    assert words[:, 0].tolist() == TRT_WORDS
    layout = packed("llama.cpp", 5, 4, 2)
    assert layout.sequence_sets is not None
    sets = dict(zip(layout.names, map(set, layout.sequence_sets), strict=True))
    assert sets["I"] == set(range(8))
    assert [sets[f"V0{j}"] for j in range(3)] == [{6}] * 3
    assert [sets[f"V1{j}"] for j in range(3)] == [{7}] * 3
    assert [sets[f"L0{c}"] for c in range(1, 5)] == [{2, 3, 4, 5}, {3, 4, 5}, {4, 5}, {5}]
    for row in (1, 2):
        assert [sets[f"L{row}{c}"] for c in range(5)] == [{1}, {2}, {3}, {4}, {5}]
    asked = [one.name for one in layout.who if one.logits]
    assert asked == "I V00 V10 V01 V11 V02 V12 L20 L21 L22 L23 L24".split()


def test_who_says_where_a_token_is_and_what_it_follows() -> None:
    who = {one.name: one for one in packed("llama.cpp", 5, 4, 2).who}
    assert (who["I"].branch, who["I"].parent, who["I"].logits) == ("current", None, True)
    assert (who["L12"].branch, who["L12"].row, who["L12"].col) == ("window", 1, 2)
    assert who["L12"].parent == who["L02"].slot and not who["L12"].logits
    assert who["V11"].branch == "guess" and who["V11"].parent == who["V10"].slot
    assert packed("qnn", 5, 4, 2).parents[:7] == (-1, 0, 1, 2, 3, 0, 1)
    assert packed("lade", 12, 4, 2).names[11] == "L0,11"


def test_tree_encoding_merges_equal_prefixes() -> None:
    """V0 repeats L10 L20 and V1 repeats L01 L11: 20 draft tokens become 16."""
    grid = packed("canonical", 5, 4, 2).grid
    tokens = list(range(grid.slots))
    for guess, cell in (((0, 0), (1, 0)), ((0, 1), (2, 0)), ((1, 0), (0, 1)), ((1, 1), (1, 1))):
        tokens[grid.guess(*guess)] = grid.window(*cell)
    merged = packed("trt-merged", 5, 4, 2, tokens=tokens)
    assert " ".join(merged.names) == (
        "I L10 L20 V02 L01 L11 L21 V12 L02 L12 L22 L03 L13 L23 L04 L14 L24"
    )
    assert merged.encode_map == (0, 1, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 6)
    assert (merged.mask == mask_of_positions(np.array(merged.positions))[0]).all()
    assert (merged.mask == mask_of_parents(np.array(merged.parents))[0]).all()
    apart = packed("trt-merged", 5, 4, 2)
    assert apart.order == packed("trt", 5, 4, 2).order
    with pytest.raises(ValueError, match="21 canonical slots"):
        packed("trt-merged", 5, 4, 2, tokens=[1, 2])


def test_start_up_steps() -> None:
    assert drawn(packed("lade-prefill", 5, 4, 2, prompt_length=9)) == drawn(
        packed("causal", length=9 + 5 + 4 - 3)
    )
    warm_up = packed("lade-warmup", 5, 4, 2, step=1)
    assert warm_up.positions == (0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6) and warm_up.size == 12
    assert drawn(warm_up) == drawn(packed("lade", 6, 3, 0))
    first = packed("trt-fill", 5, 4, 0, fill=1)
    assert first.positions == (0, 1, 2, 3, 4, 5, 6)
    second = packed("trt-fill", 5, 4, 0, fill=2)
    assert second.positions == (0, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6)
    for layout in (first, second, packed("trt-fill", 5, 4, 2, fill=2)):
        assert (layout.mask == mask_of_positions(np.array(layout.positions))[0]).all()


def test_lookahead_parallelism() -> None:
    """W=5 on two devices: columns 0 to 2 and 3 to 4; two accepted tokens fed again."""
    one = packed("lade-parallel", 5, 4, 2, ranks=2, rank=0)
    two = packed("lade-parallel", 5, 4, 2, ranks=2, rank=1)
    assert " ".join(one.names) == "I L01 L02 L10 L11 L12 L20 L21 L22 V00 V01 V02"
    assert " ".join(two.names) == "I L01 L02 L03 L04 L13 L14 L23 L24 V10 V11 V12"
    assert two.positions == (0, 1, 2, 3, 4, 4, 5, 5, 6, 1, 2, 3)
    again = packed("lade-parallel", 5, 4, 2, ranks=2, rank=1, refed=2)
    assert again.names[:3] == ("C0", "C1", "I") and again.positions[:3] == (-2, -1, 0)
    assert drawn(again)[:3] == ["1" + "0" * 13, "11" + "0" * 12, "111" + "0" * 11]
    assert all(row.startswith("111") for row in drawn(again)[3:])
    assert (again.mask[2:, 2:] == two.mask).all()
    assert (again.mask == mask_of_parents(np.array(again.parents))[0]).all()


@pytest.mark.parametrize("name", [name for name, kind in LAYOUTS.items() if kind.steady])
def test_every_full_step_is_the_canonical_one_permuted(name: str) -> None:
    for window, ngram, candidates in SIZES:
        layout = packed(name, window, ngram, candidates)
        tokens = (ngram - 1) * (window + candidates)
        assert sorted(layout.order) == list(range(tokens))
        step = pack([[0] * window] * (ngram - 1), [[0] * (ngram - 1)] * candidates, position=0)
        order = list(layout.order)
        assert (layout.mask == visibility.mask(step)[np.ix_(order, order)]).all()
        assert layout.mask.sum(axis=1).tolist() == [place + 1 for place in layout.positions]


def test_every_encoding_says_the_same_at_every_size() -> None:
    for window, ngram, candidates in SIZES:
        for name in ("lade", "lade-flash", "llama.cpp", "trt"):
            layout = packed(name, window, ngram, candidates)
            assert (mask_of_parents(np.array(layout.parents))[0] == layout.mask).all()
            assert (mask_of_words(pack_words(layout.mask)) == layout.mask).all()
        assert (mask_of_positions(np.array(layout.positions))[0] == layout.mask).all()  # trt
        llama = packed("llama.cpp", window, ngram, candidates)
        assert llama.sequence_sets is not None
        assert len(set().union(*llama.sequence_sets)) == window + candidates + 1
        sets = [sorted(ids) for ids in llama.sequence_sets]
        assert (mask_of_sequences(make_sequences(sets, llama.positions)) == llama.mask).all()


def test_every_start_up_step_and_every_device_keeps_to_the_paths() -> None:
    for window, ngram, candidates in SIZES:
        layouts = [packed("lade-prefill", window, ngram, candidates, prompt_length=4)]
        for step in range(ngram - 2):
            layouts.append(packed("lade-warmup", window, ngram, candidates, step=step))
        for fill in range(1, ngram - 1):
            layouts.append(packed("trt-fill", window, ngram, candidates, fill=fill))
        for ranks, refed in itertools.product((1, 2, 3), (0, 2)):
            for rank in range(ranks):
                variant = {"ranks": ranks, "rank": rank, "refed": refed}
                layouts.append(packed("lade-parallel", window, ngram, candidates, **variant))
        for layout in layouts:
            assert (mask_of_parents(np.array(layout.parents))[0] == layout.mask).all()
            seen = layout.mask.sum(axis=1)
            assert seen.tolist() == [place + 1 + layout.refed for place in layout.positions]


def test_the_shares_of_all_devices_are_the_whole_step() -> None:
    for (window, ngram, candidates), ranks in itertools.product(SIZES, (1, 2, 3, 5)):
        shares = [
            packed("lade-parallel", window, ngram, candidates, ranks=ranks, rank=rank).order
            for rank in range(ranks)
        ]
        assert set().union(*shares) == set(range((ngram - 1) * (window + candidates)))


@pytest.mark.parametrize(
    ("layout", "sizes", "variant", "words"),
    [
        ("vllm", (5, 4, 2), {}, "not known"),
        ("lade", (0, 4, 2), {}, "window_size"),
        ("lade", (5, 1, 2), {}, "ngram_size"),
        ("lade", (5, 4, -1), {}, "candidates"),
        ("lade", (5.0, 4, 2), {}, "whole number"),
        ("lade", (True, 4, 2), {}, "whole number"),
        ("lade", (4000, 4, 2), {}, "the most"),
        ("lade", (5, 4, 2), {"step": 1}, "no setting"),
        ("lade-warmup", (5, 4, 2), {"step": 2}, "from 0 to 1"),
        ("lade-warmup", (5, 2, 2), {}, "no warm-up"),
        ("trt-fill", (5, 4, 2), {"fill": 0}, "from 1 to 2"),
        ("trt-fill", (5, 2, 2), {}, "no filling"),
        ("lade-parallel", (5, 4, 2), {"rank": 2}, "from 0 to 1"),
        ("lade-prefill", (5, 4, 2), {"prompt_length": "9"}, "whole number"),
        ("trt-merged", (5, 4, 2), {"tokens": 7}, "canonical slot"),
    ],
)
def test_impossible_layouts_are_refused(
    layout: str, sizes: tuple[int, int, int], variant: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words) as refused:
        packed(layout, *sizes, **variant)
    assert "\n" not in str(refused.value) and str(refused.value).endswith(".")


def test_notes_have_the_numbers() -> None:
    assert "8 sequences" in " ".join(packed("llama.cpp", 5, 4, 2).notes)
    for size, drafts in (((5, 4, 2), 20), ((7, 7, 7), 83), ((2, 2, 1), 2)):
        window, ngram, candidates = size
        assert drafts == (ngram - 2) + (window - 1 + candidates) * (ngram - 1)
        assert f" {drafts} draft tokens" in " ".join(packed("trt", *size).notes)
    assert "hash map" in " ".join(packed("trt-merged").notes)


def test_aliases_and_descriptions() -> None:
    assert packed("LLamaCPP").name == "llama.cpp" and set(NAMES.values()) == set(LAYOUTS)
    for kind in LAYOUTS.values():
        assert kind.title and kind.description.endswith(".") and kind.source
