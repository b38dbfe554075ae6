"""Silence for transformers' and the hub's own progress bars and warnings while a model loads."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

from transformers import core_model_loading, modeling_gguf_pytorch_utils
from transformers.utils import logging as transformers_logging

LOGGERS = ("transformers", "huggingface_hub", "accelerate", "bitsandbytes")

Bar = Callable[..., Iterator[Any]]


@contextmanager
def quiet(bar: Bar | None = None) -> Iterator[None]:
    """What matters is raised as an error; the rest would garble our own progress line.

    ``bar`` is put in the place of the progress bar over the weights.
    """
    loggers = [logging.getLogger(name) for name in LOGGERS]
    levels = [logger.level for logger in loggers]
    bars = transformers_logging.is_progress_bar_enabled()
    gguf: Any = modeling_gguf_pytorch_utils  # its bar does not obey transformers' switch
    gguf_bar = gguf.tqdm
    transformers_logging.disable_progress_bar()
    gguf.tqdm = transformers_logging.tqdm
    weights: Any = core_model_loading
    weights_bar = weights.tqdm
    weights.tqdm = bar or weights_bar
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        gguf.tqdm = gguf_bar
        weights.tqdm = weights_bar
        if bars:
            transformers_logging.enable_progress_bar()


@contextmanager
def silent() -> Iterator[None]:
    """As ``quiet``, for libraries that print and draw bars on the standard streams."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        yield


class Once(logging.Filter):
    """Lets each message through once: some libraries say the same in every layer of every pass."""

    def __init__(self) -> None:
        super().__init__()
        self._said: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        new = said not in self._said
        self._said.add(said)
        return new


def say_once(logger: str) -> None:
    """From now on ``logger`` says everything only once."""
    found = logging.getLogger(logger)
    if not any(isinstance(one, Once) for one in found.filters):
        found.addFilter(Once())
