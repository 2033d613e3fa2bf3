"""A proper learner built from an improper one (GGKM21, section 6)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.ma  # `np.unique` loads it, and nothing is to be loaded after a spend
from numpy.typing import NDArray

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import HypothesisClass
from littlestone.classes.promises.covering import ProperApproximation
from littlestone.data.sample import Sample
from littlestone.learn.base import Bound, Caveat, PrivateLearner, Setting, require_plan
from littlestone.learn.papers.irreducible import IrreducibleLearner
from littlestone.learn.papers.teachers import shuffle_records, split
from littlestone.learn.papers.voting import VotingLearner, share
from littlestone.points import Point
from littlestone.privacy.accounting.subsampled import Parallel
from littlestone.privacy.cost import Budget
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.samplers import selection
from littlestone.rules import Hypothesis


class ProperLearner(PrivateLearner[Point]):
    """Learn some f improperly, then choose among hypotheses of H that are together close to f.

    A share ``fresh`` of the records, by place in a uniform order, is set apart.  ``improper`` learns f
    from the others; the default is `IrreducibleLearner` at alpha / 2.  `ProperApproximation.mixture`
    makes hypotheses from f alone.  One of them is within alpha / 4 of f, whatever the distribution
    (docs/proofs/proper.md, Theorems 2 and 3, say for which classes and f).  The exponential mechanism
    at epsilon draws one by its errors on the fresh records.

    (epsilon, delta)-DP for every sample, because no record is in both parts.  Proper: the released rule
    is in H.  The default has no proved size; `with_proved_bound` makes a learner that has one.  Raises
    `DeclarationError` for classes without a known mixture, and whatever ``improper`` raises.

    >>> from littlestone.classes import Subsets
    >>> from littlestone.points import Integers
    >>> learner = ProperLearner(Subsets(Integers(), 2, exactly=True), Budget(1, "1e-6"))
    >>> print(learner.cost())
    epsilon 1, delta 0.000001 (replace-one)
    >>> f = learner.hypotheses.soa()
    >>> f.words(), [h.words() for h in learner.near(f)][:2]
    ('always 0', ['x is one of 0, 1', 'x is one of 2, 3'])
    """

    method = "proper"
    several = False
    caveat = Caveat.PROPER
    takes_alpha = True

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        budget: Budget,
        *,
        alpha: object = Fraction(1, 10),
        fresh: object = Fraction(1, 5),
        improper: PrivateLearner[Point] | None = None,
    ) -> None:
        super().__init__(hypotheses, budget)
        asked = f"learn {hypotheses} by a hypothesis of the class"
        if not isinstance(hypotheses, ProperApproximation):
            raise self.unfit(
                found="no way is known from a rule outside of the class to one of the class nearby",
                declare="a finite table, thresholds, points, subsets or rules",
            )
        hypotheses.require_mixture()
        self.hypotheses: ProperApproximation[Point] = hypotheses
        self.choice = ExponentialMechanism(budget.epsilon)
        self.alpha, self.fresh = share("alpha", alpha), share("fresh", fresh)
        if self.alpha == 0:
            raise DeclarationError(
                asked,
                found="with alpha = 0 only hypotheses that equal the improper rule would do",
                fix="give the error that is allowed, such as 0.1",
            )
        self.improper = improper or IrreducibleLearner(hypotheses, budget, alpha=self.alpha / 2)
        if self.improper.hypotheses != hypotheses:
            raise DeclarationError(
                asked,
                found=f"the improper learner learns {self.improper.hypotheses}",
                fix="give a learner of the same class",
            )

    @cached_property
    def event(self) -> Parallel:
        return Parallel([self.improper.event, self.choice])

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        rng = receipt.redeem(self.choice)  # redeemed now, because the order is drawn first
        fresh, rest = self.parts(sample, shuffle_records(sample, rng))
        # f is as private as the draw that made it, and H_f is a function of f: choosing from it
        # costs only the choice.
        near = self.near(self.improper.draw(rest, receipt=receipt))
        return near[selection.draw_item(errors(near, fresh), None, self.choice.base, rng)]

    def runs(self, n: int) -> Iterable[tuple[PrivateLearner[Any], int]]:
        return [(self.improper, n - int(self.fresh * n))]

    def work(self, n: int) -> int:
        """The work of the improper learner."""
        return sum(learner.work(most) for learner, most in self.runs(n))

    def parts(
        self, sample: Sample[Point], records: NDArray[np.int64]
    ) -> tuple[Sample[Point], Sample[Point]]:
        """The fresh records and the others, by their places in ``records`` alone."""
        size = int(self.fresh * sample.n)
        (fresh,), (rest,) = split(sample, records[:size], 1), split(sample, records[size:], 1)
        return fresh, rest

    def near(self, f: Hypothesis[Point]) -> list[Hypothesis[Point]]:
        """H_f, the hypotheses to choose from; a function of f and of public numbers."""
        return list(dict.fromkeys(self.hypotheses.mixture(f, self.alpha / 4)))

    @classmethod
    def with_proved_bound(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, *, alpha: float, beta: float
    ) -> ProperLearner[Point]:
        """A learner whose `plan` (alpha, beta) is not None, built on a proved `IrreducibleLearner`.

        >>> from littlestone.classes import FiniteClass
        >>> H = FiniteClass.from_array([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> goal = {"alpha": 0.1, "beta": 0.05}
        >>> learner = ProperLearner.with_proved_bound(H, Budget(1, "1e-6"), **goal)
        >>> learner.plan(**goal, setting="realizable").n
        313286
        """
        # alpha / 4 for f, alpha / 4 for H_f, alpha / 2 for the choice; beta / 2 each.
        improper = IrreducibleLearner.with_proved_bound(
            hypotheses, budget, alpha=alpha / 4, beta=beta / 2
        )
        # The choice needs few records, the improper learner many.
        return cls(hypotheses, budget, alpha=alpha, fresh="0.02", improper=improper)

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The examples that suffice in the realizable setting, by docs/proofs/proper.md, Theorem 4.

        They are as many others as the improper learner needs for alpha / 4 and beta / 2, plus as many
        fresh ones as the choice among H_f needs for beta / 2.  None if the improper learner has no
        plan, or has too few records a teacher to be sure that H_f is near.
        """
        require_plan(alpha, beta, setting)
        if alpha < self.alpha or not isinstance(self.improper, VotingLearner) or not self.fresh:
            return None
        bound = self.improper.plan(alpha / 4, beta / 2, setting=setting)
        most = self.hypotheses.most_mixed(self.alpha / 4)
        if bound is None or most is None:
            return None
        k, d = self.improper.teachers, self.improper.dimension
        if d and not mixes(bound.n // k + 1, d, float(self.alpha) / 8):
            return None
        tilt = min(math.log1p(self.choice.base - 1), math.log(2) / 2)
        # E e^(-tilt D), D = 1[h errs] - 1[h* errs], for err(h) > alpha and err(h*) <= alpha / 2.
        rate = -math.log1p(alpha * math.expm1(-tilt) + alpha / 2 * math.expm1(tilt))
        fresh = math.ceil(math.log(2 * most / beta) / rate * (1 + 1e-9))
        n = max(math.ceil(fresh / self.fresh), math.ceil(bound.n / (1 - self.fresh)))
        return Bound(n, alpha, beta, setting, "docs/proofs/proper.md, Theorem 4")


def mixes(points: int, d: int, alpha: float) -> bool:
    """Whether 2 N 2^(-alpha l / 2) < 1, N = sum_(i <= d) C(2 l, i), for l = ``points``.

    Then some mixture of H is within alpha of the SOA of each l-irreducible version space.
    """
    patterns = sum(math.comb(2 * points, i) for i in range(d + 1))
    return math.log2(patterns) + 1 < alpha * points / 2 * (1 - 1e-9)


def errors(rules: Sequence[Hypothesis[Point]], sample: Sample[Point]) -> NDArray[np.int64]:
    """The number of examples of the sample that each rule labels wrongly."""
    counts = list(zip(sample.points, sample.counts.tolist(), strict=True))
    right = [sum(of[h(x)] for x, of in counts) for h in rules]
    return sample.n - np.array(right, dtype=np.int64)
