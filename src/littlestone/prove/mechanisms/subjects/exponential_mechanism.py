"""The exponential mechanism, on all tiny vectors of error counts."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
from littlestone.privacy.scores import ErrorRuns
from littlestone.prove.mechanisms.subject import Subject, mechanism_subject, subject

Errors = tuple[int, ...]


def neighbouring_errors(items: int, most: int) -> Iterator[tuple[Errors, Errors]]:
    """Pairs of vectors of ``items`` error counts up to ``most`` that differ by at most 1 in each.

    >>> list(neighbouring_errors(1, 2))
    [((0,), (1,)), ((1,), (2,))]
    """
    for errors in product(range(most + 1), repeat=items):
        for steps in product((-1, 0, 1), repeat=items):
            other = tuple(error + step for error, step in zip(errors, steps, strict=True))
            if errors < other and min(other) >= 0 and max(other) <= most:
                yield errors, other


@subject("exponential-mechanism")
def exponential_mechanism(epsilon: Fraction, delta: Fraction) -> Subject[Errors]:
    """The exponential mechanism on error counts; spends no delta."""
    return mechanism_subject(
        ExponentialMechanism(epsilon),
        pairs=neighbouring_errors(3, 4),
        # In the sharp case a rare item gains on all others, but it is not too rare to be seen.
        large=((1, *[0] * 9), (0, *[1] * 9)),
        read=lambda errors: ErrorRuns(np.array(errors)),
    )
