"""Drawing of ``views.jacobi``: the sheet of iterates, its frozen frontier, the gain."""

from __future__ import annotations

import plotly.graph_objects as go

from lookahead_viz.figures import theme as themes
from lookahead_viz.figures.drawing import NARROW, Sheet, empty_figure
from lookahead_viz.figures.labels import room_in, shortened
from lookahead_viz.figures.theme import Fill, Theme
from lookahead_viz.records import Run
from lookahead_viz.tokens import escape
from lookahead_viz.views.jacobi import Blocks, JacobiView, jacobi_view

LEFT, TOP, BOTTOM = 74, 66, 46
ROW = 26  # px of a row with texts
SHEET_SHARE = 0.8  # of the width; the rest is for the curve
LEAST_CELL = 26  # px: narrower cells have no text
MOST_HEIGHT = 900  # px of an overview without texts


def jacobi_figure(
    run: Run, index: int, *, blocks: Blocks = "all", theme: str = "light"
) -> go.Figure:
    """The Jacobi sheet of ``run`` with the cursor on step ``index``."""
    return draw_jacobi(jacobi_view(run, index, blocks=blocks), theme=theme)


def draw_jacobi(view: JacobiView, *, theme: str = "light") -> go.Figure:
    """Draw a Jacobi view."""
    colours = themes.theme(theme)
    if not view.cells:
        return empty_figure(colours, view.sentence)
    x0, x1 = view.blocks[0].x0, 1 + max(cell.x for cell in view.cells)
    y0, y1 = view.blocks[0].y0 - 1, view.blocks[-1].y1 + 1
    cell = (NARROW - LEFT) * SHEET_SHARE / (x1 - x0)
    written = cell >= LEAST_CELL
    row = ROW if written else max(4.0, min(ROW, MOST_HEIGHT / (y1 - y0)))
    sheet = Sheet(
        colours, TOP + BOTTOM + row * (y1 - y0), left=LEFT, right=16, top=TOP, bottom=BOTTOM
    )
    _add_cells(sheet, view, written)
    _add_lines(sheet, view, x0, y1)
    if written:
        _add_texts(sheet, view, cell)
    sheet.hover_cells(
        [cell.x for cell in view.cells],
        [cell.y for cell in view.cells],
        [cell.hover for cell in view.cells],
    )
    _add_curve(sheet, view)
    sheet.legend(_legend(view, colours))
    _set_axes(sheet, view, (x0, x1), (y0, y1), written)
    return sheet.figure()


def _fill(state: str, colours: Theme) -> Fill:
    return {"frozen": colours.frozen, "lucky": colours.lucky}.get(state, colours.plain)


def _add_cells(sheet: Sheet, view: JacobiView, written: bool) -> None:
    colours, cells = sheet.theme, view.cells
    sheet.filled_cells(
        [cell.x for cell in cells],
        [cell.y for cell in cells],
        [_fill(cell.state, colours) for cell in cells],
        width=0.96,
        height=0.9,
    )
    start = [cell for cell in cells if cell.state == "start"]
    xs, ys = [cell.x for cell in start], [cell.y for cell in start]
    hatching = {"shape": "/", "fgcolor": colours.outline, "size": 8, "solidity": 0.12}
    sheet.boxes(xs, ys, width=0.96, height=0.9, pattern=hatching)
    changed = [cell for cell in cells if cell.changed]
    if changed and written:
        xs, ys = [cell.x for cell in changed], [cell.y for cell in changed]
        dots = {"color": colours.outline, "width": 1.6, "dash": "dot"}
        sheet.boxes(xs, ys, width=0.9, height=0.82, line=dots)


def _add_texts(sheet: Sheet, view: JacobiView, cell_px: float) -> None:
    size = 12 if cell_px < 60 else 13
    room = room_in(cell_px, size)
    sheet.cell_texts(
        [cell.x for cell in view.cells],
        [cell.y for cell in view.cells],
        [_fill(cell.state, sheet.theme) for cell in view.cells],
        texts=[shortened(cell.text, room) for cell in view.cells],
        size=size,
    )


