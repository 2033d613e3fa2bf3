"""What no learner can do without: records and mistakes; proofs in docs/proofs/lower-bounds.md."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import TooLargeError
from littlestone.base.work import answering
from littlestone.classes.base import HypothesisClass
from littlestone.classes.lookup import Lookup
from littlestone.classes.parities import Parities
from littlestone.classes.promises.by_table import ByTable
from littlestone.classes.promises.counted import BoxFamily
from littlestone.classes.promises.covering import Covering, PointCovering
from littlestone.classes.promises.tabled import TableClass
from littlestone.learn.base import require_plan
from littlestone.learn.plan.missed import MOST_VALUES, binomial_law, binomial_mean
from littlestone.points import Point
from littlestone.privacy.cost import Budget
from littlestone.privacy.parameters import least, natural_log

MOST = 10
"""The most points of a search, which looks at 2^10 version spaces."""

_SMALL = 256  # points of a domain

_MOST_SIDES = 1 << 16

_SAMPLE = 32  # points whose labels by all hypotheses are compared, as bits of one number

_MOST_ROWS = 1 << 21  # hypotheses that are


def free_points(H: HypothesisClass[Point]) -> int:
    """A number m >= 1 of points that get all 2^m labellings while one more point keeps its label.

    H has three hypotheses.  For sets and lookup tables over an open vocabulary, m is LDim(H): new keys
    are free as long as the set is not full, and one more is left out.  The same holds for parities:
    points are free if no equation relates them, except for the point 0; a constant b takes one away.
    Classes beyond a table know some of their points, or have their labels at a few points searched.
    For other classes `shattered_points` searches, as far as it comes, and the last of its points
    keeps a label if no other point does.
    """
    # The cases are those of docs/proofs/lower-bounds.md, "Points".
    if isinstance(H, PointCovering | Lookup | Parities):
        b = isinstance(H, Parities) and H.affine
        return max(1, int(H.littlestone_dimension()) - b)
    if isinstance(H, BoxFamily):
        return H.free_points
    if isinstance(H, ByTable) and H.space is None and H.labels == 2 and H.forms <= _MOST_ROWS:
        return _free_of_rows(H)
    found, more = list[Point](), False
    # Of three hypotheses two agree at a point and differ at another.
    with suppress(TooLargeError), answering():
        for points in shattered_points(H):
            found = points
        more = _one_more(H, found)
    return max(1, len(found) if more else len(found) - 1)


def _free_of_rows(H: ByTable) -> int:
    """`free_points` of a class that lists the labels of all its hypotheses, among a few points."""
    rng = random.Random(0)  # the points need not be secret, and are the same each time
    small = H.domain.size is not None and H.domain.size <= _SAMPLE
    points = list(H.domain) if small else [H.domain.random_point(rng) for _ in range(_SAMPLE)]
    points = list(dict.fromkeys(points))
    # The labels of a hypothesis at all points are one number of 32 bits, so equal ones are found by
    # sorting.
    packed = np.packbits(np.asarray(H.labels_of_forms(points), bool), axis=1, bitorder="little")
    numbers = np.zeros((len(packed), 4), np.uint8)
    numbers[:, : packed.shape[1]] = packed
    functions = np.unique(numbers.view("<u4"))
    labels = (functions[:, None] >> np.arange(len(points), dtype=np.uint32)) & 1
    chosen, codes = list[int](), np.zeros(len(functions), np.int64)
    for _ in range(MOST):
        for j in range(len(points)):
            split = 2 * codes + labels[:, j]
            # The new point splits each of the 2^m labellings so far.
            if _all_occur(split, 2 << len(chosen)):
                chosen, codes = [*chosen, j], split
                break
        else:
            break
    m = len(chosen)
    keeps = any(
        _all_occur(codes[labels[:, j] == y], 1 << m) for j in range(len(points)) for y in (0, 1)
    )
    return max(1, m if keeps else m - 1)


def _all_occur(codes: Any, count: int) -> bool:
    return bool(np.bincount(codes, minlength=count).all())


def _one_more(H: HypothesisClass[Point], points: list[Point]) -> bool:
    """Whether another point can have one label whatever the labels of ``points`` are."""
    cells = [H]
    for x in points:
        cells = [cell.restrict(x, y) for cell in cells for y in (0, 1)]
    small = H.domain.size is not None and H.domain.size <= _SMALL
    others = list[Point | None](H.domain) if small else [c.mistake_point() for c in cells[:1]]
    others += [] if small else H.domain.examples(len(points) + 2)
    return any(
        not any(cell.restrict(x, y).is_empty() for cell in cells)
        for x in others
        if x is not None and x not in points
        for y in (0, 1)
    )


def shattered_points(H: HypothesisClass[Point], most: int = MOST) -> Iterator[list[Point]]:
    """Points that H shatters, chosen greedily: one more each time, up to ``most``.

    Candidates are all points of a small domain, and otherwise those where a mistake can be forced.  All
    2^k version spaces after k points are nonempty, so k <= VC(H), and k may be smaller.  In a table,
    the search ends when it needs more than `_MOST_SIDES` columns of all cells.

    >>> from littlestone.classes import parse_class
    >>> [len(points) for points in shattered_points(parse_class("subsets(merchant; at most 3)"))]
    [1, 2, 3]
    """
    points: list[Point] = []
    cells = [H]
    small = H.domain.size is not None and H.domain.size <= _SMALL
    domain: list[Point | None] = list(H.domain) if small else []
    while len(points) < most:
        if isinstance(H, TableClass) and not small and len(cells) * len(H.columns) > _MOST_SIDES:
            return
        for x in domain or dict.fromkeys(cell.mistake_point() for cell in cells):
            if x is None or x in points:
                continue
            halves = [cell.restrict(x, y) for cell in cells for y in (0, 1)]
            if not any(half.is_empty() for half in halves):
                points, cells = [*points, x], halves
                yield points
                break
        else:
            return


Floats = NDArray[np.float64]

_EXACT_POINTS = 10  # for whose unseen labels the whole law is computed

_MOST_LEVELS = 10_000  # of a mistake tree

_MANY = 64  # numbers of wrong points that `path` tries

_ROUNDING = 1e-9  # relative; floats err by far less, and always towards a smaller bound


@dataclass(frozen=True)
class LowerBound:
    """Fewer than ``n`` examples fail on some realizable distribution, for all learners of a kind.

    A learner fails if it errs by more than alpha with a probability above beta.  ``learners`` says
    which learners it binds.
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
    >>> [bound.n for bound in lower_bounds(parse_class("subsets(a; at most 100)"), **goal)]
    [155, 369, 209]
    """
    require_plan(alpha, beta)
    eps, dlt = min(float(budget.epsilon), 700.0), float(budget.delta)
    # The theorems need three hypotheses (docs/proofs/lower-bounds.md, "Points").
    if H.size is not None and H.size <= 2:
        return []
    points = free_points(H)
    page = "docs/proofs/lower-bounds.md, Theorem"
    found = [
        LowerBound(unseen(points, alpha, beta), "any learner, private or not", f"{page} 1"),
    ]
    # Each holds for all private learners, so only the largest is told.
    private = [
        LowerBound(n, "any private learner", f"{page} {theorem}")
        for theorem, n in [
            (2, chain(points, eps, dlt, alpha, beta)),
            # Theorem 4 takes a tree of depth m + 1.
            (4, path(max(points, tree_depth(H) - 1), eps, dlt, alpha, beta)),
            (8, rarest(points, eps, dlt, alpha, beta)),
        ]
    ]
    found.append(max(private, key=lambda bound: bound.n))
    if has_open_vocabulary(H) and dlt > 0 and alpha < 0.5:
        kind = "any private learner that releases finite unions of elements"
        found.append(LowerBound(release(eps, dlt, alpha, beta), kind, f"{page} 3"))
    return found


def has_open_vocabulary(H: HypothesisClass[Any]) -> bool:
    """Whether H has h_1, h_2, ... for points x_0, x_1, ... with h_i(x_j) = 1 only for i = j."""
    sets = isinstance(H, Covering) and H.max_elements > 0
    return (sets or isinstance(H, Lookup)) and H.size is None


def tree_depth(H: HypothesisClass[Any]) -> int:
    """The depth of a mistake tree of H, at most `_MOST_LEVELS`; 1 if none is found in time."""
    try:
        with answering():
            return int(min(H.littlestone_bounds()[0], _MOST_LEVELS))
    except TooLargeError:
        return 1


def unseen(points: int, alpha: float, beta: float) -> int:
    """Theorem 1: the least n at which the labels of unseen points may be guessed well enough.

    Take m <= ``points`` points, each of weight alpha / k.  U of them are unseen, and a fair coin errs
    on W ~ Bin(U, 1/2) of these.  n is the largest over k <= m < k / alpha of the least n with Pr[W >=
    k] <= beta.  With one point it is ln(1 / (2 beta)) / -ln(1 - alpha).  For more than `_EXACT_POINTS`
    points the mean of W bounds that probability: Theorem 2 with h(0) = 1 / 2 alone.
    """

    def failure_at(n: int, m: int, k: int) -> float:
        # The chance that a record shows one more point, by the number of points seen.
        fresh = alpha / k * np.arange(m, -1, -1)
        step = np.diag(1 - fresh) + np.diag(fresh[:-1], 1)
        law = np.linalg.matrix_power(step, n)[0]
        wrong = [sum(math.comb(u, w) for w in range(k, u + 1)) / 2**u for u in range(m, -1, -1)]
        return float(law @ np.array(wrong))

    enough, few = beta * (1 + _ROUNDING), min(points, _EXACT_POINTS)
    sizes = [
        least(lambda n, m=m, k=k: failure_at(n, m, k) <= enough)  # type: ignore[misc]
        for k in range(1, few + 1)
        if (m := min(few, math.ceil(k / alpha) - 1)) >= k
    ]
    most = max(sizes, default=1)
    return max(most, _by_the_mean(points, np.array([0.5]), alpha, beta)) if points > few else most


def chain(points: int, epsilon: float, delta: float, alpha: float, beta: float) -> int:
    """Theorem 2: the least n at which privacy lets a label follow the examples that show it.

    A private rule errs at a point of K examples with probability at least h(K) for one of its
    labels (`indistinct`); n is the largest over k <= ``points`` = m of the least n with
    (m E[h(K)] - (k - 1)) / (m - k + 1) <= beta, K ~ Bin(n, alpha / k).

    >>> chain(1, 1.0, 1e-6, 0.1, 0.05), chain(1, 0.1, 1e-6, 0.1, 0.05)
    (56, 471)
    >>> chain(99, 1.0, 1e-6, 0.1, 0.05), chain(4999, 1.0, 1e-6, 0.1, 0.05)
    (366, 17488)
    """
    return _by_the_mean(points, indistinct(epsilon, delta), alpha, beta)


def _by_the_mean(points: int, h: Floats, alpha: float, beta: float) -> int:
    """The largest over k of the least n with (m E[h(K)] - (k - 1)) / (m - k + 1) <= beta.

    E[h(K)] falls in n, because h falls.  So a k whose inequality holds at the best n so far has no
    larger n, and one look is enough for it.  A few k come first, so that the best n is large early.
    """
    best, ks = 1, range(1, points + 1)
    # First a few that are spread out: after a large n is found, most other k need one look only
    # (docs/proofs/lower-bounds.md, Theorem 2, "Which k").
    for k in (*ks[:: max(1, points // 32)], *ks):
        m = min(points, math.ceil(k / alpha) - 1)
        needed = (beta * (m - k + 1) + (k - 1)) / max(m, 1) * (1 + _ROUNDING)
        if m >= k and binomial_mean(best, alpha / k, h) > needed:
            best = least(lambda n: binomial_mean(n, alpha / k, h) <= needed)  # noqa: B023
    return best


def rarest(points: int, epsilon: float, delta: float, alpha: float, beta: float) -> int:
    """Theorem 8: the least n at which privacy lets a label follow the examples of the rarest point.

    Among m < 1 / alpha points, at most ``points``, the one that the fewest records show is the hardest.
    n is the least with `rarest_failure` <= beta.

    >>> [rarest(m, 1.0, 1e-6, 0.1, 0.05) for m in (1, 2, 5, 9)]
    [56, 68, 82, 90]
    """
    h, m = indistinct(epsilon, delta), min(points, math.ceil(1 / alpha) - 1)
    return least(lambda n: rarest_failure(n, alpha, m, h) <= beta * (1 + _ROUNDING))


def rarest_failure(n: int, weight: float, points: int, h: Floats) -> float:
    """At most E[h(min K_i)], where K_1, ..., K_m count the records that show each of m points.

    It is the sum over s of (h(s) - h(s + 1)) (1 - Pr[K_1 > s]^m): counts that share n records are all
    above s with at most the chance of independent ones.
    """
    falls = h - np.append(h[1:], 0.0)
    few = np.minimum(np.cumsum(binomial_law(n, weight, len(h))), 1.0)  # Pr[K_1 <= s]
    some = np.where(few < 1, -np.expm1(points * np.log1p(-np.where(few < 1, few, 0))), 1.0)
    return float(np.sum(falls[: len(few)] * some) + np.sum(falls[len(few) :]))


def path(depth: int, epsilon: float, delta: float, alpha: float, beta: float) -> int:
    """Theorem 4: the least n at which privacy lets a rule follow a path of ``depth`` points.

    A rule that does not see the labels is wrong at fewer than k of m points with probability
    p = Pr[Bin(m, 1/2) < k]; n is the largest over k <= m < k / alpha, m <= ``depth``, of the least n
    with E[1 - F^K(p)] <= beta, K ~ Bin(n, m alpha / k).  If there are many k, about `_MANY` of them are
    tried.

    >>> path(59, 1.0, 0.0, 0.1, 0.05), path(1000, 1.0, 0.0, 0.1, 0.05)
    (40, 440)
    """
    best, step = 1, max(1, depth // _MANY)
    for k in range(1, depth + 1, step):
        m = min(depth, math.ceil(k / alpha) - 1)
        if m < k:
            continue
        wrong = 1 - np.array(_from_far(_log_tail(m, k), epsilon, delta))
        weight, enough = m * alpha / k, beta * (1 + _ROUNDING)
        if binomial_mean(best, weight, wrong) > enough:
            best = least(lambda n: binomial_mean(n, weight, wrong) <= enough)  # noqa: B023
    return best


def half_tail(m: int, k: int) -> float:
    """Pr[Bin(m, 1/2) < k], rounded up by 1e-9 of it.

    >>> round(half_tail(4, 2), 6)
    0.3125
    """
    return math.exp(_log_tail(m, k))


def _log_tail(m: int, k: int) -> float:
    ways = term = 1
    for i in range(1, k):
        term = term * (m - i + 1) // i
        ways += term
    return min(0.0, natural_log(Fraction(ways)) - m * math.log(2) + 1e-9)


def _from_far(log_u: float, epsilon: float, delta: float) -> list[float]:
    """`steps_of` from e^``log_u``, however small: below e^-600 a step adds epsilon to the ln."""
    steps = 0 if delta else max(0, math.floor((-600 - log_u) / epsilon))
    few = min(steps, MOST_VALUES)
    return [0.0] * few + steps_of(math.exp(max(-600.0, log_u + few * epsilon)), epsilon, delta)


def steps_of(u: float, epsilon: float, delta: float) -> list[float]:
    """[u, F(u), F(F(u)), ...] up to 1, or as if the next were 1 after `MOST_VALUES`; rounded up."""
    curve = [u]
    while curve[-1] < 1 and len(curve) < MOST_VALUES:
        curve.append(min(1.0, _step(curve[-1], epsilon, delta) * (1 + 1e-12)))
    return curve


def indistinct(epsilon: float, delta: float) -> Floats:
    """h(0), h(1), ..., down to 0: the least error probability of a private bit about K equal records.

    Replacing K records leads from "all 1" to "all 0".  Along the chain Pr[1] rises per step by at most
    F(u) = min(e^eps u + delta, 1 - e^-eps (1 - u - delta)), so h(K) = 1 - F^(K / 2)(1 / 2) if
    K is even, and 1 - F^((K + 1) / 2)((1 - delta) / (1 + e^eps)) if it is odd.  After `MOST_VALUES`
    numbers the rest counts as 0, which makes the bounds smaller.

    >>> [f"{h:.4f}" for h in indistinct(1.0, 0.0)[:4]]
    ['0.5000', '0.2689', '0.1839', '0.0989']
    """
    # The two cases of the lemma of Theorem 2: the middle of a chain is an event of probability 1/2,
    # or one record's step from v to 1 - v.
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
    missed = 1 - np.array(steps_of(0.0, epsilon, delta))
    return least(lambda n: binomial_mean(n, alpha, missed) <= beta * (1 + _ROUNDING))


def _step(u: float, epsilon: float, delta: float) -> float:
    """F: the largest probability of an event after one record is replaced, if it was u before."""
    return min(math.exp(epsilon) * u + delta, 1 - math.exp(-epsilon) * (1 - u - delta), 1.0)
