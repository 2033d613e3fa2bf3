"""Exact dimensions, trees, their checker and bounds, against the definitions and planted errors."""

from __future__ import annotations

import importlib
import inspect
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from littlestone.base.errors import DeclarationError, EmptyClassError
from littlestone.classes import FiniteClass, Points, Thresholds
from littlestone.data.sample import Sample
from littlestone.points import Integers, Reals, Strings
from littlestone.prove.papers.lyu25_trees import (
    Row,
    Rows,
    dimension_of_rows,
    irreducible,
    most_leaves,
    optimal_tops,
    soa,
    splits,
)
from littlestone.theory.decomposition import (
    Decompositions,
    DecompositionTree,
    Node,
    TooLargeError,
    certain_hypotheses,
    check_tree,
    decompose,
    decomposition_dimension,
    error_ball,
    essential_hypotheses,
    is_irreducible,
    leaf_bound,
    optimal_tree,
    reduces,
    reducing_path,
    refine,
    top_hypotheses,
)
from littlestone.theory.decomposition.tree_search import MOST_ABOVE

CLASSES_ON_THREE_POINTS: list[Rows] = [
    frozenset(row for i, row in enumerate(product((0, 1), repeat=3)) if mask >> i & 1)
    for mask in range(1, 256)
]
SINGLETONS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


def finite(rows: Rows) -> FiniteClass:
    return FiniteClass.from_array(sorted(rows))


def random_rows(seed: int) -> Rows:
    """Classes on four or five points; the odd ones hold all singletons and are hard to reduce."""
    rng = random.Random(seed)
    points = rng.choice([4, 5])
    rows = {tuple(rng.randrange(2) for _ in range(points)) for _ in range(rng.randrange(1, 7))}
    if seed % 2:
        rows |= {tuple(int(x == y) for x in range(points)) for y in range(points)}
    return frozenset(rows)


# Classes with p = 1, DDim = 1 and no essential hypothesis: their optimal trees disagree.
DISAGREEING: list[Rows] = [
    frozenset(tuple(map(int, row)) for row in text.split())
    for text in (
        "0000 0001 0100 0110 0111 1000 1011 1110",
        "0000 0001 0100 1000 1010 1011 1110",
        "00000 00001 00100 01110 10000 10010 10110 11011",
        "000010 001000 001010 001100 010000 010010 011000 100010",
    )
]
ROWS = [*CLASSES_ON_THREE_POINTS, *map(random_rows, range(24)), *DISAGREEING]


def rows_of(V: Any) -> Rows:
    return frozenset(tuple(h(x) for x in V.domain) for h in V)


def dimension_and_essential(
    rows: Rows, p: int, d: int, idle: bool = False
) -> tuple[int, frozenset[Row]]:
    """DDim_(p,d), and the SOAs that are tops of every optimal tree: Definition 4.3."""
    t, tops = optimal_tops(rows, p, d, idle)
    return t, frozenset.intersection(*tops)


def test_irreducibility_and_reducing_paths() -> None:
    for rows in ROWS:
        H = finite(rows)
        for k in range(5):
            path = reducing_path(H, k)
            assert is_irreducible(H, k) == (path is None) == irreducible(rows, k)
            if path is not None:
                assert len(path) <= k
                assert reduces(H, path)
                assert not reduces(H, path[:-1])


@pytest.mark.deep
@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("more", [0, 1])
def test_dimension_and_essential_hypotheses(p: int, more: int) -> None:
    for rows in ROWS:
        H, d = finite(rows), dimension_of_rows(rows) + more
        t, essential = dimension_and_essential(rows, p, d)
        assert decomposition_dimension(H, p, d) == t
        found = {tuple(f(x) for x in H.domain) for f in essential_hypotheses(H, p, d)}
        assert found == essential
        tree = optimal_tree(H, p, d)
        assert (check_tree(tree, H), tree.degree) == (None, t)
        greedy = decompose(H, p, d)
        assert check_tree(greedy, H) is None
        assert greedy.degree >= t
        certain = {tuple(f(x) for x in H.domain) for f in certain_hypotheses(greedy)}
        assert certain <= essential
        assert not certain or greedy.degree == t


