"""W, N and G by arithmetic: by hand at small sizes, and as the decoder really packs them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookahead_viz.engine.lookahead import used_slots
from lookahead_viz.engine.window import Window
from lookahead_viz.layout import pack
from lookahead_viz.scale.arithmetic import shape_of
from lookahead_viz.scale.sizes import Sizes
from lookahead_viz.views.scale_calculator import calculator_table

ANY = st.builds(Sizes, st.integers(1, 12), st.integers(2, 7), st.integers(0, 9))


def calculated(sizes: Sizes, context: int) -> dict[str, str]:
    shape = shape_of("tiny")
    assert shape is not None
    table = calculator_table(sizes, context, shape)
    return dict(zip(table["quantity"], table["value"], strict=True))


def test_the_calculator_by_hand_at_5_4_2() -> None:
    """21 slots behind 100 rows: 15 of the window, 6 guesses; 1 + 5 + 6 logits."""
    found = calculated(Sizes(5, 4, 2), 100)
    expected = {
        "slots of a full pass": "21",
        "window slots": "15",
        "guess slots": "6",
        "slots asked for logits": "12",
        "tokens a pass can give": "1 to 4",
        "warm-up passes": "2",
        "TensorRT-LLM max_draft_len": "20",  # 2 + (5 - 1 + 2) * 3
        "llama.cpp sequences": "8",
        "KV rows during the pass": "121",
        "KV cache of tiny, 16 bits": "186 kB",  # 121 rows * 2 * 3 layers * 2 heads * 64 * 2 bytes
        "mask, one bit a cell": "336 bytes",  # 21 rows * 16 bytes for 121 bits
        "mask, boolean": "2.54 kB",  # 21 * 121
        "mask, float32": "10.2 kB",
        "furthest position": "p + 6",
    }
    assert {name: found[name] for name in expected} == expected
    assert calculated(Sizes(5, 4, 0), 100)["tokens a pass can give"] == "1"


def test_the_calculator_by_hand_at_7_7_7() -> None:
    """The size that TensorRT-LLM's documentation gives a draft length of 83 for."""
    found = calculated(Sizes(7, 7, 7), 0)
    expected = {
        "slots of a full pass": "84",
        "TensorRT-LLM max_draft_len": "83",
        "llama.cpp sequences": "15",
        "KV rows during the pass": "84",
        "furthest position": "p + 11",
    }
    assert {name: found[name] for name in expected} == expected


def test_with_one_column_a_guess_reaches_furthest() -> None:
    assert Sizes(1, 5, 0).reach == 3
    assert Sizes(1, 5, 2).reach == 4
    assert Sizes(2, 5, 2).reach == 4
    assert Sizes(1, 2, 0).reach == 0


@given(ANY)
def test_slots_reach_and_logits_are_those_of_a_packed_step(sizes: Sizes) -> None:
    rows = sizes.ngram_size - 1
    window = Window(((0,) * sizes.window_size,) * rows, full=True)
    layout = pack(window.rows, [[0] * rows] * sizes.max_candidates, position=50)
    assert layout.slots == sizes.slots
    assert max(layout.positions) - 50 == sizes.reach
    assert len(used_slots(window, layout)) == sizes.logit_rows


@pytest.mark.parametrize("wrong", [(0, 4, 5), (5, 1, 5), (5, 4, -1), (2.5, 4, 1)])
def test_sizes_that_do_not_exist_are_refused(wrong: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="it must be a whole number of at least"):
        Sizes(*wrong)
