"""All neighbouring tiny data sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement, product
from typing import TypeVar

Record = TypeVar("Record")


def neighbours(
    records: Sequence[Record], n: int, *, ordered: bool = True
) -> Iterator[tuple[tuple[Record, ...], tuple[Record, ...]]]:
    """Every pair of data sets of n >= 1 records that differ in one record, each pair once.

    With r possible ``records`` these are n r^(n-1) r(r-1)/2 pairs of sequences.  For a mechanism that
    is known to read a multiset, ``ordered=False`` gives each pair of multisets once.

    >>> list(neighbours("ab", 1))
    [(('a',), ('b',))]
    >>> len(list(neighbours("ab", 3))), len(list(neighbours("ab", 3, ordered=False)))
    (12, 3)
    """
    rests: Iterator[tuple[Record, ...]] = (
        product(records, repeat=n - 1) if ordered else combinations_with_replacement(records, n - 1)
    )
    for rest in rests:
        # Without an order the place of the record that changes says nothing.
        for i in range(n if ordered else 1):
            for one, other in combinations(records, 2):
                yield (*rest[:i], one, *rest[i:]), (*rest[:i], other, *rest[i:])
