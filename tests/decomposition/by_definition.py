"""Lyu25, section 4, by its definitions, on classes that are sets of rows of 0s and 1s."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product
from math import inf

Row = tuple[int, ...]
Rows = frozenset[Row]
Leaf = tuple[int, Row]  # LDim and SOA

CLASSES_ON_THREE_POINTS: list[Rows] = [
    frozenset(row for i, row in enumerate(product((0, 1), repeat=3)) if mask >> i & 1)
    for mask in range(1, 256)
]


def restrict(rows: Rows, x: int, y: int) -> Rows:
    return frozenset(row for row in rows if row[x] == y)


def width(rows: Rows) -> int:
    return len(next(iter(rows)))


@cache
def dimension(rows: Rows) -> int:
    if not rows:
        return -1
    sides = [[dimension(restrict(rows, x, y)) for y in (0, 1)] for x in range(width(rows))
             if {row[x] for row in rows} == {0, 1}]  # fmt: skip
    return max((1 + min(side) for side in sides), default=0)


@cache
def soa(rows: Rows) -> Row:
    d = dimension(rows)
    return tuple(int(dimension(restrict(rows, x, 0)) != d) for x in range(width(rows)))


@cache
def irreducible(rows: Rows, k: int) -> bool:
    f = soa(rows)
    for chosen in combinations(range(width(rows)), min(k, width(rows))):
        left = frozenset(row for row in rows if all(row[x] == f[x] for x in chosen))
        if dimension(left) < dimension(rows):
            return False
    return True


def may_be_leaf(rows: Rows, p: int, d: int, depth: int) -> bool:
    left = d - dimension(rows)
    return depth <= p * (2**left - 1) and irreducible(rows, p * 2**left)


def may_be_node(rows: Rows, p: int, d: int, depth: int) -> bool:
    return bool(depth <= p * (2 ** (d - dimension(rows) + 1) - 1))


def splits(rows: Rows, *, idle: bool = False) -> list[list[Rows]]:
    """The nonempty sides of every point; ``idle`` keeps the points that split nothing."""
    sides = [[restrict(rows, x, y) for y in (0, 1)] for x in range(width(rows))]
    found = [[side for side in pair if side] for pair in sides]
    return [pair for pair in found if idle or len(pair) == 2]


@cache
def decompositions(
    rows: Rows, p: int, d: int, depth: int = 0, idle: bool = False
) -> frozenset[frozenset[Leaf]]:
    """The sets of leaves of all valid trees of ``rows`` that are rooted at ``depth``."""
    if not may_be_node(rows, p, d, depth):
        return frozenset()
    found: set[frozenset[Leaf]] = set()
    if may_be_leaf(rows, p, d, depth):
        found.add(frozenset([(dimension(rows), soa(rows))]))
    for sides in splits(rows, idle=idle):
        below = [decompositions(side, p, d, depth + 1, idle) for side in sides]
        found |= {frozenset().union(*chosen) for chosen in product(*below)}
    return frozenset(found)


@cache
def most_leaves(rows: Rows, p: int, d: int, t: int, depth: int = 0) -> float:
    """The most leaves of LDim >= t in a valid tree rooted at ``depth``; minus infinity: no tree."""
    if not may_be_node(rows, p, d, depth):
        return -inf
    best = float(dimension(rows) >= t) if may_be_leaf(rows, p, d, depth) else -inf
    for sides in splits(rows):
        best = max(best, sum(most_leaves(side, p, d, t, depth + 1) for side in sides))
    return best


def degree(leaves: frozenset[Leaf]) -> int:
    return max(span for span, _ in leaves)


@cache
def dimension_and_essential(
    rows: Rows, p: int, d: int, idle: bool = False
) -> tuple[int, frozenset[Row]]:
    trees = decompositions(rows, p, d, 0, idle)
    t = min(map(degree, trees))
    tops = [{f for span, f in tree if span == t} for tree in trees if degree(tree) == t]
    return t, frozenset.intersection(*map(frozenset, tops))
