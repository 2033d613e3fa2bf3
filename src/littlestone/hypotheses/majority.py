"""The majority vote of functions, point by point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from littlestone.hypotheses.base import Hypothesis
from littlestone.hypotheses.sets import FiniteSet
from littlestone.hypotheses.steps import StepFunction
from littlestone.hypotheses.sums import DirectSum
from littlestone.hypotheses.tables import TableFunction


def majority_vote(votes: Sequence[Hypothesis[Any]]) -> Hypothesis[Any] | None:
    """The function that is 1 where more than half of ``votes`` are, in the canonical form of its kind.

    ``votes`` are at least one, on one domain.  None if they are of several kinds, or of one that does
    not hold it: tables, finite sets, steps and sums of those do.  O(length of the different forms).

    >>> from littlestone.domains import Grid
    >>> votes = [StepFunction.threshold(Grid(0, 9), t) for t in (2, 3, 7)]
    >>> majority_vote(votes).words(), majority_vote(votes[:2]).words()
    ('x >= 3', 'x >= 3')
    """
    often, domain = Counter(votes), votes[0].domain
    if len({type(h) for h in votes}) > 1:
        return None
    match votes[0]:
        case TableFunction():
            size = domain.size or 0
            ones = [0] * size
            for h, times in often.items():
                for i in range(size):
                    ones[i] += times * (h.bits >> i & 1)  # type: ignore[attr-defined]
            return TableFunction.from_labels(domain, (2 * n > len(votes) for n in ones))
        case FiniteSet():
            held: Counter[Any] = Counter()
            for h, times in often.items():
                for x in h.members:  # type: ignore[attr-defined]
                    held[x] += times
            return FiniteSet(domain, frozenset(x for x in held if 2 * held[x] > len(votes)))
        case StepFunction():
            return _of_steps(often, domain, len(votes))
        case DirectSum():
            parts = [
                majority_vote([h.parts[j] for h in votes])  # type: ignore[attr-defined]
                for j in range(len(votes[0].parts))
            ]
            found = tuple(part for part in parts if part is not None)
            return DirectSum(domain, found) if len(found) == len(parts) else None  # type: ignore[arg-type]
    return None


def _of_steps(often: Counter[Any], domain: Any, total: int) -> StepFunction:
    moves: Counter[Any] = Counter()
    for h, times in often.items():
        label = h.first
        for place in h.changes:
            moves[place] += times if label == 0 else -times
            label = 1 - label
    ones = sum(times for h, times in often.items() if h.first)
    first = label = int(2 * ones > total)
    changes = []
    for place in sorted(moves):
        ones += moves[place]
        if (2 * ones > total) != label:
            changes.append(place)
            label = 1 - label
    return StepFunction(domain, first, tuple(changes))