def test_idle_splits_change_nothing() -> None:
    for rows in CLASSES_ON_THREE_POINTS:
        for p in (1, 2):
            d = dimension_of_rows(rows)
            assert dimension_and_essential(rows, p, d) == dimension_and_essential(rows, p, d, True)


def bound_failures(bound: Callable[..., int]) -> list[object]:
    wrong: list[object] = []
    for rows in ROWS:
        for p in (1, 2):
            span = dimension_of_rows(rows)
            wrong += [
                (rows, p, d, t)
                for d in (span, span + 1)
                for t in range(span + 1)
                if most_leaves(rows, p, d, t) > bound(p, d, span, t)
            ]
    # Attained by singletons on D = p (2^d - 1) points, and the worth of larger ones by hand.
    known = {(1, 2, 1, 0): 4, (2, 2, 1, 0): 7, (1, 2, 2, 0): 7, (2, 3, 2, 1): 7, (5, 3, 3, 3): 1}
    wrong += [arguments for arguments, value in known.items() if bound(*arguments) != value]
    return wrong


def test_leaf_bound() -> None:
    assert bound_failures(leaf_bound) == []


def test_some_tree_has_as_many_leaves_as_the_bound_for_dimension_two() -> None:
    """p = 1, d = 2: D = 3, N(3, 2) = 7; the cube but for one function, or fewer points."""
    found = max(
        most_leaves(rows, 1, 2, 0)
        for rows in CLASSES_ON_THREE_POINTS
        if dimension_of_rows(rows) == 2
    )
    assert found == leaf_bound(1, 2, 2) == 7


def test_lemma_4_1_counts_leaves_with_hypotheses_only() -> None:
    """H = {h}, p = d = 1: empty branches could make 5 leaves, and p^d 2^(d^2) = 2."""
    H = finite(frozenset({(0, 0, 0)}))
    chain = (Node(point="x0", after=(1, None)), Node(H))
    assert check_tree(DecompositionTree(1, 1, chain), H) is None
    # The branch x0 = 1 has LDim -1, so its leaves may be 3 deep: 4 of them below depth 1.
    assert 1 * (2 ** (1 - -1) - 1) == 3
    assert leaf_bound(1, 1, 0) == 1


# The checker


def damaged(tree: DecompositionTree[Any], H: FiniteClass) -> Iterator[DecompositionTree[Any]]:
    """Trees that are wrong in one place, or right by chance."""
    nodes = tree.nodes
    for i, node in enumerate(nodes):

        def put(new: Node[Any], i: int = i) -> DecompositionTree[Any]:
            return replace(tree, nodes=(*nodes[:i], new, *nodes[i + 1 :]))

        if node.space is None:
            yield put(replace(node, after=node.after[::-1]))
            yield put(replace(node, after=(node.after[0], None)))
            yield put(replace(node, after=(node.after[0], node.after[0])))
            yield put(replace(node, after=(node.after[0], len(nodes))))
        else:
            yield put(Node(H.restrict("x0", 0)))
            yield put(Node(None))
            for x in H.domain:
                grown = replace(
                    tree, nodes=(*nodes, *(Node(node.space.restrict(x, y)) for y in (0, 1)))
                )
                after = (len(nodes), len(nodes) + 1)
                yield replace(
                    grown, nodes=(*grown.nodes[:i], Node(None, x, after), *grown.nodes[i + 1 :])
                )
    yield replace(tree, nodes=())
    yield replace(tree, nodes=(*nodes, Node(H)))
    yield DecompositionTree(tree.p, tree.d, (Node(H),))
    for p, d in [(tree.p + 1, tree.d), (tree.p, tree.d + 1), (tree.p, tree.d - 1), (0, tree.d)]:
        yield DecompositionTree(p, d, nodes)


