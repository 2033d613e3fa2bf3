from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import permutations, product

import numpy as np
import pytest
from definitions import FAMILIES, Map, Row, psi_brute_force, random_table

from littlestone import dimension
from littlestone.base.errors import DeclarationError
from littlestone.classes import FiniteClass
from littlestone.dimension import (
    CollapsingMap,
    LabelTable,
    PsiTree,
    is_psi_shattered,
    multiclass_littlestone_dimension,
    psi_b,
    psi_bin,
    psi_g,
    psi_littlestone_dimension,
    psi_n,
    psi_tree,
)
from littlestone.dimension.multiclass import MOST_LABELS
from littlestone.dimension.search.splits import Split, SplitSolver, SplitTree, paths

TABLES = [(seed, 2 + seed % 4) for seed in range(400)]


def is_shattered(tree: SplitTree, splits: Sequence[Split]) -> bool:
    """Whether every leaf hypothesis of ``tree`` gives the answers on its path."""
    count = len(tree.leaves)
    if count.bit_count() != 1 or len(tree.splits) != count - 1 or min(tree.leaves) < 0:
        return False
    if not all(0 <= i < len(splits) for i in tree.splits):
        return False
    return all(
        splits[tree.splits[node]][answer] >> leaf & 1
        and not splits[tree.splits[node]][1 - answer] >> leaf & 1
        for leaf, path in zip(tree.leaves, paths(count), strict=True)
        for node, answer in path
    )


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("block", range(2))
def test_every_variant_agrees_with_brute_force_on_400_random_tables(name: str, block: int) -> None:
    psi = getattr(dimension, name)
    found = set()
    for seed, labels in TABLES[200 * block : 200 * block + 200]:
        table = random_table(seed, hypotheses=12, points=3, labels=labels)
        expected = psi_brute_force(table, FAMILIES[name](labels))
        tree = psi_tree(table, psi)
        assert psi_littlestone_dimension(table, psi) == expected == tree.depth
        assert is_psi_shattered(table, tree)
        found.add(expected)
    assert len(found) >= 3


def test_families_of_the_user_agree_with_brute_force() -> None:
    rng = np.random.default_rng(3)
    for seed, labels in TABLES:
        table = random_table(seed, hypotheses=12, points=3, labels=labels)
        H = LabelTable.of(table, labels=labels)
        texts = ["".join(rng.choice(list("01*"), size=labels)) for _ in range(rng.integers(1, 4))]
        maps: list[Map] = [tuple(None if c == "*" else int(c) for c in text) for text in texts]
        tree = psi_tree(H, texts)
        assert tree.depth == psi_brute_force(table, maps)
        assert is_psi_shattered(table, tree)


def test_two_functions_that_no_map_separates_have_dimension_0() -> None:
    assert psi_littlestone_dimension([[0], [2]], ["01*"]) == 0
    assert psi_littlestone_dimension([[0], [1], [2]], ["01*"]) == 1


def mistake_tree_brute_force(table: list[Row], depth: int) -> bool:
    """Definition 2.11 itself: an io-labelled tree of that depth, two labels at every node."""

    @cache
    def shatters(rows: frozenset[Row], b: int) -> bool:
        if b == 0:
            return bool(rows)
        return any(
            all(shatters(frozenset(r for r in rows if r[x] == y), b - 1) for y in edge)
            for x in range(len(table[0]))
            for edge in permutations({r[x] for r in rows}, 2)
        )

    return shatters(frozenset(table), depth)


def test_the_multiclass_dimension_is_that_of_the_definition() -> None:
    for seed, labels in TABLES[:200]:
        table = random_table(seed, hypotheses=14, points=4, labels=labels)
        d = multiclass_littlestone_dimension(table)
        assert mistake_tree_brute_force(table, d)
        assert not mistake_tree_brute_force(table, d + 1)


@pytest.mark.parametrize(("points", "labels"), [(1, 7), (2, 3), (2, 4), (2, 5), (3, 3), (3, 4)])
def test_all_functions(points: int, labels: int) -> None:
    full = list(product(range(labels), repeat=points))
    floor_log = labels.bit_length() - 1
    assert multiclass_littlestone_dimension(full) == points
    assert psi_littlestone_dimension(full, psi_bin) == points * floor_log
    assert psi_littlestone_dimension(full, psi_b) == points * floor_log
    assert psi_littlestone_dimension(full, psi_g) == points
    for i in range((labels - 1).bit_length()):
        assert multiclass_littlestone_dimension(LabelTable.of(full).bit_class(i)) == points


def test_every_family_is_the_littlestone_dimension_on_binary_tables() -> None:
    for seed in range(100):
        table = random_table(seed, hypotheses=20, points=6)
        expected = FiniteClass.from_array(table).littlestone_dimension()
        for psi in (psi_n, psi_bin, psi_g, psi_b):
            assert psi_littlestone_dimension(table, psi) == expected


def test_the_dimension_is_below_the_sum_over_the_bits() -> None:
    """A learner of every bit errs on some bit whenever it errs: Psi^bin <= sum of LDim(H|_i)."""
    for seed, labels in TABLES[:200]:
        H = LabelTable.of(random_table(seed, hypotheses=20, points=4, labels=labels))
        bits = [multiclass_littlestone_dimension(H.bit_class(i)) for i in range(H.bits)]
        assert multiclass_littlestone_dimension(H) <= psi_littlestone_dimension(H, psi_bin)
        assert max(bits) <= psi_littlestone_dimension(H, psi_bin) <= sum(bits)


