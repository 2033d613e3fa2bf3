"""The majority vote of hypotheses of two labels, written down as one function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from littlestone.points import Domain
from littlestone.rules.base import Hypothesis
from littlestone.rules.tables import function_of_labels, values_of

MOST_POINTS = 1 << 20
"""The most points of a domain on which a vote is written label by label, if there is no other way."""


def majority(voters: Sequence[Hypothesis[Any]]) -> Hypothesis[Any] | None:
    """The function x -> 1[2 sum_i h_i(x) > number of voters], in the canonical form of its kind.

    The result holds only the function, not who voted how.  None if no form is known, as for sets of
    equations over more than 2^20 points.  O(total size of the forms); for rules, up to as many
    conjunctions as the voters' rules have.

    >>> from littlestone.points import Grid, Strings
    >>> from littlestone.rules import FiniteSet, StepFunction
    >>> steps = [StepFunction.threshold(Grid(0, 9), t) for t in (2, 5, 8)]
    >>> majority(steps).words()
    'x >= 5'
    >>> sets = [FiniteSet(Strings("id"), frozenset(ids)) for ids in ("ab", "bc", "ca")]
    >>> majority(sets).words()
    "id is one of 'a', 'b', 'c'"
    """
    return vote(voters, len(voters) // 2 + 1)


def has_majority(domain: Domain[Any], maker: Callable[[], Hypothesis[Any]]) -> bool:
    """Whether functions on this domain, of the kind that ``maker`` makes, have a `majority`.

    On a domain of at most `MOST_POINTS` points all have one, so none is made.

    >>> from littlestone.points import Grid
    >>> from littlestone.rules import StepFunction
    >>> ids = Grid(0, 2**64 - 1)
    >>> has_majority(ids, lambda: StepFunction.threshold(ids, 5))
    True
    """
    small = domain.size is not None and domain.size <= MOST_POINTS
    return small or vote([maker()], 1) is not None


def vote(voters: Sequence[Hypothesis[Any]], need: int) -> Hypothesis[Any] | None:
    """The function that is 1 where ``need`` voters are, in their kind's form or label by label."""
    domain, kind = voters[0].domain, type(voters[0])
    if all(type(h) is kind for h in voters) and (found := kind.voted(voters, need)) is not None:
        return found
    size = domain.size
    if size is None or size > MOST_POINTS:
        return None
    if len(set(voters)) == 1:  # reading a million labels takes seconds
        return voters[0]
    votes = np.zeros(size, dtype=np.int64)
    for h, times in Counter(voters).items():
        votes += times * values_of(h, domain)
    return function_of_labels(domain, (votes >= need).tolist())
