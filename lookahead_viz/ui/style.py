"""The viewer's theme, and the few styles that Streamlit's own elements lack."""

from __future__ import annotations

import streamlit as st
from PIL import Image

from lookahead_viz.figures.theme import MONO, Fill, ThemeName, theme


def theme_name() -> ThemeName:
    """What the viewer looks at, light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"


def style() -> None:
    """Put the styles of sentences, badges and tables on the page."""
    # popovers and dialogs stand outside the app's element, whose color-scheme Streamlit keeps
    st.html(f"<style>:root {{ color-scheme: {theme_name()}; }}{css()}</style>")


def favicon() -> Image.Image:
    """A window of 3 x 3 tokens with one n-gram lit."""
    colours = theme("light")
    icon = Image.new("RGB", (32, 32), colours.background)
    for row in range(3):
        for col in range(3):
            fill = colours.accepted if row == col else colours.r2
            left, top = 1 + 11 * col, 1 + 11 * row
            icon.paste(fill.colour, (left, top, left + 9, top + 9))
    return icon


def css() -> str:
    """The style sheet of ``text``, ``badges`` and ``tables``, for both themes at once.

    ``light-dark`` follows the page's own color-scheme, so a viewer who turns from light to dark
    sees it at once, without a run of the script.
    """
    fill, ink = _colour, _ink
    return f"""
[data-testid="stMainBlockContainer"] {{ padding: 3.4rem 2.5rem 2rem; }}
[data-testid="stMainBlockContainer"] h1 {{ padding: 0; }}
.st-key-page_title {{ margin-bottom: -1rem; }}
.lv-say, .lv-quiet, .lv-trouble {{ position: relative; margin: 0; line-height: 1.45;
  overflow-wrap: anywhere; }}
.lv-quiet {{ color: {fill("muted")}; }}
[data-testid="stMainBlockContainer"] .lv-heading {{ margin: 0; padding: 0; font-size: 1.3rem; }}
[data-testid="stSidebar"] .lv-quiet {{ font-size: .85rem; }}
[data-testid="stMainBlockContainer"] .katex-display,
[data-testid="stMarkdownContainer"]:has(.katex-display) {{ overflow: visible; margin: .2em 0; }}
@media (max-width: 1200px) {{ .katex-display {{ font-size: .8em; }} }}
.lv-term {{ text-decoration: underline dotted; text-underline-offset: .2em; cursor: help; }}
.lv-words {{ position: absolute; visibility: hidden; left: 0; top: 100%; z-index: 9;
  width: min(34rem, 100%); padding: .4rem .6rem; background: {fill("background")};
  color: {fill("text")}; border: 1px solid {fill("outline")}; border-radius: 5px; }}
.lv-term:hover > .lv-words, .lv-term:focus > .lv-words {{ visibility: visible; }}
[class*="st-key-lesson_people_"] button p, .st-key-lesson_other_part button p,
[data-testid="stPageLink"] p {{
  text-decoration: underline; text-underline-offset: .2em; }}
[class*="st-key-lesson_people_"] button {{ min-height: 1.8rem; }}
.lv-trouble {{ border-left: 4px solid {fill("rejected")}; padding-left: .6rem; }}
.lv-verdict {{ margin: 0; padding: .35rem .8rem; border-radius: 6px; font-size: 1.15rem;
  font-weight: 600; overflow-wrap: anywhere; }}
.lv-right {{ background: {fill("accepted")}; color: {ink("accepted")}; }}
.lv-wrong {{ background: {fill("leak")}; color: {ink("leak")}; }}
.lv-code {{ margin: 0; padding: .6rem .8rem; max-height: 26rem; overflow: auto;
  font: .8rem/1.45 {MONO}; background: {fill("guess")}; color: {ink("guess")};
  border-radius: 6px; }}
.lv-list {{ margin: 0; padding-left: 1.2rem; line-height: 1.45; overflow-wrap: anywhere; }}
.lv-badges {{ display: flex; flex-wrap: wrap; gap: .4rem; }}
.lv-badge {{ border: 1px solid {fill("outline")}; border-radius: 1rem; padding: 0 .6rem;
  font-size: .85rem; line-height: 1.5rem; overflow-wrap: anywhere; }}
.lv-bad {{ background: {fill("rejected")}; color: {ink("rejected")}; }}
[data-testid="stBaseButton-primary"]:not(:disabled),
[data-testid="stBaseButton-primary"]:not(:disabled) p {{
  color: {ink("accepted")}; }}
[data-testid="stMultiSelect"] [data-tag] :is(span, button) {{ color: {ink("accepted")}; }}
.lv-table {{ overflow-x: auto; }}
.lv-table table {{ border-collapse: collapse; font-size: .85rem; width: 100%; margin: 0; }}
.lv-table caption {{ text-align: left; font-weight: bold; padding: .3rem 0; caption-side: top; }}
.lv-table th, .lv-table td {{ text-align: left; vertical-align: top; padding: .2rem .7rem .2rem 0;
  border: 0; border-bottom: 1px solid {fill("faint")}; font-weight: normal; }}
.lv-table thead th {{ color: {fill("muted")}; }}
.lv-table thead th[title] {{ text-decoration: underline dotted; cursor: help; }}
.lv-table .lv-number {{ font-variant-numeric: tabular-nums; }}
"""


def _colour(name: str) -> str:
    """A colour of the themes, or the fill itself, by its name in ``Theme``."""
    light, dark = (getattr(theme(one), name) for one in ("light", "dark"))
    if isinstance(light, Fill):
        light, dark = light.colour, dark.colour
    return f"light-dark({light}, {dark})"


def _ink(name: str) -> str:
    """The colour of text on a fill."""
    return f"light-dark({getattr(theme('light'), name).text}, {getattr(theme('dark'), name).text})"
