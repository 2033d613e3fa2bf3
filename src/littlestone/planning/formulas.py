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
    """What BGS21 state with GGKM21's learner, and what their reduction gives with Lyu25's; d = MLS(H).

    Theorem 3.6 is d^6 ln(k + 1)^8 ln(d ln(k)^3 / (epsilon delta alpha beta))^2 / (epsilon alpha^2), in
    natural logarithms.  The other is d^5 log2(k + 1)^7 ln(1 / (delta beta)) / (epsilon alpha), without
    the logarithms that Lyu25 leaves out.  Both have 1 for a constant that is not stated, so they are no
    theorems.  Empty for two labels, for delta = 0, and if MLS(H) takes too long to find.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("outcomes(origin, dest; at most 1)", labels=3)
    >>> goal = {"budget": Budget(1, "1e-6"), "alpha": 0.1, "beta": 0.05}
    >>> [bound.n for bound in formulas(H, **goal)]
    [56511443, 1026453]
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
    epsilon, rare = float(budget.epsilon), -natural_log(budget.delta) - math.log(beta)
    inside = math.log(d) + 3 * math.log(math.log(H.labels - 1)) - math.log(epsilon * alpha) + rare
    papers = [
        (
            d**6 * math.log(H.labels) ** 8 * inside**2 / (epsilon * alpha**2),
            "BGS21, Theorem 3.6, at constant 1",
        ),
        (
            d**5 * math.log2(H.labels) ** 7 * rare / (epsilon * alpha),
            "after BGS21, Theorem 3.1, and Lyu25, Theorem 2, with 1 / alpha, at constant 1",
        ),
    ]
    return [Bound(math.ceil(n), alpha, beta, "realizable", False, source) for n, source in papers]
