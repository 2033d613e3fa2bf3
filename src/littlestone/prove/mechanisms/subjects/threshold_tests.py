"""Threshold tests: sparse vector, and AboveThreshold with fresh noise."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from littlestone.privacy.budget import Budget
from littlestone.privacy.mechanisms.thresholds.above_threshold import AboveThreshold
from littlestone.privacy.mechanisms.thresholds.sparse_vector import SparseVector
from littlestone.prove.mechanisms.subject import Subject, mechanism_subject, subject

Values = tuple[int, ...]

# Tests at the threshold that do not hit, then one below it that does: a replaced record moves each
# value in its own direction.
LARGE = (0,) * 2 + (-1,), (1,) * 2 + (-2,)


def neighbouring_values(tests: int) -> Iterator[tuple[Values, Values]]:
    """Pairs of values of ``tests`` tests, near a threshold of 0, that differ by at most 1 in each.

    >>> list(neighbouring_values(1))
    [((-1,), (0,)), ((0,), (1,))]
    """
    near = list(product((-1, 0, 1), repeat=tests))
    for one, other in product(near, repeat=2):
        if one < other and all(abs(x - y) <= 1 for x, y in zip(one, other, strict=True)):
            yield one, other


@subject(
    "sparse-vector",
    id="Sparse vector technique",
    code="privacy.mechanisms.thresholds.sparse_vector.SparseVector",
    proof="proofs/sparse-vector.md#theorem-1-privacy",
)
def sparse_vector(epsilon: Fraction, delta: Fraction) -> Subject[Values]:
    """The sparse vector technique up to one hit, any values; spends no delta."""
    return mechanism_subject(
        SparseVector.within(epsilon, threshold=0),
        pairs=[*neighbouring_values(2), ((0, 0, -4), (1, 1, -5))],
        large=LARGE,
        read=lambda values: values,
    )


@subject(
    "above-threshold",
    id="Lyu25 Algorithm 2",
    code="privacy.mechanisms.thresholds.above_threshold.AboveThreshold",
    proof="proofs/above-threshold.md#theorem-2-the-exact-worst-case",
    status="mended",
)
def above_threshold(epsilon: Fraction, delta: Fraction) -> Subject[Values]:
    """AboveThreshold with fresh noise up to one hit; needs a delta."""
    return mechanism_subject(
        AboveThreshold(budget=Budget(epsilon, delta), threshold=0),
        pairs=[*neighbouring_values(2), ((0,) * 6, (1,) * 6)],
        large=LARGE,
        read=lambda values: values,
    )
