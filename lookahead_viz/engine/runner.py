"""Feeds packed slots to a transformers network (conventions measured with 5.24).

Masks are made in ``attention``, rows kept in ``cache``. ``position_ids`` must be given: left out,
they would be counted on from the cache.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter

import torch
from torch import Tensor
from transformers import PreTrainedModel

from lookahead_viz import visibility
from lookahead_viz.config import Sampling
from lookahead_viz.engine.attention import Mask, Masks, sound_kernels
from lookahead_viz.engine.cache import keep_rows, new_cache
from lookahead_viz.engine.interface import Distribution, PassResult
from lookahead_viz.engine.place import device_of
from lookahead_viz.engine.readout import alternatives, largest, significant, spread
from lookahead_viz.engine.sampling import distribution, processors
from lookahead_viz.records import StepLayout

SMALL_MODEL = 20_000_000
"""Parameters below which one CPU thread is used: others would wait longer than they compute."""

READ_ALONG = 64
"""Tokens of plain text for which no pass of their own is spent: the next pass reads them too."""

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
        self._waiting: tuple[int, ...] = ()  # plain text that the next pass reads along
        self._selects_logits = "logits_to_keep" in inspect.signature(network.forward).parameters
        self._masks = Masks(network)
        self._threads = cpu_threads(network)

    @property
    def cached(self) -> int:
        return self._cached + len(self._waiting)

    @torch.inference_mode()
    def prefill(self, token_ids: Sequence[int]) -> None:
        """Plain causal text into the cache: a short one with the next pass, else at once."""
        self._waiting += tuple(token_ids)
        if len(self._waiting) > READ_ALONG:
            self._read_waiting()

    @torch.inference_mode()
    def forward(
        self, layout: StepLayout, visible: visibility.BoolMatrix, used: Sequence[int]
    ) -> PassResult:
        mask, digest = self._mask(layout, visible)
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
        mask, _ = self._mask(layout, visible)
        return self._call(layout.token_ids, layout.positions, mask, used)

    @torch.inference_mode()
    def keep(self, slots: Sequence[int]) -> None:
        keep_rows(self._cache, self._cached, slots)
        self._cached += len(slots)

    @torch.inference_mode()
    def truncate(self, rows: int) -> None:
        if rows == self.cached:
            return
        self._read_waiting()
        for layer in self._cache.layers:
            layer.keep(rows, ())
        self._cached = rows

    def _read_waiting(self) -> None:
        """A pass for the waiting text alone; no logits where the network can choose them."""
        if self._waiting:
            with limited(self._threads):
                self._call((), (), mask=None, used=())

    def _mask(self, layout: StepLayout, visible: visibility.BoolMatrix) -> tuple[Mask | None, str]:
        return self._masks.make(visible, layout.positions, self.cached, len(self._waiting))

    def _call(
        self,
        token_ids: Sequence[int],
        positions: Sequence[int],
        mask: Mask | None,
        used: Sequence[int],
    ) -> Tensor:
        """The logits [used, vocabulary] behind the cache and the waiting text, which is read."""
        device = device_of(self._network)
        waiting = self._waiting
        text = range(self._cached, self.cached)  # its positions
        wanted = torch.tensor([len(waiting) + slot for slot in used], dtype=torch.long).to(device)
        arguments = {"logits_to_keep": wanted} if self._selects_logits else {}
        with sound_kernels(self._network):
            logits: Tensor = self._network(
                input_ids=torch.tensor([[*waiting, *token_ids]], device=device),
                attention_mask=mask,
                position_ids=torch.tensor([[*text, *positions]], device=device),
                cache=self._cache,
                use_cache=True,
                **arguments,
            ).logits[0]
        self._cached, self._waiting = self.cached, ()
        return logits if self._selects_logits else logits[wanted]

    def _read(
        self, logits: Tensor, used: Sequence[int], slots: int, digest: str, forward_ms: float
    ) -> PassResult:
        if logits.dtype in (torch.float16, torch.bfloat16):
            logits = logits.float()
        count = min(max(self._alternatives, 2), self.vocab_size)
        values, ids = largest(logits, count)
        if torch.isnan(values).any():  # which topk takes for the largest
            raise RuntimeError(
                "the model's logits are not numbers (NaN); its weights are damaged."
            )
        gaps = (values[:, 0] - values[:, min(1, count - 1)]).tolist()
        kept = ids[:, : self._alternatives]
        return PassResult(
            predictions=spread(ids[:, 0].tolist(), used, slots),
            gaps=spread([significant(gap) for gap in gaps], used, slots),
            top_k=alternatives(logits, kept, used) if self._alternatives else (),
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


def cpu_threads(network: PreTrainedModel) -> int:
    """How many CPU threads torch uses for this network."""
    small = device_of(network).type == "cpu" and network.num_parameters() < SMALL_MODEL
    return 1 if small else ALL_THREADS


@contextmanager
def limited(threads: int) -> Iterator[None]:
    """Let torch use so many CPU threads inside, and all of them afterwards."""
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(ALL_THREADS)
