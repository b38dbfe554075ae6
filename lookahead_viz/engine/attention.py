"""Who sees whom, as each attention backend wants to be told (transformers 5.24).

A mask is [1, 1, S, prefix + S]. For sdpa it is boolean, True = may attend; for eager it is added
to the scores, and a boolean one would be *silently* wrong; for flex_attention it is a BlockMask.
Models that mix full and sliding-window layers take one mask a kind of layer, in a dict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor
from transformers import PreTrainedModel

from lookahead_viz import visibility
from lookahead_viz.engine.place import device_of

BACKENDS = ("sdpa", "eager", "flex_attention")

Mask: TypeAlias = Any
"""A tensor, a BlockMask, or a dict of one of them by kind of layer."""

FULL, SLIDING = "full_attention", "sliding_attention"


class Masks:
    """Makes the masks of one network."""

    def __init__(self, network: PreTrainedModel) -> None:
        config = network.config.get_text_config()
        self.backend: str = network.config._attn_implementation
        self.window = sliding_window(config)
        self.kinds = layer_kinds(config)
        self._dtype, self._device = network.dtype, device_of(network)

    def make(
        self,
        visible: visibility.BoolMatrix,
        positions: Sequence[int],
        cached: int,
        waiting: int = 0,
    ) -> tuple[Mask | None, str]:
        """The mask to hand over, and the digest of its packed part (without the window).

        ``visible`` is bool [S, S], the ``cached`` tokens before being seen whole; a planted wrong
        mask may also say what is seen of them, as [S, cached + S]. The last ``waiting`` of those
        tokens are fed in the same pass, as plain text: their lines stand above, not in the digest.

        A single slot sees everything there is, which transformers takes as no mask at all; it
        applies a sliding window by itself then, and rows of the cache stand in text order.
        """
        slots = len(visible)
        if slots == 1:
            return None, _LONE
        full = torch.ones((slots, cached + slots), dtype=torch.bool)
        full[:, cached + slots - visible.shape[1] :] = torch.from_numpy(np.array(visible))
        digest = visibility.digest(full[:, cached:].numpy())
        before = cached - waiting
        if waiting:
            text = torch.ones((waiting, cached + slots), dtype=torch.bool).tril(before)
            full = torch.cat([text, full])
            positions = (*range(before, cached), *positions)
        if self.window is None:
            return self._finish(full), digest
        near = self._finish(full & within(positions, before, self.window))
        if len(self.kinds) < 2:
            return near, digest
        return {FULL: self._finish(full), SLIDING: near}, digest

    def _finish(self, mask: Tensor) -> Any:
        """From bool [S, prefix + S] to what the backend takes."""
        if self.backend == "flex_attention":
            return block_mask(mask.to(self._device))
        if self.backend == "eager":
            floor = torch.finfo(self._dtype).min
            mask = torch.zeros(mask.shape, dtype=self._dtype).masked_fill_(~mask, floor)
        return mask[None, None].to(self._device)


_LONE = visibility.digest(np.ones((1, 1), dtype=bool))


def within(positions: Sequence[int], cached: int, window: int) -> Tensor:
    """Is the key fewer than ``window`` *positions* back? bool [S, cached + S].

    By position, not by place in the cache: several slots of a pass stand at one position.
    """
    query = torch.tensor(list(positions))
    key = torch.cat([torch.arange(cached), query])
    return query[:, None] - window < key[None, :]  # no matrix of numbers, which would be large


def block_mask(mask: Tensor) -> Any:
    """A flex_attention BlockMask that allows exactly what bool [S, keys] allows."""
    from torch.nn.attention.flex_attention import create_block_mask

    def allowed(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        return mask[query, key]

    return create_block_mask(allowed, 1, None, *mask.shape, device=mask.device)


@contextmanager
def sound_kernels(network: PreTrainedModel) -> Iterator[None]:
    """flex_attention as it is on a CPU: uncompiled. Around every pass of ``network``.

    The kernel that torch 2.13 compiles for a CPU is wrong, by whole units, when the keys of a
    block are 8 more than a multiple of 16, and fails to compile for some sizes; a test shows it.
    Elsewhere, and with the other backends, nothing changes.
    """
    if (
        network.config._attn_implementation == "flex_attention"
        and device_of(network).type == "cpu"
    ):
        with torch.compiler.set_stance("force_eager"):
            yield
    else:
        yield


def layer_kinds(config: Any) -> tuple[str, ...]:
    """The kinds of attention layers that the config names, each once; none for most models."""
    return tuple(dict.fromkeys(getattr(config, "layer_types", None) or ()))


def sliding_window(config: Any) -> int | None:
    """The window of sliding-window attention, or None where every layer sees everything."""
    window = getattr(config, "sliding_window", None)
    if window is None or not getattr(config, "use_sliding_window", True):
        return None
    kinds = layer_kinds(config)
    if kinds and SLIDING not in kinds:
        return None
    limit = getattr(config, "max_position_embeddings", None)
    # a window as wide as the context never hides anything
    return None if limit is not None and window >= limit else int(window)
