"""Sample sizes that papers state for several labels, without their constants."""

from __future__ import annotations

import math
from typing import Any

from littlestone.classes.base import HypothesisClass
from littlestone.errors import TooLargeError
from littlestone.learners.base import Bound, require_plan
from littlestone.privacy.budget import Budget
from littlestone.privacy.parameters import natural_log


def formulas(H: HypothesisClass[Any], budget: Budget, *, alpha: float, beta: float) -> list[Bound]:
    """BGS21's d^6 log2(k + 1)^8, and d^5 log2(k + 1)^7 with Lyu25's learner; d = MLS(H).

    Each is multiplied by ln(1 / (delta beta)) / (epsilon alpha), with 1 for the constant and the
    logarithms that they leave out, so they are no theorems.  Theorem 3.6 has 1 / alpha^2, for which its
    power of the logarithm is one too low (docs/proofs/multiclass-learning.md).  Empty for two labels,
    for delta = 0, and if MLS(H) takes too long to find.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("outcomes(origin, dest; at most 1)", labels=3)
    >>> goal = {"budget": Budget(1, "1e-6"), "alpha": 0.1, "beta": 0.05}
    >>> [bound.n for bound in formulas(H, **goal)]
    [4880669, 1026453]
    """
    require_plan(alpha, beta)
    if H.labels == 2:
        return []
    try:
        d = int(H.littlestone_dimension())
    except TooLargeError:
        return []
    if budget.delta == 0 or d < 1:
        return []
    scale = -natural_log(budget.delta) - math.log(beta)
    scale /= float(budget.epsilon) * alpha
    papers = [
        (6, "after BGS21, Theorem 3.6"),
        (5, "after BGS21, Theorem 3.1, and Lyu25, Theorem 2"),
    ]
    return [
        Bound(
            math.ceil(d**a * math.log2(H.labels) ** (a + 2) * scale),
            alpha, beta, "realizable", False, f"{source}, with 1 / alpha, at constant 1",
        )
        for a, source in papers
    ]  # fmt: skip
