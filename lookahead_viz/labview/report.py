"""The report of a check as one HTML file: opens from disk, needs no network, may ask for none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from lookahead_viz.labview.payload import lab_payload
from lookahead_viz.player.bundle import LABVIEW
from lookahead_viz.player.export import inline_json, policy
from lookahead_viz.player.payload import to_json
from lookahead_viz.views.masklab import DifferenceView, ReportView

_START = (
    'mountLabPage(document.getElementById("difference"), '
    'JSON.parse(document.getElementById("masks").textContent));'
)
_STYLE = """
html { color-scheme: light dark; }
body { font: 15px/1.5 "DejaVu Sans", Verdana, Arial, sans-serif; margin: 1.5rem auto;
  max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; }
p, li, td { overflow-wrap: anywhere; }
pre { overflow: auto; border: 1px solid; border-radius: 6px; padding: .6rem; }
table { border-collapse: collapse; } td { padding: .15rem .6rem .15rem 0; vertical-align: top; }
"""


def report_html(
    report: ReportView, difference: DifferenceView | None, extra: Sequence[str] = ()
) -> str:
    """The report as a page that holds everything it needs and may ask for nothing.

    ``extra``: sentences about what the mask does to a model's output, if that was tried.
    """
    code = f"{LABVIEW.script}\n{_START}\n" if difference is not None else ""
    parts = [
        f"<h1>{'✓' if report.ok else '✗'} {escape(report.verdict)}</h1>",
        _paragraphs([*report.diagnosis, report.effect, report.rows]),
    ]
    if report.first_wrong:
        parts.append(_paragraphs([f"First wrong cell: {report.first_wrong}"]))
    if difference is not None:
        parts.append('<h2>Difference</h2>\n<div id="difference"></div>')
    parts.append(f"<h2>Checks</h2>\n{_table(report.findings)}")
    if report.cells:
        parts.append(f"<h2>Wrong cells</h2>\n{_list(report.cells)}")
    if extra:
        parts.append(f"<h2>What it does</h2>\n{_list(extra)}")
    parts.append(f"<h2>How it was read</h2>\n{_list([*report.read, *report.warnings])}")
    parts.append(f"<h2>For your tests</h2>\n<pre><code>{escape(report.assertion)}</code></pre>")
    masks = ""
    if difference is not None:
        data = inline_json(to_json(lab_payload(difference)))
        masks = (
            f'<script type="application/json" id="masks">{data}</script>\n'
            f'<script type="module">{code}</script>\n'
        )
    body = "\n".join(part for part in parts if part)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(code)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(report.verdict)}</title>\n"
        f"<style>\n{LABVIEW.styles}{_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n{masks}</body>\n</html>\n"
    )


def _paragraphs(sentences: Iterable[str]) -> str:
    return "\n".join(f"<p>{escape(one)}</p>" for one in sentences if one)


def _list(sentences: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(one)}</li>" for one in sentences) + "</ul>"


def _table(lines: Iterable[Sequence[str]]) -> str:
    rows = ("".join(f"<td>{escape(cell)}</td>" for cell in line) for line in lines)
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"
