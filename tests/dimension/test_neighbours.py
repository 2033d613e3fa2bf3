from __future__ import annotations

import inspect
import sys
from itertools import combinations, product

import numpy as np
import pytest
from definitions import (
    FAMILIES,
    batch_brute_force,
    graph_maps,
    pair_maps,
    random_table,
    teaching_brute_force,
    threshold_brute_force,
)

from littlestone import dimension
from littlestone.base.errors import DeclarationError
from littlestone.dimension import (
    CollapsingMap,
    HalfGraph,
    LabelTable,
    Question,
    dual_littlestone_dimension,
    dual_vc_dimension,
    graph_dimension,
    half_graph,
    is_half_graph,
    is_psi_shattered_set,
    is_shattered_set,
    is_teaching_set,
    multiclass_littlestone_dimension,
    natarajan_dimension,
    psi_littlestone_dimension,
    psi_n,
    psi_shattered_set,
    shattered_set,
    smallest_teaching_set,
    teaching_dimension,
    teaching_sets,
    threshold_dimension,
    vc_dimension,
)
from littlestone.dimension.half_graphs import half_graphs


def binary_tables(count: int, hypotheses: int = 16, points: int = 5) -> list[list[tuple[int, ...]]]:
    return [random_table(seed, hypotheses=hypotheses, points=points) for seed in range(count)]


def test_vc_agrees_with_brute_force_on_500_random_tables() -> None:
    for table in binary_tables(500):
        points = shattered_set(table)
        assert vc_dimension(table) == len(points) == batch_brute_force(table, pair_maps(2))
        assert is_shattered_set(table, points)


def test_natarajan_and_graph_agree_with_brute_force_on_300_random_tables() -> None:
    for seed in range(300):
        labels = 2 + seed % 3
        table = random_table(seed, hypotheses=14, points=3, labels=labels)
        assert natarajan_dimension(table) == batch_brute_force(table, pair_maps(labels))
        assert graph_dimension(table) == batch_brute_force(table, graph_maps(labels))


@pytest.mark.parametrize("name", FAMILIES)
def test_shattered_sets_of_every_family_check(name: str) -> None:
    psi = getattr(dimension, name)
    for seed in range(150):
        labels = 2 + seed % (2 if name == "psi_b" else 3)
        table = random_table(seed, hypotheses=14, points=3, labels=labels)
        found = psi_shattered_set(table, psi)
        assert is_psi_shattered_set(table, found)
        assert len(found) == batch_brute_force(table, FAMILIES[name](labels))


def test_questions_that_split_alike_at_two_points_are_not_confused() -> None:
    """Bit 0 of x0 can be asked beside bit 1 of x1 only, although x1's bit 0 splits like x0's."""
    table = [[y & 1, y] for y in range(4)]
    found = psi_shattered_set(table, ["0101", "0011"])
    assert len(found) == 2
    assert is_psi_shattered_set(table, found)


def test_threshold_dimension_agrees_with_brute_force_on_400_random_tables() -> None:
    for table in binary_tables(400):
        found = half_graph(table)
        assert threshold_dimension(table) == len(found.points) == threshold_brute_force(table)
        assert is_half_graph(table, found)
        assert all(is_half_graph(table, shorter) for shorter in half_graphs(table))


def test_teaching_dimension_agrees_with_brute_force_on_300_random_tables() -> None:
    for seed in range(300):
        table = random_table(seed, hypotheses=16, points=5, labels=2 + seed % 3)
        d = teaching_brute_force(table)
        sets = teaching_sets(table)
        assert teaching_dimension(table) == d == max(map(len, sets.values()))
        assert all(is_teaching_set(table, h, points) for h, points in sets.items())
        assert d == max(len(smallest_teaching_set(table, h)) for h in sets)
        assert {table[h] for h in sets} == set(table)


def test_relations_between_the_dimensions() -> None:
    for table in binary_tables(200, hypotheses=30, points=8):
        H = LabelTable.of(table, labels=2)
        vc, dual = vc_dimension(H), dual_vc_dimension(H)
        ldim, t = multiclass_littlestone_dimension(H), threshold_dimension(H)
        assert vc <= ldim <= H.size.bit_length() - 1
        assert dual < 2 ** (vc + 1)
        assert vc < 2 ** (dual + 1)
        # Alon, Livni, Malliaris, Moran (2019), Theorem 3.
        assert t < 2 ** (ldim + 1)
        assert t >= (ldim.bit_length() - 1 if ldim else 0)
        assert natarajan_dimension(H) == graph_dimension(H) == vc
        # A half-graph read backwards is a half-graph of the transposed table.
        assert threshold_dimension(H.transpose()) == t
        # A shattered set of d points holds a half-graph of d.
        assert vc <= t
        assert dual_littlestone_dimension(H) >= dual
        twice = H.transpose().transpose()
        assert vc_dimension(twice) == vc
        assert multiclass_littlestone_dimension(twice) == ldim


def test_relations_between_the_multiclass_dimensions() -> None:
    for seed in range(150):
        table = random_table(seed, hypotheses=30, points=5, labels=2 + seed % 5)
        natarajan, graph = natarajan_dimension(table), graph_dimension(table)
        assert natarajan <= graph
        assert natarajan <= multiclass_littlestone_dimension(table)
        assert graph <= psi_littlestone_dimension(table, dimension.psi_g)
        # Ben-David et al. (1995): the graph dimension is at most 4.67 log2(k + 1) Natarajan.
        assert graph <= 4.67 * np.log2(2 + seed % 5) * natarajan


