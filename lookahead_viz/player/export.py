"""The player and one run as one HTML file: opens from disk, needs no network, may ask for none."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from pathlib import Path

from lookahead_viz.player.bundle import PLAYER
from lookahead_viz.player.payload import payload, to_json
from lookahead_viz.records import Run
from lookahead_viz.words import count
from lookahead_viz.writing import write_whole

_START = (
    'mountPage(document.getElementById("player"), '
    'JSON.parse(document.getElementById("run").textContent));'
)
_PAGE_STYLE = "html, body { margin: 0; height: 100%; } main { height: 100%; } "
_PAGE_STYLE += ".lv { --lv-height: 100vh; }"

# what could end the script element, or is a line end to some readers but not to others
_UNSAFE = {char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
NO_STEPS = "this run has no passes ({}), so there is nothing to see."


def export_html(run: Run, *, alternatives: bool = True) -> str:
    """``run`` in a page that holds everything it needs. ValueError for a run without passes."""
    if not run.steps:
        raise ValueError(NO_STEPS.format(run.finish_reason))
    code = f"{PLAYER.script}\n{_START}\n"
    data = inline_json(to_json(payload(run, alternatives=alternatives)))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(code)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(_title(run))}</title>\n"
        f"<style>\n{PLAYER.styles}{_PAGE_STYLE}\n</style>\n</head>\n<body>\n"
        '<main id="player" aria-label="Step player"></main>\n'
        f'<script type="application/json" id="run">{data}</script>\n'
        f'<script type="module">{code}</script>\n</body>\n</html>\n'
    )


def save_html(run: Run, path: str | Path, *, alternatives: bool = True) -> None:
    """Write ``export_html(run)`` to ``path``, whole or not at all."""
    write_whole(path, export_html(run, alternatives=alternatives).encode("utf-8"))


def inline_json(text: str) -> str:
    """JSON that can stand in a script element, whatever its strings hold."""
    return "".join(_UNSAFE.get(char, char) for char in text) if _needs_care(text) else text


def _needs_care(text: str) -> bool:
    return any(char in text for char in _UNSAFE)


def policy(code: str) -> str:
    """Nothing may be asked for; no script runs but ours."""
    digest = base64.b64encode(hashlib.sha256(code.encode("utf-8")).digest()).decode("ascii")
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _title(run: Run) -> str:
    return f"lookahead_viz: {run.method}, {count(len(run.steps), 'pass', 'passes')}"
