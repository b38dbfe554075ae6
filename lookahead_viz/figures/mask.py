"""Drawing of ``views.mask``: a square matrix, coloured by the rule that holds in each cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from lookahead_viz.figures import theme as themes
from lookahead_viz.figures.drawing import Sheet, empty_figure
from lookahead_viz.figures.labels import hover, shortened
from lookahead_viz.figures.theme import MONO, Theme
from lookahead_viz.records import Run
from lookahead_viz.tokens import escape
from lookahead_viz.views.mask import MaskView, mask_view
from lookahead_viz.words import quoted

CODES = ("off", "R0", "R1", "R2", "R3", "R4", "R5")
LEFT, RIGHT, TOP, BOTTOM = 112, 92, 112, 24  # px around the matrix, for names
LEGEND = 34
LABELLED = 64  # up to so many slots every line and column has its token
GLYPH_PX = 15  # smaller cells have no glyph


def mask_figure(
    run: Run,
    index: int,
    *,
    highlight_row: int | None = None,
    show_expected: bool = False,
    theme: str = "light",
) -> go.Figure:
    """The mask of step ``index``; ``highlight_row`` is a slot whose context stands out."""
    return draw_mask(
        mask_view(run, index),
        theme=theme,
        highlight_row=highlight_row,
        show_expected=show_expected,
    )


def draw_mask(
    view: MaskView,
    *,
    theme: str = "light",
    highlight_row: int | None = None,
    show_expected: bool = False,
) -> go.Figure:
    """Draw a mask view. ``show_expected`` marks the hidden cells that people expect to be on."""
    colours = themes.theme(theme)
    if not view.slots:
        return empty_figure(colours, view.sentence)
    cell = _cell_px(view.slots)
    height = LEGEND + TOP + BOTTOM + cell * view.slots
    sheet = Sheet(colours, height, left=10, right=10, top=LEGEND, bottom=4)
    # where cells are hidden in the background's colour, the gaps between them are the grid
    sheet.rectangle(
        -0.5, view.slots + 0.5, -0.5, view.slots - 0.5, fillcolor=colours.faint, layer="below"
    )
    _add_matrix(sheet, view, cell)
    if cell >= GLYPH_PX:
        _add_glyphs(sheet, view, cell, show_expected)
    _add_strips(sheet, view, cell)
    _add_separators(sheet, view, cell)
    _add_group_names(sheet, view, cell)
    if view.slots <= LABELLED:
        _add_tokens(sheet, view, cell)
    if highlight_row is not None:
        _add_highlight(sheet, view, highlight_row, cell)
    sheet.legend(_legend(view, colours))
    _set_axes(sheet, view, cell)
    return sheet.figure()


def _cell_px(slots: int) -> float:
    """The side of a cell: large enough to read, small enough for a screen."""
    return min(28.0, max(5.0, 720 / slots))


def _add_matrix(sheet: Sheet, view: MaskView, cell: float) -> None:
    codes = np.zeros((view.slots, view.slots + 1), dtype=np.uint8)  # column 0 is the prefix
    codes[:, 0] = CODES.index("R1")
    for q, line in enumerate(view.rules):
        codes[q, 1:] = [CODES.index(rule) if rule in CODES else 0 for rule in line]
    scale: list[Any] = []
    for code, name in enumerate(CODES):
        colour = sheet.theme.rule(name).colour
        scale += [(code / len(CODES), colour), ((code + 1) / len(CODES), colour)]
    gap = 1 if cell > 8 else 0
    sheet.traces.append(
        {
            "type": "heatmap",
            "z": codes,
            "zmin": -0.5,
            "zmax": len(CODES) - 0.5,
            "colorscale": scale,
            "showscale": False,
            "xgap": gap,
            "ygap": gap,
            "customdata": _hover_texts(view),
            "hovertemplate": "reads: %{y}<br>what: %{x}<br>%{customdata}<extra></extra>",
        }
    )


def _hover_texts(view: MaskView) -> list[list[str]]:
    """[S][S + 1], one sentence a cell; sentences recur, so each is escaped once."""
    known: dict[tuple[str, str], str] = {}
    prefix = hover(f"{themes.ACCEPTED} {view.prefix_sentence}")
    texts = []
    for line in zip(view.rules, view.sentences, strict=True):
        texts.append([prefix])
        for cell in zip(*line, strict=True):
            if cell not in known:
                rule, sentence = cell
                mark = themes.ACCEPTED if rule[0] == "R" else themes.REJECTED
                known[cell] = hover(f"{mark} {sentence} ({rule})")
            texts[-1].append(known[cell])
    return texts


def _add_glyphs(sheet: Sheet, view: MaskView, cell: float, show_expected: bool) -> None:
    """The number of the rule in each visible cell, a dot for the token itself."""
    colours = sheet.theme
    marks = [(0, q, "1", colours.r1.text) for q in range(view.slots)]
    for q, line in enumerate(view.rules):
        for k, rule in enumerate(line):
            if rule[0] == "R":
                glyph = themes.SEES_ITSELF if rule == "R0" else rule[1]
                marks.append((k + 1, q, glyph, colours.rule(rule).text))
            elif rule == "X2" and show_expected:
                marks.append((k + 1, q, themes.REJECTED, colours.off.text))
    xs, ys, texts, inks = zip(*marks, strict=True)
    size = min(12, round(cell * 0.55))
    sheet.scatter(
        x=xs, y=ys, mode="text", text=texts, textfont={"family": MONO, "size": size, "color": inks}
    )


def _add_strips(sheet: Sheet, view: MaskView, cell: float) -> None:
    """A bar per group along both axes: blue for the window, amber for candidates."""
    colours = sheet.theme
    strip = _beside(cell, 13), _beside(cell, 4)
    sheet.rectangle(-0.46, 0.46, *strip, fillcolor=colours.r1.colour)
    for group in view.groups:
        fill = colours.r5 if group.branch == "guess" else colours.r4
        start, stop = group.start - 0.42, group.stop - 0.58
        sheet.rectangle(start + 1, stop + 1, *strip, fillcolor=fill.colour)
        sheet.rectangle(*strip, start, stop, fillcolor=fill.colour)


def _beside(cell: float, px: float) -> float:
    """The coordinate ``px`` before the first line or above the first column."""
    return -0.5 - px / cell


def _add_separators(sheet: Sheet, view: MaskView, cell: float) -> None:
    """Lines between the groups; the one between the two branches is the thickest."""
    end = view.slots
    before = None  # the branch of the group before; the prefix has none
    for group in view.groups:
        at = group.start
        width = (3.0 if group.branch != before else 1.4) * (1.0 if cell > 8 else 0.5)
        before = group.branch
        sheet.line([(at + 0.5, -0.5), (at + 0.5, end - 0.5)], sheet.theme.text, width)
        if at:
            sheet.line([(-0.5, at - 0.5), (end + 0.5, at - 0.5)], sheet.theme.text, width)


def _add_group_names(sheet: Sheet, view: MaskView, cell: float) -> None:
    ink = sheet.theme.text
    for group in view.groups:
        middle, px = (group.start + group.stop - 1) / 2, (group.stop - group.start) * cell
        if px >= 13:
            sheet.note(group.name, view.slots + 0.7, middle, xanchor="left", colour=ink)
        name = group.name if px > 7 * len(group.name) else group.short if px > 18 else ""
        if name:
            sheet.note(name, middle + 1, view.slots - 0.4, yanchor="top", colour=ink)
    sheet.note(
        f"committed ×{view.cached}",
        0,
        _beside(cell, 15),
        yanchor="bottom",
        textangle=-90,
        colour=ink,
    )


def _add_tokens(sheet: Sheet, view: MaskView, cell: float) -> None:
    """The token of every line (left) and of every column (above, upright)."""
    style: dict[str, Any] = {
        "size": max(9, min(13, round(cell * 0.6))),
        "family": MONO,
        "colour": sheet.theme.text,
    }
    for slot, token in enumerate(view.tokens):
        text = shortened(token, 11)
        sheet.note(text, _beside(cell, 15), slot, xanchor="right", **style)
        sheet.note(text, slot + 1, _beside(cell, 15), yanchor="bottom", textangle=-90, **style)


def _add_highlight(sheet: Sheet, view: MaskView, row: int, cell: float) -> None:
    """A frame around the row, and one around every cell it reads."""
    colour = sheet.theme.cursor
    frame = {"color": colour, "width": 2}
    sheet.boxes([view.slots / 2], [row], width=view.slots + 1, height=1, line=frame)
    read = [0] + [k + 1 for k, rule in enumerate(view.rules[row]) if rule[0] == "R"]
    sheet.boxes(read, [row] * len(read), width=0.96, height=0.96, line={**frame, "width": 3})
    sheet.scatter(
        x=read,
        y=[_beside(cell, 3)] * len(read),
        mode="markers",
        marker={"symbol": "triangle-down", "size": 9, "color": colour},
    )


def _set_axes(sheet: Sheet, view: MaskView, cell: float) -> None:
    # the tick texts are not shown: they are what the hover text calls a line or a column
    names = [
        escape(f"{quoted(token)} ({name})")
        for token, name in zip(view.tokens, view.names, strict=True)
    ]
    shared: dict[str, Any] = {"constrain": "domain", "showticklabels": False}
    sheet.axis(
        "xaxis",
        range=[-0.5 - LEFT / cell, view.slots + 0.5 + RIGHT / cell],
        constraintoward="left",
        tickvals=list(range(view.slots + 1)),
        ticktext=[view.prefix, *names],
        **shared,
    )
    sheet.axis(
        "yaxis",
        range=[view.slots - 0.5 + BOTTOM / cell, -0.5 - TOP / cell],
        scaleanchor="x",
        constraintoward="top",
        tickvals=list(range(view.slots)),
        ticktext=names,
        **shared,
    )


def _legend(view: MaskView, colours: Theme) -> list[tuple[str, str, str]]:
    present = {rule for line in view.rules for rule in line}
    entries = [
        ("● the token itself", "R0"),
        ("1 committed text", "R1"),
        ("2 3 row 0 before it", "R2"),
        ("4 its own column", "R4"),
        ("5 its own candidate", "R5"),
    ]
    shown = [entry for entry in entries if entry[1] in present | {"R1"}]
    return [(text, colours.rule(rule).colour, "square") for text, rule in shown] + [
        ("hidden", colours.off.colour, "square")
    ]