def test_thresholds() -> None:
    for n in range(1, 20):
        table = [[int(x >= t) for x in range(n)] for t in range(n + 1)]
        assert threshold_dimension(table) == n
        assert vc_dimension(table) == 1
        assert dual_vc_dimension(table) == min(n - 1, 1)
        assert teaching_dimension(table) == min(n, 2)
        assert dual_littlestone_dimension(table) == n.bit_length() - 1


def test_a_half_graph_may_be_longer_than_the_stack_of_the_interpreter() -> None:
    n, limit = 400, sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 200)
    try:
        found = half_graph(np.triu(np.ones((n, n), dtype=int)))
    finally:
        sys.setrecursionlimit(limit)
    assert len(found.points) == n
    assert is_half_graph(np.triu(np.ones((n, n), dtype=int)), found)


def test_cubes_points_and_subsets() -> None:
    for n in range(1, 6):
        cube = list(product((0, 1), repeat=n))
        assert vc_dimension(cube) == teaching_dimension(cube) == threshold_dimension(cube) == n
        assert dual_vc_dimension(cube) == n.bit_length() - 1
        singletons = np.eye(n, dtype=int)
        assert threshold_dimension(singletons) == 1
        assert teaching_dimension(singletons) == (1 if n > 1 else 0)
        # With the empty set, every point must be shown to it.
        assert teaching_dimension([*singletons.tolist(), [0] * n]) == n
    for n, k in [(5, 2), (6, 3), (7, 2)]:
        subsets = [[int(x in s) for x in range(n)] for s in combinations(range(n), k)]
        assert vc_dimension(subsets) == min(k, n - k)
        assert multiclass_littlestone_dimension(subsets) == min(k, n - k)


def test_parities() -> None:
    n = 4
    parities = [[(i & j).bit_count() % 2 for j in range(2**n)] for i in range(2**n)]
    assert vc_dimension(parities) == dual_vc_dimension(parities) == n
    assert multiclass_littlestone_dimension(parities) == n
    assert threshold_dimension(parities) == n
    assert teaching_dimension(parities) == n


def test_equal_rows_and_columns_change_nothing() -> None:
    for table in binary_tables(40, hypotheses=10, points=5):
        twice = np.vstack([np.array(table), np.array(table)])
        wide = np.hstack([twice, twice])
        for measure in (vc_dimension, threshold_dimension, teaching_dimension, dual_vc_dimension):
            assert measure(wide) == measure(table)


def test_one_function_has_every_dimension_0() -> None:
    for measure in (vc_dimension, teaching_dimension, natarajan_dimension, graph_dimension):
        assert measure([[0, 1, 0]]) == 0
    assert threshold_dimension([[0, 0]]) == 0
    assert half_graph([[0, 0]]) == HalfGraph((), ())
    assert teaching_sets([[0, 1], [0, 1]]) == {0: ()}


def test_damaged_witnesses_are_rejected() -> None:
    cube = list(product((0, 1), repeat=3))
    assert is_shattered_set(cube, (0, 1, 2))
    for points in [(0, 0), (0, 3), (-1, 0)]:
        assert not is_shattered_set(cube, points)
    assert not is_shattered_set(cube[1:], (0, 1, 2))

    thresholds = [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
    assert is_half_graph(thresholds, HalfGraph((0, 1, 2), (0, 1, 2)))
    for wrong in [
        HalfGraph((0, 1, 2), (0, 1)),
        HalfGraph((1, 0, 2), (0, 1, 2)),
        HalfGraph((0, 1, 3), (0, 1, 2)),
        HalfGraph((0, 1, 2), (0, 1, -1)),
        HalfGraph((0, 1, 2), (0, 0, 2)),
    ]:
        assert not is_half_graph(thresholds, wrong)

    assert is_teaching_set(thresholds, 1, [0, 1])
    assert not is_teaching_set(thresholds, 1, [1])
    assert not is_teaching_set(thresholds, 1, [0, 3])
    assert not is_teaching_set(thresholds, 3, [0, 1, 2])

    full = list(product(range(3), repeat=2))
    found = psi_shattered_set(full, psi_n)
    assert is_psi_shattered_set(full, found)
    for wrong_set in [
        (found[0], found[0]),
        (found[0], Question(2, found[1].phi)),
        (found[0], Question(1, CollapsingMap((0,), (3,)))),
    ]:
        assert not is_psi_shattered_set(full, wrong_set)


@pytest.mark.parametrize(
    "measure",
    [
        vc_dimension,
        threshold_dimension,
        dual_vc_dimension,
        dual_littlestone_dimension,
    ],
)
def test_binary_dimensions_refuse_other_labels_and_point_elsewhere(measure: object) -> None:
    assert callable(measure)
    with pytest.raises(DeclarationError, match=r"other labels than 0 and 1.*\n.*multiclass"):
        measure([[0, 2]])
    with pytest.raises(DeclarationError, match="row 2 has 1 entries"):
        measure([[0, 1], [1]])


def test_a_hypothesis_that_is_not_there_cannot_be_taught() -> None:
    with pytest.raises(DeclarationError, match=r"numbered 0\.\.1"):
        smallest_teaching_set([[0], [1]], 2)
