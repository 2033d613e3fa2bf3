from __future__ import annotations

from itertools import product
from math import comb

import pytest
from definitions import random_table, trees, zero_cover_brute_force

from littlestone.base.errors import DeclarationError
from littlestone.dimension import (
    multiclass_littlestone_dimension,
    psi_b,
    psi_littlestone_dimension,
    zero_cover_function,
    zero_cover_number,
)


def test_the_recursion_is_the_definition() -> None:
    """By trying all sets of output-labelled trees, on trees of depth 1 and 2."""
    tried = 0
    for seed in range(80):
        labels = 2 + seed % 2
        table = random_table(seed, hypotheses=4 if labels == 3 else 8, points=2, labels=labels)
        points = len(table[0])
        for tree in [*trees(points, 1), *trees(points, 2)]:
            tried += 1
            expected = zero_cover_brute_force(table, tree, labels)
            assert zero_cover_number(table, tree) == expected
    assert tried > 400


def test_the_function_is_the_maximum_over_all_trees() -> None:
    for seed in range(90):
        table = random_table(seed, hypotheses=14, points=3, labels=2 + seed % 4)
        points = len(table[0])
        for depth in (1, 2, 3):
            if points ** (2**depth - 1) <= 128:
                most = max(zero_cover_number(table, tree) for tree in trees(points, depth))
                assert zero_cover_function(table, depth) == most


def test_one_tree_for_all_labels_can_be_worse_than_one_for_each() -> None:
    """Why the recursion runs over families: three version spaces share two subtrees."""
    # The label y at x0 says at which of the points x1, x2, x3 two functions differ.
    table = [(y, *(bit * (x == y) for x in range(3))) for y in range(3) for bit in (0, 1)]
    separate = [zero_cover_function([row for row in table if row[0] == y], 1) for y in range(3)]
    assert sum(separate) == 6
    assert zero_cover_function(table, 2) == 5
    assert max(zero_cover_number(table, tree) for tree in trees(4, 2)) == 5


def test_the_full_class_needs_all_output_labelled_paths() -> None:
    for labels in (2, 3):
        full = list(product(range(labels), repeat=3))
        assert [zero_cover_function(full, b) for b in range(4)] == [labels**b for b in range(4)]


def test_sauer_for_littlestone_is_tight_on_some_class() -> None:
    """Theorem 5.6 with equality: at most d ones, for which the dimension is d."""
    for d in range(4):
        table = [row for row in product((0, 1), repeat=4) if sum(row) <= d]
        assert multiclass_littlestone_dimension(table) == d
        for n in range(5):
            assert zero_cover_function(table, n) == sum(comb(n, i) for i in range(min(n, d) + 1))


def test_a_class_of_dimension_d_needs_2_to_the_d() -> None:
    for seed in range(60):
        table = random_table(seed, hypotheses=10, points=3, labels=2 + seed % 3)
        d = psi_littlestone_dimension(table, psi_b)
        assert zero_cover_function(table, d) >= 2**d


@pytest.mark.parametrize("tree", [[0, 0], [2], [-1], [0, 1, 2]])
def test_a_tree_that_is_none_is_refused(tree: list[int]) -> None:
    with pytest.raises(DeclarationError, match="heap"):
        zero_cover_number([[0, 1]], tree)


def test_no_depth_below_0() -> None:
    assert zero_cover_number([[0, 1]], []) == zero_cover_function([[0, 1]], 0) == 1
    with pytest.raises(DeclarationError, match="negative"):
        zero_cover_function([[0, 1]], -1)
