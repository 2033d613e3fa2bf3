"""Lyu25, section 4: its definitions on all small classes, by the definitions themselves."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from littlestone.classes import FiniteClass
from littlestone.prove.papers.families import unordered_classes
from littlestone.prove.papers.statement import Outcome, Trial, statement
from littlestone.prove.papers.valid_trees import (
    Rows,
    Shape,
    dimension_of_rows,
    irreducible,
    is_valid,
    most_leaves,
    optimal_tops,
    restrict,
    width,
)
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


@statement(
    id="Lyu25 Definition 4.1",
    says="k-irreducible classes",
    code="theory.decomposition.is_irreducible, theory.decomposition.reducing_path",
    scope="all classes over 3 points in one order, and two over 4 points; k <= 4",
    deep=DEEP,
    status="as stated",
)
def irreducible_classes(trial: Trial) -> Outcome:
    """Every choice of k points, labelled by the SOA."""
    wrong = cases = reducible = 0
    for H in small_classes(trial):
        for k in range(5):
            path = reducing_path(H, k)
            cases += 1
            reducible += path is not None
            wrong += is_irreducible(H, k) != irreducible(rows_of(H), k)
            wrong += (path is None) != irreducible(rows_of(H), k)
    return Outcome(
        "reducible iff some k points labelled by the SOA lower LDim",
        f"{wrong} failures for {cases} classes and k, {reducible} of them reducible",
        wrong == 0 < reducible < cases,
    )


@statement(
    id="Lyu25 section 4.1",
    says="a k-reducible class is covered by k + 1 restrictions of smaller dimension",
    code="theory.decomposition.reducing_path, theory.decomposition.reduces",
    scope="all classes over 3 points in one order, and two over 4 points; k <= 4",
    deep=DEEP,
    status="as stated",
)
def covers(trial: Trial) -> Outcome:
    """The sides of a reducing path, and its end."""
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
    return Outcome(
        "one side for each of at most k points, and the end",
        f"{wrong} failures for {paths} paths",
        wrong == 0 < paths,
    )


@statement(
    id="Lyu25 Definition 4.2",
    says="DDim is the least degree of all valid trees",
    code="theory.decomposition.Decompositions, theory.decomposition.decomposition_dimension",
    scope=SCOPE,
    deep=DEEP,
    status="as stated",
    proof="proofs/decomposition.md#the-exact-search",
)
def least_degree(trial: Trial) -> Outcome:
    """All valid trees, one by one, in place of a search."""
    wrong = cases = positive = 0
    for H, rows, p, d in _settings(trial):
        t, _ = optimal_tops(rows, p, d)
        cases += 1
        positive += t > 0
        wrong += Decompositions(p, d).dimension(H) != t
    return Outcome(
        "the same number",
        f"{wrong} of {cases} differ; {positive} are > 0",
        wrong == 0 < positive,
    )


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


@statement(
    id="Lyu25 Definition 4.2",
    says="`check_tree` accepts what is a valid tree, and nothing else",
    code="theory.decomposition.check_tree",
    scope="greedy trees, changed in one place, of the same classes; p <= 3, d = LDim, LDim + 1",
    deep=DEEP,
    status="as stated",
)
def valid_trees_only(trial: Trial) -> Outcome:
    """Leaves that can be reduced or are too deep, trees that lose hypotheses, and points too many."""
    wrong = valid = tried = 0
    for H, rows, p, d in _settings(trial):
        greedy = shape_of(decompose(H, p, d), H)
        for shape in (greedy, *change_shape(greedy, rows)):
            due = is_valid(rows, shape, p, d)
            tried, valid = tried + 1, valid + due
            wrong += (check_tree(tree_of(shape, H, p, d), H) is None) != due
    return Outcome(
        "by the definition",
        f"{wrong} of {tried:,} trees, of which {valid:,} are valid, are judged otherwise",
        wrong == 0 < valid < tried,
    )


@statement(
    id="Lyu25 Definition 4.3",
    says="essential is what is a top SOA of every optimal tree, if anything is",
    code="theory.decomposition.Decompositions, theory.decomposition.essential_hypotheses",
    scope=SCOPE,
    deep=DEEP,
    status="as stated",
    proof="proofs/decomposition.md#the-exact-search",
)
def in_every_optimal_tree(trial: Trial) -> Outcome:
    """All optimal trees, one by one; those of some classes disagree on all their top SOAs."""
    wrong = cases = without = 0
    for H, rows, p, d in _settings(trial):
        _, tops = optimal_tops(rows, p, d)
        found: Any = Decompositions(p, d).essential(H)
        essential = frozenset.intersection(*tops)
        cases += 1
        without += not essential
        wrong += {tuple(f(x) for x in H.domain) for f in found} != essential
    return Outcome(
        "the intersection over all optimal trees",
        f"{wrong} of {cases} differ; for {without} it is empty",
        wrong == 0 < without,
    )


@statement(
    id="Lyu25 Lemma 4.1",
    says="sharper, no valid tree has more leaves of LDim >= t, and some have as many",
    code="theory.decomposition.leaf_bound",
    scope=SCOPE,
    deep=DEEP,
    status="changed",
    proof="proofs/decomposition.md#leaves-lemma-41",
)
def leaves_of_all_trees(trial: Trial) -> Outcome:
    """The most leaves of all valid trees, against N(p (2^(d-t) - 1), l - t)."""
    wrong = cases = equal = 0
    for _, rows, p, d in _settings(trial):
        for t in range(dimension_of_rows(rows) + 1):
            most, bound = most_leaves(rows, p, d, t), leaf_bound(p, d, dimension_of_rows(rows), t)
            cases += 1
            wrong += most > bound
            equal += most == bound
    return Outcome(
        "N(D, r) = sum_(i <= r) C(D, i)",
        f"{wrong} of {cases} counts exceed it, {equal} equal it",
        wrong == 0 < equal,
    )
