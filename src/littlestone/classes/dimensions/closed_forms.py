"""What is known of the Littlestone dimension of a declared class: bounds, each with its reason.

The formulas are proved numbers of mistakes that can be forced: docs/proofs/closed-forms.md.  Each is a
lower bound that takes no table and no search.  Where it meets the upper bound log2 |H| it is the
dimension.  `two_point_boxes` and `spine_dimension` are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from heapq import nlargest
from itertools import chain
from math import comb
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from littlestone.classes.base import HypothesisClass
    from littlestone.dimension.tables import PackedTable
    from littlestone.dimension.tree import Bounds

    Solve = Callable[[PackedTable], Bounds]

SECONDS = 10.0
"""How long the table of a declared class is searched, by default."""

MOST_ENTRIES = 1 << 25
"""The most entries of a table that is made only to be searched."""


@dataclass(frozen=True)
class KnownDimension:
    """lower <= LDim(H) <= upper, and why; ``search`` is the search that was stopped, if one was."""

    lower: int | float
    upper: int | float
    lower_reason: str
    upper_reason: str
    search: Bounds | None = None


def find_dimension(H: HypothesisClass[Any], solve: Solve | None = None) -> KnownDimension:
    """LDim(H) if a formula or a search gives it, else bounds.

    ``solve`` searches a table; the default stops after 10 seconds.

    >>> from littlestone.classes import parse_class
    >>> found = find_dimension(parse_class("juntas(a, b, c, d, e, f, g, h, i, j, k, l; k 3)"))
    >>> found.lower, found.upper, found.upper_reason
    (14, 15, 'the majority of its functions errs no more often')
    """
    search = H.search_table()
    below, above = H.bound_reasons()
    if search is None:
        return KnownDimension(*H.littlestone_bounds(), below, above)
    from littlestone.dimension.littlestone import littlestone_bounds

    lower, upper = search.bounds
    found = (solve or partial(littlestone_bounds, time_limit=SECONDS))(search.table)
    # A part of the class and a proved gain still bound the whole class from below; from above only
    # the whole table does.
    if found.lower + search.gain > lower:
        lower, below = found.lower + search.gain, search.reason
    if search.whole and found.upper + search.gain < upper:
        upper, above = found.upper + search.gain, search.reason
    return KnownDimension(lower, upper, below, above, found if found.interrupted else None)


def halving(functions: int) -> int:
    """floor(log2 N): each mistake of the majority vote halves the N functions of a class.

    >>> halving(1), halving(7), halving(8)
    (0, 2, 3)
    """
    return functions.bit_length() - 1


def has_one_mistake(H: HypothesisClass[Any]) -> bool:
    """Whether LDim(H) <= 1, so that the SOA errs at most once; the bounds of LDim(H) may settle it.

    >>> from littlestone.classes import parse_class
    >>> [has_one_mistake(parse_class(f"linear(x, y; q 5, dimension {d})")) for d in (1, 2)]
    [True, False]
    """
    least, most = H.littlestone_bounds()
    return most <= 1 or (least <= 1 and H.littlestone_dimension() <= 1)


LISTS = {1: 0, 2: 2, 3: 4, 4: 9, 5: 12}
"""LDim of the decision lists on n columns with three blocks or more, found by the solver."""

JUNTAS = {
    2: {2: 3, 3: 4, 4: 5, 5: 6, 6: 7, 8: 8},
    3: {3: 7, 4: 8, 5: 10, 6: 11, 7: 12, 8: 13, 9: 14},
    4: {4: 15},
}
"""LDim of the functions of n columns that depend on exactly k, by k and n, found by the solver."""


RULES = {
    2: {5: 3, 7: 4, 10: 5},
    3: {4: 1, 5: 2, 6: 3, 7: 4, 8: 5, 10: 6, 12: 7},
    4: {5: 1, 6: 2, 7: 3, 8: 4, 9: 5, 10: 6, 11: 7},
}
"""LDim of the conjunctions of exactly r of m bits, by r and m, found by the solver."""


def spine(d: int) -> tuple[int, int, int]:
    """A >= B >= C, d >= 1: gaps of lengths l >= r >= ... have LDim >= d iff l >= A or l >= B, r >= C.

    >>> [spine(d) for d in (1, 2, 3, 4, 5)]
    [(1, 1, 1), (2, 2, 2), (4, 3, 2), (6, 5, 2), (9, 7, 5)]
    """
    if d <= 2:
        return d, d, d
    half = 1 << (d - 3) // 2
    a, b, c = (5, 4, 3) if d % 2 else (7, 6, 3)
    return a * half - 1, b * half - 1, c * half - 1


def spine_dimension(lengths: Iterable[int]) -> int:
    """LDim of the intervals in gaps of these lengths, and the constant 0."""
    longest, second = nlargest(2, chain(lengths, (0, 0)))
    d = 0
    while True:
        A, B, C = spine(d + 1)
        if not (longest >= A or (longest >= B and second >= C)):
            return d
        d += 1


def two_point_boxes(sizes: Sequence[int]) -> int | None:
    """LDim of all boxes and the constant 0 if no range has more than two points; else None.

    They are the conjunctions of as many columns as there are ranges of two points.

    >>> two_point_boxes([2, 1, 2]), two_point_boxes([2, 3])
    (3, None)
    """
    return 1 + sum(size - 1 for size in sizes) if max(sizes) <= 2 else None


def decision_lists(n: int) -> int:
    """A lower bound of LDim of the decision lists on n columns (Theorems 3 and 4).

    >>> decision_lists(5), decision_lists(8), decision_lists(1000)
    (12, 18, 6111)
    """
    known = max(m for m in LISTS if m <= n)
    # Theorem 4: a list on 2^j - 1 columns, and j free questions for each of the others.
    inserted = ((n - (1 << j) + 1) * j for j in range(n.bit_length()))
    return max(LISTS[known] + 2 * (n - known), *inserted, 0)


def juntas(n: int, k: int) -> int:
    """A lower bound of LDim of the functions of at most k of n columns (Theorems 1 and 2).

    >>> juntas(10, 3), juntas(20, 3), juntas(40, 2)
    (14, 17, 12)
    """
    if k < 2:
        return 1 + k * halving(n + 1)
    found = 1 << k
    for waiting in range(1, k + 1):
        free, gain = n - k, 0
        widths = [1] * waiting
        while min(widths) <= free:  # the next bit is cheapest in the shortest block
            j = widths.index(min(widths))
            free -= widths[j]
            widths[j] *= 2
            gain += 1
        found = max(found, (1 << k) - waiting + gain)
    doubled = (low + k * halving(n // m) for m, low in JUNTAS.get(k, {}).items() if m <= n)
    return max([found, *doubled])


def boxes(sizes: Sequence[int]) -> int:
    """A lower bound of LDim of the boxes on ranges of these sizes, without the empty one (Theorem 5).

    >>> boxes([16, 16]), boxes([1001, 1001])
    (12, 35)
    """
    ends = [max(j + halving(m + 1 - (1 << j)) for j in range(m.bit_length())) for m in sizes]
    gains = (_interval(m) - own for m, own in zip(sizes, ends, strict=True))
    return sum(ends) + max(0, *gains)


def _interval(m: int) -> int:
    """LDim of the nonempty intervals on m points, or one less."""
    found = spine_dimension([m])
    return found if m > found else found - 1


@cache
def rules(m: int, r: int, *, empty: bool) -> int:
    """A lower bound of LDim of the conjunctions of at most r of m bits, maybe with the ``empty`` one.

    One column or none of each of r blocks of columns, or one of each of r groups (Theorems 1 and 6).

    >>> rules(20, 2, empty=True), rules(9, 9, empty=True), rules(9, 9, empty=False)
    (7, 9, 8)
    """
    if r == 1:
        return halving(m + empty)
    doubled = (low + r * halving(m // n) for n, low in RULES.get(r, {}).items() if n <= m)
    blocks = (
        halving(first + empty) + rules(m - first, r - 1, empty=True) for first in _powers(m - r + 1)
    )
    return max([*doubled, *blocks])


def _powers(most: int) -> list[int]:
    """The block sizes at which a logarithm grows: 2^j and 2^j - 1."""
    found = (size for j in range(1, most.bit_length() + 1) for size in ((1 << j) - 1, 1 << j))
    return [size for size in found if size <= most]


def shapes(m: int, r: int) -> int:
    """The number of sets of at most r of m columns."""
    return sum(comb(m, i) for i in range(r + 1))


def rule_sets(m: int, r: int, s: int) -> tuple[int, int]:
    """Bounds of LDim of the unions of at most s rules of at most r of m open columns (Theorem 7).

    >>> rule_sets(3, 2, 2), rule_sets(5, 2, 2)
    ((6, 11), (8, 14))
    """
    each, depth = shapes(m, r), 0
    # Above: a shattered tree of this depth would have more leaves than s rules can tell apart.
    while sum(comb(depth + 1, i) * each**i for i in range(s + 1)) >= 1 << (depth + 1):
        depth += 1
    return s * (1 + rules(m, r, empty=False)), depth
