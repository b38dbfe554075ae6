"""Equal prefixes merged: the packed pass as a trie of tokens (TensorRT-LLM's tree encoding)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def merge(
    order: Sequence[int], parents: Sequence[int], tokens: Sequence[Hashable]
) -> list[list[int]]:
    """The slots of each trie node, nodes in depth-first pre-order.

    ``order`` lists canonical slots, a parent before its children, slot 0 first; slots whose paths
    have the same tokens share a node. Siblings come in the order of their first slot: in
    TensorRT-LLM their order is that of a hash map, so an engine's own may differ.
    """
    members: list[list[int]] = [[order[0]]]
    children: list[list[int]] = [[]]
    node_of = {order[0]: 0}
    known: dict[tuple[int, Hashable], int] = {}
    for slot in order[1:]:
        above = node_of[parents[slot]]
        node = known.setdefault((above, tokens[slot]), len(members))
        if node == len(members):
            members.append([])
            children.append([])
            children[above].append(node)
        members[node].append(slot)
        node_of[slot] = node
    found: list[list[int]] = []
    waiting = [0]
    while waiting:
        node = waiting.pop()
        found.append(members[node])
        waiting += reversed(children[node])
    return found