def test_equal_rows_are_one_hypothesis_and_columns_may_repeat() -> None:
    for seed in range(50):
        table = np.array(random_table(seed, hypotheses=8, points=4, labels=3))
        twice = np.vstack([table, table[::-1]])
        for other in (twice, np.hstack([table, table])):
            for psi in (psi_n, psi_bin, psi_g, psi_b):
                expected = psi_littlestone_dimension(table, psi)
                assert psi_littlestone_dimension(other, psi) == expected


def test_a_version_space_of_a_finite_class_is_a_table() -> None:
    H = FiniteClass.from_array([[0, 0], [0, 1], [1, 1]], points=["a", "b"])
    V = H.restrict("a", 0)
    assert LabelTable.of(V).values.tolist() == [[0, 0], [0, 1]]
    assert LabelTable.of(V).points == ("a", "b")
    assert multiclass_littlestone_dimension(V) == V.littlestone_dimension() == 1


def test_damaged_trees_are_rejected() -> None:
    full = [list(row) for row in product(range(3), repeat=2)]
    tree = psi_tree(full, psi_n)
    assert is_psi_shattered(full, tree)
    swapped = replace(tree, leaves=tree.leaves[::-1])
    damaged = [
        swapped,
        PsiTree(tree.questions[:-1], tree.leaves),
        PsiTree(tree.questions, tree.leaves[:-1]),
        replace(tree, leaves=(*tree.leaves[:-1], 9)),
        replace(tree, leaves=(*tree.leaves[:-1], -1)),
        replace(tree, leaves=(tree.leaves[0],) * 4),
        replace(tree, questions=(replace(tree.questions[0], point=2), *tree.questions[1:])),
        replace(
            tree,
            questions=(
                replace(tree.questions[0], phi=CollapsingMap((2,), (0,))),
                *tree.questions[1:],
            ),
        ),
    ]
    assert not any(is_psi_shattered(full, wrong) for wrong in damaged)
    assert not is_psi_shattered(full, PsiTree((), ()))


def test_damaged_split_trees_are_rejected() -> None:
    splits = [(0b1110, 0b0001), (0b1100, 0b0011), (0b1000, 0b0111)]
    tree = SplitSolver(splits).tree(0b1111)
    assert is_shattered(tree, splits)
    for wrong in (
        SplitTree(tree.splits, tree.leaves[::-1]),
        SplitTree((0, *tree.splits[1:]), tree.leaves),
        SplitTree((3, *tree.splits[1:]), tree.leaves),
        SplitTree(tree.splits, (*tree.leaves[:-1], 9)),
        SplitTree(tree.splits[:-1], tree.leaves),
        SplitTree((), ()),
    ):
        assert not is_shattered(wrong, splits)
    # A hypothesis on both sides answers nothing.
    assert not is_shattered(SplitTree((0,), (0, 1)), [(0b11, 0b11)])


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ([[0, 1], [2]], "row 2 has 1 entries where row 1 has 2"),
        ([[0, 1], [2, -1]], "row 2, column 2 is not a label from 0 to 999"),
        ([[0, float("nan")]], "row 1, column 2 is not a label from 0 to 999"),
        ([[0, float("inf")]], "row 1, column 2 is not a label from 0 to 999"),
        ([[0.5]], "row 1, column 1 is not a label from 0 to 999"),
        ([["0", "cat"]], "row 1, column 2 is not a label from 0 to 999"),
        ([["0", ""]], "row 1, column 2 is not a label from 0 to 999"),
        ([[0, None]], "row 1, column 2 is not a label from 0 to 999"),
        ([[2**31]], "row 1, column 1 is not a label from 0 to 999"),
        ([[10**400]], "row 1, column 1 is not a label from 0 to 999"),
        ([], "its shape is"),
        ([[], []], "its shape is"),
    ],
)
def test_a_table_that_is_none_is_refused_by_its_first_wrong_entry(
    table: list[list[object]], found: str
) -> None:
    with pytest.raises(DeclarationError) as error:
        LabelTable.of(table)
    assert found in error.value.found


def test_texts_of_digits_and_whole_floats_are_labels() -> None:
    assert LabelTable.of([["0", " 2 "], ["1.0", "1"]]).values.tolist() == [[0, 2], [1, 1]]
    assert LabelTable.of(np.array([[0.0, 2.0]])).labels == 3
    assert LabelTable.of([[False, True]]).labels == 2


def test_declared_labels_bound_the_table() -> None:
    assert LabelTable.of([[0, 1]], labels=5).bits == 3
    with pytest.raises(DeclarationError, match="not a label from 0 to 1"):
        LabelTable.of([[0, 2]], labels=2)
    with pytest.raises(DeclarationError, match="use 1 as the number of labels"):
        LabelTable.of([[0]], labels=1)
    with pytest.raises(DeclarationError, match="3 points and 1 names"):
        LabelTable.of([[0, 1, 2]], points=["a"])


def test_all_maps_of_too_many_labels_are_refused_and_other_families_are_not() -> None:
    table = [[y] for y in range(MOST_LABELS + 1)]
    with pytest.raises(DeclarationError, match="13 labels at one point"):
        psi_littlestone_dimension(table, psi_b)
    assert psi_littlestone_dimension(table[:MOST_LABELS], psi_b) == 3
    assert multiclass_littlestone_dimension([[y] for y in range(300)]) == 1
    assert psi_littlestone_dimension([[y] for y in range(300)], psi_bin) == 8


@pytest.mark.parametrize("maps", [[], ["012"], ["0101"], [CollapsingMap((0,), (0,))]])
def test_illegal_families_are_refused(maps: list[str | CollapsingMap]) -> None:
    with pytest.raises(DeclarationError):
        psi_littlestone_dimension([[0, 1, 2]], maps)
