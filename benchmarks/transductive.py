"""Transductive mistakes below the Littlestone dimension: ``python -m benchmarks transductive``.

All classes over four points are tabled by another program than the library's, for each of the 24
orders.  Then all classes of 16 hypotheses and Littlestone dimension 4 over five points are built
from their halves, up to the names of points and labels.  Printed is in how few of the 120 orders 3
mistakes are forced.  More than 60 of them leave no class over six points with a gap of two
(docs/notes/games.md).

Asserted: the counts of the atlas over four points, and that number.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from benchmarks.harness import require

Masks = NDArray[Any]
"""Classes over n points: bit r is the hypothesis whose label at point p is bit p of r."""


def halves(classes: Masks, p: int, n: int) -> tuple[Masks, Masks]:
    """The hypotheses with label 0, and with label 1, at point ``p``, as classes over the others."""
    found = [np.zeros_like(classes), np.zeros_like(classes)]
    for row in range(1 << n):
        left = row & ((1 << p) - 1) | row >> p + 1 << p
        found[row >> p & 1] |= (classes >> row & 1) << left
    return found[0], found[1]


def settle(zero: Masks, one: Masks) -> Masks:
    """The value of a question, from those of its answers; -1 is that of an empty class."""
    least, most = np.minimum(zero, one), np.maximum(zero, one)
    return np.where(least < 0, most, np.maximum(most, 1 + least))


def tables(most: int) -> tuple[Masks, dict[tuple[int, ...], Masks]]:
    """The Littlestone dimensions of all classes over that many points, and their values by order."""
    dims = np.array([-1, 0])
    values: dict[tuple[int, ...], Masks] = {(): dims}
    for n in range(1, most + 1):
        parts = [halves(np.arange(1 << (1 << n)), p, n) for p in range(n)]
        dims = np.max([settle(dims[zero], dims[one]) for zero, one in parts], axis=0)
        values = {order: value_of(parts, order, values) for order in permutations(range(n))}
    return dims, values


def value_of(
    parts: list[tuple[Masks, Masks]], order: tuple[int, ...], values: dict[tuple[int, ...], Masks]
) -> Masks:
    """The mistakes of classes with these halves, if the points come in this order."""
    p, *later = order
    after = values[tuple(x - (x > p) for x in later)]
    zero, one = parts[p]
    return settle(after[zero], after[one])


def up_to_names(classes: list[int], n: int) -> Iterator[int]:
    """One class of each kind, if points are renamed and labels exchanged."""
    seen: set[int] = set()
    for found in classes:
        if found in seen:
            continue
        yield found
        rows = [row for row in range(1 << n) if found >> row & 1]
        for names in permutations(range(n)):
            moved = [sum((row >> p & 1) << name for p, name in enumerate(names)) for row in rows]
            seen |= {sum(1 << (row ^ flip) for row in moved) for flip in range(1 << n)}


def show(console: Console) -> None:
    """The counts over four points, and the fewest orders over five."""
    dims, values = tables(4)
    gaps = dims - np.max(list(values.values()), axis=0)
    require(np.sum(gaps > 0) == 2880 and gaps.max() == 1, "the atlas says otherwise")
    sizes = np.array([bin(found).count("1") for found in range(1 << 16)])
    eighths = [int(found) for found in np.flatnonzero((dims == 3) & (sizes == 8))]
    few, kinds = 120, list(up_to_names(eighths, 4))
    spread = [sum((found >> row & 1) << 2 * row for row in range(16)) for found in eighths]
    for zero in kinds:
        # Point 0 is the root: its bit is the lowest of a row.
        zeros = sum((zero >> row & 1) << 2 * row for row in range(16))
        classes = zeros | np.array(spread) << 1
        parts = [halves(classes, p, 5) for p in range(5)]
        forced = sum(
            (value_of(parts, order, values) >= 3).astype(int) for order in permutations(range(5))
        )
        few = min(few, int(np.min(forced)))
    require(few == 90, "another number of orders")
    console.print(
        f"4 points: {np.sum(gaps > 0):,} of 65,535 classes have fewer transductive mistakes, by 1\n"
        f"5 points, 16 hypotheses, dimension 4: {len(kinds) * len(eighths):,} classes, and in at least "
        f"{few} of 120 orders 3 mistakes are forced",
        highlight=False,
    )
