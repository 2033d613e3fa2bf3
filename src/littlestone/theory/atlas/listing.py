"""All classes over a few points, up to renaming, with what is known about each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import Any

from littlestone.base.errors import TooLargeError
from littlestone.base.parallel import spread
from littlestone.theory.atlas.quantities import PAIRINGS, QUANTITIES, paired
from littlestone.theory.atlas.renaming import Rows, lines_of, renamings, smallest_masks, table_of

MOST = 4
"""Over five points there are 18,673,895 classes up to renaming."""


@dataclass(frozen=True)
class Entry:
    """A class of the atlas: one for all its renamings, of which there are ``renamings``.

    ``values`` has each of `QUANTITIES` by its name, and ``pairings`` the lists of `paired`, which are
    empty unless there are four points.
    """

    points: int
    rows: Rows
    renamings: int
    values: dict[str, int]
    pairings: dict[str, list[int]]


def atlas(points: int, *, jobs: int | None = 1) -> Iterator[Entry]:
    """Every class of at least one hypothesis over at most 4 points, once for all its renamings.

    By the number of rows, then by the rows.  Raises `TooLargeError` for more points.  Four points take
    some seconds.  ``jobs`` processes share the work; None is one for each core.

    >>> [(entry.rows, entry.renamings) for entry in atlas(1)]
    [((0,), 2), ((0, 1), 1)]
    """
    if not 1 <= points <= MOST:
        raise TooLargeError(
            f"list all classes over {points} points",
            found=(
                f"only classes over 1 to {MOST} points are listed; beyond that there are too many"
            ),
            fix=f"give 1 to {MOST} points, or use `littlestone theory search`, for the smallest",
        )
    found = [(points, *one) for one in families(points)]
    entries = dict(spread(entry, found, jobs=jobs, what="measuring classes"))
    return (entries[i] for i in range(len(found)))


def families(points: int) -> list[tuple[Rows, int]]:
    """The smallest class of each family of renamed classes, and the number of classes in it.

    A class is a mask of 2^(2^n) bits, and its smallest renaming is the smallest mask.
    """
    kept, counts = smallest_masks(renamings(points))
    listed = [tuple(row for row in range(2**points) if mask >> row & 1) for mask in kept]
    return sorted(zip(listed, counts, strict=True), key=lambda one: (len(one[0]), one[0]))


def entry(found: tuple[int, Rows, int]) -> Entry:
    """Measure one class."""
    points, rows, count = found
    table = table_of(rows, points)
    values = {name: int(quantity.of(table)) for name, quantity in QUANTITIES.items()}
    return Entry(points, rows, count, values, paired(table) if points == PAIRINGS else {})


def columns(entries: Sequence[Entry]) -> dict[str, list[Any]]:
    """The classes by column: each hypothesis as its labels, the renamings, and all that was measured.

    >>> list(columns(list(atlas(1)))["hypotheses"])
    [['0'], ['0', '1']]
    """
    found: dict[str, list[Any]] = {
        "hypotheses": [lines_of(entry.rows, entry.points) for entry in entries],
        "renamings": [entry.renamings for entry in entries],
    }
    found |= {name: [entry.values[name] for entry in entries] for name in QUANTITIES}
    names = entries[0].pairings if entries else ()
    return found | {name: [entry.pairings[name] for entry in entries] for name in names}


def burnside(points: int) -> int:
    """The number of classes of at least one hypothesis up to renaming, without listing any.

    By Burnside's lemma it is the mean over the renamings g of 2^(cycles of g on the rows), less 1 for
    the empty class.

    >>> [burnside(n) for n in (1, 2, 3, 4, 5)]
    [2, 8, 45, 2103, 18673895]
    """
    total = 0
    for image in renamings(points).tolist():
        left, cycles = set(range(2**points)), 0
        while left:
            cycles += 1
            row = left.pop()
            while (row := image[row]) in left:
                left.remove(row)
        total += 2**cycles
    mean = Fraction(total, 2 * factorial(points))
    return int(mean) - 1
