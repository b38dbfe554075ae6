"""The one file that knows transformers' cache and mask conventions (measured with 5.24).

- A custom mask is [1, 1, S, prefix + S]: boolean, True = may attend, for sdpa; additive float for
  eager, where a boolean mask would be *silently* wrong.
- ``position_ids`` must be given: left out, they would be counted on from the cache.
- Accepted rows are no suffix of the packed rows: they are moved behind the prefix, in place.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor
from transformers import PreTrainedModel
from transformers.cache_utils import Cache, CacheLayerMixin

from lookahead_viz import visibility
from lookahead_viz.engine.interface import PassResult
from lookahead_viz.records import Alternatives, StepLayout

T = TypeVar("T")

SMALL_MODEL = 20_000_000
"""Parameters below which one CPU thread is used: others would wait longer than they compute."""

ALL_THREADS: int = torch.get_num_threads()
"""Asked once: while a small model decodes, another thread would be told 1."""

BLOCK_ROWS = 512
"""A cache layer grows by at least this many rows, and by half its size when it is larger."""


class PreallocatedLayer(CacheLayerMixin):
    """Keys and values of one layer in buffers with room to spare.

    transformers' own DynamicCache copies the whole cache in every forward; this one writes the new
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


class TransformersRunner:
    """Feeds one sequence to a transformers causal LM; implements ``interface.Runner``.

    ``alternatives`` most likely tokens are reported per asked slot. The model may be shared by
    several runners; the cache is this runner's own.
    """

    def __init__(
        self,
        network: PreTrainedModel,
        *,
        vocab_size: int,
        position_limit: int | None,
        alternatives: int = 5,
    ) -> None:
        self.vocab_size = vocab_size
        self.position_limit = position_limit
        self._network = network
        self._alternatives = alternatives
        self._cache = Cache(layer_class_to_replicate=PreallocatedLayer)
        self._cached = 0
        self._selects_logits = "logits_to_keep" in inspect.signature(network.forward).parameters
        self._eager = network.config._attn_implementation == "eager"
        self._threads = cpu_threads(network)

    @property
    def cached(self) -> int:
        return self._cached

    @torch.inference_mode()
    def prefill(self, token_ids: Sequence[int]) -> None:
        """Plain causal text into the cache; no logits are computed but the last row's."""
        if token_ids:
            positions = range(self._cached, self._cached + len(token_ids))
            with limited(self._threads):
                self._call(token_ids, positions, mask=None, used=(len(token_ids) - 1,))
            self._cached += len(token_ids)

    @torch.inference_mode()
    def forward(
        self, layout: StepLayout, visible: visibility.BoolMatrix, used: Sequence[int]
    ) -> PassResult:
        mask, digest = self._mask(visible)
        with limited(self._threads):
            started = perf_counter()
            logits = self._call(layout.token_ids, layout.positions, mask, used)
            if logits.is_cuda:
                torch.cuda.synchronize(logits.device)
            forward_ms = (perf_counter() - started) * 1000
            return self._read(logits, used, layout.slots, digest, forward_ms)

    @torch.inference_mode()
    def logits(
        self, layout: StepLayout, visible: visibility.BoolMatrix, used: Sequence[int]
    ) -> Tensor:
        """The logits [used, vocabulary] of one packed pass, for checks; feeds the slots too."""
        mask, _ = self._mask(visible)
        return self._call(layout.token_ids, layout.positions, mask, used)

    @torch.inference_mode()
    def keep(self, slots: Sequence[int]) -> None:
        for layer in self._cache.layers:
            layer.keep(self._cached, slots)
        self._cached += len(slots)

    def _call(
        self,
        token_ids: Sequence[int],
        positions: Sequence[int],
        mask: Tensor | None,
        used: Sequence[int],
    ) -> Tensor:
        device = self._network.device
        wanted = torch.tensor(list(used), device=device)
        arguments = {"logits_to_keep": wanted} if self._selects_logits else {}
        logits: Tensor = self._network(
            input_ids=torch.tensor([list(token_ids)], device=device),
            attention_mask=mask,
            position_ids=torch.tensor([list(positions)], device=device),
            cache=self._cache,
            use_cache=True,
            **arguments,
        ).logits[0]
        return logits if self._selects_logits else logits[wanted]

    def _mask(self, visible: visibility.BoolMatrix) -> tuple[Tensor | None, str]:
        """The mask to hand over, and the digest of its packed part.

        A single slot sees everything there is, which transformers takes as no mask at all.
        """
        slots = len(visible)
        if slots == 1:
            return None, visibility.digest(np.ones((1, 1), dtype=bool))
        mask = torch.ones((1, 1, slots, self._cached + slots), dtype=torch.bool)
        mask[0, 0, :, self._cached :] = torch.from_numpy(np.array(visible))
        digest = visibility.digest(mask[0, 0, :, self._cached :].numpy())
        if self._eager:
            floor = torch.finfo(self._network.dtype).min
            mask = torch.zeros(mask.shape, dtype=self._network.dtype).masked_fill(~mask, floor)
        return mask.to(self._network.device), digest

    def _read(
        self, logits: Tensor, used: Sequence[int], slots: int, digest: str, forward_ms: float
    ) -> PassResult:
        if logits.dtype in (torch.float16, torch.bfloat16):
            logits = logits.float()
        if torch.isnan(logits.amax()):
            raise RuntimeError(
                "the model's logits are not numbers (NaN); its weights are damaged."
            )
        best = logits.argmax(-1).tolist()
        count = min(max(self._alternatives, 2), self.vocab_size)
        values, ids = logits.topk(count)
        gaps = (values[:, 0] - values[:, min(1, count - 1)]).tolist()
        return PassResult(
            predictions=spread(best, used, slots),
            gaps=spread([significant(gap) for gap in gaps], used, slots),
            top_k=self._top_k(logits, values, ids, best, used),
            mask_sha256=digest,
            forward_ms=forward_ms,
        )

    def _top_k(
        self, logits: Tensor, values: Tensor, ids: Tensor, best: list[int], used: Sequence[int]
    ) -> tuple[Alternatives, ...]:
        if not self._alternatives:
            return ()
        kept = slice(0, self._alternatives)
        chances = (values[:, kept] - logits.logsumexp(-1, keepdim=True)).exp().tolist()
        return tuple(
            Alternatives(slot, tuple(argmax_first(row, token)), tuple(map(significant, chance)))
            for slot, row, chance, token in zip(
                used, ids[:, kept].tolist(), chances, best, strict=True
            )
        )


def cpu_threads(network: PreTrainedModel) -> int:
    """How many CPU threads torch uses for this network."""
    small = network.device.type == "cpu" and network.num_parameters() < SMALL_MODEL
    return 1 if small else ALL_THREADS


@contextmanager
def limited(threads: int) -> Iterator[None]:
    """Let torch use so many CPU threads inside, and all of them afterwards."""
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(ALL_THREADS)


def spread(values: Sequence[T], used: Sequence[int], slots: int) -> tuple[T | None, ...]:
    """``values`` of the used slots, put where they belong among all slots."""
    found: list[T | None] = [None] * slots
    for slot, value in zip(used, values, strict=True):
        found[slot] = value
    return tuple(found)


def argmax_first(ids: list[int], best: int) -> list[int]:
    """Equal logits come in any order from topk; the predicted one is named first."""
    if ids[0] == best:
        return ids
    others = [token for token in ids if token != best]
    return [best, *others][: len(ids)]


def significant(value: float) -> float:
    """Four significant digits, finite: what a record keeps of a probability or a gap."""
    return float(f"{min(value, sys.float_info.max):.4g}")
