"""Runs the player's JavaScript in node, without a browser."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

from lookahead_viz.player.bundle import PLAYER

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node here")

_READ = 'import { readFileSync } from "node:fs";\n'
_GIVEN = 'const given = JSON.parse(readFileSync(0, "utf8"));\n'
_TELL = "\nprocess.stdout.write(JSON.stringify(await answer(given)));\n"


def ask(answer: str, given: Any, source: str | None = None) -> Any:
    """What the JavaScript expression ``answer``, a function of ``given``, returns.

    Everything that ``source``, else the player's modules, declare can be used in it.
    """
    code = f"{_READ}{source or PLAYER.script}\n{_GIVEN}const answer = {answer};{_TELL}"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "question.mjs"  # too long for a command line
        file.write_text(code, encoding="utf-8")
        question = json.dumps(given)
        done = subprocess.run(
            ["node", str(file)], input=question, capture_output=True, text=True, timeout=120
        )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)
