"""AboveThreshold with fresh noise only (Lyu25, Algorithm 2), the sparse vector, and their privacy."""

from __future__ import annotations

import random
from bisect import bisect_left
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import comb

from littlestone.base.errors import DeclarationError
from littlestone.privacy.cost import Budget, PrivacyCost, decimal_text, require_epsilon
from littlestone.privacy.event import BudgetedMechanism, Guarantee
from littlestone.privacy.mechanisms.sparse_selection import least_power
from littlestone.privacy.mechanisms.threshold_tests import Session, ThresholdMechanism
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.noise import discrete_laplace

_STEPS = 8  # the query epsilon is found to one part in 2^8


@dataclass(frozen=True, kw_only=True)
class AboveThreshold(BudgetedMechanism, ThresholdMechanism):
    """Answer value_t + nu_t >= threshold with fresh nu_t ~ DLap(1/r) only, up to ``hits`` hits.

    (epsilon, delta)-DP, delta > 0, whatever the values and the number of tests.  r is e^query_epsilon,
    rounded down.  `query_epsilon` is the largest for which the exact worst case, `worst_delta`, is at
    most delta (Lyu25, Algorithm 2 and Lemma 3.2, after CL23; sharp constants by theorem 2 of
    docs/proofs/above-threshold.md).  Time: some microseconds per test; the search takes about
    20 hits (hits + epsilon / query_epsilon) products, once.

    >>> mechanism = AboveThreshold(budget=Budget(1, "1e-6"), threshold=20)
    >>> round(float(mechanism.epsilon / mechanism.query_epsilon), 1)
    16.1
    """

    budget: Budget

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.delta == 0:
            raise DeclarationError(
                "test thresholds without threshold noise at delta = 0",
                found="delta must be greater than 0",
                fix="give a positive delta, or use SparseVector, which needs none",
            )

    @cached_property
    def query_epsilon(self) -> Fraction:
        """The log-ratio of one test, the largest that keeps the whole within (epsilon, delta)."""
        ratio = exp_below(self.epsilon)
        bits = 64 + self.delta.denominator.bit_length()

        def private(query_epsilon: Fraction) -> bool:
            return worst_delta(exp_below(query_epsilon), ratio, self.hits, bits) <= self.delta

        low, step = self.epsilon, self.epsilon
        # First down by halves to a value that fits, then up by ever smaller steps; `low` always
        # fits.
        while not private(low):
            low, step = low / 2, low / 2
        for _ in range(_STEPS):
            step /= 2
            if private(low + step):
                low += step
        return low

    def noises(self) -> tuple[Fraction, Fraction]:
        return Fraction(0), 1 / exp_below(self.query_epsilon)

    def guarantee(self) -> Guarantee:
        # Except with probability delta, the tests make at most m randomized responses, whether or not
        # other events come in between: docs/proofs/composition.md, Theorem 5.
        whole, one = Guarantee.pure(self.epsilon, self.delta), Guarantee.pure(self.query_epsilon)
        m = randomized_responses(exp_below(self.query_epsilon), self.hits, self.delta)
        return replace(whole, rho=min(whole.rho, m * one.rho))

    def begin(self, rng: random.Random) -> Session:
        return Session(self.noises()[1], self.threshold, self.hits, self.hits_below, rng)

    def __str__(self) -> str:
        return (
            f"AboveThreshold with fresh noise, threshold {self.threshold}, up to {self.hits} hits "
            f"{'below' if self.hits_below else 'above'}, {self.budget}"
        )


