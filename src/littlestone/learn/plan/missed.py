"""How many records suffice if each key is released by itself, and the learner for that many.

Proved sizes sum means of functions of a binomial number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from littlestone.base.errors import TooLargeError
from littlestone.learn.base import MOST_WORK, Bound, PrivateLearner, Setting, require_plan
from littlestone.learn.exponential import ExponentialLearner
from littlestone.points import Point
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.partition_selection import KeyRelease
from littlestone.privacy.parameters import least, natural_log

MOST_VALUES = 30_000
"""The most values of a function that a proved size sums, about ln(1 / delta) / epsilon of them."""


def require_values(count: int, most: int = MOST_VALUES) -> None:
    """Raise `TooLargeError` if a proved size sums more than ``most`` values."""
    if count > most:
        raise TooLargeError(
            "find a proved sample size",
            found=f"it sums some ln(1 / delta) / epsilon values, more than {most:,}",
            fix="ask for a larger epsilon or delta; learning itself needs no such sum",
        )


def binomial_mean(n: int, p: float, values: NDArray[np.float64]) -> float:
    """E[values[K]] for K ~ Bin(n, p), 0 < p < 1; ``values``, nonnegative, is 0 beyond its end.

    The relative error is far below 1e-9 for up to 10^5 values.

    >>> binomial_mean(2, 0.5, np.array([1.0, 0.0, 1.0]))
    0.5
    """
    if n * p > len(values) and (n * p - len(values)) ** 2 > 1500 * n * p:
        return 0.0  # Chernoff: Pr[K <= len(values)] < e^-750, less than any float
    return float(binomial_means(n, np.array([p]), values)[0])


def binomial_means(
    n: int, p: NDArray[np.float64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """`binomial_mean` for each p of an array."""
    # A product by BLAS would start threads, which wait longer for each other than they compute.
    found: NDArray[np.float64] = np.sum(
        binomial_law(n, p[:, None], len(values)) * values[: n + 1], axis=1
    )
    return found


def binomial_law(n: int, p: float | NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Pr[K = k] for K ~ Bin(n, p) and k < ``most``, in the last axis, which ends with k = n."""
    k, ways = _log_ways(n, min(n + 1, most))
    law: NDArray[np.float64] = np.exp(ways + k * np.log(p) + (n - k) * np.log1p(-p))
    return law


