"""Numbers of examples that every learner needs; each bound is proved in docs/proofs/lower-bounds.md."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.classes.base import HypothesisClass
from littlestone.classes.covering import Covering
from littlestone.classes.tabled import Tabled
from littlestone.domains import Point
from littlestone.errors import TooLargeError
from littlestone.learners.base import MOST_VALUES, binomial_mean, require_plan
from littlestone.privacy.budget import Budget
from littlestone.privacy.parameters import least
from littlestone.steps import answering

Floats = NDArray[np.float64]
_MOST_POINTS = 10
_SMALL = 256  # points of a domain
_MOST_SIDES = 1 << 16
_ROUNDING = 1e-9  # relative; floats err by far less, and always towards a smaller bound


@dataclass(frozen=True)
class LowerBound:
    """Fewer than ``n`` examples fail on some realizable distribution, for all learners of a kind.

    To fail is to err by more than alpha with a probability above beta.  ``learners`` says which
    learners it binds.
    """

    n: int
    learners: str
    source: str


def lower_bounds(
    H: HypothesisClass[Any], budget: Budget, *, alpha: float, beta: float
) -> list[LowerBound]:
    """The lower bounds that hold for H; none for a class of at most two hypotheses.

    >>> from littlestone.classes import parse_class
    >>> goal = {"budget": Budget(1, "1e-6"), "alpha": 0.1, "beta": 0.05}
    >>> for bound in lower_bounds(parse_class("points(merchant)"), **goal):
    ...     print(bound.n, bound.learners)
    22 any learner, private or not
    56 any private learner
    209 any private learner that releases finite unions of elements
    """
    require_plan(alpha, beta)
    eps, dlt = min(float(budget.epsilon), 700.0), float(budget.delta)
    if H.size is not None and H.size <= 2:
        return []
    # One extra point carries the rest of the weight; two of three hypotheses agree somewhere.
    try:
        with answering():
            points = max(1, len(shattered(H)) - 1)
    except TooLargeError:  # of three hypotheses two agree at a point and differ at another
        points = 1
    page = "docs/proofs/lower-bounds.md, Theorem"
    found = [
        LowerBound(unseen(points, alpha, beta), "any learner, private or not", f"{page} 1"),
        LowerBound(chain(points, eps, dlt, alpha, beta), "any private learner", f"{page} 2"),
    ]
    open_vocabulary = isinstance(H, Covering) and H.parts > 0 and H.size is None
    if open_vocabulary and dlt > 0 and alpha < 0.5:
        kind = "any private learner that releases finite unions of elements"
        found.append(LowerBound(release(eps, dlt, alpha, beta), kind, f"{page} 3"))
    return found


def shattered(H: HypothesisClass[Point], most: int = _MOST_POINTS) -> list[Point]:
    """At most ``most`` points that H shatters, chosen greedily.

    Candidates are all points of a small domain, and otherwise those where a mistake can be forced.  All
    2^k version spaces after k points are nonempty, so k <= VC(H), and k may be smaller.  In a table,
    the search ends when it takes more than `_MOST_SIDES` columns of all cells.

    >>> from littlestone.classes import parse_class
    >>> len(shattered(parse_class("subsets(merchant; at most 3)")))
    3
    """
    points: list[Point] = []
    cells = [H]
    small = H.domain.size is not None and H.domain.size <= _SMALL
    domain: list[Point | None] = list(H.domain) if small else []
    while len(points) < most:
        if isinstance(H, Tabled) and not small and len(cells) * len(H.columns) > _MOST_SIDES:
            return points
        for x in domain or dict.fromkeys(cell.mistake_point() for cell in cells):
            if x is None or x in points:
                continue
            halves = [cell.restrict(x, y) for cell in cells for y in (0, 1)]
            if not any(half.is_empty() for half in halves):
                points, cells = [*points, x], halves
                break
        else:
            return points
    return points


def unseen(points: int, alpha: float, beta: float) -> int:
    """Theorem 1: the least n at which the labels of unseen points may be guessed well enough.

    Of m <= ``points`` points, of weight alpha / k each, U are unseen, and a fair coin errs on
    W ~ Bin(U, 1/2) of them.  n is the largest over k <= m < k / alpha of the least n with
    Pr[W >= k] <= beta.  With one point it is ln(1 / (2 beta)) / -ln(1 - alpha).
    """

    def failure(n: int, m: int, k: int) -> float:
        # The chance that a record shows one more point, by the number of points seen.
        fresh = alpha / k * np.arange(m, -1, -1)
        step = np.diag(1 - fresh) + np.diag(fresh[:-1], 1)
        law = np.linalg.matrix_power(step, n)[0]
        wrong = [sum(math.comb(u, w) for w in range(k, u + 1)) / 2**u for u in range(m, -1, -1)]
        return float(law @ np.array(wrong))

    enough = beta * (1 + _ROUNDING)
    sizes = [
        least(lambda n, m=m, k=k: failure(n, m, k) <= enough)  # type: ignore[misc]
        for k in range(1, points + 1)
        if (m := min(points, math.ceil(k / alpha) - 1)) >= k
    ]
    return max(sizes, default=1)


def chain(points: int, epsilon: float, delta: float, alpha: float, beta: float) -> int:
    """Theorem 2: the least n at which privacy lets a label follow the examples that show it.

    A private rule errs at a point of K examples with probability at least h(K) for one of its
    labels (`indistinct`); n is the largest over k <= ``points`` = m of the least n with
    (m E[h(K)] - (k - 1)) / (m - k + 1) <= beta, K ~ Bin(n, alpha / k).

    >>> chain(1, 1.0, 1e-6, 0.1, 0.05), chain(1, 0.1, 1e-6, 0.1, 0.05)
    (56, 471)
    """
    h = indistinct(epsilon, delta)
    sizes = []
    for k in range(1, points + 1):
        m = min(points, math.ceil(k / alpha) - 1)
        needed = (beta * (m - k + 1) + (k - 1)) / m * (1 + _ROUNDING)
        if m >= k:
            sizes.append(least(lambda n: binomial_mean(n, alpha / k, h) <= needed))  # noqa: B023
    return max(sizes, default=1)


def indistinct(epsilon: float, delta: float) -> Floats:
    """h(0), h(1), ..., down to 0: the least error probability of a private bit about K equal records.

    Replacing K records leads from "all 1" to "all 0".  Along the chain Pr[1] rises per step by at most
    F(u) = min(e^eps u + delta, 1 - e^-eps (1 - u - delta)), so h(K) = 1 - F^(K / 2)(1 / 2) if
    K is even, and 1 - F^((K + 1) / 2)((1 - delta) / (1 + e^eps)) if it is odd.  After `MOST_VALUES`
    numbers the rest counts as 0, which makes the bounds smaller.

    >>> [f"{h:.4f}" for h in indistinct(1.0, 0.0)[:4]]
    ['0.5000', '0.2689', '0.1839', '0.0989']
    """
    even, odd = 0.5, _step((1 - delta) / (1 + math.exp(epsilon)), epsilon, delta)
    found = [0.5]
    while found[-1] > 1e-12 and len(found) < MOST_VALUES:
        found.append(1 - odd)
        even, odd = _step(even, epsilon, delta), _step(odd, epsilon, delta)
        found.append(1 - even)
    return np.array([max(h, 0.0) for h in found])


def release(epsilon: float, delta: float, alpha: float, beta: float) -> int:
    """Theorem 3: the least n with E[1 - p(K)] <= beta, K ~ Bin(n, alpha), p(0) = 0, p(s + 1) = F(p(s)).

    p is the largest probability with which a private learner covers a point that s examples show, if
    it covers the point with probability 0 without any.

    >>> release(1.0, 1e-6, 0.1, 0.05), release(0.1, 1e-6, 0.1, 0.05)
    (209, 1377)
    """
    curve = [0.0]
    while curve[-1] < 1 and len(curve) < MOST_VALUES:  # as if the next were 1, for a smaller n
        curve.append(min(1.0, _step(curve[-1], epsilon, delta) * (1 + 1e-12)))
    missed = 1 - np.array(curve)
    return least(lambda n: binomial_mean(n, alpha, missed) <= beta * (1 + _ROUNDING))


def _step(u: float, epsilon: float, delta: float) -> float:
    """F: the largest probability of an event after one record is replaced, if it was u before."""
    return min(math.exp(epsilon) * u + delta, 1 - math.exp(-epsilon) * (1 - u - delta), 1.0)
