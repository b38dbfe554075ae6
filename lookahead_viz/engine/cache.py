"""The KV cache of one running text: rows are written in place, accepted ones moved in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from transformers.cache_utils import Cache, CacheLayerMixin

BLOCK_ROWS = 512
"""A cache layer grows by at least this many rows, and by half its size when it is larger."""


def new_cache() -> Cache:
    """An empty cache whose layers are made, on the right device, when they are first written."""
    return Cache(layer_class_to_replicate=PreallocatedLayer)


def keep_rows(cache: Cache, prefix: int, rows: Sequence[int]) -> None:
    """In every layer keep the first ``prefix`` rows and, right behind them, ``rows``."""
    for layer in cache.layers:
        layer.keep(prefix, rows)


class PreallocatedLayer(CacheLayerMixin):
    """Keys and values of one layer in buffers with room to spare.

    transformers' own DynamicCache copies the whole cache in every pass; this one writes the new
    rows behind the old ones. ``keys`` and ``values`` are views [1, heads, rows, head_dim].
    """

    is_sliding = False
    is_croppable = True

    def __init__(self) -> None:
        super().__init__()
        self.rows = 0

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        self.dtype, self.device = key_states.dtype, key_states.device
        self._buffers = [states[:, :, :0].clone() for states in (key_states, value_states)]
        self.is_initialized = True

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        """Append rows; returns all keys and values, as views."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        start, end = self.rows, self.rows + key_states.shape[-2]
        self._reserve(end)
        for buffer, states in zip(self._buffers, (key_states, value_states), strict=True):
            buffer[:, :, start:end] = states
        self._set_rows(end)
        return self.keys, self.values

    def keep(self, prefix: int, rows: Sequence[int]) -> None:
        """Keep the first ``prefix`` rows and, right behind them, ``rows`` (indexes from there)."""
        moved = [(new, old) for new, old in enumerate(rows) if new != old]
        if moved:
            first = moved[0][0]
            source = torch.tensor([prefix + old for old in rows[first:]], device=self.device)
            for buffer in self._buffers:
                target = slice(prefix + first, prefix + len(rows))
                buffer[:, :, target] = buffer.index_select(2, source)
        self._set_rows(prefix + len(rows))

    def _reserve(self, rows: int) -> None:
        capacity = self._buffers[0].shape[2]
        if rows <= capacity:
            return
        grown = max(rows, capacity + max(BLOCK_ROWS, capacity // 2))
        for i, buffer in enumerate(self._buffers):
            larger = buffer.new_empty((*buffer.shape[:2], grown, buffer.shape[3]))
            larger[:, :, : self.rows] = buffer[:, :, : self.rows]
            self._buffers[i] = larger

    def _set_rows(self, rows: int) -> None:
        self.rows = rows
        self.keys, self.values = (buffer[:, :, :rows] for buffer in self._buffers)

    def get_seq_length(self) -> int:
        return self.rows

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self.rows + query_length, 0

    def get_max_length(self) -> int:
        return -1

    def reset(self) -> None:
        if self.is_initialized:
            self._set_rows(0)
