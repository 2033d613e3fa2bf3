"""Tables on which the exact solver is measured, each with its known dimension.

The seconds are those of a C++ program with the same rules, compiled by g++ -O3, in one run on two
shared cores of another machine: an order of magnitude to compare with, not a measurement here.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, combinations_with_replacement, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.uint8]


class Family(NamedTuple):
    """A table, its dimension, and the seconds of a C++ program (None: it gave up after 60)."""

    table: Callable[[], Table]
    dimension: int
    cpp_seconds: float | None


def thresholds(points: int) -> Table:
    """The points + 1 thresholds."""
    return np.tri(points + 1, points, -1, dtype=np.uint8)


def random_table(rows: int, points: int, density: float) -> Table:
    """Independent entries."""
    return (np.random.default_rng(1).random((rows, points)) < density).astype(np.uint8)


def balls(n: int, radii: range, *, whole: bool = False) -> Table:
    """Hamming balls of the cube of dimension n, and the whole cube."""
    x = np.arange(2**n)
    distance = np.bitwise_count(x[:, np.newaxis] ^ x[np.newaxis])
    rows = [distance <= r for r in radii] + [np.ones((1, 2**n), bool)] * whole
    return np.concatenate(rows).astype(np.uint8)


def _of_codes(codes: set[int], points: int) -> Table:
    words = np.array(sorted(codes), np.uint64)[:, np.newaxis]
    return (words >> np.arange(points, dtype=np.uint64) & np.uint64(1)).astype(np.uint8)


def decision_lists(n: int) -> Table:
    """Functions of n bits given by lists of rules: if a literal holds, answer a constant."""
    full = (1 << 2**n) - 1
    variables = [sum(1 << x for x in range(2**n) if x >> i & 1) for i in range(n)]
    literals = [*variables, *(full ^ v for v in variables)]
    seen = new = {0, full}
    while new:
        new = {g for f in new for v in literals for g in (f | v, f & ~v)} - seen
        seen = seen | new
    return _of_codes(seen, 2**n)


def threshold_functions() -> Table:
    """Linear threshold functions of 5 bits; weights up to 5 are enough."""
    n, x = 5, np.arange(32)
    cube = x[:, np.newaxis] >> np.arange(n) & 1
    power = np.uint64(1) << x.astype(np.uint64)
    codes: set[int] = set()
    for weights in combinations_with_replacement(range(6), n):
        sums = cube @ np.array(weights)
        codes |= {int(power[sums >= least].sum()) for least in {*sums.tolist(), 1 + sum(weights)}}
    monotone, found = _of_codes(codes, 32).astype(bool), set()
    for order in permutations(range(n)):
        for flips in range(32):
            moved = ((x[:, np.newaxis] ^ flips) >> np.arange(n) & 1) @ (1 << np.array(order))
            found |= set((monotone[:, moved] * power).sum(axis=1, dtype=np.uint64).tolist())
    return _of_codes(found, 32)


def juntas(n: int, size: int) -> Table:
    """Functions of n bits that depend on at most ``size`` of them."""
    x, rows = np.arange(2**n), []
    functions = np.arange(2**2**size)[:, np.newaxis]
    for chosen in combinations(range(n), size):
        seen = sum((x >> i & 1) << j for j, i in enumerate(chosen))
        rows.append(functions >> seen & 1)
    return np.unique(np.concatenate(rows).astype(np.uint8), axis=0)


def boxes(n: int) -> Table:
    """Axis-parallel boxes of an n x n grid, and the empty one."""
    x = np.arange(n)
    sides = np.array([(a <= x) & (x < b) for a in range(n) for b in range(a + 1, n + 1)])
    table = np.zeros((len(sides) ** 2 + 1, n * n), np.uint8)
    for i, side in enumerate(sides):
        products = side[np.newaxis, :, np.newaxis] & sides[:, np.newaxis, :]
        table[1 + i * len(sides) : 1 + (i + 1) * len(sides)] = products.reshape(len(sides), -1)
    return table


def linear_orders(n: int) -> Table:
    """Orders of n things, by which of two things comes first."""
    orders = np.array(list(permutations(range(n))), np.int8)
    pairs = combinations(range(n), 2)
    return np.stack([orders[:, i] < orders[:, j] for i, j in pairs], axis=1).astype(np.uint8)


def interval_unions(points: int, most: int) -> Table:
    """Unions of at most ``most`` intervals."""
    sets = np.arange(2**points, dtype=np.uint32)
    sets = sets[np.bitwise_count(sets & ~(sets << np.uint32(1))) <= most]
    bits = sets[:, np.newaxis] >> np.arange(points, dtype=np.uint32) & np.uint32(1)
    return np.asarray(bits, np.uint8)


FAMILIES = {
    "thresholds": Family(lambda: thresholds(1000), 9, 0.004),
    "random .5": Family(lambda: random_table(1024, 1024, 0.5), 10, 0.033),
    "balls r=2": Family(lambda: balls(10, range(2, 3)), 5, 0.29),
    "decision lists": Family(lambda: decision_lists(5), 12, 0.74),
    "threshold functions": Family(threshold_functions, 15, 1.4),
    "3-juntas": Family(lambda: juntas(6, 3), 11, 0.58),
    "all balls": Family(lambda: balls(10, range(10), whole=True), 11, 12.4),
    "random .2 4096": Family(lambda: random_table(4096, 1024, 0.2), 8, 12.0),
    "random .2 16384": Family(lambda: random_table(16384, 256, 0.2), 9, 16.0),
    "boxes": Family(lambda: boxes(32), 17, 9.9),
    "linear orders": Family(lambda: linear_orders(9), 18, 0.23),
}

WALLS = {
    "random .2 65536": Family(lambda: random_table(65536, 256, 0.2), 10, None),
    "interval unions": Family(lambda: interval_unions(20, 5), 15, None),
}
