"""The candidates of one pass as a trie: equal prefixes are one node, the model picks the path.

In a sampled run the path is drawn: a node carries the draw that accepted or rejected it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import networkx as nx
import pandas as pd

from lookahead_viz.config import LookaheadConfig
from lookahead_viz.draws import draw_comparison, draw_sentence
from lookahead_viz.explain import (
    no_ngram,
    slot_name,
    step_sentence,
    why_nothing_drafted,
    why_nothing_verified,
)
from lookahead_viz.multiblock import by_candidate
from lookahead_viz.records import (
    DraftStep,
    Draw,
    GreedyStep,
    JacobiStep,
    LookaheadStep,
    Run,
    Verification,
)
from lookahead_viz.tokens import printable, printable_text, quoted_token
from lookahead_viz.views.common import NothingToDraw, no_picture, step_of
from lookahead_viz.words import capitalised, count

Verifying = LookaheadStep | DraftStep | JacobiStep

NodeState = Literal[
    "current", "accepted", "cut", "bonus", "cut bonus", "capped", "rejected", "pruned", "faded"
]
TABLE_COLUMNS = ("candidate", "tokens", "matched", "winner", "first slot")


@dataclass(frozen=True)
class TreeNode:
    """One token of the trie, placed: ``depth`` to the right, ``y`` downwards, in node units.

    "cut" = proven but cut off where the run ends; "capped" = right, but not seen by
    ``accept="original"``; "rejected" = the first wrong guess; "pruned" = not asked, because the
    sampled text went another way; "faded" = all that follows one of these.
    """

    id: int
    parent: int | None
    depth: int  # 0 = the current token
    y: float
    token: int
    text: str  # visible
    state: NodeState
    origins: tuple[tuple[int, int], ...]  # (candidate, guess), from 0; none for root and bonus
    hover: str
    draw: str = ""  # of a sampled run: "0.31 < 0.52"

    @property
    def on_path(self) -> bool:
        """Does the accepted text run through this node?"""
        return self.state in ("accepted", "cut", "bonus", "cut bonus")


@dataclass(frozen=True)
class TreeView:
    """Everything the candidate picture shows; no nodes when there is nothing to draw."""

    sentence: str
    nodes: tuple[TreeNode, ...] = ()
    note: str = ""  # why there are no candidates, what was capped
    depth: int = 0  # of the deepest node
    lines: int = 0  # how many leaves there are
    table: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=list(TABLE_COLUMNS)), compare=False
    )


def tree_view(run: Run, index: int) -> TreeView:
    """The candidate trie of step ``index``: what was tried, what matched, what was wanted."""
    try:
        step = step_of(run, index, (LookaheadStep, DraftStep, JacobiStep), "candidates")
        if isinstance(step, GreedyStep) or step.verification is None:
            raise NothingToDraw(no_picture(run, "candidates"))
    except NothingToDraw as nothing:
        return TreeView(str(nothing))
    trie = _trie(step)
    states = _states(trie, step)
    _add_bonus(trie, states, step)
    places = _places(trie)
    nodes = tuple(
        TreeNode(
            id=node,
            parent=next(iter(trie.predecessors(node)), None),
            depth=places[node][0],
            y=places[node][1],
            token=trie.nodes[node]["token"],
            text=printable(run.token_text, trie.nodes[node]["token"]),
            state=states[node],
            origins=tuple(trie.nodes[node]["origins"]),
            hover=_hover(run, step, trie, node, states[node]),
            draw=draw_comparison(trie.nodes[node]["draw"]) if trie.nodes[node]["draw"] else "",
        )
        for node in trie
    )
    return TreeView(
        sentence=step_sentence(run, index),
        nodes=nodes,
        note=_note(run, index, step, states),
        depth=max(node.depth for node in nodes),
        lines=1 + round(max(node.y for node in nodes)),
        table=candidate_table(run, step),
    )


def _verified(step: Verifying) -> Verification:
    assert step.verification is not None
    return step.verification


def candidate_table(run: Run, step: Verifying) -> pd.DataFrame:
    """One line per candidate: its tokens, how far it matched, whether it won."""
    verification, slots = _verified(step), step.candidate_slots
    lines = [
        (
            number + 1,
            printable_text(run.token_text, candidate),
            f"{matched} of {len(candidate)}",
            "✓" if number == verification.winner and matched else "",
            slots[number][0],
        )
        for number, (candidate, matched) in enumerate(
            zip(verification.candidates, verification.matched, strict=True)
        )
    ]
    return pd.DataFrame(lines, columns=list(TABLE_COLUMNS))


def _trie(step: Verifying) -> nx.DiGraph[int]:
    """Node 0 is the current token; ``token``, ``origins``, ``wanted``, ``draw`` are attributes.

    ``wanted`` is the model's own token after the node, the same for all its origins; in a sampled
    run that is the drawn one, on the path that the text took.
    """
    trie: nx.DiGraph[int] = nx.DiGraph()
    proven = step.accepted + step.discarded
    trie.add_node(0, token=step.layout.token_ids[0], origins=[], wanted=proven[0], draw=None)
    known: dict[tuple[int, int], int] = {}  # (parent, token) -> node
    verification = _verified(step)
    for number, (candidate, predicted) in enumerate(
        zip(verification.candidates, verification.predictions, strict=True)
    ):
        node, own = 0, list(predicted)
        if step.draws:
            matched = verification.matched[number]
            own[:matched] = proven[1 : matched + 1]
        for guess, token in enumerate(candidate):
            parent, node = node, known.setdefault((node, token), len(trie))
            if node not in trie:
                trie.add_node(node, token=token, origins=[], wanted=own[guess], draw=None)
                trie.add_edge(parent, node)
            trie.nodes[node]["origins"].append((number, guess))
    for draw in step.draws:
        for node in trie:
            if draw.candidates and (draw.candidates[0], draw.depth) in trie.nodes[node]["origins"]:
                trie.nodes[node]["draw"] = draw
    return trie


def _states(trie: nx.DiGraph[int], step: Verifying) -> dict[int, NodeState]:
    """Walk down from the current token: right as long as each token is the one wanted."""
    matched = _verified(step).longest
    states: dict[int, NodeState] = {0: "current"}
    for parent, node in nx.bfs_edges(trie, 0):
        depth = trie.nodes[node]["origins"][0][1] + 1
        right = trie.nodes[node]["token"] == trie.nodes[parent]["wanted"]
        if states[parent] in ("rejected", "pruned", "faded", "capped"):
            states[node] = "faded"
        elif not right:
            asked = not step.draws or trie.nodes[node]["draw"] is not None
            states[node] = "rejected" if asked else "pruned"
        elif depth > matched:
            states[node] = "capped"
        else:
            states[node] = "accepted" if depth <= len(step.accepted) else "cut"
    return states


def _add_bonus(trie: nx.DiGraph[int], states: dict[int, NodeState], step: Verifying) -> None:
    """The model's own token after the last matched one, as one more child there."""
    path = [node for node, state in states.items() if state in ("current", "accepted", "cut")]
    end, bonus = path[-1], len(trie)
    drawn = step.draws[-1] if step.draws else None
    trie.add_node(bonus, token=trie.nodes[end]["wanted"], origins=[], wanted=None, draw=drawn)
    trie.add_edge(end, bonus)
    depth = len(path) - 1  # of the end: the path is one line from the root
    states[bonus] = "bonus" if depth < len(step.accepted) else "cut bonus"


