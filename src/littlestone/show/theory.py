"""The atlas as a Parquet file, and a decomposition as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any

from littlestone.classes import HypothesisClass
from littlestone.pictures.tree import Node
from littlestone.theory.atlas.listing import Entry, columns
from littlestone.theory.decomposition import DecompositionTree


def write_parquet(entries: Sequence[Entry]) -> bytes:
    """The classes as a Parquet file, a row for each; see `columns`.

    >>> from littlestone.theory.atlas import atlas
    >>> write_parquet(list(atlas(1)))[:4]
    b'PAR1'
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = BytesIO()
    pq.write_table(pa.table(columns(entries)), file)
    return file.getvalue()


NOBODY = Node("no hypothesis", cut=True)


def decomposition_drawing(
    tree: DecompositionTree[Any], H: HypothesisClass[Any], levels: int
) -> Node:
    """The top levels of a tree of H; a leaf shows LDim and the SOA of its version space.

    >>> from littlestone.classes import parse_class
    >>> from littlestone.theory.decomposition import decompose
    >>> H = parse_class("thresholds(x, 1..3)")
    >>> root = decomposition_drawing(decompose(H, p=2), H, levels=4)
    >>> root.text, root.ends
    ('1', 4)
    """

    def node(i: int | None, level: int, V: HypothesisClass[Any]) -> Node:
        if i is None:
            return NOBODY
        point, space, after = tree.nodes[i].point, tree.nodes[i].space, tree.nodes[i].after
        if space is not None:
            shown = f"LDim {space.littlestone_dimension()}: {space.soa().words()}"
            return Node(shown, space=space)
        if level == levels:
            return Node("...", cut=True, space=V)
        sides = ((y, node(j, level + 1, V.restrict(point, y))) for y, j in enumerate(after))
        return Node(H.domain.words(point), tuple(sides), space=V)

    return node(0 if tree.nodes else None, 0, H)