def _add_lines(sheet: Sheet, view: JacobiView, x0: int, y1: int) -> None:
    """The staircase of what is guaranteed, the 45° line of one token a pass, the cursor."""
    colours, first = sheet.theme, view.passes[0].y
    stairs = [(x0 - 0.5, first - 0.5)]
    for one in view.passes:
        stairs += [(one.frontier - 0.5, one.y - 0.5), (one.frontier - 0.5, one.y + 0.5)]
    sheet.line(stairs, colours.text, 3)
    greedy = [(x0 - 0.5, first - 0.5), (x0 + y1 - first - 0.5, y1 - 0.5)]
    sheet.line(greedy, colours.background, 6)  # a grey line would drown in the frozen cells
    sheet.line(greedy, colours.greedy.colour, 2.5, style={"dash": "dash"})
    block = next(b for b in view.blocks if b.y0 <= view.cursor <= b.y1)
    middle = block.x0 + block.size / 2 - 0.5
    frame = {"color": colours.cursor, "width": 2.5}
    sheet.boxes([middle], [view.cursor], width=block.size, height=1, line=frame)


def _add_curve(sheet: Sheet, view: JacobiView) -> None:
    """How many tokens of the block are right after each pass: guaranteed ones and lucky ones."""
    colours = sheet.theme
    ys = [one.y for one in view.passes]
    parts = [("frozen", colours.frozen, [one.frozen for one in view.passes])]
    if view.finished:
        lucky = [(one.correct or one.frozen) - one.frozen for one in view.passes]
        parts.append(("lucky", colours.lucky, lucky))
    for name, fill, widths in parts:
        sheet.traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "x": widths,
                "y": ys,
                "xaxis": "x2",
                "marker": {"color": fill.colour, "line": {"color": colours.outline, "width": 0.5}},
                "width": 0.8,
                "showlegend": False,
                "customdata": [
                    f"block {one.block + 1}, iteration {one.iteration}" for one in view.passes
                ],
                "hovertemplate": f"%{{customdata}}: %{{x}} {name}<extra></extra>",
            }
        )
    sheet.layout["barmode"] = "stack"


def _set_axes(
    sheet: Sheet, view: JacobiView, xs: tuple[int, int], ys: tuple[int, int], written: bool
) -> None:
    (x0, x1), (y0, y1) = xs, ys
    every = max(1, round((x1 - x0) / 24))
    ticks = list(range(x0, x1, every))
    title = f"output token · the whole run {view.saved}"
    if view.note or not written:
        title += " · " + (view.note or "hover a cell to read its token, or show one block")
    sheet.axis(
        "xaxis",
        side="bottom",
        range=[x0 - 0.6, x1 - 0.4],
        domain=[0, SHEET_SHARE],
        tickvals=ticks,
        title=escape(title),
    )
    largest = max(one.size for one in view.passes)
    sheet.axis(
        "xaxis2",
        range=[0, largest * 1.05],
        domain=[SHEET_SHARE + 0.02, 1],
        title="right tokens in the block",
        anchor="y",
        nticks=5,
        showgrid=True,
    )
    labels = {view.blocks[0].y0 - 1: "start"}
    for one in view.passes:
        labels[one.y] = (
            f"<b>block {one.block + 1}</b>  0" if not one.iteration else str(one.iteration)
        )
    step = max(1, round((y1 - y0) / 40))
    shown = [y for y in labels if (y - y0) % step == 0 or "block" in labels[y]]
    sheet.axis(
        "yaxis",
        range=[y1 - 0.4, y0 - 0.6],
        tickvals=shown,
        ticktext=[labels[y] + " " for y in shown],
    )
    sheet.note(
        "iteration",
        0,
        1,
        xref="paper",
        yref="paper",
        xanchor="right",
        yanchor="bottom",
        xshift=-4,
    )


def _legend(view: JacobiView, colours: Theme) -> list[tuple[str, str, str]]:
    entries = [("frozen: guaranteed", colours.frozen.colour, "square")]
    if view.finished:
        entries.append(("lucky: right, not guaranteed", colours.lucky.colour, "square"))
        entries.append(("not the final token", colours.plain.colour, "square"))
    else:
        entries.append(("not guaranteed yet", colours.plain.colour, "square"))
    return [
        *entries,
        ("changed by this pass", colours.outline, "line-dot"),
        ("frozen frontier", colours.text, "line-solid"),
        ("greedy: one token a pass", colours.greedy.colour, "line-dash"),
        ("this pass", colours.cursor, "line-solid"),
    ]
