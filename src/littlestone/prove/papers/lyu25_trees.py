"""Lyu25, section 4: its definitions on all small classes, by the definitions themselves.

All valid trees of a set of rows are listed by their definition.  That part uses no class, tree or
dimension of the package, so what those find can be compared with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from math import inf
from typing import Any

from littlestone.classes import FiniteClass
from littlestone.prove.papers.statement import Outcome, Trial, statement, unordered_classes
from littlestone.theory.decomposition import (
    Decompositions,
    DecompositionTree,
    Node,
    check_tree,
    decompose,
    is_irreducible,
    leaf_bound,
    reduces,
    reducing_path,
)

DISAGREEING = ("0000 0001 0010 0101 0110 1001 1010", "0000 0001 0100 0110 0111 1000 1011 1110")
"""Classes whose optimal trees for p = 1 share no SOA of a top leaf: nothing is essential."""


def rows_of(H: FiniteClass) -> Rows:
    """The class as rows of labels."""
    return frozenset(tuple(h(x) for x in H.domain) for h in H)


def disagreeing() -> list[FiniteClass]:
    """The classes of `DISAGREEING`."""
    return [
        FiniteClass.from_array([[int(y) for y in row] for row in text.split()])
        for text in DISAGREEING
    ]


@cache
def small_classes(trial: Trial) -> tuple[FiniteClass, ...]:
    """All 79 classes over three points up to their order, and classes without essential hypotheses."""
    more = unordered_classes(4) if trial.deep else disagreeing()
    return (*unordered_classes(3), *more)


def _settings(trial: Trial) -> Iterator[tuple[FiniteClass, Rows, int, int]]:
    """Each class with p = 1, 2, 3 and d = LDim, LDim + 1; only p = 1 if there are four points."""
    for H in small_classes(trial):
        rows = rows_of(H)
        for p in (1, 2, 3) if H.domain.size == 3 else (1,):
            for more in (0, 1):
                yield H, rows, p, dimension_of_rows(rows) + more


SCOPE = "all classes over 3 points in one order, and two over 4 points; p <= 3, d = LDim, LDim + 1"
DEEP = "all classes over 4 points in one order, p = 1"


@statement("Lyu25 Definition 4.1", deep=DEEP)
def irreducible_classes(trial: Trial) -> Outcome:
    """Every choice of k points, labelled by the SOA.

    says: k-irreducible classes
    scope: all classes over 3 points in one order, and two over 4 points; k <= 4
    stated: reducible iff some k points labelled by the SOA lower LDim
    code: theory.decomposition.is_irreducible, theory.decomposition.reducing_path
    """
    wrong = cases = reducible = 0
    for H in small_classes(trial):
        for k in range(5):
            path = reducing_path(H, k)
            cases += 1
            reducible += path is not None
            wrong += is_irreducible(H, k) != irreducible(rows_of(H), k)
            wrong += (path is None) != irreducible(rows_of(H), k)
    return Outcome(
        f"{wrong} failures for {cases} classes and k, {reducible} of them reducible",
        wrong == 0 < reducible < cases,
    )


@statement("Lyu25 section 4.1", deep=DEEP)
def covers(trial: Trial) -> Outcome:
    """The sides of a reducing path, and its end.

    says: a k-reducible class is covered by k + 1 restrictions of smaller dimension
    scope: all classes over 3 points in one order, and two over 4 points; k <= 4
    stated: one side for each of at most k points, and the end
    code: theory.decomposition.reducing_path, theory.decomposition.reduces
    """
    wrong = paths = 0
    for H in small_classes(trial):
        for k in range(1, 5):
            path = reducing_path(H, k)
            if path is None:
                continue
            V, sides = rows_of(H), list[Rows]()
            for x, y in path:
                column = list(H.domain).index(x)
                sides.append(restrict(V, column, 1 - y))
                V = restrict(V, column, y)
            paths += 1
            wrong += len(path) > k or not reduces(H, path) or reduces(H, path[:-1])
            wrong += any(
                dimension_of_rows(side) >= dimension_of_rows(rows_of(H)) for side in (*sides, V)
            )
            wrong += frozenset().union(*sides, V) != rows_of(H)
    return Outcome(f"{wrong} failures for {paths} paths", wrong == 0 < paths)


@statement("Lyu25 Definition 4.2", scope=SCOPE, deep=DEEP)
def least_degree(trial: Trial) -> Outcome:
    """All valid trees, one by one, in place of a search.

    says: DDim is the least degree of all valid trees
    stated: the same number
    code: theory.decomposition.Decompositions, theory.decomposition.decomposition_dimension
    proof: proofs/decomposition.md#the-exact-search
    """
    wrong = cases = positive = 0
    for H, rows, p, d in _settings(trial):
        t, _ = optimal_tops(rows, p, d)
        cases += 1
        positive += t > 0
        wrong += Decompositions(p, d).dimension(H) != t
    return Outcome(f"{wrong} of {cases} differ; {positive} are > 0", wrong == 0 < positive)


def shape_of(tree: DecompositionTree[str], H: FiniteClass, i: int = 0) -> Shape:
    """The points and the leaves of a tree, from node number i on."""
    node, points = tree.nodes[i], list(H.domain)
    if node.point is None:
        return ()
    zero, one = (None if child is None else shape_of(tree, H, child) for child in node.after)
    return points.index(node.point), zero, one


def tree_of(shape: Shape, H: FiniteClass, p: int, d: int) -> DecompositionTree[str]:
    """The tree of that shape, whose leaves hold what gets there."""
    nodes: list[Node[str]] = []

    def add_node(shape: Shape, V: FiniteClass) -> int:
        here, points = len(nodes), list(H.domain)
        if not shape:
            nodes.append(Node(V))
            return here
        nodes.append(Node())
        x, *below = shape
        after = [
            None if child is None else add_node(child, V.restrict(points[x], y))
            for y, child in enumerate(below)
        ]
        nodes[here] = Node(point=points[x], after=tuple(after))
        return here

    add_node(shape, H)
    return DecompositionTree(p, d, tuple(nodes))


def change_shape(shape: Shape, rows: Rows) -> Iterator[Shape]:
    """The shape with one part of it cut to a leaf, left out, or asked for longer."""
    if not shape:
        yield from ((x, (), ()) for x in range(width(rows)))
        if len(rows) == 1:  # a point that splits nothing, again and again
            (row,) = rows
            for _ in range(5):
                shape = (0, None, shape) if row[0] else (0, shape, None)
                yield shape
        return
    yield ()
    x, *below = shape
    for y, child in enumerate(below):
        if child is None:
            continue
        for new in (None, *change_shape(child, restrict(rows, x, y))):
            zero, one = (new, below[1]) if y == 0 else (below[0], new)
            yield x, zero, one


@statement("Lyu25 Definition 4.2", deep=DEEP)
def valid_trees_only(trial: Trial) -> Outcome:
    """Leaves that can be reduced or are too deep, trees that lose hypotheses, and points too many.

    says: `check_tree` accepts what is a valid tree, and nothing else
    scope: greedy trees, changed in one place, of the same classes; p <= 3, d = LDim, LDim + 1
    stated: by the definition
    code: theory.decomposition.check_tree
    """
    wrong = valid = tried = 0
    for H, rows, p, d in _settings(trial):
        greedy = shape_of(decompose(H, p, d), H)
        for shape in (greedy, *change_shape(greedy, rows)):
            due = is_valid(rows, shape, p, d)
            tried, valid = tried + 1, valid + due
            wrong += (check_tree(tree_of(shape, H, p, d), H) is None) != due
    return Outcome(
        f"{wrong} of {tried:,} trees, of which {valid:,} are valid, are judged otherwise",
        wrong == 0 < valid < tried,
    )


@statement("Lyu25 Definition 4.3", scope=SCOPE, deep=DEEP)
def in_every_optimal_tree(trial: Trial) -> Outcome:
    """All optimal trees, one by one; those of some classes disagree on all their top SOAs.

    says: essential is what is a top SOA of every optimal tree, if anything is
    stated: the intersection over all optimal trees
    code: theory.decomposition.Decompositions, theory.decomposition.essential_hypotheses
    proof: proofs/decomposition.md#the-exact-search
    """
    wrong = cases = without = 0
    for H, rows, p, d in _settings(trial):
        _, tops = optimal_tops(rows, p, d)
        found: Any = Decompositions(p, d).essential(H)
        essential = frozenset.intersection(*tops)
        cases += 1
        without += not essential
        wrong += {tuple(f(x) for x in H.domain) for f in found} != essential
    return Outcome(f"{wrong} of {cases} differ; for {without} it is empty", wrong == 0 < without)


@statement("Lyu25 Lemma 4.1", "changed", scope=SCOPE, deep=DEEP)
def leaves_of_all_trees(trial: Trial) -> Outcome:
    """The most leaves of all valid trees, against N(p (2^(d-t) - 1), l - t).

    says: sharper, no valid tree has more leaves of LDim >= t, and some have as many
    stated: N(D, r) = sum_(i <= r) C(D, i)
    code: theory.decomposition.leaf_bound
    proof: proofs/decomposition.md#leaves-lemma-41
    """
    wrong = cases = equal = 0
    for _, rows, p, d in _settings(trial):
        for t in range(dimension_of_rows(rows) + 1):
            most, bound = most_leaves(rows, p, d, t), leaf_bound(p, d, dimension_of_rows(rows), t)
            cases += 1
            wrong += most > bound
            equal += most == bound
    return Outcome(f"{wrong} of {cases} counts exceed it, {equal} equal it", wrong == 0 < equal)


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
