"""Decompositions of classes of several labels: trees are valid and optimal, leaves as few as proved."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from each import each
from littlestone.classes import FiniteClass, parse_class
from littlestone.data.sample import Sample
from littlestone.show.tree import class_tree, decomposition_drawing
from littlestone.theory.decomposition import (
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
    top_hypotheses,
)

RNG = np.random.default_rng(21)
TABLES = [RNG.integers(0, k + 1, size=(2 + i % 7, 2 + i % 2)) for i in range(12) for k in (2, 3)]


def named(table: Any) -> FiniteClass:
    return FiniteClass.from_array(table, labels=int(table.max()) + 1 if table.max() > 1 else 3)


def least_degree(H: FiniteClass, p: int, d: int) -> int:
    """The least degree of a valid (p, d)-tree, by trying all trees."""

    @cache
    def degree(V: FiniteClass, depth: int) -> float:
        dimension = V.littlestone_dimension()
        if depth > p * (2 ** (d - dimension + 1) - 1):
            return float("inf")
        k = p * 2 ** (d - dimension)
        leaf = depth <= k - p and is_irreducible(V, k)
        best = float(dimension) if leaf else float("inf")
        for x in V.domain:
            sides = [W for y in range(V.labels) if not (W := V.restrict(x, y)).is_empty()]
            if len(sides) > 1:
                best = min(best, max(degree(W, depth + 1) for W in sides))
        return best

    return int(degree(H, 0))


@each("table", TABLES, ids=lambda table: str(table.tolist()))
@each("p", [1, 2])
def test_trees(table: Any, p: int) -> None:
    H = named(table)
    d = H.littlestone_dimension()
    t = decomposition_dimension(H, p)
    assert t == least_degree(H, p, d)
    best, greedy = optimal_tree(H, p), decompose(H, p)
    assert check_tree(best, H) is None
    assert check_tree(greedy, H) is None
    assert best.degree == t <= greedy.degree
    essential = essential_hypotheses(H, p)
    assert set(certain_hypotheses(greedy)) <= set(essential) <= set(best.hypotheses())
    for tree in (best, greedy):
        leaves = [V.littlestone_dimension() for V in tree.leaves()]
        for least in range(d + 1):
            bound = leaf_bound(p, d, d, least, labels=H.labels)
            assert sum(dimension >= least for dimension in leaves) <= bound


@pytest.mark.parametrize("table", TABLES, ids=lambda table: str(table.tolist()))
def test_trees_of_balls(table: Any) -> None:
    """A ball of several cells is split at the points of its sample, whatever labels these have."""
    H = named(table)
    sample = Sample.from_examples(H.domain, [(x, 2) for x in H.domain], labels=H.labels)
    for radius in range(len(sample.points) + 1):
        ball = error_ball(H, sample, radius)
        if not ball.is_empty():
            union = replace(H, alive=sum(V.alive for V, _ in ball.cells))  # type: ignore[attr-defined]
            tree = decompose(ball, len(sample.points))
            assert check_tree(tree, union) is None
            assert top_hypotheses(ball, len(sample.points))[0] == tree.degree


def test_the_bound_of_two_labels_is_too_small() -> None:
    H = named(np.array([[0], [1], [2]]))
    leaves = len(list(optimal_tree(H, 1).leaves()))
    assert leaf_bound(1, 1, 1) < leaves <= leaf_bound(1, 1, 1, labels=3) == 3


def test_reducing_paths() -> None:
    for table in TABLES:
        H = named(table)
        for k in range(4):
            path = reducing_path(H, k)
            assert is_irreducible(H, k) == (path is None)
            assert path is None or (len(path) <= k and reduces(H, path))


def test_outcomes_are_reduced_where_any_points_reduce_them() -> None:
    """Against all pairs of points of the values of examples and two new ones of each column."""
    rng, reduced = np.random.default_rng(4), 0
    for text in (
        "outcomes(a; at most 2)",
        "outcomes(a, b; at most 1)",
        "outcomes(a, b; at most 2)",
    ):
        H = parse_class(text, labels=3)
        points = list(product(*(["u", "v", "w", "z"] for _ in H.domain.columns)))  # type: ignore[attr-defined]
        for _ in range(12):
            V, left = H, int(rng.integers(0, 4))
            while left and not V.is_empty():
                x = tuple("uv"[int(i)] for i in rng.integers(0, 2, len(points[0])))
                V, left = V.restrict(x, int(rng.integers(0, 3))), left - 1
            if V.is_empty():
                continue
            d, labels = V.littlestone_dimension(), {x: V.soa_label(x) for x in points}
            for k in (1, 2):
                expected = any(
                    reduces(V, tuple((x, labels[x]) for x in chosen))
                    for chosen in combinations(points, k)
                )
                assert is_irreducible(V, k) != expected, (V, k, d)
                reduced += expected
    assert reduced > 10


def test_a_missing_place_is_found() -> None:
    H = named(np.array([[0, 1], [1, 2], [2, 0]]))
    tree = optimal_tree(H, 1)
    root = tree.nodes[0]
    cut = type(root)(None, root.point, root.after[:2])
    assert "after each label" in str(check_tree(type(tree)(1, tree.d, (cut, *tree.nodes[1:])), H))


def test_drawings() -> None:
    H = named(np.array([[x, y] for x in range(3) for y in range(3)]))
    root = class_tree(H, levels=4)
    assert (root.ends, [y for y, _ in root.after]) == (4, [0, 1])
    drawn = decomposition_drawing(optimal_tree(H, 1), H, levels=4)
    assert [y for y, _ in drawn.after] == [0, 1, 2]
    rules = parse_class("outcomes(a; at most 1)", labels=3)
    assert class_tree(rules, levels=4).ends == 1 << int(rules.littlestone_dimension())
