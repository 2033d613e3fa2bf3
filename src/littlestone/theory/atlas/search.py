"""The smallest classes that meet a condition on their quantities."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import comb

from littlestone.base.errors import DeclarationError
from littlestone.base.work import stage
from littlestone.theory.atlas.listing import Rows, canonical, table_of
from littlestone.theory.atlas.quantities import QUANTITIES, Query

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
