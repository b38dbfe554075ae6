"""Feeds packed slots to a transformers network (conventions measured with 5.24).

Masks are made in ``attention``, rows kept in ``cache``. ``position_ids`` must be given: left out,
they would be counted on from the cache.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import TypeVar

import torch
from torch import Tensor
from transformers import PreTrainedModel

from lookahead_viz import visibility
from lookahead_viz.config import Sampling
from lookahead_viz.engine.attention import Mask, Masks
from lookahead_viz.engine.cache import keep_rows, new_cache
from lookahead_viz.engine.interface import Distribution, PassResult
from lookahead_viz.engine.sampling import distribution, processors
from lookahead_viz.records import Alternatives, StepLayout

T = TypeVar("T")

SMALL_MODEL = 20_000_000
"""Parameters below which one CPU thread is used: others would wait longer than they compute."""

ALL_THREADS: int = torch.get_num_threads()
"""Asked once: while a small model decodes, another thread would be told 1."""


class TransformersRunner:
    """Feeds one sequence to a transformers causal LM; implements ``interface.Runner``.

    ``alternatives`` most likely tokens are reported per asked slot; with ``sampling`` also what
    the next token is drawn from. The model may be shared by several runners; the cache is this
    runner's own.
    """

    def __init__(
        self,
        network: PreTrainedModel,
        *,
        vocab_size: int,
        position_limit: int | None,
        alternatives: int = 5,
        sampling: Sampling | None = None,
    ) -> None:
        self.vocab_size = vocab_size
        self.position_limit = position_limit
        self._network = network
        self._alternatives = alternatives
        self._warp = None if sampling is None else processors(sampling)
        self._cache = new_cache()
        self._cached = 0
        self._selects_logits = "logits_to_keep" in inspect.signature(network.forward).parameters
        self._masks = Masks(network)
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
        mask, digest = self._masks.make(visible, layout.positions, self._cached)
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
        mask, _ = self._masks.make(visible, layout.positions, self._cached)
        return self._call(layout.token_ids, layout.positions, mask, used)

    @torch.inference_mode()
    def keep(self, slots: Sequence[int]) -> None:
        keep_rows(self._cache, self._cached, slots)
        self._cached += len(slots)

    @torch.inference_mode()
    def truncate(self, rows: int) -> None:
        for layer in self._cache.layers:
            layer.keep(rows, ())
        self._cached = rows

    def _call(
        self,
        token_ids: Sequence[int],
        positions: Sequence[int],
        mask: Mask | None,
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
            distribution=self._distribution(logits, used),
        )

    def _distribution(
        self, logits: Tensor, used: Sequence[int]
    ) -> Callable[[int], Distribution] | None:
        """Only the slots that a walk comes by are processed."""
        warp = self._warp
        if warp is None:
            return None
        rows = {slot: row for row, slot in enumerate(used)}
        return lambda slot: distribution(logits[rows[slot]], warp)

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
