"""Silence for transformers' and the hub's own progress bars and warnings while a model loads."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from transformers import modeling_gguf_pytorch_utils
from transformers.utils import logging as transformers_logging


@contextmanager
def quiet() -> Iterator[None]:
    """What matters is raised as an error; the rest would garble our own progress line."""
    loggers = [logging.getLogger(name) for name in ("transformers", "huggingface_hub")]
    levels = [logger.level for logger in loggers]
    bars = transformers_logging.is_progress_bar_enabled()
    gguf: Any = modeling_gguf_pytorch_utils  # its bar does not obey transformers' switch
    gguf_bar = gguf.tqdm
    transformers_logging.disable_progress_bar()
    gguf.tqdm = transformers_logging.tqdm
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        gguf.tqdm = gguf_bar
        if bars:
            transformers_logging.enable_progress_bar()
