"""Drawings of decomposition trees, made like the mistake trees of `littlestone.report.tree`."""

from __future__ import annotations

from typing import Any

from littlestone.decomposition import DecompositionTree
from littlestone.pictures.tree import Node

NOBODY = Node("no hypothesis", cut=True)


def decomposition_drawing(tree: DecompositionTree[Any], words: Any, levels: int) -> Node:
    """The top levels of a decomposition tree; a leaf shows LDim and the SOA of its version space.

    ``words`` writes a point, such as ``H.domain.words``.

    >>> from littlestone.classes import parse_class
    >>> from littlestone.decomposition import decompose
    >>> H = parse_class("thresholds(x, 1..3)")
    >>> root = decomposition_drawing(decompose(H, p=2), H.domain.words, levels=4)
    >>> root.text, root.ends
    ('1', 4)
    """

    def node(i: int | None, level: int) -> Node:
        if i is None:
            return NOBODY
        point, space, after = tree.nodes[i].point, tree.nodes[i].space, tree.nodes[i].after
        if space is not None:
            return Node(f"LDim {space.littlestone_dimension()}: {space.soa().words()}")
        if level == levels:
            return Node("...", cut=True)
        return Node(words(point), tuple((y, node(j, level + 1)) for y, j in enumerate(after)))

    return node(0 if tree.nodes else None, 0)