def valid(tree: DecompositionTree[Any], H: FiniteClass) -> bool:
    """Definition 4.2 on sets of rows, by recursion, with empty branches left out."""
    p, d = tree.p, tree.d
    reached = []

    def node(i: int, rows: Rows, depth: int) -> bool:
        if not rows or not 0 <= i < len(tree.nodes) or i in reached:
            return False
        reached.append(i)
        left = d - dimension_of_rows(rows)
        if depth > p * (2 ** (left + 1) - 1):
            return False
        v = tree.nodes[i]
        if v.space is not None:
            leaf = depth <= p * (2**left - 1) and irreducible(rows, p * 2**left)
            return leaf and rows_of(v.space) == rows
        if v.point is None:
            return False
        x = H.domain.index(v.point)
        sides = [frozenset(row for row in rows if row[x] == y) for y in (0, 1)]
        return all(
            not side if child is None else node(child, side, depth + 1)
            for side, child in zip(sides, v.after, strict=True)
        )

    if p < 1 or d < dimension_of_rows(rows_of(H)):
        return False
    return node(0, rows_of(H), 0) and len(reached) == len(tree.nodes)


def split_in_order(
    H: FiniteClass, points: list[str], keep: tuple[int, ...]
) -> tuple[Node[Any], ...]:
    """Every point splits every node of its depth; of the first point, only the labels ``keep``."""
    nodes: list[Node[Any]] = []

    def plant(V: FiniteClass, depth: int) -> int | None:
        if V.is_empty():
            return None
        here = len(nodes)
        nodes.append(Node(V))
        if depth < len(points):
            x = points[depth]
            zero, one = (
                plant(V.restrict(x, y), depth + 1) if depth or y in keep else None for y in (0, 1)
            )
            nodes[here] = Node(None, x, (zero, one))
        return here

    plant(H, 0)
    return tuple(nodes)


# The cube on x0, x1, x2, and two points that split nothing.
CUBE = frozenset((a, b, c, 0, 0) for a in (0, 1) for b in (0, 1) for c in (0, 1))


def candidates() -> Iterator[tuple[DecompositionTree[Any], FiniteClass]]:
    for rows in ROWS[::11]:
        H = finite(rows)
        for p, more in [(1, 0), (2, 0), (1, 1)]:
            tree = decompose(H, p, dimension_of_rows(rows) + more)
            yield tree, H
            for candidate in damaged(tree, H):
                yield candidate, H
    for rows in (CUBE, *ROWS[::30]):
        H, points = finite(rows), [f"x{i}" for i in range(len(next(iter(rows))))]
        for order in (points, points[::-1]):
            for p in (1, 2):
                for d in range(5):
                    for keep in ((0, 1), (0,)):
                        nodes = split_in_order(H, order, keep)
                        yield DecompositionTree(p, d, nodes), H


def checker_failures(checker: Callable[..., str | None]) -> list[object]:
    wrong: list[object] = []
    for tree, H in candidates():
        try:
            accepted = checker(tree, H) is None
        except Exception as error:
            wrong.append(error)
            continue
        if accepted != valid(tree, H):
            wrong.append((tree, H))
    return wrong


@pytest.mark.deep
def test_the_checker() -> None:
    assert checker_failures(check_tree) == []


def test_the_checker_explains() -> None:
    H = FiniteClass.from_array(SINGLETONS)
    low = H.restrict("x0", 0)
    for nodes, words in [
        ((Node(H),), "2-reducible"),
        ((Node(point="x0", after=(1, None)), Node(low)), "label 1 get lost"),
        ((Node(point="x0", after=(1, 2)), Node(low), Node(H)), "not that of its path"),
        ((), "no node"),
        ((Node(H, after=(None, None)),), "a leaf has neither a point nor children"),
        ((Node(H, "x0"),), "a leaf has neither a point nor children"),
        ((Node(point="elsewhere", after=(1, None)), Node(H)), "without a point of the domain"),
    ]:
        reason = check_tree(DecompositionTree(3, 1, nodes), H)
        assert reason is not None
        assert words.replace("2-reducible", "3-reducible") in reason


