"""Votes on questions, on all tiny sequences of votes."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from littlestone.privacy.budget import Budget
from littlestone.privacy.mechanisms.thresholds.between_thresholds import BetweenThresholds
from littlestone.prove.mechanisms.subject import Subject, mechanism_subject, subject

Votes = tuple[int, ...]


@subject("between-thresholds")
def between_thresholds(epsilon: Fraction, delta: Fraction) -> Subject[Votes]:
    """Two questions, on which two vote; of neighbours each vote count differs by one; needs a delta."""
    mechanism = BetweenThresholds(
        budget=Budget(epsilon, delta), voters=2, threshold=2, hits=1, horizon=2
    )
    counts = list(product(range(3), repeat=2))
    return mechanism_subject(
        mechanism,
        pairs=[
            (one, other)
            for one, other in product(counts, repeat=2)
            if one < other and all(abs(n - m) <= 1 for n, m in zip(one, other, strict=True))
        ],
        large=((1, 1), (0, 0)),
        read=lambda votes: votes,
    )
