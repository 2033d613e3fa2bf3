"""Proved numbers of mistakes that can be forced, as formulas: docs/proofs/closed-forms.md.

Each is a lower bound of a Littlestone dimension that takes no table and no search.  Where it meets the
upper bound log2 |H| it is the dimension.  `two_point_boxes` is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import comb

from littlestone.classes.intervals import spine_dimension

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


def log2(number: int) -> int:
    """floor(log2 number), for a number >= 1."""
    return number.bit_length() - 1


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
        return 1 + k * log2(n + 1)
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
    doubled = (low + k * log2(n // m) for m, low in JUNTAS.get(k, {}).items() if m <= n)
    return max([found, *doubled])


def boxes(sizes: Sequence[int]) -> int:
    """A lower bound of LDim of the boxes on ranges of these sizes, without the empty one (Theorem 5).

    >>> boxes([16, 16]), boxes([1001, 1001])
    (12, 35)
    """
    ends = [max(j + log2(m + 1 - (1 << j)) for j in range(m.bit_length())) for m in sizes]
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
        return log2(m + empty)
    doubled = (low + r * log2(m // n) for n, low in RULES.get(r, {}).items() if n <= m)
    blocks = (
        log2(first + empty) + rules(m - first, r - 1, empty=True) for first in _powers(m - r + 1)
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
