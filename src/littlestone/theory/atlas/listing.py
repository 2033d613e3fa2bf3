"""All classes over a few points up to renaming, and the smallest that meet a condition.

Points may change places, and the labels 0 and 1 may be exchanged at all points together.  (To exchange
them at one point alone changes the threshold dimension and the dual dimensions.)  Hypotheses have no
names, because a class is a set.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import comb, factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError, TooLargeError
from littlestone.base.work import spread, stage
from littlestone.dimension import LabelTable
from littlestone.theory.atlas.quantities import PAIRINGS, QUANTITIES, Number, Query, pair_dimensions

Rows = tuple[int, ...]
"""A class: its rows in increasing order."""

_FEW = 4  # orders of the points that are tried one by one; more go through numpy


def table_of(rows: Sequence[int], points: int) -> LabelTable:
    """The class as a table, a row for each hypothesis and a column for each point.

    >>> table_of((0, 6), 3).values.tolist()
    [[0, 0, 0], [0, 1, 1]]
    """
    values = np.array(rows, np.int64)[:, np.newaxis] >> np.arange(points) & 1
    return LabelTable(values, 2, _names("x", points), _names("h", len(rows)))


def lines_of(rows: Sequence[int], points: int) -> list[str]:
    """Each hypothesis as its labels at the points, in order.

    >>> lines_of((0, 6), 3)
    ['000', '011']
    """
    return ["".join(map(str, row)) for row in table_of(rows, points).values]


@cache
def _names(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{i}" for i in range(count))


def canonical(rows: Iterable[int], points: int) -> Rows:
    """The same rows for all classes that are the same up to renaming, and for no others.

    The way to call the labels with fewer ones is taken.  The points are ordered by their signatures
    (`_signature`); among these orders the one with the smallest rows is taken.  The time is exponential
    in the number of different columns with one signature.

    >>> canonical([0b100, 0b110, 0b111], 3), canonical([0b000, 0b100, 0b110], 3)
    ((0, 2, 6), (0, 2, 6))
    """
    given, full = [*rows], 2**points - 1
    ones, cells = sum(row.bit_count() for row in given), len(given) * points
    ways = []
    if 2 * ones <= cells:
        ways.append(given)
    if 2 * ones >= cells:
        ways.append([full ^ row for row in given])
    return min(_smallest(way, points) for way in ways)


def _smallest(rows: Sequence[int], points: int) -> Rows:
    orders = list(_orders(rows, points))
    if len(orders) <= _FEW:
        return min(tuple(sorted(_move_points(rows, order))) for order in orders)
    moved = table_of(rows, points).values[:, np.array(orders)] @ (1 << np.arange(points))
    found: list[int] = min(np.sort(moved, axis=0).T.tolist())
    return tuple(found)


def _move_points(rows: Iterable[int], order: Sequence[int]) -> Iterator[int]:
    """The rows with the old point ``order[x]`` in the place x."""
    return (sum((row >> old & 1) << x for x, old in enumerate(order)) for row in rows)


def _orders(rows: Sequence[int], points: int) -> Iterator[tuple[int, ...]]:
    """The orders of the points in which their signatures increase; equal columns stay together."""
    equal = defaultdict(list)
    for x in range(points):
        equal[sum((row >> x & 1) << i for i, row in enumerate(rows))].append(x)
    alike = defaultdict(list)
    sizes = [row.bit_count() for row in rows]
    for column, places in equal.items():
        alike[_signature(column, places, equal, sizes)].append(places)
    groups = (permutations(alike[signature]) for signature in sorted(alike))
    for parts in product(*groups):
        yield tuple(x for part in parts for places in part for x in places)


def _signature(
    column: int, places: list[int], equal: dict[int, list[int]], sizes: list[int]
) -> tuple[object, ...]:
    """What no renaming changes about a point, from its column.

    How many points have the column; the numbers of ones of the rows with a 1 there, sorted; and for
    each other column, its numbers of points, of shared ones and of ones, sorted.
    """
    here = sorted(size for i, size in enumerate(sizes) if column >> i & 1)
    others = sorted(
        (len(same), (column & other).bit_count(), other.bit_count())
        for other, same in equal.items()
    )
    return len(places), tuple(here), tuple(others)


def renamings(points: int) -> NDArray[np.int64]:
    """Where each of the 2 n! renamings takes each of the 2^n rows, as an array of that shape.

    >>> renamings(2).tolist()
    [[0, 1, 2, 3], [0, 2, 1, 3], [3, 2, 1, 0], [3, 1, 2, 0]]
    """
    rows, full = range(2**points), 2**points - 1
    moved = [list(_move_points(rows, order)) for order in permutations(range(points))]
    return np.array([*moved, *([full ^ row for row in image] for image in moved)])


def smallest_masks(images: NDArray[np.int64]) -> tuple[list[int], list[int]]:
    """The smallest class of each family of renamed classes, as a mask, and the family's size.

    ``images[g, i]`` is the row that renaming g makes of row i, and the renamings are a group.  The
    empty class is left out.

    >>> smallest_masks(renamings(1))
    ([1, 3], [2, 1])
    """
    rows = images.shape[1]
    masks = np.arange(1 << rows, dtype=np.int64)
    smallest = masks.copy()
    for image in images.tolist():
        moved = np.zeros_like(masks)
        for row, other in enumerate(image):
            moved |= (masks >> row & 1) << other
        np.minimum(smallest, moved, out=smallest)
    kept, counts = np.unique(smallest[1:], return_counts=True)
    return kept.tolist(), counts.tolist()


_BEST = 3  # points of `best_columns`

MOST = 4
"""Over five points there are 18,673,895 classes up to renaming."""


@dataclass(frozen=True)
class Entry:
    """A class of the atlas: one for all its ``renamings``.

    ``values`` has each of `QUANTITIES` by its name, and ``pairings`` the lists of
    `pair_dimensions`, which are empty unless there are four points.
    """

    points: int
    rows: Rows
    renamings: int
    values: dict[str, Number]
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
    values = {name: quantity.of(table) for name, quantity in QUANTITIES.items()}
    return Entry(points, rows, count, values, pair_dimensions(table) if points == PAIRINGS else {})


def columns(entries: Sequence[Entry]) -> dict[str, list[Any]]:
    """The classes by column: each hypothesis as its labels, the renamings, and all that was measured.

    >>> list(columns(list(atlas(1)))["hypotheses"])
    [['0'], ['0', '1']]
    """
    found: dict[str, list[Any]] = {
        "hypotheses": [lines_of(entry.rows, entry.points) for entry in entries],
        "renamings": [entry.renamings for entry in entries],
    }
    found |= {name: [plain(entry.values[name]) for entry in entries] for name in QUANTITIES}
    names = entries[0].pairings if entries else ()
    return found | {name: [entry.pairings[name] for entry in entries] for name in names}


def plain(number: Number) -> int | float:
    """The number for a file: a fraction as a float, which is exact if labels are 0 and 1.

    >>> plain(Fraction(3, 4)), plain(1)
    (0.75, 1)
    """
    return float(number) if isinstance(number, Fraction) else number


SIZES = (1, 2, 3)
"""The numbers of records of `best_columns`."""


def require_best(points: int) -> None:
    """Raise `TooLargeError` if the best learners of all classes over so many points take too long.

    >>> require_best(3)
    """
    if points > _BEST:
        raise TooLargeError(
            f"find the best private learners of all classes over {points} points",
            found=f"only over at most {_BEST} points they take seconds",
            fix=f"give 1 to {_BEST} points, or ask for one class by `theory optimum`",
        )


def best_columns(entries: Sequence[Entry]) -> dict[str, list[float]]:
    """How well the best private learner does with 1, 2 and 3 records, at epsilon 1, by column.

    It is the chance of an error of at most 1/3 in the worst case, where all points are equally likely
    (`Task.uniform`), rounded down; what is left out is below 10^-7, and proved.

    >>> best_columns(list(atlas(1)))
    {'best1': [1.0, 0.73105857], 'best2': [1.0, 0.81606027], 'best3': [1.0, 0.90106198]}
    """
    from littlestone.privacy.cost import Budget
    from littlestone.theory.optimum import Task, best

    for one in entries:
        require_best(one.points)

    def success(one: Entry, n: int) -> float:
        found = best(Task.uniform(one.rows, one.points, n, wrong=one.points // 3), Budget(1))
        if found.most - found.least > Fraction(1, 10**7):
            raise TooLargeError(
                f"find the best private learner of {lines_of(one.rows, one.points)}",
                found="the solver was not close enough",
                fix="ask for this class by `theory optimum`, which prints both bounds",
            )
        return found.bounds[0]

    return {f"best{n}": [success(one, n) for one in entries] for n in SIZES}


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


MOST_POINTS = 8
MOST_EXAMPLES = 1_000


@dataclass(frozen=True)
class SearchResult:
    """What a search found and how far it looked.

    ``found`` are classes of ``points`` points and equally many rows that meet the condition, up to
    renaming.  ``classes`` were measured.  If nothing was found, there is none with fewer than
    ``points`` points (of those that were asked for), nor with ``points`` points and at most ``rows``
    rows; ``whole`` says that this is all that was asked for, and ``interrupted`` that Ctrl+C ended it.
    """

    found: tuple[Rows, ...] = ()
    points: int = 0
    rows: int = 0
    classes: int = 0
    whole: bool = False
    interrupted: bool = False


def search(
    condition: str,
    *,
    points: tuple[int, int],
    rows: tuple[int, int],
    most: int = 1,
    seconds: float | None = None,
) -> SearchResult:
    """The smallest classes that meet a condition: fewest points first, and then fewest rows.

    ``points`` and ``rows`` are ranges with both ends.  Up to ``most`` examples of the smallest size are
    returned.  Level by level, a row is added in all ways to every class so far, and of all renamings
    one is kept.  A class is left out if a quantity that only grows exceeds a limit of the condition, or
    is so far below one that further rows cannot reach it.  The number of classes grows quickly: Ctrl+C
    and ``seconds`` stop the search, which then says how far it looked.

    Raises `DeclarationError` for a condition that cannot be read (see `Query`) and wrong ranges.

    >>> looked = search("ldim == 2 and vc == 1", points=(1, 4), rows=(1, 5))
    >>> looked.found, looked.points, looked.rows
    (((0, 1, 2, 6),), 3, 4)
    """
    query = Query.from_text(condition)
    _require(points, rows, most)
    looked = SearchResult()
    deadline = None if seconds is None else time.monotonic() + seconds
    try:
        with stage("searching") as tell:
            for n in range(points[0], points[1] + 1):
                tell(n - points[0], points[1] - points[0] + 1)
                for now in _over(query, n, rows, most, looked, deadline):
                    looked = now
                    if looked.found:
                        return looked
    except TimeoutError:
        return looked
    except KeyboardInterrupt:
        return replace(looked, interrupted=True)
    return replace(looked, whole=True)


def _over(
    query: Query,
    n: int,
    rows: tuple[int, int],
    most: int,
    looked: SearchResult,
    deadline: float | None,
) -> Iterator[SearchResult]:
    """The results after each number of rows, over ``n`` points."""
    vc = min(query.most.get("vc", n), n)
    top = min(rows[1], sum(comb(n, i) for i in range(vc + 1)))  # Sauer's lemma
    # Lower limits leave out the more, the fewer rows are to come.  So ask for each number of rows anew.
    deepens = any(QUANTITIES[name].steps for name in query.least)
    looked = replace(looked, points=n, rows=0)
    yield looked
    for target in range(rows[0], top + 1) if deepens else (top,):
        level: list[Rows] = [()] if _fits(query, n, target) else []
        for r in range(1, target + 1):
            level, tried = _grow_classes(query, level, n, target - r, deadline)
            looked = replace(looked, classes=looked.classes + tried)
            if r >= rows[0] and (r == target or not deepens):
                found = [one for one in level if _meets(query, one, n)]
                looked = replace(looked, rows=r, found=tuple(sorted(found)[:most]))
                yield looked
                if found:
                    return
            if not level:
                break
        looked = replace(looked, rows=target)
        yield looked
    yield replace(looked, rows=rows[1])


def _grow_classes(
    query: Query, level: list[Rows], n: int, to_come: int, deadline: float | None
) -> tuple[list[Rows], int]:
    """The classes with one row more that may still meet the condition, and how many were measured."""
    tried, grown = set[Rows](), []
    for rows in level:
        for row in _new_rows(rows, n):
            if deadline is not None and time.monotonic() > deadline:
                raise TimeoutError
            candidate = canonical((*rows, row), n)
            if candidate not in tried:
                tried.add(candidate)
                if _may_grow(query, candidate, n, to_come):
                    grown.append(candidate)
    return grown, len(tried)


def _new_rows(rows: Rows, n: int) -> Iterator[int]:
    """The rows that are not in the class, without some that differ by a renaming of the class.

    Equal columns may change places, so among them a row has its ones first.
    """
    columns = [tuple(row >> x & 1 for row in rows) for x in range(n)]
    alike = [
        (1 << x, 1 << z)
        for z in range(n)
        for x in [max((x for x in range(z) if columns[x] == columns[z]), default=None)]
        if x is not None
    ]
    for row in range(2**n):
        if row not in rows and all(row & first or not row & second for first, second in alike):
            yield row


def _fits(query: Query, n: int, rows: int) -> bool:
    """Whether classes of that many rows over ``n`` points can reach the lower limits."""
    caps = ((QUANTITIES[name].most, least) for name, least in query.least.items())
    return all(most is None or most(n, rows) >= least for most, least in caps)


def _may_grow(query: Query, rows: Rows, n: int, to_come: int) -> bool:
    """Whether this class with ``to_come`` more rows may lie within the limits of the condition."""
    table = table_of(rows, n)
    for name in {**query.most, **query.least}:
        quantity = QUANTITIES[name]
        above, least = query.most.get(name), query.least.get(name)
        if name == "rows" or not quantity.grows:
            continue
        value = quantity.of(table)
        if above is not None and value > above:
            return False
        if least is not None and quantity.steps and value + to_come < least:
            return False
    return True


def _meets(query: Query, rows: Rows, n: int) -> bool:
    table = table_of(rows, n)
    return query({name: QUANTITIES[name].of(table) for name in query.names})


def _require(points: tuple[int, int], rows: tuple[int, int], most: int) -> None:
    ranges = {"points": (points, MOST_POINTS), "rows": (rows, 2**MOST_POINTS)}
    for name, ((low, high), limit) in ranges.items():
        if not 1 <= low <= high <= limit:
            within = f"only classes of 1 to {limit} {name} are searched"
            raise DeclarationError(
                f"search classes of {low} to {high} {name}",
                found=within if low <= high else f"{low} is more than {high}",
                fix="give a range such as 2..4",
            )
    if not 1 <= most <= MOST_EXAMPLES:
        raise DeclarationError(
            f"search for {most} examples",
            found=f"it must be 1 to {MOST_EXAMPLES:,}",
            fix="give a small number, such as 3",
        )
