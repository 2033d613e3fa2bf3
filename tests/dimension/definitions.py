"""Random tables, and every dimension by its definition, written down independently of the package."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations, permutations, product

import numpy as np

Row = tuple[int, ...]
Rows = frozenset[Row]
Map = tuple[int | None, ...]


def random_table(seed: int, *, hypotheses: int, points: int, labels: int = 2) -> list[Row]:
    rng = np.random.default_rng([7, seed])
    shape = int(rng.integers(1, hypotheses + 1)), int(rng.integers(1, points + 1))
    mass = rng.dirichlet(np.full(labels, rng.choice([0.6, 3.0])))
    return [tuple(map(int, row)) for row in rng.choice(labels, size=shape, p=mass)]


def all_maps(labels: int) -> list[Map]:
    return list(product((0, 1, None), repeat=labels))


def pair_maps(labels: int) -> list[Map]:
    return [
        tuple(0 if y == w else 1 if y == v else None for y in range(labels))
        for w, v in permutations(range(labels), 2)
    ]


def bit_maps(labels: int) -> list[Map]:
    return [tuple(y >> i & 1 for y in range(labels)) for i in range(8)]


def graph_maps(labels: int) -> list[Map]:
    return [tuple(int(y == v) for y in range(labels)) for v in range(labels)]


def opposite(phi: Map) -> Map:
    return tuple(None if y is None else 1 - y for y in phi)


def psi_brute_force(table: Sequence[Row], maps: Sequence[Map]) -> int:
    # One map of each pair of opposite ones that can separate anything.
    useful = [
        phi
        for phi in {*maps, *map(opposite, maps)}
        if [y for y in phi if y is not None][:1] == [0] and 1 in phi
    ]

    @cache
    def dimension(rows: Rows) -> int:
        best = 0 if rows else -1
        for x in range(len(next(iter(rows), ()))):
            for phi in useful:
                zero, one = (frozenset(r for r in rows if phi[r[x]] == y) for y in (0, 1))
                if zero and one:
                    best = max(best, 1 + min(dimension(zero), dimension(one)))
        return best

    return dimension(frozenset(table))


def batch_brute_force(table: Sequence[Row], maps: Sequence[Map]) -> int:
    """The largest d for which d points with a map each see all 2^d tuples of answers."""
    best = 0
    maps = [phi for phi in maps if {0, 1} <= set(phi)]
    for d in range(1, min(len(table[0]), len(set(table)).bit_length() - 1) + 1):
        for points in combinations(range(len(table[0])), d):
            for chosen in product(maps, repeat=d):
                seen = {
                    tuple(phi[row[x]] for x, phi in zip(points, chosen, strict=True))
                    for row in table
                }
                if seen >= set(product((0, 1), repeat=d)):
                    best = d
    return best


def threshold_brute_force(table: Sequence[Row]) -> int:
    rows, best = set(table), 0
    for t in range(1, len(table[0]) + 1):
        for points in permutations(range(len(table[0])), t):
            patterns = {tuple(row[x] for x in points) for row in rows}
            if all((0,) * i + (1,) * (t - i) in patterns for i in range(t)):
                best = t
    return best


def teaching_brute_force(table: Sequence[Row]) -> int:
    rows = set(table)

    def teaches(h: Row, points: Sequence[int]) -> bool:
        return sum(all(g[x] == h[x] for x in points) for g in rows) == 1

    return max(
        next(
            size
            for size in range(len(h) + 1)
            if any(teaches(h, points) for points in combinations(range(len(h)), size))
        )
        for h in rows
    )


def zero_cover_brute_force(table: Sequence[Row], tree: Sequence[int], labels: int) -> int:
    """The smallest set of output-labelled trees of depth b <= 2 in which every f follows every path."""
    paths: list[Row] = [(0,)] if len(tree) == 1 else [(0, 1), (0, 2)]
    wanted = {
        (path, tuple(row[tree[node]] for node in path)) for row in set(table) for path in paths
    }
    trees = [
        frozenset((path, tuple(outputs[node] for node in path)) for path in paths) & wanted
        for outputs in product(range(labels), repeat=len(tree))
    ]
    return next(
        size
        for size in range(len(trees) + 1)
        if any(frozenset().union(*chosen) == wanted for chosen in combinations(trees, size))
    )


def trees(points: int, depth: int) -> Iterator[Row]:
    return product(range(points), repeat=2**depth - 1)


FAMILIES: dict[str, Callable[[int], list[Map]]] = {
    "psi_n": pair_maps,
    "psi_bin": bit_maps,
    "psi_g": graph_maps,
    "psi_b": all_maps,
}
