"""The exponential-mechanism learner of a finite class (KLN+11; lecture 5, Theorem 1)."""

from __future__ import annotations

import math

from littlestone.base.errors import TooLargeError
from littlestone.classes.base import HypothesisClass, ScoredClass
from littlestone.learn.base import Bound, Setting, WeighedLearner, require_plan
from littlestone.points import Point
from littlestone.privacy.cost import Budget
from littlestone.privacy.mechanisms.exponential import ExponentialDraw


class ExponentialLearner(ExponentialDraw[Point], WeighedLearner[Point]):
    """Release h in H with Pr[h] ~ r^-(number of errors of h), r rational, r <= e^(epsilon / 2).

    epsilon-DP (delta = 0) for every sample: replacing one record moves every error count by at most
    one.  With ``cost`` = (a, b), a missed positive counts as a errors and a false alarm as b, and
    r <= e^(epsilon / (2 max(a, b))).  Proper; realizable and agnostic.  It needs finitely many
    hypotheses.  Time: O(N |distinct points|) for a finite class of N, and O(n log n) for thresholds
    on up to 2^64 points.  The constructor raises `EmptyClassError`, `InfiniteDimensionError` or
    `DeclarationError`.

    >>> from littlestone.classes import Thresholds
    >>> learner = ExponentialLearner(Thresholds.on(0, 999), Budget(1))
    >>> learner.plan(0.05, 0.05, setting="realizable").n, learner.plan(0.05, 0.05).n
    (499, 7914)
    """

    method = "exponential"
    several = True
    tolerates_label_noise = True
    hypotheses: ScoredClass[Point]

    def __init__(
        self, hypotheses: HypothesisClass[Point], budget: Budget, *, cost: object = (1, 1)
    ) -> None:
        WeighedLearner.__init__(self, hypotheses, budget, cost=cost)
        self.mistakes.require_rule(hypotheses.labels)
        if not isinstance(hypotheses, ScoredClass) or not hypotheses.forms:
            infinite = hypotheses.domain.size is None
            raise self.unfit(
                found="it scores each hypothesis, and "
                + (
                    "the class has infinitely many"
                    if infinite
                    else "those of this class are not numbered"
                ),
                declare="a class of ranges, of columns of 0s and 1s, or finite(COLUMN, TABLE.csv)",
            )
        # Before the spend: nothing may fail once it is paid for.
        hypotheses.require_scorable()
        ExponentialDraw.__init__(self, hypotheses, budget.epsilon, self.mistakes)
        self.size, self.most_errors = hypotheses.forms, hypotheses.most_errors
        self.joint = hypotheses.joint

    def require_affordable(self, n: int) -> None:
        super().require_affordable(n)
        most = self.most_errors
        # n is public, so this refusal tells nothing about the records.
        if most is not None and n * self.mistakes.largest > most:
            raise TooLargeError(
                f"count the errors of {self.hypotheses} on {n:,} records",
                found=f"they may cost {n * self.mistakes.largest:,} in all, and the counts have room "
                f"for {most:,}",
                fix="learn from fewer records, or declare smaller costs",
            )

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound:
        """The examples that suffice, by a bound that averages over the sample and the draw at once.

        With lam = ln r and N = |H|, Pr[h is drawn] <= e^(-lam (err h - err h*)), where err counts
        errors; or it is the cost in units of the larger cost M, and lam = M ln r.  The expected sum of
        this over the bad hypotheses gives (docs/proofs, Theorem 3)

            realizable:  n = ln(N / beta) / -ln(1 - alpha (1 - e^-lam)),
            agnostic:    n = ln(N / beta) / -ln(p e^-l + (1 - p) e^l),
                         p = (1 + alpha) / 2,  l = min(lam, artanh(alpha)).
        """
        require_plan(alpha, beta, setting)
        n = least_size(math.log(self.size), self._tilt, alpha, beta, setting)
        return Bound(n, alpha, beta, setting, "KLN+11 / lecture 5, Theorem 1, sharper proof")

    @property
    def _tilt(self) -> float:
        """The ln of the ratio that the largest cost of a record makes."""
        return self.mistakes.largest * math.log1p(self.mechanism.base - 1)


def least_size(functions: float, lam: float, alpha: float, beta: float, setting: Setting) -> int:
    """The n of `ExponentialLearner.plan` for N = e^``functions`` functions and the tilt ``lam``."""
    if setting == "realizable":
        # ln of the mean factor that one record puts on a bad hypothesis
        # (docs/proofs/exponential-mechanism.md, Theorem 3).
        rate = -math.log1p(alpha * math.expm1(-lam))
    else:
        tilt = min(lam, math.atanh(alpha))
        # p e^-l + (1 - p) e^l = cosh(l) - alpha sinh(l), written as 1 - (...) for small rates.
        rate = -math.log1p(2 * math.sinh(tilt / 2) ** 2 - alpha * math.sinh(tilt))
    # The relative margin covers the rounding of these few operations.
    return math.ceil((functions - math.log(beta)) / rate * (1 + 1e-12))
