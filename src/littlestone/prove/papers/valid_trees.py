"""Lyu25, section 4, by its definitions alone: all valid trees of a class that is a set of rows.

Nothing here uses the classes, trees or dimensions of the package, so what those find can be compared
with it.  A row is a function, as its labels 0 and 1 of all points.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from math import inf

Row = tuple[int, ...]
Rows = frozenset[Row]
Leaf = tuple[int, Row]  # LDim and SOA


def restrict(rows: Rows, x: int, y: int) -> Rows:
    """The functions with the label y at x."""
    return frozenset(row for row in rows if row[x] == y)


def width(rows: Rows) -> int:
    """The number of points."""
    return len(next(iter(rows)))


@cache
def dimension_of_rows(rows: Rows) -> int:
    """LDim; -1 for no rows.

    >>> dimension_of_rows(frozenset([(0, 0), (0, 1), (1, 0), (1, 1)]))
    2
    """
    if not rows:
        return -1
    sides = [[dimension_of_rows(restrict(rows, x, y)) for y in (0, 1)] for x in range(width(rows))
             if {row[x] for row in rows} == {0, 1}]  # fmt: skip
    return max((1 + min(side) for side in sides), default=0)


@cache
def soa(rows: Rows) -> Row:
    """Section 4, notation: 0 where the label 0 keeps LDim, else 1.

    >>> soa(frozenset([(0, 1), (1, 1)]))
    (1, 1)
    """
    d = dimension_of_rows(rows)
    return tuple(int(dimension_of_rows(restrict(rows, x, 0)) != d) for x in range(width(rows)))


@cache
def irreducible(rows: Rows, k: int) -> bool:
    """Definition 4.1: no k points, labelled by the SOA, lower LDim.

    >>> [irreducible(frozenset([(0, 0), (0, 1), (1, 0)]), k) for k in (1, 2)]
    [True, False]
    """
    f = soa(rows)
    for chosen in combinations(range(width(rows)), min(k, width(rows))):
        left = frozenset(row for row in rows if all(row[x] == f[x] for x in chosen))
        if dimension_of_rows(left) < dimension_of_rows(rows):
            return False
    return True


def may_be_leaf(rows: Rows, p: int, d: int, depth: int) -> bool:
    """Definition 4.2: the depth and the irreducibility of a leaf."""
    left = d - dimension_of_rows(rows)
    return depth <= p * (2**left - 1) and irreducible(rows, p * 2**left)


def may_be_node(rows: Rows, p: int, d: int, depth: int) -> bool:
    """Definition 4.2: the depth of any node."""
    return bool(depth <= p * (2 ** (d - dimension_of_rows(rows) + 1) - 1))


def splits(rows: Rows, *, idle: bool = False) -> list[list[Rows]]:
    """The nonempty sides of every point; ``idle`` keeps the points that split nothing."""
    sides = [[restrict(rows, x, y) for y in (0, 1)] for x in range(width(rows))]
    found = [[side for side in pair if side] for pair in sides]
    return [pair for pair in found if idle or len(pair) == 2]


@cache
def decompositions(
    rows: Rows, p: int, d: int, depth: int = 0, idle: bool = False
) -> frozenset[frozenset[Leaf]]:
    """The sets of leaves of all valid trees of ``rows`` that are rooted at ``depth``.

    >>> H = frozenset([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    >>> [sorted(leaves) for leaves in decompositions(H, 1, 1)]
    [[(1, (0, 0, 0))]]
    """
    if not may_be_node(rows, p, d, depth):
        return frozenset()
    found: set[frozenset[Leaf]] = set()
    if may_be_leaf(rows, p, d, depth):
        found.add(frozenset([(dimension_of_rows(rows), soa(rows))]))
    for sides in splits(rows, idle=idle):
        below = [decompositions(side, p, d, depth + 1, idle) for side in sides]
        found |= {frozenset().union(*chosen) for chosen in product(*below)}
    return frozenset(found)


@cache
def most_leaves(rows: Rows, p: int, d: int, t: int, depth: int = 0) -> float:
    """The most leaves of LDim >= t in a valid tree rooted at ``depth``; minus infinity: no tree.

    >>> most_leaves(frozenset([(0, 0), (0, 1), (1, 0)]), 2, 1, 0)
    3.0
    """
    if not may_be_node(rows, p, d, depth):
        return -inf
    best = float(dimension_of_rows(rows) >= t) if may_be_leaf(rows, p, d, depth) else -inf
    for sides in splits(rows):
        best = max(best, sum(most_leaves(side, p, d, t, depth + 1) for side in sides))
    return best


Shape = tuple[int, "Shape | None", "Shape | None"] | tuple[()]
"""A leaf, or a point with the subtrees after its labels 0 and 1; None if nothing is there."""


def is_valid(rows: Rows, shape: Shape, p: int, d: int, depth: int = 0) -> bool:
    """Definition 4.2 for the part of a tree that is rooted at ``depth``.

    >>> H = frozenset([(0, 0), (0, 1), (1, 0)])
    >>> [is_valid(H, shape, 1, 1) for shape in ((), (0, (), ()), (0, (1, (), ()), ()))]
    [True, False, False]
    """
    if not rows or not may_be_node(rows, p, d, depth):
        return False
    if not shape:
        return may_be_leaf(rows, p, d, depth)
    x, *below = shape
    sides = [restrict(rows, x, y) for y in (0, 1)]
    return all(
        not side if child is None else is_valid(side, child, p, d, depth + 1)
        for side, child in zip(sides, below, strict=True)
    )


def degree(leaves: frozenset[Leaf]) -> int:
    """The largest LDim of a leaf."""
    return max(span for span, _ in leaves)


@cache
def optimal_tops(
    rows: Rows, p: int, d: int, idle: bool = False
) -> tuple[int, list[frozenset[Row]]]:
    """DDim_(p,d), and for each optimal tree its SOAs of leaves of that dimension: Definition 4.2.

    >>> optimal_tops(frozenset([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]), 1, 1)
    (1, [frozenset({(0, 0, 0)})])
    """
    trees = decompositions(rows, p, d, 0, idle)
    t = min(map(degree, trees))
    tops = (frozenset(f for span, f in tree if span == t) for tree in trees if degree(tree) == t)
    return t, list(tops)


def dimension_and_essential(
    rows: Rows, p: int, d: int, idle: bool = False
) -> tuple[int, frozenset[Row]]:
    """DDim_(p,d), and the SOAs that are tops of every optimal tree: Definition 4.3.

    >>> dimension_and_essential(frozenset([(0, 0), (0, 1), (1, 0)]), 1, 2)[0]
    0
    """
    t, tops = optimal_tops(rows, p, d, idle)
    return t, frozenset.intersection(*tops)
