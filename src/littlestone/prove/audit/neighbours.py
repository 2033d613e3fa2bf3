"""All neighbouring tiny data sets, and the distance between the outputs for two of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import TypeVar

Record = TypeVar("Record")
Output = TypeVar("Output", bound=Hashable)


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


def hockey_stick(
    p: Mapping[Output, Fraction], q: Mapping[Output, Fraction], ratio: Fraction
) -> Fraction:
    """The hockey-stick divergence sup_Y (p(Y) - ratio q(Y)) = sum over y of (p(y) - ratio q(y))_+.

    With ``ratio`` <= e^epsilon, a value of at most delta in both directions proves (epsilon, delta)
    for this pair of data sets.  Exact.

    >>> hockey_stick({0: Fraction(3, 4), 1: Fraction(1, 4)}, {0: Fraction(1)}, Fraction(1))
    Fraction(1, 4)
    """
    zero = found = Fraction(0)
    for y, mass in p.items():
        other = q.get(y, zero)
        # A fraction takes a gcd of long numbers, and most terms are none.
        whole = mass.denominator * ratio.denominator * other.denominator
        taken = ratio.numerator * other.numerator * mass.denominator
        left = mass.numerator * ratio.denominator * other.denominator - taken
        if left > 0:
            found += Fraction(left, whole)
    return found
