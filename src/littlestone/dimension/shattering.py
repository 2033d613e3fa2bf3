"""Find and check mistake trees of a class."""

from __future__ import annotations

import numpy as np

from littlestone.dimension.littlestone import littlestone_bounds
from littlestone.dimension.tables.table import PackedTable, TableOrClass
from littlestone.dimension.tree import MistakeTree


def mistake_tree(table_or_class: TableOrClass) -> MistakeTree:
    """A shattered tree of the largest depth, which is the Littlestone dimension.

    >>> table = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    >>> tree = mistake_tree(table)
    >>> tree.points, tree.leaves, is_shattered_by(table, tree)
    ((1, 2, 0), (0, 1, 2, 3), True)
    """
    return littlestone_bounds(table_or_class).tree


def is_shattered_by(table_or_class: TableOrClass, tree: MistakeTree) -> bool:
    """Whether every leaf of the tree answers as the path to it says; O(d 2^d), no search.

    ``tree.leaves`` are rows of the table as it was given, of equal ones the first; ``tree.points`` are
    its columns.
    """
    table = PackedTable.read(table_or_class)
    limit = 1 << 62  # what numpy's integers hold
    if not all(type(i) is int and abs(i) < limit for i in (*tree.points, *tree.leaves)):
        return False
    points, leaves = np.asarray(tree.points, int), np.asarray(tree.leaves, int)
    if points.size and not (points.min() >= 0 and points.max() < table.points):
        return False
    # The rows that are kept stand for all: names are the first of equal rows.
    row = np.searchsorted(table.names, leaves).clip(max=table.size - 1)
    if not np.array_equal(table.names[row], leaves):
        return False
    # Level by level, all leaves at once: at the node above a leaf on this level, its answer must be
    # the leaf's bit.
    for level in range(tree.depth):
        path = np.arange(len(leaves)) >> (tree.depth - level)
        answer = np.arange(len(leaves)) >> (tree.depth - level - 1) & 1
        x = points[(1 << level) - 1 + path]
        given = table.rows[row, x >> 6] >> (x & 63).astype(np.uint64) & np.uint64(1)
        if not np.array_equal(given.astype(int), answer):
            return False
    return True
