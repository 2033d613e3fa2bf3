"""Lower bounds on the mistakes of private online learners."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from littlestone.classes.base import HypothesisClass
from littlestone.classes.promises.covering import PointCovering
from littlestone.learn.plan.lower import (
    _ROUNDING,
    half_tail,
    has_open_vocabulary,
    indistinct,
    steps_of,
    tree_depth,
)
from littlestone.privacy.cost import Budget
from littlestone.privacy.parameters import least

BETA = 0.05
"""The chance that the bounds leave, which is that of the proved numbers of mistakes."""


@dataclass(frozen=True)
class LowerMistakes:
    """No learner of a kind makes fewer than ``mistakes`` with probability 95% on every stream.

    The streams are fixed in advance, and some hypothesis fits them.  ``learners`` says which learners
    are meant.
    """

    mistakes: int
    learners: str
    source: str


def lower_mistakes(H: HypothesisClass[Any], budget: Budget, *, horizon: int) -> list[LowerMistakes]:
    """The lower bounds for streams of ``horizon`` records of H; none if one hypothesis is left.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("subsets(merchant; at most 4)")
    >>> for bound in lower_mistakes(H, Budget(1, "1e-6"), horizon=200_000):
    ...     print(bound.mistakes, bound.learners)
    4 any learner, private or not
    9 any private learner
    16 any private learner that publishes finite sets
    """
    eps, dlt = min(float(budget.epsilon), 700.0), float(budget.delta)
    page = "docs/proofs/lower-bounds.md, Theorem"
    depth = min(tree_depth(H), horizon)
    if depth < 1:
        return []
    found = [LowerMistakes(coins(depth), "any learner, private or not", f"{page} 5")]
    private = [(bound_theorem_9(depth, horizon, eps, dlt), 9)]
    if has_open_vocabulary(H):
        private.append((fresh(horizon, eps, dlt), 6))
    mistakes, theorem = max(private)
    # A bound for private learners is told only if it says more than that for all.
    if mistakes > found[0].mistakes:
        found.append(LowerMistakes(mistakes, "any private learner", f"{page} {theorem}"))
    if isinstance(H, PointCovering) and has_open_vocabulary(H) and dlt > 0:
        kind = "any private learner that publishes finite sets"
        found.append(LowerMistakes(bound_theorem_7(horizon, eps, dlt), kind, f"{page} 7"))
    return found


def coins(depth: int) -> int:
    """Theorem 5: the least M with Pr[Bin(depth, 1/2) <= M] >= 1 - beta.

    >>> [coins(d) for d in (1, 2, 4, 20, 100)]
    [1, 2, 4, 14, 58]
    """
    enough = (1 - BETA) * (1 - _ROUNDING)
    return least(lambda M: half_tail(depth, M + 1) >= enough)


def bound_theorem_9(depth: int, horizon: int, epsilon: float, delta: float) -> int:
    """Theorem 9: the least M with (1 - beta) M >= d (sum of h(k) - beta over k < K, where positive).

    d points of a random branch, at most one a record, come K = floor(T / d) times each; h is that of
    `lower.indistinct`.  For small epsilon it is about .7 d / epsilon.

    >>> [bound_theorem_9(6, 10**6, epsilon, 0.0) for epsilon in (2.0, 1.0, 0.1, 0.01)]
    [4, 6, 44, 425]
    """
    d = min(depth, horizon)
    more = indistinct(epsilon, delta)[: horizon // d] - BETA * (1 + _ROUNDING)
    return math.ceil(d * float(more[more > 0].sum()) * (1 - _ROUNDING) / (1 - BETA))


def fresh(horizon: int, epsilon: float, delta: float) -> int:
    """Theorem 6: the least M >= 1 with floor(T / (M + 1)) (1 - F^M(beta)) <= 2 M + 1.

    It grows like ln(T) / epsilon, up to about ln(1 / delta) / epsilon.

    >>> [fresh(T, 1.0, 0.0) for T in (10**3, 10**6, 10**9, 10**12)]
    [5, 10, 16, 23]
    """
    curve = steps_of(BETA * (1 + _ROUNDING), epsilon, delta)

    def possible(M: int) -> bool:
        kept = 1 - curve[M] if len(curve) > M else 0.0
        return horizon // (M + 1) * kept <= 2 * M + 1

    return least(possible)


def bound_theorem_7(horizon: int, epsilon: float, delta: float) -> int:
    """Theorem 7: the least M with F^M(0) >= 1 - beta, at most T.

    >>> bound_theorem_7(10**6, 1.0, 1e-6), bound_theorem_7(10**6, 0.1, 1e-6)
    (16, 132)
    """
    curve = steps_of(0.0, epsilon, delta)
    enough = (1 - BETA) * (1 - _ROUNDING)
    return min(horizon, next((M for M, u in enumerate(curve) if u >= enough), len(curve)))