def worst_delta(base: Fraction, ratio: Fraction, hits: int, bits: int = 128) -> Fraction:
    """The largest hockey-stick divergence at ``ratio`` of any adaptive tests, up to ``hits`` hits.

    Each test's log-ratios are at most ln ``base`` > 0.  The worst tests are randomized responses
    with a log-likelihood ratio that walks on the multiples j of ln base: non-hits raise it while
    base^j < ratio, hits raise it from J on, the least j with base^j >= ratio.  With k hits left

        v_k(j) = (v_{k-1}(j-1) + base v_k(j+1)) / (1 + base)   for j < J,
        v_k(j) = (base v_{k-1}(j+1) + v_k(j-1)) / (1 + base)   for j >= J,

    v_0(j) = max(0, 1 - ratio base^-j); the answer is v_hits(0) (theorem 2 of
    docs/proofs/above-threshold.md).  Sharp, except for rounding up by O(steps) 2^-bits.

    >>> worst_delta(Fraction(3), Fraction(3), 1) - Fraction(6, 13) < Fraction(1, 2**120)
    True
    """
    n, d = base.numerator, base.denominator
    J = max(1, least_power(base, ratio))
    # ratio base^-j, rounded down.
    below = (ratio.numerator * d**J << bits) // (ratio.denominator * n**J)
    v = dict.fromkeys(range(-hits, J), 0)
    for j in range(J, J + hits + 1):
        v[j] = (1 << bits) - below
        below = below * d // n

    def up(numerator: int, denominator: int) -> int:
        return -(-numerator // denominator)

    # v_k from v_(k - 1): first the two positions around J, which refer to each other, then
    # outwards.
    for k in range(1, hits + 1):
        low, high, u = v[J - 2], v[J + 1], v
        # The solution of the two equations at J - 1 and J.
        determinant = n * n + n * d + d * d
        # Every number is rounded up, so the result bounds the worst delta from above.
        v = {
            J - 1: up(low * d * (n + d) + high * n * n, determinant),
            J: up(low * d * d + high * n * (n + d), determinant),
        }
        for j in range(J - 2, k - hits - 1, -1):
            v[j] = up(u[j - 1] * d + v[j + 1] * n, n + d)
        for j in range(J + 1, J + hits - k + 1):
            v[j] = up(u[j + 1] * n + v[j - 1] * d, n + d)
    return Fraction(v[0], 1 << bits)


@lru_cache(maxsize=64)
def randomized_responses(base: Fraction, hits: int, delta: Fraction) -> int:
    """The least m with Pr[Bin(m, 1 / (1 + base)) < hits] <= delta.

    >>> randomized_responses(Fraction(3, 2), 1, Fraction(1, 10**6))
    28
    """
    n, d = base.numerator, base.denominator

    def suffices(m: int) -> bool:
        # docs/proofs/above-threshold.md, Theorem 1: m tests without enough hits have probability at
        # most delta.
        fewer = sum(comb(m, i) * n ** (m - i) * d**i for i in range(hits))
        return bool(fewer <= delta * (n + d) ** m)

    most = 2 * hits
    while not suffices(most):
        most *= 2
    return bisect_left(range(most), True, lo=hits, key=suffices)


def cheapest(
    budget: Budget,
    *,
    threshold: int,
    hits: int = 1,
    hits_below: bool = False,
    monotone: bool = False,
) -> ThresholdMechanism:
    """The tests within ``budget`` with the least variance of noise; a function of public numbers.

    It is `SparseVector` for few hits, and `AboveThreshold` for many if delta > 0.

    >>> for hits in (1, 4, 16):
    ...     print(type(cheapest(Budget(1, "1e-6"), threshold=0, hits=hits)).__name__)
    SparseVector
    SparseVector
    AboveThreshold
    """
    pure = SparseVector.within(
        budget.epsilon, threshold=threshold, hits=hits, hits_below=hits_below, monotone=monotone
    )
    if budget.delta == 0:
        return pure
    fresh = AboveThreshold(budget=budget, threshold=threshold, hits=hits, hits_below=hits_below)
    # Both are private within the budget, and the choice looks at public numbers only.
    return min((pure, fresh), key=lambda mechanism: mechanism.variance)


@dataclass(frozen=True, kw_only=True)
class SparseVector(ThresholdMechanism):
    """Answer value_t + nu_t >= threshold + rho, with rho drawn once and nu_t fresh, up to c hits.

    rho ~ DLap(1/r1) with r1 <= e^threshold_epsilon, and nu_t ~ DLap(1/r2) with r2 <=
    e^(query_epsilon / 2c) for c = ``hits``, or e^(query_epsilon / c) when ``monotone``: replacing
    a record then moves all values the same way (which a maximum of counts does not).  It is
    (threshold_epsilon + query_epsilon)-DP, whatever the values and the number of tests
    (DR14, Theorem 3.24; LSL17, Theorems 2 and 3; discrete and sharp:
    docs/proofs/sparse-vector.md).  A test costs some microseconds.

    >>> mechanism = SparseVector.within(Fraction(1), threshold=20, hits=1)
    >>> print(mechanism.cost(), float(round(mechanism.variance)))
    epsilon 1, delta 0 (replace-one) 34.0
    """

    threshold_epsilon: Fraction
    query_epsilon: Fraction
    monotone: bool = False

    @classmethod
    def within(
        cls,
        epsilon: Fraction,
        *,
        threshold: int,
        hits: int = 1,
        hits_below: bool = False,
        monotone: bool = False,
    ) -> SparseVector:
        """The sparse vector of total ``epsilon`` with least variance: 1 : m^(2/3), m = 2c or c.

        The variance is 2 / e1^2 + 2 m^2 / e2^2 up to rounding (LSL17, section 4.2).
        """
        require_epsilon(epsilon)
        require_whole("hits", hits, least=1)
        m = hits if monotone else 2 * hits
        # Any split is private and its parts add up to epsilon exactly, so a float may choose it.
        first = epsilon / (1 + Fraction(round(m ** (2 / 3), 2)).limit_denominator(100))
        return cls(
            threshold_epsilon=first,
            query_epsilon=epsilon - first,
            threshold=threshold,
            hits=hits,
            hits_below=hits_below,
            monotone=monotone,
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("threshold_epsilon", "query_epsilon"):
            require_epsilon(getattr(self, name), what=name)

    @cached_property
    def _noises(self) -> tuple[Fraction, Fraction]:
        # docs/proofs/sparse-vector.md, Theorem 1, step 2: a hit's factor shrinks by r2^2, or r2 if
        # all values move the same way.
        moves = self.hits if self.monotone else 2 * self.hits
        return 1 / exp_below(self.threshold_epsilon), 1 / exp_below(self.query_epsilon / moves)

    def noises(self) -> tuple[Fraction, Fraction]:
        return self._noises

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.threshold_epsilon + self.query_epsilon)

    def begin(self, rng: random.Random) -> Session:
        threshold_noise, noise = self.noises()
        # Drawn once for all tests: shifting it by one pays for all answers that do not hit.
        rho = discrete_laplace(threshold_noise, rng)
        return Session(noise, self.threshold + rho, self.hits, self.hits_below, rng)

    def __str__(self) -> str:
        first, second = decimal_text(self.threshold_epsilon), decimal_text(self.query_epsilon)
        return (
            f"sparse vector, threshold {self.threshold}, up to {self.hits} hits "
            f"{'below' if self.hits_below else 'above'}, {'monotone' if self.monotone else 'any'} "
            f"values, threshold epsilon {first}, query epsilon {second}"
        )
