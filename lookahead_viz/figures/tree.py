"""Drawing of ``views.tree``: the candidates from left to right, as boxes with text."""

from __future__ import annotations

import plotly.graph_objects as go

from lookahead_viz.figures import theme as themes
from lookahead_viz.figures.drawing import NARROW, Sheet, empty_figure
from lookahead_viz.figures.labels import hover, room_in, shortened
from lookahead_viz.figures.theme import Fill, Theme
from lookahead_viz.records import Run
from lookahead_viz.tokens import escape
from lookahead_viz.views.tree import NodeState, TreeNode, TreeView, tree_view

LINE = 46  # px
TOP, BOTTOM, SIDE = 70, 42, 16
BOX_WIDTH, BOX_HEIGHT = 0.74, 0.66  # of a column, of a line

GLYPHS: dict[NodeState, str] = {
    "accepted": themes.ACCEPTED,
    "cut": themes.ACCEPTED,
    "bonus": themes.BONUS,
    "cut bonus": themes.BONUS,
    "rejected": themes.REJECTED,
}


def tree_figure(run: Run, index: int, *, theme: str = "light") -> go.Figure:
    """The candidate trie of step ``index``."""
    return draw_tree(tree_view(run, index), theme=theme)


def draw_tree(view: TreeView, *, theme: str = "light") -> go.Figure:
    """Draw a candidate trie."""
    colours = themes.theme(theme)
    if not view.nodes:
        return empty_figure(colours, view.sentence)
    lines = max(view.lines, 2)
    sheet = Sheet(
        colours, TOP + BOTTOM + LINE * lines, left=SIDE, right=SIDE, top=TOP, bottom=BOTTOM
    )
    columns = max(view.depth + 1, 4)
    _add_edges(sheet, view)
    _add_boxes(sheet, view, columns)
    sheet.legend(_legend(view, colours))
    # the offsets of the window: at each stands a guess, the model's own token (★), or both
    titles = ["current token", *(f"+{j}" for j in range(1, columns))]
    sheet.axis(
        "xaxis",
        range=[-0.5, columns - 0.5],
        side="top",
        tickvals=list(range(len(titles))),
        ticktext=titles,
    )
    sheet.axis("yaxis", range=[lines - 0.5, -0.5], visible=False)
    if view.note:
        sheet.note(
            escape(view.note),
            0,
            0,
            xref="paper",
            yref="paper",
            xanchor="left",
            yanchor="top",
            yshift=-6,
            size=14,
            colour=colours.text,
        )
    return sheet.figure()


def _fill(node: TreeNode, colours: Theme) -> Fill:
    fills: dict[NodeState, Fill] = {
        "current": colours.committed,
        "accepted": colours.accepted,
        "bonus": colours.bonus,
        "rejected": colours.rejected,
        "pruned": Fill(colours.background, colours.muted),
        "faded": Fill(colours.background, colours.muted),
    }
    return fills.get(node.state, colours.guess)


def _add_edges(sheet: Sheet, view: TreeView) -> None:
    colours = sheet.theme
    places = {node.id: node for node in view.nodes}
    for node in sorted(view.nodes, key=lambda node: node.on_path):
        if node.parent is None:
            continue
        parent = places[node.parent]
        left, right = parent.depth + BOX_WIDTH / 2, node.depth - BOX_WIDTH / 2
        middle = (left + right) / 2
        path = [(left, parent.y), (middle, parent.y), (middle, node.y), (right, node.y)]
        if node.on_path:
            sheet.line(path, colours.accepted.colour, 3)
        else:
            faded = node.state in ("faded", "pruned")
            colour = themes.faded(colours.outline) if faded else colours.outline
            sheet.line(path, colour, 1.4)


def _add_boxes(sheet: Sheet, view: TreeView, columns: int) -> None:
    colours, nodes = sheet.theme, view.nodes
    xs, ys = [node.depth for node in nodes], [node.y for node in nodes]
    fills = [_fill(node, colours) for node in nodes]
    sheet.filled_cells(xs, ys, fills, width=BOX_WIDTH, height=BOX_HEIGHT)
    room = room_in((NARROW - 2 * SIDE) / columns * BOX_WIDTH, 14)
    sheet.cell_texts(xs, ys, fills, texts=[_label(node, room) for node in nodes], size=14)
    sheet.scatter(
        x=xs,
        y=ys,
        mode="markers",
        # an invisible marker as high as a box: what the mouse finds
        marker={"symbol": "square", "size": 30, "opacity": 0},
        customdata=[hover(node.hover) for node in nodes],
        hovertemplate="%{customdata}<extra></extra>",
        hoverinfo="all",
    )
    sheet.layout["hoverdistance"] = 60
    for node in nodes:
        if node.draw:
            sheet.note(
                escape(node.draw),
                node.depth - BOX_WIDTH / 2,
                node.y + BOX_HEIGHT / 2,
                xanchor="left",
                yanchor="top",
                yshift=3,
                size=11,
            )
        if len(node.origins) > 1:
            sheet.note(
                f"×{len(node.origins)} candidates",
                node.depth + BOX_WIDTH / 2,
                node.y - BOX_HEIGHT / 2,
                xanchor="right",
                yanchor="bottom",
                yshift=-3,
                size=11,
            )


def _label(node: TreeNode, room: int) -> str:
    glyph = GLYPHS.get(node.state, "")
    text = shortened(node.text, room - 2 if glyph else room)
    return f"{glyph} {text}" if glyph else text


def _legend(view: TreeView, colours: Theme) -> list[tuple[str, str, str]]:
    drawn = any(node.draw for node in view.nodes)
    names: list[tuple[str, NodeState, Fill]] = [
        ("current token", "current", colours.committed),
        ("✓ accepted guess", "accepted", colours.accepted),
        ("★ the model's own token, accepted too", "bonus", colours.bonus),
        ("✗ rejected guess" if drawn else "✗ first wrong guess", "rejected", colours.rejected),
        ("not asked", "pruned", Fill(colours.background, colours.muted)),
        ("never reached", "faded", Fill(colours.background, colours.muted)),
        ("right, not counted", "capped", colours.guess),
        ("proven, cut off at the end", "cut", colours.guess),
    ]
    states = {node.state for node in view.nodes}
    if "cut bonus" in states:
        states.add("cut")
    return [(text, fill.colour, "square") for text, state, fill in names if state in states]
