"""How much memory a run needs beyond the weights, and how much there is: said before it begins."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import torch
from transformers import PreTrainedModel

from lookahead_viz.config import (
    Config,
    GreedyConfig,
    LookaheadConfig,
    MultiblockJacobiConfig,
)
from lookahead_viz.engine.attention import Masks
from lookahead_viz.engine.place import device_of
from lookahead_viz.reach import window_fits
from lookahead_viz.words import amount_of_bytes, count

GROWTH = 1.5
"""A cache layer that is full grows by half its size."""


@dataclass(frozen=True)
class Need:
    """Bytes of one run: the KV cache at its longest, and the most of one pass."""

    cache: int
    logits: int
    masks: int
    scores: int  # of eager attention, which writes out every score; else 0

    @property
    def total(self) -> int:
        return self.cache + self.logits + self.masks + self.scores


def need_of(network: PreTrainedModel, prompt: int, config: Config) -> Need:
    """An estimate for ``prompt`` tokens decoded by ``config``."""
    text = network.config.get_text_config()
    heads = text.num_attention_heads
    groups = getattr(text, "num_key_value_heads", None) or heads
    width = getattr(text, "head_dim", None) or text.hidden_size // heads
    item = network.dtype.itemsize
    limit = getattr(text, "max_position_embeddings", None)
    slots, used = widest_pass(config, prompt - 1, limit)
    rows = prompt + config.max_new_tokens + slots
    scores = 0
    if network.config._attn_implementation == "eager":  # the prefill's, or the longest pass's
        scores = heads * max(prompt * prompt, slots * rows) * (item + 4)
    return Need(
        cache=int(GROWTH * rows * text.num_hidden_layers * 2 * groups * width * item),
        logits=used * text.vocab_size * (4 + max(item, 4)),  # as they come, and their softmax
        masks=_masks(network, prompt, slots, rows),
        scores=scores,
    )


def _masks(network: PreTrainedModel, prompt: int, slots: int, rows: int) -> int:
    """The attention masks [S, prefix + S] of the largest pass, or of the prefill.

    One a kind of layer (full, sliding): for eager in the model's dtype, made from a boolean one;
    else boolean, of which torch expands one at a time to the dtype. A single slot has none, nor
    has the prefill outside eager, but for what a sliding window hides.
    """
    masks = Masks(network)
    kinds = 2 if masks.window is not None and len(masks.kinds) > 1 else 1
    item: int = network.dtype.itemsize
    widest = slots * rows if slots > 1 else 0
    if masks.backend == "eager":
        return (kinds * item + 1) * max(widest, prompt * prompt)
    hidden = prompt * prompt if masks.window is not None and prompt > masks.window else 0
    return max((kinds + item) * widest, (1 + item) * hidden)


def widest_pass(config: Config, position: int = 0, limit: int | None = None) -> tuple[int, int]:
    """The most slots of one pass, and of how many the logits are asked for.

    ``position`` is that of the first current token, ``limit`` the model's position limit.
    """
    if isinstance(config, LookaheadConfig):
        if not window_fits(position, config, limit):
            return 1, 1  # the current token alone, to the end of the run
        guesses = config.max_candidates * (config.ngram_size - 1)
        window = config.window_size * (config.ngram_size - 1)
        return window + guesses, 1 + config.window_size + guesses
    drafted = 1 + getattr(config, "gamma", 0)
    block = getattr(config, "block_size", 1) * getattr(config, "blocks", 1)
    slots = min(max(drafted, block), config.max_new_tokens)  # no pass reaches beyond the end
    if isinstance(config, MultiblockJacobiConfig):
        slots += config.max_candidates * (config.ngram_size - 1)
    return slots, slots


def free(device: Any) -> int | None:
    """Bytes that can still be had on ``device``; None where nobody tells."""
    place = torch.device(device)
    if place.type == "cuda":
        unused, _ = torch.cuda.mem_get_info(place)
        cached = torch.cuda.memory_reserved(place) - torch.cuda.memory_allocated(place)
        return int(unused + cached)
    if place.type == "cpu":
        return min(int(psutil.virtual_memory().available), _container_left())
    return None


def _container_left(folder: Path = Path("/sys/fs/cgroup")) -> int:
    """What a container's limit leaves (cgroup v2); without a limit, endless."""
    try:
        most = (folder / "memory.max").read_text().strip()
        held = int((folder / "memory.current").read_text())
        files = (folder / "memory.stat").read_text().split()
        given_back = int(files[files.index("inactive_file") + 1])  # pages of files: freed at need
    except (OSError, ValueError):
        return 1 << 62
    return 1 << 62 if most == "max" else max(int(most) - held + given_back, 0)


def refusal(network: PreTrainedModel, prompt: int, config: Config) -> str | None:
    """Why this run cannot fit, with the numbers, as one sentence; None when it can."""
    try:
        need = need_of(network, prompt, config)
    except (AttributeError, TypeError):  # an architecture that names its sizes in its own way
        return None
    place = device_of(network)
    left = free(place)
    if left is None or need.total <= left:
        return None
    parts = {
        "the cache": need.cache,
        "the logits": need.logits,
        "attention masks": need.masks,
        "attention scores": need.scores,
    }
    listed = ", ".join(f"{name} {amount_of_bytes(size)}" for name, size in parts.items() if size)
    return (
        f"this run needs about {amount_of_bytes(need.total)} beside the model ({listed}), but "
        f"only {amount_of_bytes(left)} are free on {place}; "
        f"{_advice(network, prompt, config, left)}."
    )


WIDTHS = {
    "window_size": "W",
    "ngram_size": "N",
    "max_candidates": "G",
    "block_size": "n",
    "blocks": "K",
    "gamma": "gamma",
}
"""The settings that say how much is fed in one pass, as they are called."""


def _advice(network: PreTrainedModel, prompt: int, config: Config, left: int) -> str:
    """What to make smaller: the settings of a pass where they alone are too large."""
    given = {name: getattr(config, field, None) for field, name in WIDTHS.items()}
    shown = ", ".join(f"{name} = {size:,}" for name, size in given.items() if size is not None)
    one_token = GreedyConfig(max_new_tokens=config.max_new_tokens)
    if shown and need_of(network, prompt, one_token).total <= left:
        slots, _ = widest_pass(config, prompt - 1)
        return f"one pass feeds up to {count(slots, 'slot')}: choose less than {shown}"
    less = f", or choose less than {shown}" if shown else ""
    return f"shorten the prompt or max_new_tokens{less}"


def ran_out(failure: BaseException) -> bool:
    """Did the device (or the machine) have no memory left?"""
    if isinstance(failure, (MemoryError, torch.OutOfMemoryError)):
        return True
    return isinstance(failure, RuntimeError) and "can't allocate memory" in str(failure)


def give_back(device: Any) -> None:
    """Return what is no longer used to the device, so that another run can have it."""
    if torch.device(device).type == "cuda":
        torch.cuda.empty_cache()