# Trees that grow


def chains() -> Iterator[list[tuple[FiniteClass, int]]]:
    """Shrinking classes, each with its p: singletons, which are hard to reduce, and a few more."""
    rng = random.Random(1)
    for _ in range(40):
        width = rng.choice([6, 8])
        rows = [tuple(int(x == y) for x in range(width)) for y in range(width + 1)]
        rows += [tuple(int(rng.random() < 0.3) for _ in range(width)) for _ in range(5)]
        C, stages = FiniteClass.from_array(rows), []
        extra = C.alive >> (width + 1) << (width + 1)
        for p in (1, 2, 4):
            stages.append((C, p))
            kept = C.alive & ~(extra & rng.getrandbits(width + 6))
            C = replace(C, alive=kept & ~(1 << rng.randrange(3 * width)))
        yield stages


def refine_failures(refine: Callable[..., DecompositionTree[Any]]) -> list[object]:
    """Each stage is valid, and every leaf lies in a leaf of the stage before."""
    wrong: list[object] = []
    for (H, p), *later in chains():
        for more in (0, 1):
            tree = decompose(H, p, H.littlestone_dimension() + more)
            for C, q in later:
                before, tree = tree, refine(tree, C, q)
                cells = [V.alive for V in before.leaves()]  # type: ignore[attr-defined]
                nested = all(
                    any(V.alive & ~cell == 0 for cell in cells)  # type: ignore[attr-defined]
                    for V in tree.leaves()
                )
                if check_tree(tree, C) is not None or not nested or tree.degree > before.degree:
                    wrong.append((C, q))
    return wrong


def test_refined_trees() -> None:
    assert refine_failures(refine) == []


def test_an_empty_subclass_has_the_empty_tree() -> None:
    H = FiniteClass.from_array(SINGLETONS)
    nothing = H.restrict("x0", 0).restrict("x0", 1)
    tree = refine(decompose(H, 1), nothing, 2)
    assert (tree.nodes, tree.degree, tree.hypotheses()) == ((), -1, [])
    assert check_tree(tree, nothing) is None


def test_deep_trees_need_no_recursion() -> None:
    H = Points(Integers())
    examples = [(x, 1) for x in range(1500)]
    ball = error_ball(H, Sample.from_examples(H.domain, examples), 1499)
    assert len(ball.cells) == 1500
    assert top_hypotheses(ball, p=1500)[0] == 0
    deep = Points(Integers(), excluded=frozenset(range(3)))
    nodes = [Node[Any](point=x, after=(x + 1, None)) for x in range(3000)]
    tree = refine(DecompositionTree(1, 20, (*nodes, Node(deep))), deep.restrict(2999, 0), 2)
    assert len(tree.nodes) > 3000


# Planted errors


def planted(module: str, old: str, new: str) -> ModuleType:
    """The module with one piece of its text replaced."""
    original = importlib.import_module(f"littlestone.theory.decomposition.{module}")
    text = inspect.getsource(original)
    assert text.count(old) == 1, text.count(old)
    broken = ModuleType(original.__name__)
    exec(compile(text.replace(old, new), module, "exec"), broken.__dict__)
    return broken


