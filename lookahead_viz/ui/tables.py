"""Small tables as plain HTML: on the page at once, every cell escaped, read by screen readers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

import streamlit as st


def show(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    caption: str,
    *,
    titles: Mapping[str, str] | None = None,
) -> None:
    """A table whose first column names the rows. ``titles`` explains columns and rows on hover.

    None is shown as a dash; numbers stand right, floats with at most three decimals.
    """
    words = titles or {}
    head = "".join(
        f'<th scope="col"{_title(words.get(column))}>{escape(column)}</th>' for column in columns
    )
    body = "".join(
        f'<tr><th scope="row"{_title(words.get(str(row[0])))}>{_text(row[0])}</th>'
        f"{''.join(map(_cell, row[1:]))}</tr>"
        for row in rows
    )
    st.html(
        f'<div class="lv-table" role="region" aria-label="{escape(caption)}" tabindex="0"><table>'
        f"<caption>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _title(text: str | None) -> str:
    return f' title="{escape(text)}"' if text else ""


def _cell(value: object) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    look = ' class="lv-number"' if number else ""
    return f"<td{look}>{_text(value)}</td>"


def _text(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    return escape(str(value))
