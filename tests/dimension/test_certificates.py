"""Certificates survive a journey as JSON; damaged ones are rejected."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import tables

from littlestone.dimension import checking
from littlestone.dimension.refutation import Refutation, refutes
from littlestone.dimension.shattering import is_shattered_by
from littlestone.dimension.sides import Sides, restricted, weights
from littlestone.dimension.solver import littlestone_bounds, littlestone_dimension
from littlestone.dimension.table import PackedTable
from littlestone.dimension.tree import MistakeTree
from littlestone.errors import DeclarationError

TABLE = tables.boxes(4)
BOUNDS = littlestone_bounds(TABLE, certificate=True)
TREE, DIMENSION = BOUNDS.tree, BOUNDS.dimension
assert BOUNDS.certificate is not None
PROOF: Refutation = BOUNDS.certificate


def test_journeys_as_json() -> None:
    assert MistakeTree.from_json(TREE.to_json()) == TREE
    assert Refutation.from_json(PROOF.to_json()) == PROOF


@pytest.mark.parametrize("text", ["", "{}", '{"points": 3, "leaves": 4}', '{"claims": [[]]}'])
def test_text_that_is_no_certificate(text: str) -> None:
    with pytest.raises(DeclarationError):
        MistakeTree.from_json(text)
    with pytest.raises(DeclarationError):
        Refutation.from_json(text)


def test_every_changed_leaf_is_noticed() -> None:
    for i, leaf in enumerate(TREE.leaves):
        others = [other for other in TREE.leaves if other != leaf]
        for wrong in (others[i % len(others)], len(TABLE), -1):
            leaves = (*TREE.leaves[:i], wrong, *TREE.leaves[i + 1 :])
            assert not is_shattered_by(TABLE, replace(TREE, leaves=leaves))


def test_changed_points_are_noticed() -> None:
    for i in range(len(TREE.points)):
        for x in (*range(TABLE.shape[1]), -1, 10**9):
            damaged = replace(TREE, points=(*TREE.points[:i], x, *TREE.points[i + 1 :]))
            if is_shattered_by(TABLE, damaged):  # another point may serve as well
                assert all(
                    TABLE[leaf, x] == TABLE[leaf, TREE.points[i]]
                    for leaf in TREE.leaves
                    if leaf in _below(i)
                )


def _below(node: int) -> set[int]:
    width = len(TREE.leaves) >> ((node + 1).bit_length() - 1)
    first = (node + 1 - (1 << ((node + 1).bit_length() - 1))) * width
    return set(TREE.leaves[first : first + width])


@pytest.mark.parametrize("shape", [(3, 3), (2, 3), (0, 0), (1, 1)])
def test_what_is_no_tree(shape: tuple[int, int]) -> None:
    with pytest.raises(DeclarationError):
        MistakeTree((0,) * shape[0], (0,) * shape[1])


def test_a_refutation_of_something_else() -> None:
    other = TABLE.copy()
    other[3, 5] ^= 1
    assert refutes(TABLE, PROOF, DIMENSION + 1)
    assert not refutes(TABLE, PROOF, DIMENSION)
    assert not refutes(TABLE, PROOF, DIMENSION + 2)
    assert not refutes(other, PROOF, DIMENSION + 1)
    assert not refutes(TABLE, replace(PROOF, claims=()), DIMENSION + 1)


def test_a_refutation_of_the_truth_is_rejected_whatever_it_claims() -> None:
    """LDim < d is false, so no claims can prove it; not even all the false ones it would need."""
    for table, d in [(tables.cube(5), 5), (tables.thresholds(31), 5), (TABLE, DIMENSION)]:
        proof = littlestone_bounds(table, certificate=True).certificate
        assert proof is not None
        points = range(table.shape[1])
        lies: list[tuple[tuple[int, ...], int]] = [
            ((2 * x + y,), d - 1) for x in points for y in (0, 1)
        ]
        lies += [
            ((2 * x + y, 2 * z + w), d - 2)
            for x in points
            for z in points
            if x != z
            for y in (0, 1)
            for w in (0, 1)
        ]
        assert not refutes(table, replace(proof, claims=(((), d), *lies)), d)


def test_needed_claims_cannot_be_left_out_or_changed() -> None:
    table = (np.random.default_rng(1).random((1000, 100)) < 0.15).astype(np.uint8)
    bounds = littlestone_bounds(table, certificate=True)
    proof = bounds.certificate
    assert proof is not None
    claims = proof.claims
    assert len(claims) > 3
    k = bounds.dimension + 1
    assert refutes(table, proof, k)
    for level in (6,):
        of_level = [claim for claim in claims if claim[1] == level]
        others = tuple(claim for claim in claims if claim[1] != level)
        assert not refutes(table, replace(proof, claims=others), k)
        # More than is true, less than is needed, and restrictions to a point that does not exist.
        for damaged in (
            [(path[:1], j - 1) for path, j in of_level],
            [(path, j + 2) for path, j in of_level],
            [((*path, 2 * table.shape[1]), j) for path, j in of_level],
        ):
            assert not refutes(table, replace(proof, claims=(*others, *damaged)), k)


@pytest.mark.deep
def test_no_single_claim_proves_what_is_false() -> None:
    """Rows that differ only in columns with a side of one row are two functions all the same."""
    seen = set()
    singles = [[0, 1, 0], [0, 0, 0], [1, 0, 1], [1, 0, 0]]
    rng = np.random.default_rng(7)
    shapes = [(n, m) for n in range(2, 13) for m in range(1, 6)] * 20
    shapes += [(n, m) for n in range(16, 65, 4) for m in (6, 9, 14)] * 3
    for table in [np.array(singles), *(rng.integers(0, 2, shape) for shape in shapes)]:
        digest, dimension = PackedTable.read(table).digest, littlestone_dimension(table)
        for k in range(-1, dimension + 1):
            assert not refutes(table, Refutation((((), k),), digest), k)
        seen.add(dimension)
    assert seen >= {1, 2, 3, 4, 5}


def _own_column_for_each_node(depth: int) -> tables.Table:
    """The leaves of a tree: leaf i is 1 at the nodes where its path turns right."""
    leaves = []
    for leaf in range(1 << depth):
        row = [0] * ((1 << depth) - 1)
        for level in range(depth):
            turns = leaf >> (depth - level)
            row[(1 << level) - 1 + turns] = leaf >> (depth - level - 1) & 1
        leaves.append(row)
    return np.array(leaves, np.uint8)


def _side(sides: Sides, j: int, side: int, k: int) -> Sides:
    rows = sides.rows(j, side)
    return Sides(restricted(sides.columns, rows), int(weights(rows)), k)


class ForgetsColumns(Sides):
    """Looks at the parts of a side through the columns that may split the side alone."""

    def counts_out(self, j: int, side: int) -> bool:
        splitting = np.minimum(self.ones, self.size - self.ones) >= 1 << (self.k - 2)
        rows = self.rows(j, side)
        columns = restricted(self.columns[splitting], rows)
        return self.k > 2 and not Sides(columns, int(weights(rows)), self.k - 1).open


class TrustsOneSplit(Sides):
    """Takes a side for refuted if one of its columns leaves a refuted side."""

    def counts_out(self, j: int, side: int) -> bool:
        below = _side(self, j, side, max(2, self.k - 1))
        balance = np.minimum(below.ones, below.size - below.ones)
        return len(below.open) < (balance >= 1 << (below.k - 1)).sum() or not below.open


class CountsOneTooFew(Sides):
    """Asks the parts of a side to be refuted for one more than needed."""

    def counts_out(self, j: int, side: int) -> bool:
        return not _side(self, j, side, self.k).open


@pytest.mark.parametrize("broken", [ForgetsColumns, TrustsOneSplit, CountsOneTooFew])
def test_broken_rules_are_caught(broken: type[Sides], monkeypatch: pytest.MonkeyPatch) -> None:
    """What `test_no_single_claim_proves_what_is_false` looks for is there in broken checkers."""
    families = [_own_column_for_each_node(depth) for depth in (2, 3, 4, 5)]
    claims = [
        (table, Refutation((((), depth),), PackedTable.read(table).digest), depth)
        for depth, table in enumerate(families, start=2)
    ]
    assert not any(refutes(*claim) for claim in claims)
    monkeypatch.setattr(checking, "Sides", broken)
    assert any(refutes(*claim) for claim in claims)


@pytest.mark.deep
def test_true_claims_do_not_prove_what_is_false() -> None:
    """A false first claim stays unproved beside proved claims about every version space."""
    rng = np.random.default_rng(8)
    for _ in range(60):
        table = rng.integers(0, 2, (12, 4))
        digest, dimension = PackedTable.read(table).digest, littlestone_dimension(table)
        true: list[tuple[tuple[int, ...], int]] = []
        for path in [(a, b) for a in range(8) for b in range(8)]:
            rows = [row for row in table.tolist() if all(row[p >> 1] == p & 1 for p in path)]
            below = littlestone_dimension(rows) if rows else -1
            true += [(path, k) for k in range(below + 1, 4)]
        for k in range(dimension + 1):
            assert not refutes(table, Refutation((((), k), *true), digest), k)


def test_absurd_numbers_cost_nothing() -> None:
    digest = PackedTable.read(TABLE).digest
    assert refutes(TABLE, Refutation((((), 10**18),), digest), 10**18)
    assert not refutes(TABLE, Refutation((((), -(10**18)),), digest), -(10**18))