@pytest.mark.deep
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2 ** (d - most + 1) - 1", "2 ** (d - most + 3) - 1"),
        ("(2 ** (d - most) - 1), p", "(2 ** (d - most) + 1), p"),
        ("p * 2 ** (d - most)\n", "p\n"),
        ("elif not side.is_empty():", "elif False:"),
        ("node.space != V", "False"),
        ("if reached == len(tree.nodes)", "if True"),
        ("p < 1 or ", ""),
        ("not _most(H) <= d", "False"),
    ],
)  # fmt: skip
def test_a_broken_checker_is_caught(old: str, new: str) -> None:
    assert checker_failures(planted("valid_trees", old, new).check_tree)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("2 ** (d - t) - 1), labels", "2 ** (d - t) - 2), labels"),
        ("2 ** (d - t) - 1), labels", "2**d - 1), labels"),
        ("range(dimension - t + 1)", "range(dimension - t)"),
        ("range(dimension - t + 1)", "range(dimension + 1)"),
        ("range(dimension - t + 1)", "range(d - t + 1)"),
    ],
)
def test_a_wrong_leaf_count_is_caught(old: str, new: str) -> None:
    try:
        failures = bound_failures(planted("valid_trees", old, new).leaf_bound)
    except ValueError:
        return
    assert failures


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("_grow(C, p, tree.d, tree.nodes, most)", "_grow(C, p, tree.d, (), most)"),
        ("_grow(C, p, tree.d, tree.nodes, most)", "tree"),
        ("path or _next_path(space, p, d)", "path or (() if old else _next_path(space, p, d))"),
        ("path or _next_path(space, p, d)", "path or _next_path(space, 2 * p, d)"),
        ("p * 2 ** (d - int(V.littlestone_dimension()))", "p"),
    ],
)  # fmt: skip
def test_a_broken_refine_is_caught(old: str, new: str) -> None:
    broken = planted("tree_search", old, new)
    broken.__dict__["alone"] = importlib.import_module(
        "littlestone.theory.decomposition.valid_trees"
    ).alone
    assert refine_failures(broken.refine)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.deepest_leaf = int(k - shared.p)", "self.deepest_leaf = int(2 * k - shared.p)"),
        ("self.deepest_node = int(2 * k - shared.p)", "self.deepest_node = int(k - shared.p)"),
        ("self.deepest_node + 1", "0"),
        ("self.soa != avoid", "False"),
        ("self.irreducible = is_irreducible(V, k)", "self.irreducible = is_irreducible(V, 1)"),
        ("self.dimension > t", "self.dimension > t + 1"),
    ],
)
def test_a_broken_search_is_caught(old: str, new: str) -> None:
    broken = planted("tree_search", old, new)
    for rows in ROWS:
        for p in (1, 2):
            H, d = finite(rows), dimension_of_rows(rows)
            try:
                t = broken.decomposition_dimension(H, p, d)
                found = broken.essential_hypotheses(H, p, d)
                tree = broken.optimal_tree(H, p, d)
            except Exception:
                return
            essential = frozenset(tuple(f(x) for x in H.domain) for f in found)
            if (t, essential) != dimension_and_essential(rows, p, d):
                return
            if check_tree(tree, H) is not None:
                return
    pytest.fail("not caught")


# Error balls and infinite classes


def test_balls_of_smaller_radius_and_restricted_balls() -> None:
    rng = np.random.default_rng(3)
    for rows in ROWS[200:260]:
        H = finite(rows)
        counts = {x: rng.integers(0, 3, size=2).tolist() for x in H.domain if rng.random() < 0.7}
        sample = Sample.from_counts(H.domain, counts)
        ball = error_ball(H, sample, 4)
        for radius in range(5):
            smaller = ball.shrink(radius)
            assert set(smaller.cells) == set(error_ball(H, sample, radius).cells)
            for x in H.domain:
                for y in (0, 1):
                    inside = smaller.restrict(x, y)
                    other = error_ball(H.restrict(x, y), sample, radius)
                    assert set(inside.cells) == set(other.cells)
                    assert inside.whole == other.whole


def test_a_ball_of_one_cell_is_checked_as_that_cell() -> None:
    H = Thresholds.on(0, 14)
    ball = error_ball(H, Sample.from_examples(H.domain, [(7, 1)]), 0)
    ((V, _),) = ball.cells
    assert V.littlestone_dimension() < H.littlestone_dimension()
    assert check_tree(decompose(V, 2), ball) is None