def _places(trie: nx.DiGraph[int]) -> dict[int, tuple[int, float]]:
    """Depth and line of every node: leaves one below the other, parents beside their middle."""
    depths = {0: 0}
    for parent, node in nx.bfs_edges(trie, 0):
        depths[node] = depths[parent] + 1
    lines: dict[int, float] = {}
    leaves = 0
    for node in nx.dfs_postorder_nodes(trie, 0):
        children = list(trie.successors(node))
        if children:
            lines[node] = (lines[children[0]] + lines[children[-1]]) / 2
        else:
            lines[node] = float(leaves)
            leaves += 1
    return {node: (depths[node], lines[node]) for node in trie}


_MEANINGS: dict[NodeState, str] = {
    "current": "the current token: the key of all candidates",
    "accepted": "✓ the model's own token here: accepted",
    "cut": "✓ proven too, but cut off because the run ends",
    "bonus": "★ the model's own next token: accepted as well",
    "cut bonus": "★ the model's own next token, cut off because the run ends",
    "capped": "right, but the original code cannot see a full match",
    "rejected": "✗ not the model's token here: rejected",
    "pruned": "not asked: the sampled text went another way",
    "faded": "follows a rejected guess: never reached",
}


_DRAWN_MEANINGS: dict[NodeState, str] = {
    "accepted": "✓ drawn: accepted",
    "cut": "✓ accepted too, but cut off because the run ends",
    "bonus": "★ the model's own next token, drawn: accepted as well",
    "cut bonus": "★ the model's own next token, cut off because the run ends",
    "rejected": "✗ drawn: rejected",
}


