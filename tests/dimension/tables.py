"""Families of 0/1 tables whose Littlestone dimensions are known, and their symmetries."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, permutations, product

import numpy as np
from numpy.typing import NDArray

from littlestone import core
from littlestone.dimension import Bounds, Certificate
from littlestone.dimension.search.splits import LittlestoneSolver
from littlestone.dimension.tables import PackedTable

Table = NDArray[np.uint8]


def recursion(table: Table | PackedTable) -> int:
    """LDim by plain memoised recursion."""
    packed = PackedTable.pack(table)
    return LittlestoneSolver(packed.masks).dimension((1 << packed.size) - 1)


def of_codes(codes: set[int], points: int) -> Table:
    return np.array([[code >> x & 1 for x in range(points)] for code in sorted(codes)], np.uint8)


def thresholds(points: int) -> Table:
    return np.tri(points + 1, points, -1, dtype=np.uint8)


def subsets(n: int, sizes: range) -> Table:
    sets = [c for size in sizes for c in combinations(range(n), size)]
    return np.array([[x in c for x in range(n)] for c in sets], np.uint8)


def cube(n: int) -> Table:
    return np.array(list(product((0, 1), repeat=n)), np.uint8)


def code(generators: Table) -> Table:
    return np.asarray(cube(len(generators)) @ generators % 2, np.uint8)


def conjunctions(n: int, *, negations: bool, false: bool) -> Table:
    signs = (-1, 0, 1) if negations else (-1, 1)
    rows = [
        [all(s < 0 or x[i] == s for i, s in enumerate(choice)) for x in product((0, 1), repeat=n)]
        for choice in product(signs, repeat=n)
    ]
    return np.array([*rows, *[[False] * 2**n] * false], np.uint8)


def linear_subspaces(n: int, *, affine: int | None = None) -> Table:
    """Subspaces of F_2^n, or the affine subspaces of dimension exactly ``affine``."""
    spans = {frozenset([0])}
    for _ in range(n):
        spans |= {span | {v ^ u for u in span} for span in spans for v in range(2**n)}
    if affine is not None:
        spans = {
            frozenset(v ^ u for u in span)
            for span in spans
            if len(span) == 2**affine
            for v in range(2**n)
        }
    return np.array([[x in span for x in range(2**n)] for span in spans], np.uint8)


def projective_lines(q: int) -> Table:
    points = [(1, a, b) for a in range(q) for b in range(q)] + [(0, 1, a) for a in range(q)]
    points.append((0, 0, 1))
    return np.array(
        [[sum(map(int.__mul__, p, line)) % q == 0 for p in points] for line in points], np.uint8
    )


def product_of(first: Table, second: Table) -> Table:
    return np.array([np.concatenate([f, g]) for f in first for g in second])


def canonical_tree(d: int) -> Table:
    """Leaf v says 1 at a node exactly if the path to v goes right there."""
    table = np.zeros((2**d, 2**d - 1), np.uint8)
    for leaf in range(2**d):
        node = 0
        for level in range(d):
            bit = leaf >> (d - 1 - level) & 1
            table[leaf, node] = bit
            node = 2 * node + 1 + bit
    return table


def monotone(n: int) -> Table:
    codes = {0, 1}
    for i in range(n):
        codes = {low | high << 2**i for low in codes for high in codes if low & ~high == 0}
    return of_codes(codes, 2**n)


def boxes(n: int) -> Table:
    intervals = [[a <= x < b for x in range(n)] for a in range(n) for b in range(a + 1, n + 1)]
    rows = [np.outer(f, g).ravel() for f in intervals for g in intervals]
    return np.array([np.zeros(n * n, bool), *rows], np.uint8)


def linear_orders(n: int) -> Table:
    orders = np.array(list(permutations(range(n))))
    pairs = list(combinations(range(n), 2))
    return np.stack([orders[:, i] < orders[:, j] for i, j in pairs], axis=1).astype(np.uint8)


def decision_lists(n: int) -> Table:
    full = (1 << 2**n) - 1
    variables = [sum(1 << x for x in range(2**n) if x >> i & 1) for i in range(n)]
    literals = [*variables, *(full ^ v for v in variables)]
    seen = new = {0, full}
    while new:
        new = {g for f in new for v in literals for g in (f | v, f & ~v)} - seen
        seen = seen | new
    return of_codes(seen, 2**n)


def threshold_functions(n: int) -> Table:
    """Weights up to 3 are enough for n <= 4."""
    x = cube(n).astype(int)
    codes = set()
    for weights in product(range(-3, 4), repeat=n):
        sums = x @ np.array(weights)
        for least in {*sums.tolist(), int(sums.max()) + 1}:
            codes.add(sum(1 << i for i in np.flatnonzero(sums >= least).tolist()))
    return of_codes(codes, 2**n)


def downsets(n: int) -> Table:
    heights = combinations_with_replacement(range(n, -1, -1), n)
    return np.array([[y < h for h in hs for y in range(n)] for hs in heights], np.uint8)


def balls(n: int, radii: range) -> Table:
    x = np.arange(2**n)
    distance = np.bitwise_count(x[:, np.newaxis] ^ x[np.newaxis])
    return np.concatenate([distance <= r for r in radii]).astype(np.uint8)


def random_table(seed: int, rows: int, points: int, density: float) -> Table:
    return (np.random.default_rng(seed).random((rows, points)) < density).astype(np.uint8)


def signed(points: NDArray[np.int64], flips: NDArray[np.int64]) -> NDArray[np.int64]:
    """The permutation of literals that takes point x to points[x], with the other label if flips[x]."""
    image = np.empty(2 * len(points), np.int64)
    image[::2], image[1::2] = 2 * points + flips, 2 * points + (1 - flips)
    return image


def admitted(table: PackedTable, image: NDArray[np.int64]) -> bool:
    """Whether the search admits a symmetry, which it does if the rows go to the same rows."""
    good = core.Symmetries(table.rows, table.points).is_symmetry(image)
    values = table.values()
    moved = np.zeros_like(values)
    moved[:, image[::2] >> 1] = values ^ (image[::2] & 1).astype(np.uint8)
    permutes = np.array_equal(np.sort(image), np.arange(2 * table.points))
    permutes &= np.array_equal(image[1::2], image[::2] ^ 1)
    assert good == (permutes and set(map(bytes, moved)) == set(map(bytes, values)))
    return good


def proved(table: Table, bounds: Bounds) -> bool:
    """Whether the certificate of these bounds proves both."""
    return all(verdict.proved for verdict in Certificate.of(table, bounds).check(table))
