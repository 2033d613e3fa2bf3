"""Radii for any labels: they begin at a noisy number of errors, that of the best hypothesis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

from littlestone.classes.base import HypothesisClass, is_scorable
from littlestone.classes.promises.covering import is_steady
from littlestone.data.sample import Sample
from littlestone.learn.base import (
    Bound,
    Caveat,
    PrivateLearner,
    Setting,
    dimension_up_to,
    require_plan,
)
from littlestone.learn.papers.radii import RadiiLearner, Run
from littlestone.learn.papers.radii_lists import leaf_demands
from littlestone.points import Point
from littlestone.privacy.accounting.composed import Composition
from littlestone.privacy.cost import Budget, exact
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.noisy_sums import NoisySums, SumStep
from littlestone.privacy.mechanisms.sparse_selection import least_power
from littlestone.privacy.rational import exp_below, sum_masses
from littlestone.rules import Hypothesis

MOST_RECORDS = 1 << 64
"""A proved size suffices for every larger number of records up to this one."""

MOST_DIMENSION = 12
"""The largest dimension: for more no number of records can be run, and planning takes seconds."""

_BETA = Fraction(1, 20)


class NoisyRadiiLearner(PrivateLearner[Point]):
    """Release a rule that the sample lists at many radii in a row, which begin at its least errors.

    The fewest errors OPT of a hypothesis move by one at most if a record is replaced.  So

        b0 = OPT + X + ``shift``,  X discrete Laplace noise of scale 2 (LDim(H) + 1) / epsilon,

    is released first, and is at least OPT but for ``beta`` / 8.  Then a `RadiiLearner` for the rest of
    epsilon lists rules at b0, b0 + 1, ..., b0 + M, and one of them is drawn.

    (epsilon, delta)-DP for every sample (docs/proofs/noisy-radii.md, Theorem 1).  Improper: the rule is
    an SOA.  ``lists`` are the most rules that count, by default as many as n records can make.
    Shorter ones take less work and fewer radii, and nothing is proved for them.

    It has a proved size for any labels of a class that cannot be scored, as nothing else here has
    without relabelling.

    Raises as `RadiiLearner` does, and `DeclarationError` for a dimension above 12.

    Time: up to C(n + d, d) version spaces for d = LDim(H), which is refused from some 10,000 records
    on for d = 1, and from some 2,000 on for d = 2; with short ``lists`` of a `Steady` class it is some
    n times the sum of these.  The least errors of a class that cannot be scored are searched.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("direct_sum(points(a), points(b))")
    >>> learner = NoisyRadiiLearner(H, Budget(1, "1e-6"))
    >>> learner.shift, learner.at(1000).radii
    (26, 293)
    >>> learner.plan(0.1, 0.05).n
    15132
    """

    method = "noisy_radii"
    several = True
    tolerates_label_noise = True
    caveat = Caveat.FEW_RECORDS
    source = "docs/proofs/noisy-radii.md, Theorem 2"

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        budget: Budget,
        *,
        lists: Sequence[int] | None = None,
        beta: Fraction = _BETA,
    ) -> None:
        super().__init__(hypotheses, budget)
        self.beta = beta if isinstance(beta, Fraction) else exact(beta, what="beta")
        asked = f"learn by the method {self.method}"
        d = dimension_up_to(hypotheses, MOST_DIMENSION, asked=asked)
        # Radii cost more for each dimension, the start does not.
        share = Fraction(1, 2 + 2 * max(1, d))
        first = Budget(share * budget.epsilon)
        self.rest = Budget(budget.epsilon - first.epsilon, budget.delta)
        self.start = NoisySums(first, (SumStep(1, 1, 1, Fraction(1)),))
        self.given = None if lists is None else tuple(lists)
        self._made: dict[int, RadiiLearner[Point]] = {}
        # It refuses what no number of records would allow, and all of them draw alike.
        self.mechanism = self.at(1).mechanism
        self.event = Composition([(self.start, 1), (self.mechanism, 1)], budget.delta)

    @cached_property
    def shift(self) -> int:
        """The least whole number that the noise passes on either side with probability beta / 4."""
        # Pr[|X| >= x] = 2 a^x / (1 + a) for x >= 1, with a = 1 / e^(1 / scale) rounded up.
        inverse = exp_below(self.start.epsilon, bits=100)
        return max(1, least_power(inverse, 8 / (self.beta * (1 + 1 / inverse)))) - 1

    def at(self, n: int) -> RadiiLearner[Point]:
        """The learner whose lists are as long as ``n`` records can make them; n is public."""
        most = (1 << n.bit_length()) - 1  # so that the radii are the same for many n
        if most not in self._made:
            H, lists, share = self.hypotheses, self.given, self.beta / 10
            made = partial(RadiiLearner, H, self.rest, beta=share, large=0)  # n is asked by `work`
            learner: RadiiLearner[Point] = made(lists=lists)
            # Longer lists need larger handicaps, and these more radii: repeat until both agree.
            while lists is None and learner.lists != (found := longest_of(H, learner.radii, most)):
                learner = made(lists=found)
            self._made[most] = learner
        return self._made[most]

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        fewest = self.hypotheses.least_errors(sample)
        ((noisy,),) = self.start.draw(lambda _: [fewest], receipt=receipt)
        scores = self.scores_from(sample, self.first_radius(noisy, sample.n))
        found = self.mechanism.select(scores, receipt.redeem(self.mechanism))
        return self.hypotheses.soa() if found is None else found[1]

    def first_radius(self, noisy: int, n: int) -> int:
        """b0, a function of what was released."""
        return min(max(noisy + self.shift, 0), n)

    def scores_from(self, sample: Sample[Point], start: int) -> dict[Run, int]:
        """The scores at the radii from b0 = ``start`` on."""
        return self.at(sample.n).scores_of_lists(sample, start)

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        return sum_masses((h, mass) for (_, h), mass in self.joint_law(sample).items())

    def joint_law(self, sample: Sample[Point]) -> dict[tuple[int, Hypothesis[Point]], Fraction]:
        """The law of b0 and the rule.  It depends on the data: for audits only."""
        fewest, n, (noise,) = self.hypotheses.least_errors(sample), sample.n, self.start.noises
        # The chances that b0 is at least 0, 1, ..., n, and more.
        above = [noise.at_least(b - fewest - self.shift) for b in range(1, n + 1)]
        tails = [Fraction(1), *above, Fraction(0)]
        return sum_masses(
            ((b, self.hypotheses.soa() if h is None else h[1]), (tails[b] - tails[b + 1]) * share)
            for b in range(n + 1)
            for h, share in self.mechanism.chances(self.scores_from(sample, b)).items()
        )

    def work(self, n: int) -> int:
        """That of the radii, if as many points are passed as there are records, and of OPT.

        Each version space that is kept counts a step for each record, for some 40 bytes.
        """
        H, learner = self.hypotheses, self.at(n)
        fewest = 0 if is_steady(H) or is_scorable(H) else n * H.growth_function(n)
        kept = (
            2 * max(learner.lists, default=0) + 2
            if is_steady(H)
            else math.comb(n + 1, learner.dimension)
        )
        return learner.work_beyond(n, n) + fewest + min(n, kept) * n

    @classmethod
    def with_proved_bound(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, *, alpha: float, beta: float
    ) -> NoisyRadiiLearner[Point]:
        """The learner that fails with the probability ``beta`` of the goal."""
        require_plan(alpha, beta)
        return cls(hypotheses, budget, beta=Fraction(repr(float(beta))))

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """A number of examples that suffices for any labels, as does each larger one to `MOST_RECORDS`.

        None for shorter ``lists`` than the records can make, if `chance_of_error` stays above ``beta``,
        and for clean labels, for which a `RadiiLearner` needs fewer.
        """
        require_plan(alpha, beta, setting)
        if self.given is not None or setting == "realizable":
            return None

        def suffices(n: int) -> bool:
            return self.chance_of_error(n, alpha) <= beta

        # The radii are the same from a power of 2 to the next, and there more records do no harm.
        start, most = 1, MOST_RECORDS.bit_length()
        for i in range(most, 0, -1):
            if not suffices(1 << i - 1):
                start = 1 << i - 1
                break
        if start == MOST_RECORDS:
            return None
        low, high = start, 2 * start
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if suffices(middle) else (middle, high)
        return Bound(high, alpha, beta, setting, self.source)

    def chance_of_error(self, n: int, alpha: float) -> float:
        """Bound the probability of an error ``alpha`` above the best with n records; at most 1.

        With N = n^2, P = sum_(i <= d) C(N, i) (K - 1)^i and x = alpha n - 4 - M - 2 ``shift`` it is

            beta / 4 + `RadiiLearner.miss_probability` + 2 P e^(-x^2 / (2 n))

        if alpha x >= 8 d: docs/proofs/noisy-radii.md, Theorem 2.
        """
        learner, wrong = self.at(n), self.hypotheses.labels - 1
        d, x = learner.dimension, alpha * n - 4 - (learner.radii - 1) - 2 * self.shift
        if n < max(2, 2 * d, learner.radii) or x <= 0 or alpha * x < 8 * d:
            return 1.0
        patterns = math.log(2 * sum(math.comb(n * n, i) * wrong**i for i in range(d + 1)))
        # The relative margin covers the rounding of these operations.
        apart = math.exp(min(0.0, patterns * (1 + 1e-9) - x * x / (2 * n) * (1 - 1e-9)))
        missed = learner.miss_probability
        return min(1.0, (float(self.beta) / 4 + missed + apart) * (1 + 1e-9))


def longest_of(H: HypothesisClass[Any], radii: int, n: int) -> tuple[int, ...]:
    """The most SOAs of each dimension t < LDim(H) that a radius lists, whatever n records say.

    >>> from littlestone.classes import Subsets, Thresholds
    >>> from littlestone.points import Integers
    >>> longest_of(Subsets(Integers(), 2), 5, 10), longest_of(Thresholds.on(0, 0), 5, 10)
    ((45, 10), (21,))
    """
    d, wrong = int(H.littlestone_dimension()), H.labels - 1
    if is_steady(H):  # d - t labels at the points of a sample
        return tuple(math.comb(max(n, d), d - t) * wrong ** (d - t) for t in range(d))
    # As `longest`, but a dimension may be left at each of n points.
    ways = [wrong * (n + k) + 1 for k in leaf_demands(d + radii - 1, d)]
    return tuple(math.prod(ways[t + 1 :]) for t in range(d))
