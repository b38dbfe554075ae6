"""A small Hugging Face hub for tests: the requests that downloads make, answered from memory."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from huggingface_hub import constants

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = (".safetensors", ".bin")
PIECE = 4096
"""Bytes that are sent at once."""


class FakeHub:
    """One repository, ``someone/small``. The switches are turned by the tests."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.gated = False
        self.ranges = True  # does the server go on in the middle of a file?
        self.cut_after: int | None = None  # bytes of a large file; then the connection breaks
        self.hold_after: int | None = None  # bytes of a large file; nothing comes until released
        self.released = threading.Event()
        self.asked: list[tuple[str, str, str]] = []  # method, file or "listing", range
        self.sent = 0  # bytes of large files
        self.url = ""

    def asked_for(self, name: str, method: str = "GET") -> list[str]:
        """The ranges that ``name`` was asked for, in order; "" for the whole file."""
        return [part for how, file, part in self.asked if (how, file) == (method, name)]

    def listing(self) -> dict[str, Any]:
        siblings = [
            {"rfilename": name, "size": len(content), "blobId": _oid(content)}
            | ({"lfs": _lfs(content)} if name.endswith(LARGE) else {})
            for name, content in self.files.items()
        ]
        return {"id": "someone/small", "modelId": "someone/small", "sha": COMMIT} | {
            "siblings": siblings,
            "tags": [],
            "downloads": 0,
            "likes": 0,
            "private": False,
            "gated": self.gated,
        }


@contextmanager
def serving(folder: Path) -> Iterator[FakeHub]:
    """The files of ``folder`` on a hub of this machine."""
    hub = FakeHub({path.name: path.read_bytes() for path in folder.iterdir()})
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    hub.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield hub
    finally:
        hub.released.set()
        server.shutdown()
        server.server_close()


def ask_only(hub: FakeHub, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """huggingface_hub asks ``hub``, with its cache in the folder ``cache``."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    monkeypatch.setattr(constants, "ENDPOINT", hub.url)
    pattern = hub.url + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", pattern)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away in the middle is what the tests are about."""


class _Handler(BaseHTTPRequestHandler):
    hub: FakeHub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def _answer(self, with_body: bool) -> None:
        path = unquote(urlsplit(self.path).path)
        if not path.removeprefix("/api/models").startswith("/someone/small"):
            self._refuse(404, "RepoNotFound")
        elif path.startswith("/api/"):
            self.hub.asked.append((self.command, "listing", ""))
            self._send(200, json.dumps(self.hub.listing()).encode(), {}, with_body)
        else:
            self._file(path.rpartition("/")[2], with_body)

    def _file(self, name: str, with_body: bool) -> None:
        part = self.headers.get("Range", "")
        self.hub.asked.append((self.command, name, part))
        if self.hub.gated:
            return self._refuse(403, "GatedRepo")
        if name not in self.hub.files:
            return self._refuse(404, "EntryNotFound")
        content = self.hub.files[name]
        mark = _lfs(content)["sha256"] if name.endswith(LARGE) else _oid(content)
        headers = {"ETag": f'"{mark}"', "X-Repo-Commit": COMMIT}
        if not (part and self.hub.ranges):
            return self._send(200, content, headers, with_body, large=name.endswith(LARGE))
        start = int(part.removeprefix("bytes=").partition("-")[0])
        headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        self._send(206, content[start:], headers, with_body, large=name.endswith(LARGE))

    def _refuse(self, status: int, code: str) -> None:
        headers = {"X-Error-Code": code, "X-Error-Message": code, "X-Repo-Commit": COMMIT}
        self._send(status, b"", headers, with_body=False)

    def _send(
        self,
        status: int,
        body: bytes,
        headers: dict[str, str],
        with_body: bool,
        large: bool = False,
    ) -> None:
        self.send_response(status)
        for key, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(key, value)
        self.end_headers()
        if not with_body:
            return
        for start in range(0, len(body), PIECE):
            if large and not self._go_on(start):
                return
            try:
                self.wfile.write(body[start : start + PIECE])
            except OSError:  # whoever asked went away
                self.close_connection = True
                return
            self.hub.sent += PIECE if large else 0

    def _go_on(self, start: int) -> bool:
        hub = self.hub
        if hub.cut_after is not None and start >= hub.cut_after:
            hub.cut_after = None  # once
            self.close_connection = True
            return False
        if hub.hold_after is not None and start >= hub.hold_after:
            self.wfile.flush()
            hub.released.wait(30)
            self.close_connection = True
            return False
        return True


def _lfs(content: bytes) -> dict[str, Any]:
    return {
        "sha256": hashlib.sha256(content).hexdigest(),
        "size": len(content),
        "pointerSize": 134,
    }


def _oid(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