def _hover(run: Run, step: Verifying, trie: nx.DiGraph[int], node: int, state: NodeState) -> str:
    draw: Draw | None = trie.nodes[node]["draw"]
    meanings = _MEANINGS | _DRAWN_MEANINGS if step.draws else _MEANINGS
    lines = [quoted_token(run.token_text, trie.nodes[node]["token"]), meanings[state]]
    if draw is not None:
        lines.append(draw_sentence(draw))
    elif state == "rejected":
        wanted = trie.nodes[next(iter(trie.predecessors(node)))]["wanted"]
        lines.append(f"the model wants {quoted_token(run.token_text, wanted)}")
    origins, slots_of = trie.nodes[node]["origins"], step.candidate_slots
    if origins:
        places = ", ".join(f"candidate {g + 1} guess {j + 1}" for g, j in origins)
        slots = {slots_of[g][j] for g, j in origins}
        lines.append(f"{count(len(slots), 'line')} of the mask: {places}")
    window = sorted({slots_of[g][j] for g, j in origins} - guess_region(step))
    if window:
        cells = ", ".join(slot_name(step.layout, slot) for slot in window)
        lines.append(f"read from the window: {cells}")
    return "\n".join(lines)


def guess_region(step: Verifying) -> set[int]:
    """The slots behind the window, where the pool's candidates stand."""
    return set(range(step.window_slots, step.layout.slots))


def _note(run: Run, index: int, step: Verifying, states: dict[int, NodeState]) -> str:
    if isinstance(step, DraftStep):
        why = why_nothing_drafted(run, index)
        return "" if step.verification.candidates else f"{capitalised(why)}."
    if isinstance(step, JacobiStep):
        if not _verified(step).candidates:
            return f"{no_ngram(run, step.layout.token_ids[0])}: the blocks alone are verified."
        return "" if by_candidate(step) else "The blocks proved as much or more."
    config = run.config
    assert isinstance(config, LookaheadConfig)
    if "capped" in states.values():
        return (
            'accept="original": the original code compares one guess too few, so a full match '
            f"counts as {config.ngram_size - 2} of {config.ngram_size - 1}."
        )
    if not step.verification.candidates:
        return why_nothing_verified(run, index)
    full = config.ngram_size - 1
    if step.verification.longest < full or step.discarded or config.accept == "original":
        return ""
    if step.draws:
        return f"A full match: {count(full, 'guess', 'guesses')} and the drawn token are accepted."
    return (
        f"A full match: {count(full, 'guess', 'guesses')} and the model's own token are accepted. "
        f"The original code cannot see it and would accept {full}."
    )