def test_trees_of_balls_grow() -> None:
    """A teacher whose sample grows, with p twice the number of points and then twice as large."""
    rng = random.Random(5)
    for seed in range(40):
        H = finite(random_rows(2 * seed + 1))
        d = H.littlestone_dimension() + 1
        points = list(H.domain)
        examples = [(x, rng.randrange(2)) for x in points[:2]]
        tree = decompose(error_ball(H, Sample.from_examples(H.domain, examples), 1), 2, d)
        for p in (4, 8):
            examples.append((points[p // 4 + 1], rng.randrange(2)))
            ball = error_ball(H, Sample.from_examples(H.domain, examples), 1)
            union = replace(H, alive=sum(V.alive for V, _ in ball.cells))  # type: ignore[attr-defined]
            tree = refine(tree, ball, p)
            assert check_tree(tree, union) is None


@pytest.mark.parametrize("points", [3, 4, 5])
def test_what_is_certain_withstands_one_point_more_than_the_deepest_node(points: int) -> None:
    # A tree is one leaf here; it withstands p + 1 points if there are more than p + 1.
    rows = np.vstack([np.zeros((1, points), int), np.eye(points, dtype=int)])
    for p in (1, 2):
        found = certain_hypotheses(decompose(FiniteClass.from_array(rows), p))
        assert len(found) == (points > p + 1)


def test_infinite_classes() -> None:
    H = Points(Strings("dest"))
    sample = Sample.from_examples(H.domain, [("a", 1), ("a", 1), ("b", 1), ("c", 0)])
    ball = error_ball(H, sample, 3)
    tree = decompose(ball, 3)
    assert check_tree(tree, ball) is None
    assert certain_hypotheses(tree) == tree.hypotheses() == [H.soa()]
    assert {f.words() for f in tree.hypotheses(0)} == {"dest is 'a'", "dest is 'b'"}
    assert top_hypotheses(ball, 3) == (1, [H.soa()])
    degree, listed = top_hypotheses(ball.shrink(2), 3)
    assert (degree, {f.words() for f in listed}) == (0, {"dest is 'a'", "dest is 'b'"})
    assert top_hypotheses(ball.shrink(0), 3) == (-1, [])


def test_thresholds_are_cut_into_single_functions() -> None:
    H = Thresholds.on(0, 14)
    tree = decompose(H, 2)
    assert check_tree(tree, H) is None
    assert decomposition_dimension(H, 2) == tree.degree == 0
    assert len(tree.hypotheses()) == len(essential_hypotheses(H, 2)) == 16


def test_refusals() -> None:
    H = FiniteClass.from_array(SINGLETONS)
    nothing = H.restrict("x0", 0).restrict("x0", 1)
    illegal: list[tuple[Any, Any]] = [(0, 1), (-1, None), (1, 0), (1.5, None), ("3", 1), (1, 2.0)]
    for p, d in illegal:
        for what in (decompose, decomposition_dimension, essential_hypotheses, optimal_tree):
            with pytest.raises(DeclarationError, match="p = "):
                what(H, p, d)
    shared = Decompositions(1, 0)
    assert shared.dimension(H.restrict("x0", 1)) == 0
    with pytest.raises(DeclarationError, match="d >= 1"):
        shared.dimension(H)
    with pytest.raises(EmptyClassError):
        decompose(nothing, 1)
    with pytest.raises(DeclarationError, match="p >= 2"):
        refine(decompose(H, 2), H, 1)
    with pytest.raises(DeclarationError, match="infinite"):
        check_tree(decompose(H, 1), Thresholds.over(Reals()))
    with pytest.raises(DeclarationError, match="infinite"):
        decompose(Thresholds.over(Reals()), 1)
    with pytest.raises(TooLargeError, match="64 points"):
        decomposition_dimension(Points(Strings()), 1)
    with pytest.raises(TooLargeError, match="more than 3 version spaces"):
        decomposition_dimension(H, 3, most=3)
    with pytest.raises(TooLargeError, match="more nodes"):
        decompose(Thresholds.on(0, 2**40), 2, most=1000)
    ball = error_ball(H, Sample.from_examples(H.domain, []), 0)
    for of_a_ball in (decompose, top_hypotheses):
        with pytest.raises(DeclarationError, match=r"(?s)dimension is 1\n.*d >= 2"):
            of_a_ball(ball, 1, 1)


def test_the_same_p_refines() -> None:
    H = Thresholds.on(0, 6)
    for p in (1, 2):
        tree = decompose(H, p)
        assert refine(tree, H, p) == tree
        below = H.restrict(3, 1)
        assert check_tree(refine(tree, below, p), below) is None


def version_spaces(rows: Rows) -> set[Rows]:
    """All that splits lead to."""
    found = {rows}
    for side in [side for sides in splits(rows) for side in sides]:
        found |= version_spaces(side)
    return found


def test_limits_are_the_last_numbers_allowed() -> None:
    singletons = frozenset(map(tuple, SINGLETONS))
    H, spaces = finite(singletons), len(version_spaces(singletons))
    assert decomposition_dimension(H, 3, most=spaces) == 0
    for of_all in (decomposition_dimension, essential_hypotheses, optimal_tree):
        with pytest.raises(TooLargeError, match=f"more than {spaces - 1} version spaces"):
            of_all(H, 3, most=spaces - 1)
    wide = [FiniteClass.from_array([[0] * points, [1] * points]) for points in (64, 65)]
    assert decomposition_dimension(wide[0], 1) == 0
    with pytest.raises(TooLargeError, match="more than 64 points"):
        decomposition_dimension(wide[1], 1)
    tree = decompose(H, 3)
    assert decompose(H, 3, most=len(tree.nodes)) == tree
    with pytest.raises(TooLargeError, match="more nodes"):
        decompose(H, 3, most=len(tree.nodes) - 1)
    assert refine(decompose(H, 1), H, 3, most=len(tree.nodes)).degree == 0
    with pytest.raises(TooLargeError, match="more nodes"):
        refine(decompose(H, 1), H, 3, most=len(tree.nodes) - 1)
    most_d = 1 + MOST_ABOVE
    assert decompose(H, 1, most_d).degree == decomposition_dimension(H, 1, most_d) == 0
    with pytest.raises(TooLargeError, match="100,000 above the Littlestone dimension, 1,"):
        decompose(H, 1, most_d + 1)


def test_a_limit_is_for_all_cells_of_a_ball() -> None:
    points = Points(Integers())
    examples = Sample.from_examples(points.domain, [(x, 1) for x in range(5)])
    ball = error_ball(points, examples, 5, most=20)
    with pytest.raises(TooLargeError):
        error_ball(points, examples, 5, most=len(ball.cells) - 1)
    nodes = sum(len(decompose(V, 5, 2).nodes) for V, _ in ball.cells)
    assert top_hypotheses(ball, 5, most=nodes) == top_hypotheses(ball, 5)
    with pytest.raises(TooLargeError, match="more nodes"):
        top_hypotheses(ball, 5, most=nodes - 1)


def test_only_reducing_paths_are_split() -> None:
    """x0 = 0, x1 = 0, x2 = 0 reduces the singletons; what leaves the path is one function."""
    tree = decompose(FiniteClass.from_array(SINGLETONS), 3)
    assert [node.point for node in tree.nodes if node.space is None] == ["x0", "x1", "x2"]
    assert len(tree.nodes) == 7


def test_the_soa_of_by_definition_is_that_of_the_class() -> None:
    for rows in ROWS[::10]:
        H = finite(rows)
        assert soa(rows) == tuple(H.soa()(x) for x in H.domain)
