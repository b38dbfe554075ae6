"""How far something is, on stderr: one line on a terminal, a line for each stage in a log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from lookahead_viz.cli_text import on_terminal, printable

Tell = Callable[[str, float], None]
"""Called with what is being done and the share that is done, 0 to 1."""

_BAR = "{desc} {percentage:3.0f}%{postfix} |{bar:20}|"  # a narrow terminal cuts the end off


@contextmanager
def progress_line(what: str, patience: float = 0.0) -> Iterator[Tell]:
    """Shows what it is told, with ``what`` in front, on the one line that it keeps for that.

    On a terminal the line is overwritten in place and erased at the end, however it comes.
    Elsewhere a stage gets one line, but none before ``patience`` seconds.
    """
    if not on_terminal():
        yield _lines(patience)
        return
    from tqdm import tqdm

    with tqdm(total=100, desc=printable(what), bar_format=_BAR, leave=False) as bar:

        def show(stage: str, share: float) -> None:
            bar.set_postfix_str(printable(stage), refresh=False)
            bar.n = round(100 * share)
            bar.refresh()

        yield show


def _lines(patience: float) -> Tell:
    begun, shown, stream = monotonic(), "", sys.stderr

    def show(stage: str, share: float) -> None:
        nonlocal shown
        kind = stage.partition(":")[0].removesuffix(" …")  # without how much of it is done
        if kind != shown and monotonic() - begun >= patience:
            print(f"{100 * share:3.0f}% {printable(stage)}", file=stream)
            shown = kind

    return show