@lru_cache(maxsize=16)
def _log_ways(n: int, size: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The k < size and ln C(n, k); a search asks for many p of one n."""
    k = np.arange(size)
    return k, np.concatenate([[0.0], np.cumsum(np.log((n + 1 - k[1:]) / k[1:]))])


Floats = NDArray[np.float64]

MOST_STEPS = 10_000
"""The most values of a release curve that are listed for a proved size."""

_CELLS = 48  # of weights, before those that matter are divided
_DIVIDED = 12
_ALONE = 0.01  # the share of beta for a single heavy key that is missed
_MARGIN = 1e-9  # for the rounding of the sums, and for what a curve leaves out below 1e-30
_MOST_KEYS = 10**9  # for which this margin is enough


@lru_cache(maxsize=16)
def miss_chances(mechanism: KeyRelease[Any, Any]) -> Floats:
    """1 - q(0), 1 - q(1), ..., down to 0."""
    require_curve(mechanism.budget)
    found = [1.0]
    while found[-1] > 0:
        require_values(len(found), MOST_STEPS)
        # The curve itself is exact; floats enter here, where sizes are planned and nothing is
        # drawn.
        found.append(float(1 - mechanism.curve(len(found))))
    return np.array(found)


def require_curve(budget: Budget) -> None:
    """Raise `TooLargeError` if a release curve is sure to have more than `MOST_STEPS` values.

    Each value is exact, so it takes as long as a thousand floats.
    """
    # From 0 to 1 the curve rises by at most a factor e^epsilon plus delta a step.
    require_values(int(natural_log(1 + budget.epsilon / budget.delta) / budget.epsilon), MOST_STEPS)


def _nothing(mechanism: Hashable, keys: int, alpha: float) -> Callable[[int], float]:
    return lambda n: 0.0


class KeySizes(NamedTuple):
    """How many records suffice, for realizable samples, if each of at most ``keys`` keys is by itself.

    ``missed(mechanism)[c]``, which falls in c, is the probability that a key with c records is not
    released.  ``besides(mechanism, keys, alpha)(n)``, which falls in n, is the probability of any
    other failure.  ``source`` says where it is proved.
    """

    keys: int
    missed: Callable[[Any], Floats]
    mechanism: Hashable
    source: str
    besides: Callable[[Any, int, float], Callable[[int], float]] = _nothing

    def plan(self, alpha: float, beta: float, setting: Setting) -> Bound | None:
        """The records after which the missed keys weigh more than ``alpha`` with at most ``beta``.

        For one key, no smaller n suffices.
        """
        require_plan(alpha, beta, setting)
        if setting != "realizable" or self.keys < 1:
            return None
        return Bound(_least(self, alpha, beta), alpha, beta, setting, self.source)

    def is_enough(self, n: int, alpha: float, beta: float, setting: Setting) -> bool:
        """Whether ``n`` records are proved to be enough, without a search for the least number."""
        require_plan(alpha, beta, setting)
        if setting != "realizable" or self.keys < 1:
            return False
        rough, fine = self._bounds(alpha, beta)
        enough = beta * (1 - _MARGIN)
        return rough(n) <= enough or (1 < self.keys <= _MOST_KEYS and fine(n) <= enough)

    def _bounds(self, alpha: float, beta: float) -> tuple[Callable[[int], float], ...]:
        """Two bounds by n on the probability of a failure, of which the first falls in n."""
        keys, chances = self.keys, self.missed(self.mechanism)
        other = self.besides(self.mechanism, keys, alpha)
        # If the missed keys weigh more than alpha, one of them weighs alpha / keys or more.
        return (
            lambda n: keys * binomial_mean(n, alpha / keys, chances) + other(n),
            # The sharper bound of docs/proofs/partition-selection.md, Theorem 2.
            lambda n: too_much_missed(n, keys, chances, alpha, beta) + other(n),
        )


class SizedByKeys(PrivateLearner[Point]):
    """A learner with a proved size for realizable samples, that of its ``sizes``; None for others."""

    sizes: KeySizes

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        return self.sizes.plan(alpha, beta, setting)

    def is_enough(
        self, n: int, alpha: float, beta: float, *, setting: Setting = "agnostic"
    ) -> bool:
        return self.sizes.is_enough(n, alpha, beta, setting)


@lru_cache(maxsize=256)
def _least(sizes: KeySizes, alpha: float, beta: float) -> int:
    rough, fine = sizes._bounds(alpha, beta)
    enough = beta * (1 - _MARGIN)
    low, above = 0, least(lambda n: rough(n) <= enough)
    while 1 < sizes.keys <= _MOST_KEYS and above - low > 1:
        middle = (low + above) // 2
        low, above = (low, middle) if fine(middle) <= enough else (middle, above)
    return above


def too_much_missed(n: int, keys: int, chances: Floats, alpha: float, beta: float) -> float:
    """A bound on the probability that missed keys weigh more than ``alpha``, with ``n`` records.

    With m(w) = E[chances[Bin(n, w)]] it is, for a weight c <= alpha and any lam > 0,

        keys m(c) [c < alpha] + e^(-lam alpha) (max over w <= c of 1 - m(w) + m(w) e^(lam w))^keys,

    where the maximum is that over cells of weights, at the lower end of a cell for m and at the upper
    end for e^(lam w).  c depends on ``beta``, which the result is compared with.
    docs/proofs/partition-selection.md, Theorem 2.

    >>> chances = np.array([1.0] * 20 + [0.0])  # a key is released with 20 records
    >>> round(too_much_missed(2_600, 10, chances, 0.1, 0.05), 4)
    0.0005
    """
    heavy = alpha
    if keys * binomial_mean(n, alpha, chances) < _ALONE * beta:
        # Above c a missed key fails by itself.
        low = 0.0
        while heavy - low > 0.01 * heavy:
            middle = (low + heavy) / 2
            rare = keys * binomial_mean(n, middle, chances) < _ALONE * beta
            low, heavy = (low, middle) if rare else (middle, heavy)
    alone = keys * binomial_mean(n, heavy, chances) if heavy < alpha else 0.0

    upper = heavy * np.arange(1, _CELLS + 1) / _CELLS
    at_upper = _above(n, upper, chances)
    # A cell takes the chance at its lower end and the weight at its upper one, which bounds all
    # weights in it.
    at_lower = np.concatenate([[1.0], at_upper[:-1]])
    _, lam = _exponent(keys, at_lower, upper, alpha)
    # Divide the cells that may hold the maximum: their bounds exceed a value that is attained.
    attained = _logs(at_upper)(lam * upper).max()
    (worth,) = np.nonzero(_logs(at_lower)(lam * upper) > attained)
    width = heavy / _CELLS
    ends = (upper[worth, None] - width) + width * np.arange(_DIVIDED + 1) / _DIVIDED
    ends[:, -1] = upper[worth]
    inner = _above(n, ends[:, :-1].ravel(), chances)
    kept = np.ones(_CELLS, dtype=bool)
    kept[worth] = False
    exponent, _ = _exponent(
        keys,
        np.concatenate([at_lower[kept], inner]),
        np.concatenate([upper[kept], ends[:, 1:].ravel()]),
        alpha,
    )
    rounded = exponent + _MARGIN + 1e-15 * keys
    return alone * (1 + _MARGIN) + math.exp(min(rounded, 1.0))


def _above(n: int, weights: Floats, chances: Floats) -> Floats:
    """The chance that a key is missed, at each of the weights; rounded up."""
    return np.minimum(binomial_means(n, weights, chances) * (1 + _MARGIN), 1.0)


def _exponent(keys: int, chance: Floats, weight: Floats, alpha: float) -> tuple[float, float]:
    """The least value over lam of keys max ln(1 + m (e^(lam w) - 1)) - lam alpha, and that lam.

    It is convex in lam; any lam gives a bound, so the search need not be exact.
    """
    logs = _logs(chance)

    def at(log: float) -> float:
        lam = math.exp(log) / alpha
        return float(keys * logs(lam * weight).max()) - lam * alpha

    low, high, golden = math.log(0.01), math.log(1e6), (math.sqrt(5) - 1) / 2
    # Golden section.  Every lam > 0 gives a bound, so the least need not be found exactly.
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = at(left), at(right)
    while high - low > 1e-3:
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - golden * (high - low)
            at_left = at(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + golden * (high - low)
            at_right = at(right)
    return min((at_left, math.exp(left) / alpha), (at_right, math.exp(right) / alpha))


def _logs(chance: Floats) -> Callable[[Floats], Floats]:
    """ln(1 + m (e^t - 1)) as a function of t, also where e^t exceeds the floats."""
    with np.errstate(divide="ignore"):
        released, missed = np.log1p(-chance), np.log(chance)
    return lambda t: np.logaddexp(released, missed + t)


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


FEW = 4
"""Times the noise of a count in all columns: fewer records are too few for a score sheet; measured."""


def least_records(learner: PrivateLearner[Any]) -> int | None:
    """The records below which a rule seldom errs less than the more frequent label, as measured.

    For a draw by errors it is 2 ln N / epsilon for N rules: with as many records, the draw's expected
    excess error may be 1 (docs/proofs/exponential-mechanism.md).  For a score sheet it is `FEW` times
    the noise of a count in all columns (docs/proofs/score-sheet.md, Too few records).  None for other
    learners.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("trees(age: 0..80 step 20, sex in {F, M}; depth 2)")
    >>> least_records(ExponentialLearner(H, Budget(1)))
    19
    """
    H: Any = learner.hypotheses
    if learner.method == "score_sheet" and learner.mistakes.equal:
        from littlestone.learn.tree_sheet import noise_of_counts

        cost = learner.cost()
        columns = len(H.domain.column_names)
        return math.ceil(FEW * noise_of_counts(Budget(cost.epsilon, cost.delta), columns))
    if learner.method not in ("exponential", "regrown", "tree_sheet"):
        return None
    forms = getattr(H, "forms", None)
    if getattr(H, "shared", False):
        # A tree of depth 2 has as much of the prior as among so many; better ones may be deeper.
        forms = H.depth * replace(H, depth=2, shared=False).forms
    if not forms or not learner.mistakes.equal:
        return None
    return math.ceil(2 * math.log(forms) / float(learner.cost().epsilon))


def too_few(learner: PrivateLearner[Any], n: int) -> str | None:
    """A hint if the public number n of records is below `least_records`; else None."""
    least = least_records(learner)
    if least is None or n >= least:
        return None
    epsilon = f"{float(learner.cost().epsilon):.3g}"
    return (
        f"n = {n:,} is too few: below about {least:,} records, a rule of this class seldom errs "
        f"less than the more frequent label at epsilon {epsilon}. "
        "Declare a smaller class or a larger epsilon, or collect more records"
    )


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
