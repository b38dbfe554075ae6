"""Files that are whole or not there."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_whole(path: str | Path, data: bytes) -> None:
    """Write ``data`` to a temporary neighbour of ``path`` and rename it.

    The file gets the permissions that the caller's umask leaves to a new file.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}")
    try:
        with temporary.open("xb") as stream:
            stream.write(data)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
