"""The compiled counting in sides says what rules 1, 2 and 5 say, taken word for word."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
import tables
from numpy.typing import NDArray

from littlestone.dimension.sides import Columns, Sides, everything, reduced, restricted
from littlestone.dimension.table import PackedTable

SIDES = (0, 1)


class PlainSides:
    """`Sides` of a table of distinct rows, by sets of rows."""

    def __init__(self, table: tables.Table, k: int) -> None:
        self.table, self.k = table, k
        points = range(table.shape[1])
        self.side = {
            (x, y): frozenset(np.flatnonzero(table[:, x] == y).tolist())
            for x in points
            for y in SIDES
        }
        self.tried = [x for x in points if all(len(self.side[x, y]) >= 2 ** (k - 1) for y in SIDES)]
        self.dead = {
            (x, y)
            for x in self.tried
            for y in SIDES
            if k > 2 and not any(self._splits(z, self.side[x, y]) for z in points)
        }

    def _splits(self, z: int, side: frozenset[int]) -> bool:
        return all(len(side & self.side[z, y]) >= 2 ** (self.k - 2) for y in SIDES)

    def open(self) -> list[int]:
        return [x for x in self.tried if not {(x, 0), (x, 1)} & self.dead]

    def inside(self, x: int) -> bool:
        return any(self.side[x, y] <= self.side[dead] for y in SIDES for dead in self.dead)

    def counts_out(self, x: int, y: int) -> bool:
        below = PlainSides(self.table[sorted(self.side[x, y])], self.k - 1)
        return self.k > 2 and all(map(below.inside, below.open()))


def random_tables() -> Iterator[tuple[tables.Table, int]]:
    """Tables with more than one word of rows among them, and every k that has something to try."""
    rng = np.random.default_rng(11)
    for i in range(2000):
        rows, points = (int(rng.integers(2, 24)), 5) if i % 20 else (int(rng.integers(60, 200)), 9)
        table = (rng.random((rows, points)) < rng.choice([0.15, 0.3, 0.5])).astype(np.uint8)
        if i % 3 == 0:  # containments
            table[:, 1] &= table[:, 0]
            table[:, 2] |= table[:, 0]
        table = np.unique(table, axis=0)
        for k in range(2, len(table).bit_length()):
            yield rng.permuted(table, axis=0), k


def packed(table: NDArray[np.uint8] | NDArray[np.bool_]) -> Columns:
    """The columns of a table whose rows may be equal."""
    octets = np.packbits(table, axis=0, bitorder="little").T
    words = np.zeros((len(octets), -(-len(table) // 64) * 8), np.uint8)
    words[:, : octets.shape[1]] = octets
    return words.view(np.uint64)


@pytest.mark.deep
def test_every_answer_is_the_plain_one() -> None:
    seen = {"inside": 0, "counts out": 0, "buried": 0}
    for table, k in random_tables():
        plain, sides = PlainSides(table, k), Sides(packed(table), len(table), k)
        assert sorted(sides.open) == plain.open()
        for x in plain.tried:  # a dead side lies in itself
            assert sides.inside(x) == plain.inside(x)
            seen["inside"] += plain.inside(x)
        for x in sides.open:
            for y in SIDES:
                assert sides.counts_out(x, y) == plain.counts_out(x, y)
                seen["counts out"] += plain.counts_out(x, y)
        for x in sides.open[:1]:  # a side that is refuted otherwise
            plain.dead.add((x, 0))
            sides.bury(x, 0)
            for z in plain.tried:
                assert sides.inside(z) == plain.inside(z)
                seen["buried"] += z != x and plain.inside(z)
    assert min(seen.values()) > 100, seen


def test_open_columns_come_most_balanced_first() -> None:
    table = np.array(list(product(SIDES, repeat=5)), np.uint8)
    table = table[[i for i in range(32) if i not in (16, 17, 18, 24, 25, 20)]]
    sides = Sides(PackedTable.read(table).columns, len(table), 3)
    less = [abs(2 * int(table[:, x].sum()) - len(table)) for x in sides.open]
    assert less == sorted(less)
    assert len(set(less)) > 1
    smaller = [sides.smaller_first(x)[0] for x in range(5)]
    assert all((table[:, x] == y).sum() <= len(table) / 2 for x, y in enumerate(smaller))


@pytest.mark.parametrize("rows", [1, 2, 63, 64, 65, 128, 200])
def test_restricted_and_reduced_columns(rows: int) -> None:
    rng = np.random.default_rng(rows)
    for density in (0.05, 0.5):
        table = (rng.random((rows, 12)) < density).astype(np.uint8)
        table[:, 3] = table[:, 4]
        table[:, 5] = 1 - table[:, 6]
        kept = rng.random(rows) < 0.6
        V = table[kept]
        columns = restricted(packed(table), packed(kept[:, np.newaxis])[0])
        assert np.array_equal(columns, packed(V))
        found, names = reduced(columns, len(V))
        useful = [x for x in range(12) if min(V[:, x].sum(), (1 - V[:, x]).sum()) >= 2]
        normal = {tuple((V[:, x] ^ V[0, x]).tolist()) for x in useful}
        for column, name in zip(found, names.tolist(), strict=True):
            assert np.array_equal(column, packed(V[:, [name >> 1]] ^ (name & 1))[0])
            normal.remove(tuple((V[:, name >> 1] ^ (name & 1)).tolist()))
        assert normal == set()


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 128])
def test_everything(size: int) -> None:
    assert int(np.bitwise_count(everything(size)).sum()) == size


def test_columns_of_a_table_longer_than_a_block() -> None:
    table = np.random.default_rng(2).integers(0, 2, (40000, 17), np.uint8)
    read = PackedTable.read(table)
    assert np.array_equal(read.columns, packed(read.values()))
