"""The second choice of a learner, when the number of records is known."""

from __future__ import annotations

import math
from typing import Any

from littlestone.learn.base import MOST_WORK, PrivateLearner
from littlestone.learn.exponential import ExponentialLearner
from littlestone.privacy.budget import Budget

MANY = 1_200
"""n times epsilon from which the leaves of a tree are split once more (benchmarks, `regrown`)."""


def enough(learner: PrivateLearner[Any]) -> int:
    """The number of records from which `for_records` may give another learner, which costs the same.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("trees(age: 0..80 step 20, sex in {F, M}; depth 2)")
    >>> enough(ExponentialLearner(H, Budget("0.7")))
    1715
    """
    return math.ceil(MANY / learner.cost().epsilon)


def for_records(learner: PrivateLearner[Any], n: int) -> PrivateLearner[Any]:
    """The learner that ``auto`` uses for ``n`` records, if it is not the one it chose without n.

    It differs for trees of depth 2 if n epsilon is `MANY` or more: `RegrownLearner`, which costs
    the same.  So does `IrreducibleLearner`, which is used if `RadiiLearner` takes too much work for n
    records.  If mistakes have costs, none is replaced, because `MANY` was measured without.  n is
    public, and so is all else that decides.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("trees(age: 0..80 step 20, sex in {F, M}; depth 2)")
    >>> [for_records(ExponentialLearner(H, Budget(1)), n).method for n in (500, 5000)]
    ['exponential', 'regrown']
    """
    # The cost stays the same, so the choice may depend on n, which is public.
    if learner.method == "radii" and learner.work(n) > MOST_WORK:
        from littlestone.learn.papers.irreducible import IrreducibleLearner

        cost = learner.cost()
        return IrreducibleLearner(learner.hypotheses, Budget(cost.epsilon, cost.delta))
    if type(learner) is not ExponentialLearner or not learner.mistakes.equal:
        return learner
    H, epsilon = learner.hypotheses, learner.mechanism.epsilon
    if getattr(H, "keyword", "") != "trees":
        return learner
    from littlestone.classes.trees import Trees
    from littlestone.learn.regrown import RegrownLearner

    if not isinstance(H, Trees) or H.space is not None or H.depth != 2:
        return learner
    return RegrownLearner(H, Budget(epsilon)) if n * epsilon >= MANY else learner
