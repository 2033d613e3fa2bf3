"""The majority vote of hypotheses of two labels, and functions on a disjoint union of domains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from littlestone.points import Disjoint, Domain, require_list
from littlestone.rules.base import BinaryHypothesis, Hypothesis, disagreement
from littlestone.rules.languages.form import Outcome, case, shares
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
    if all(type(h) is kind for h in voters) and (found := kind.vote(voters, need)) is not None:
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


@dataclass(frozen=True)
class DirectSum(BinaryHypothesis[tuple[int, Any]]):
    """The function h(j, x) = h_j(x) on a disjoint union, with a function h_j on each domain.

    >>> from littlestone.points import Grid
    >>> from littlestone.rules import StepFunction
    >>> ages, hours = Grid(0, 99, "age"), Grid(0, 23, "hour")
    >>> parts = StepFunction.threshold(ages, 18), StepFunction.threshold(hours, 6)
    >>> DirectSum(Disjoint((ages, hours)), parts).words()
    'of age: age >= 18; of hour: hour >= 6'
    """

    domain: Disjoint
    parts: tuple[Hypothesis[Any], ...]

    def __call__(self, x: tuple[int, Any]) -> int:
        return self.parts[x[0]](x[1])

    def words(self) -> str:
        return "; ".join(f"of {part.domain.name}: {part.words()}" for part in self.parts)

    def outcome(self) -> Outcome:
        outcomes = [part.outcome() for part in self.parts]
        return case(zip(shares(self.domain), outcomes, strict=True), 0)

    def witness(self, other: Self) -> tuple[int, Any] | None:
        for j, (f, g) in enumerate(zip(self.parts, other.parts, strict=True)):
            if f != g:
                return j, disagreement(f, g)
        return None

    @classmethod
    def vote(cls, voters: Sequence[Self], need: int) -> Self | None:
        columns = zip(*(h.parts for h in voters), strict=True)
        parts = [vote(column, need) for column in columns]
        found = tuple(part for part in parts if part is not None)
        return cls(voters[0].domain, found) if len(found) == len(parts) else None

    def form(self) -> dict[str, object]:
        return {"parts": [part.to_json() for part in self.parts]}

    @classmethod
    def from_form(cls, domain: Domain[Any], form: Mapping[str, Any]) -> Self:
        parts = tuple(map(Hypothesis.from_json, require_list(form["parts"])))
        if not isinstance(domain, Disjoint) or domain.columns != tuple(h.domain for h in parts):
            raise ValueError
        return cls(domain, parts)
