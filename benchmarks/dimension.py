"""The exact Littlestone dimension of finite tables, beside the recursion one writes first.

The alternative is that definition with a cache: LDim(V) is the largest 1 + min(LDim(V0), LDim(V1))
over the points, V a frozenset of rows.  It gives up after a few seconds.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, permutations, product

from benchmarks.harness import Case, Contender, GaveUpError, require
from littlestone.dimension.littlestone import LittlestoneSolver

LIMIT = 2.0
Rows = Sequence[tuple[int, ...]]


def cases() -> Iterator[Case]:
    """Families whose dimension is proved, or was computed by independent programs."""
    for title, rows, dimension in families():
        table = sorted(set(rows))
        yield Case(
            f"{title}: {len(table)} x {len(table[0])}, LDim {dimension}",
            Contender("littlestone", solve(table), expect(dimension)),
            [Contender("cached recursion on frozensets", recursion(table), expect(dimension))],
            repeats=5,
            patience=LIMIT,
        )


def families() -> Iterator[tuple[str, Rows, int]]:
    """Names, tables and dimensions: first those that plain recursion manages.

    Both random tables reach log2 of their size, which no table exceeds.
    """
    yield "thresholds", thresholds(64), 6
    yield "balls of radius 1 in Q4", balls(4, 1), 3
    yield "random", coin_flips(32, 32), 5
    yield "3-subsets of 8", subsets(8, 3), 3
    yield "up to 2 of 12", [row for k in range(3) for row in subsets(12, k)], 2
    yield "decision lists, n = 3", decision_lists(3), 5
    yield "cube Q6", list(product((0, 1), repeat=6)), 6
    yield "parities, n = 5", parities(5), 5
    yield "boxes in 3 x 3", boxes(3), 4
    yield "linear orders of 5", orders(5), 6
    yield "boxes in 7 x 7", boxes(7), 8
    yield "thresholds", thresholds(1001), 9
    yield "balls of radius 1 in Q8", balls(8, 1), 3
    yield "balls of radius 2 in Q6", balls(6, 2), 5
    yield "balls of radius 2 in Q8", balls(8, 2), 5
    yield "random", coin_flips(512, 512), 9
    yield "up to 3 of 20", [row for k in range(4) for row in subsets(20, k)], 3
    yield "decision lists, n = 4", decision_lists(4), 9
    yield "parities, n = 8", parities(8), 8
    yield "linear orders of 7", orders(7), 11


def solve(rows: Rows) -> Callable[[], int]:
    """Our solver, with nothing remembered from the run before."""
    columns = [
        sum(label << i for i, label in enumerate(column)) for column in zip(*rows, strict=True)
    ]
    alive = (1 << len(rows)) - 1
    return lambda: LittlestoneSolver(columns).dimension(alive)


def recursion(rows: Rows) -> Callable[[], int]:
    """The recursive definition, cached; `GaveUpError` after `LIMIT` seconds."""
    sys.setrecursionlimit(20_000)

    def run() -> int:
        stop = time.perf_counter() + LIMIT

        @cache
        def dimension(V: frozenset[tuple[int, ...]]) -> int:
            if time.perf_counter() > stop:
                raise GaveUpError(LIMIT)
            best = 0 if V else -1
            for j in range(len(rows[0])):
                ones = frozenset(row for row in V if row[j])
                if ones and ones != V:
                    best = max(best, 1 + min(dimension(ones), dimension(V - ones)))
            return best

        return dimension(frozenset(rows))

    return run


def expect(dimension: int) -> Callable[[int], None]:
    """The check that an answer is ``dimension``."""
    return lambda answer: require(answer == dimension, f"LDim {answer} in place of {dimension}")


def tabulate(functions: Iterable[Callable[..., object]], points: Iterable[object]) -> Rows:
    """The table of functions at points."""
    listed = list(points)
    return [tuple(int(bool(f(x))) for x in listed) for f in functions]


def thresholds(count: int) -> Rows:
    """All functions 1[x >= t] on count - 1 points."""
    return tabulate((lambda x, t=t: x >= t for t in range(count)), range(count - 1))


def balls(n: int, radius: int) -> Rows:
    """All Hamming balls of one radius in {0, 1}^n."""
    centres = range(2**n)
    return tabulate((lambda x, c=c: (x ^ c).bit_count() <= radius for c in centres), range(2**n))


def coin_flips(count: int, points: int) -> Rows:
    """A repeatable random table."""
    rng = random.Random(4)
    return [tuple(rng.randrange(2) for _ in range(points)) for _ in range(count)]


def subsets(n: int, k: int) -> Rows:
    """All indicators of k of n points."""
    return tabulate((lambda x, s=s: x in s for s in combinations(range(n), k)), range(n))


def decision_lists(n: int) -> Rows:
    """All 1-decision lists of any length: a constant, or "if a literal then a bit else a list"."""
    points = list(product((0, 1), repeat=n))
    found = {tuple(bit for _ in points) for bit in (0, 1)}
    fresh = found
    while fresh:
        longer = {
            tuple(bit if x[i] == value else y for x, y in zip(points, rest, strict=True))
            for rest in fresh
            for i, value, bit in product(range(n), (0, 1), (0, 1))
        }
        fresh = longer - found
        found = found | fresh
    return list(found)


def parities(n: int) -> Rows:
    """All linear functions on {0, 1}^n over the field of two elements."""
    return tabulate((lambda x, a=a: (a & x).bit_count() % 2 for a in range(2**n)), range(2**n))


def boxes(n: int) -> Rows:
    """All axis-parallel boxes in an n x n grid, the empty one included."""
    sides = [*combinations(range(n + 1), 2), (0, 0)]
    return tabulate(
        (
            lambda x, a=a, b=b: a[0] <= x[0] < a[1] and b[0] <= x[1] < b[1]
            for a, b in product(sides, sides)
        ),
        product(range(n), repeat=2),
    )


def orders(n: int) -> Rows:
    """All linear orders of n things; a point is a pair, and asks which comes first."""
    return tabulate(
        (lambda x, p=p: p[x[0]] < p[x[1]] for p in permutations(range(n))),
        combinations(range(n), 2),
    )
