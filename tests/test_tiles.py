"""The mask in tiles, against flex_attention's own count and by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.attention.flex_attention import create_block_mask

from lookahead_viz import visibility
from lookahead_viz.engine.attention import block_mask
from lookahead_viz.layout import pack
from lookahead_viz.records import StepLayout
from lookahead_viz.views.tiles import KERNELS, Tiles, kernel_sentence, tile_table, tiles
from tests.toy_runs import toy_run


def layout(cached: int) -> StepLayout:
    window = [list(range(15)) for _ in range(4)]
    return pack(window, [[1, 2, 3, 4]] * 15, position=cached)


def test_three_by_three_in_tiles_of_two() -> None:
    """1 0 0 / 1 1 0 / 1 1 1: the upper left tile is partial, the lower ones stick out."""
    visible = np.tril(np.ones((3, 3), dtype=bool))
    assert tiles(visible, 0, 2) == Tiles(2, full=0, partial=3, empty=1)
    assert tiles(visible, 4, 2) == Tiles(2, full=2, partial=5, empty=1)
    assert tiles(np.ones((2, 2), dtype=bool), 2, 2) == Tiles(2, full=2, partial=0, empty=0)


@pytest.mark.parametrize("size", [16, 64, 128])
@pytest.mark.parametrize("cached", [0, 3, 200, 500])
def test_as_many_as_flex_attention_counts(size: int, cached: int) -> None:
    visible = visibility.mask(layout(cached))
    whole = torch.ones((120, cached + 120), dtype=torch.bool)
    whole[:, cached:] = torch.from_numpy(np.array(visible))
    blocks = create_block_mask(
        lambda b, h, q, k: whole[q, k], 1, None, *whole.shape, device="cpu", BLOCK_SIZE=size
    )
    found = tiles(visible, cached, size)
    assert found.partial == int(blocks.kv_num_blocks.sum())
    full = blocks.full_kv_num_blocks
    assert found.full == (0 if full is None else int(full.sum()))


def test_the_block_mask_allows_exactly_the_mask() -> None:
    whole = torch.rand(40, 300) > 0.5
    made = block_mask(whole)
    assert made.shape[-2:] == (40, 300)
    query, key = torch.meshgrid(torch.arange(40), torch.arange(300), indexing="ij")
    zero = torch.tensor(0)
    assert torch.equal(made.mask_mod(zero, zero, query, key), whole)


def test_the_sentence_names_the_kernel_that_ran() -> None:
    run = toy_run("lookahead")
    sentence = kernel_sentence(run, 3)
    assert KERNELS.get(run.model.attention, run.model.attention) in sentence
    for device, words in {"cpu": "uncompiled", "cuda:0": "skips the empty tiles"}.items():
        model = replace(run.model, attention="flex_attention", device=device)
        assert words in kernel_sentence(replace(run, model=model), 3)
    assert list(tile_table(run, 3)["tile"]) == ["16 x 16", "64 x 64", "128 x 128"]
