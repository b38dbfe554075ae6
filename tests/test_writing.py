"""Files are whole or not there, and nobody gets more rights to them than the umask leaves."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from lookahead_viz.writing import write_whole


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_the_umask_is_kept(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "run", b"all of it")
    finally:
        os.umask(before)
    assert (tmp_path / "run").read_bytes() == b"all of it"
    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == mode


def test_a_failed_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_whole(tmp_path / "run", b"old")

    def full(source: object, target: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space"):
        write_whole(tmp_path / "run", b"new")
    assert [file.name for file in tmp_path.iterdir()] == ["run"]
    assert (tmp_path / "run").read_bytes() == b"old"
