"""The exact solver on hard families, each with its known answer.

``python -m benchmarks.littlestone_dimension [NAME ...] [--proofs]``.  Seconds are those of the first
call in a process whose kernels are loaded; "yardstick" is a C++ program for the same task with the
same rules (g++ -O3, one run, two shared cores), and "recursion" the plain memoised recursion, stopped
after 20 seconds.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable
from itertools import combinations, combinations_with_replacement, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from littlestone.dimension.littlestone import LittlestoneSolver
from littlestone.dimension.refutation import refutes
from littlestone.dimension.shattering import is_shattered_by
from littlestone.dimension.solver import littlestone_bounds, littlestone_dimension
from littlestone.dimension.table import PackedTable

Table = NDArray[np.uint8]
PATIENCE = 20.0  # seconds for the plain recursion


class Family(NamedTuple):
    """A table, its dimension, and the yardstick's seconds (None: it gave up after 60)."""

    table: Callable[[], Table]
    dimension: int
    yardstick: float | None


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
    "random .2 65536": Family(lambda: random_table(65536, 256, 0.2), 10, None),
    "interval unions": Family(lambda: interval_unions(20, 5), 15, None),
}


def _recursion(masks: tuple[int, ...], size: int) -> None:
    LittlestoneSolver(masks).dimension((1 << size) - 1)


def recursion_seconds(table: Table) -> float | None:
    """Seconds of the plain recursion; None beyond patience."""
    packed = PackedTable.read(table)
    process = multiprocessing.Process(target=_recursion, args=(packed.masks, packed.size))
    start = time.perf_counter()
    process.start()
    process.join(PATIENCE)
    if process.is_alive():
        process.kill()
        process.join()
        return None
    return time.perf_counter() - start


def main(arguments: list[str]) -> None:
    """Print one line a family; raise if an answer or a proof is wrong."""
    proofs = "--proofs" in arguments
    names = [name for name in arguments if name != "--proofs"] or list(FAMILIES)
    littlestone_bounds(random_table(512, 512, 0.5))  # loads the kernels, or compiles them
    print(f"{'family':20}{'shape':>14}{'LDim':>6}{'seconds':>10}{'yardstick':>11}{'recursion':>11}")
    for name in names:
        family = FAMILIES[name]
        table = family.table()
        start = time.perf_counter()
        dimension = littlestone_dimension(table)
        seconds = time.perf_counter() - start
        if dimension != family.dimension:
            raise AssertionError(f"{name}: {dimension} is not {family.dimension}")
        yardstick = f"{family.yardstick:.3f}" if family.yardstick else "> 60"
        plain = recursion_seconds(table) if len(table) <= 20_000 else None
        recursion = f"{plain:.3f}" if plain is not None else f"> {PATIENCE:.0f}"
        shape = f"{table.shape[0]} x {table.shape[1]}"
        print(
            f"{name:20}{shape:>14}{dimension:6}{seconds:10.3f}{yardstick:>11}{recursion:>11}",
            flush=True,
        )
        if proofs:
            bounds = littlestone_bounds(table, certificate=True)
            if not is_shattered_by(table, bounds.tree) or bounds.certificate is None:
                raise AssertionError(f"{name}: the tree is not shattered")
            if not refutes(table, bounds.certificate, dimension + 1):
                raise AssertionError(f"{name}: the refutation is not accepted")
            print(f"  tree and {len(bounds.certificate.claims)} claims checked", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
