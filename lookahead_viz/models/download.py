"""Downloading one large file: in the background, from where it was left, checked at the end.

huggingface_hub's own downloads begin anew when they were cut off, and see that they are to stop
only every 10 MiB; several gigabytes over a slow line need both better.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import httpx2
from filelock import FileLock, Timeout
from huggingface_hub import constants, get_session, hf_raise_for_status
from huggingface_hub.errors import HfHubHTTPError
from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

T = TypeVar("T")

EVERY = 0.2
"""Seconds between two reports of a download; so long does a cancelled one go on at most."""

RETRIES = 4
"""How often in a row a connection may break before anything arrived."""

PASSING = (408, 429, 500, 502, 503, 504)
"""What a server says when it may do better soon."""


class Gone(Exception):
    """Whoever waited for the work went away."""


def in_background(work: Callable[[threading.Event], T], told: Callable[[], None]) -> T:
    """What ``work`` returns or raises, while ``told`` is called every ``EVERY`` seconds.

    When ``told`` raises, that is raised at once; ``work`` finds its argument set and ends itself.
    """
    gone = threading.Event()
    result: Future[T] = Future()

    def run() -> None:
        try:
            result.set_result(work(gone))
        except BaseException as error:
            result.set_exception(error)

    told()
    threading.Thread(target=run, name="download", daemon=True).start()
    try:
        while not wait([result], timeout=EVERY).done:
            told()
    finally:
        gone.set()
    return result.result()


class Tally:
    """How many bytes of all files are here; written by the download, read by whoever waits."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.whole = 0  # of the files that are here
        self.part = 0  # of the one that is coming

    @property
    def done(self) -> int:
        return min(self.whole + self.part, self.total)

    def next_file(self, size: int) -> None:
        self.whole, self.part = self.whole + size, 0


def partial(blob: Path) -> Path:
    """Where what has arrived of a file waits for the rest."""
    return blob.with_name(blob.name + ".incomplete")


def fetch(
    url: str, blob: Path, lock: Path, size: int, gone: threading.Event, tally: Tally
) -> None:
    """Download ``url`` to ``blob``, whose name is the SHA-256 of the ``size`` bytes.

    ``blob`` appears only when it is whole and right. What arrived before an error or a
    cancellation stays and is not downloaded again. ``lock`` keeps others off meanwhile.
    Raises ``Gone``, OSError, or httpx2's errors when the network fails again and again.
    """
    blob.parent.mkdir(parents=True, exist_ok=True)
    with _alone(lock, gone):
        if not blob.exists():
            _fill(url, partial(blob), size, gone, tally)
            _check(partial(blob), blob.name)
            os.replace(partial(blob), blob)


@contextmanager
def _alone(path: Path, gone: threading.Event) -> Iterator[None]:
    """One download of a file at a time, also among processes, where the disk can lock files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path, mode=0o664)  # a shared cache is written by a group
    try:
        lock.acquire(cancel_check=gone.is_set)
    except Timeout:
        raise Gone from None
    except NotImplementedError:  # no locks on this disk: the check at the end has to do
        pass
    try:
        yield
    finally:
        lock.release()


def _fill(url: str, path: Path, size: int, gone: threading.Event, tally: Tally) -> None:
    path.touch()
    failures = 0
    have = _size(path)
    if have > size:  # of some other file
        path.unlink()
        have = 0
    while have < size:
        tally.part = have
        try:
            _stream(url, path, have, gone, tally)
        except (httpx2.TransportError, HfHubHTTPError) as error:
            if isinstance(error, HfHubHTTPError) and error.response.status_code not in PASSING:
                raise
            failures = 0 if _size(path) > have else failures + 1
            if failures > RETRIES:
                raise
            gone.wait(failures)
        if gone.is_set():
            raise Gone
        have = _size(path)
    tally.part = size
    if have > size:
        path.unlink()
        raise OSError(f"{have:,} bytes arrived where {size:,} were announced")


def _stream(url: str, path: Path, have: int, gone: threading.Event, tally: Tally) -> None:
    headers = build_hf_headers() | {"Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    patience = constants.HF_HUB_DOWNLOAD_TIMEOUT
    with get_session().stream("GET", url, headers=headers, timeout=patience) as response:
        hf_raise_for_status(response)
        goes_on = response.status_code == 206  # else the server sends the whole file
        if not goes_on:
            tally.part = 0
        with path.open("ab" if goes_on else "wb") as file:
            for piece in response.iter_bytes():
                file.write(piece)
                tally.part += len(piece)
                if gone.is_set():
                    return


def _check(path: Path, sha256: str) -> None:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        path.unlink()
        raise OSError("a file arrived damaged and was thrown away; load the model again")


def _size(path: Path) -> int:
    return path.stat().st_size
