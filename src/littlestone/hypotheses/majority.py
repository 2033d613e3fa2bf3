"""The majority vote of hypotheses, written down as one function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np

from littlestone.hypotheses.base import Hypothesis
from littlestone.hypotheses.rules import Rule, RuleUnion
from littlestone.hypotheses.sets import FiniteSet
from littlestone.hypotheses.steps import StepFunction
from littlestone.hypotheses.sums import DirectSum
from littlestone.hypotheses.tables import function_of_labels, values_of

MOST_POINTS = 1 << 20
"""Points of a domain up to which a vote is written down label by label, if in no other way."""


def majority(voters: Sequence[Hypothesis[Any]]) -> Hypothesis[Any] | None:
    """The function x -> 1[2 sum_i h_i(x) > number of voters], in the canonical form of its kind.

    It holds nothing but the function: who voted how is gone.  None where no form is known: those of
    sets of equations over more than 2^20 points.  O(total size of the forms); for rules, up to as
    many conjunctions as the voters' rules have.

    >>> from littlestone.domains import Grid, Strings
    >>> steps = [StepFunction.threshold(Grid(0, 9), t) for t in (2, 5, 8)]
    >>> majority(steps).words()
    'x >= 5'
    >>> sets = [FiniteSet(Strings("id"), frozenset(ids)) for ids in ("ab", "bc", "ca")]
    >>> majority(sets).words()
    "id is one of 'a', 'b', 'c'"
    """
    domain, kinds, need = voters[0].domain, set(map(type, voters)), len(voters) // 2 + 1
    if kinds == {StepFunction}:
        return _steps(cast("Sequence[StepFunction]", voters))
    if kinds == {FiniteSet}:
        held = Counter(x for h in cast("Sequence[FiniteSet]", voters) for x in h.members)
        return FiniteSet(domain, frozenset(x for x, votes in held.items() if votes >= need))
    if kinds == {RuleUnion}:
        return RuleUnion(domain, _rules(cast("Sequence[RuleUnion]", voters), need))
    if kinds == {DirectSum}:
        columns = zip(*(h.parts for h in cast("Sequence[DirectSum]", voters)), strict=True)
        parts = [majority(column) for column in columns]
        found = tuple(part for part in parts if part is not None)
        return DirectSum(domain, found) if len(found) == len(parts) else None  # type: ignore[arg-type]
    if domain.size is None or domain.size > MOST_POINTS:
        return None
    votes = np.zeros(domain.size, dtype=np.int64)
    for h, times in Counter(voters).items():
        votes += times * values_of(h, domain)
    return function_of_labels(domain, (votes >= need).tolist())


def _steps(voters: Sequence[StepFunction]) -> StepFunction:
    votes = sum(h.first for h in voters)
    moves: Counter[Any] = Counter()
    for h in voters:
        for i, x in enumerate(h.changes):
            moves[x] += -1 if (h.first + i) % 2 else 1
    first = last = int(2 * votes > len(voters))
    changes = []
    for x in sorted(moves):
        votes += moves[x]
        if int(2 * votes > len(voters)) != last:
            last = 1 - last
            changes.append(x)
    return StepFunction(voters[0].domain, first, tuple(changes))


def _rules(voters: Sequence[RuleUnion], need: int) -> frozenset[Rule]:
    """The weakest rules on which ``need`` voters or more are 1: conjunctions of rules of theirs."""
    domain = voters[0].domain
    everything: Rule = (None,) * len(domain.column_names)
    # reached[c]: on which c or more of the voters so far are 1.
    reached = [frozenset({everything}), *[frozenset[Rule]()] * need]
    for h, times in Counter(voters).items():
        for c in range(need, 0, -1):  # downwards, so that each voter counts once
            joined = _conjunctions(reached[max(0, c - times)], h.rules)
            reached[c] = RuleUnion(domain, reached[c].union(joined)).rules
    return reached[need]


def _conjunctions(some: Iterable[Rule], others: Iterable[Rule]) -> Iterable[Rule]:
    for one in some:
        for other in others:
            if all(u is None or v is None or u == v for u, v in zip(one, other, strict=True)):
                yield tuple(v if u is None else u for u, v in zip(one, other, strict=True))
