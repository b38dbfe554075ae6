"""Pausing Python's garbage collector while much is made that all stays."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """No garbage collection inside, unless another thread switches it on again.

    torch, transformers and a model's tokenizer make a million objects that all stay; walking them
    again and again meanwhile took a tenth of the time until a first model is ready.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
