"""Boosting by majority (Fre95) of any private learner, at the cost of one of its runs.

The walk of right and wrong votes gives it its weights.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import compress
from typing import Any

from littlestone.base.errors import DeclarationError
from littlestone.classes.base import HypothesisClass
from littlestone.data.sample import Sample
from littlestone.learn.base import (
    Bound,
    Caveat,
    PrivateLearner,
    Setting,
    require_plan,
    require_votes,
)
from littlestone.learn.papers.agnostic import fewest
from littlestone.learn.papers.globally_stable import Examples
from littlestone.learn.papers.irreducible import IrreducibleLearner
from littlestone.learn.papers.teachers import permute_examples
from littlestone.learn.papers.voting import share
from littlestone.points import Point
from littlestone.privacy.accounting.composed import merge_uses
from littlestone.privacy.cost import Budget, PrivacyCost, exact
from littlestone.privacy.event import Event, Guarantee
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.parameters import least
from littlestone.rules import Hypothesis, majority

MOST_ROUNDS = 999


@dataclass(frozen=True)
class Walk:
    """T = ``rounds``, odd, votes on one record, each right with probability p = 1/2 + ``gamma``.

    The weight in round t of a record on which r of the t - 1 votes so far were right is

        w_t(r) = Pr[r + Bin(T - t, p) = (T - 1) / 2],

    the probability that this round's vote decides; docs/proofs/boosting.md.

    >>> walk = Walk(3, Fraction(1, 4))
    >>> walk.majority_error, [walk.weights(t) for t in (1, 2, 3)]
    (Fraction(5, 32), [[6], [3, 1], [0, 1, 0]])
    """

    rounds: int
    gamma: Fraction

    def _terms(self, n: int) -> list[int]:
        """Pr[Bin(n, p) = e] for e = 0, ..., n, all times `_unit`^n."""
        right, wrong = self._right, self._unit - self._right
        # Whole numbers, each from the one before: every division is exact.
        found = [wrong**n]
        for e in range(n):
            found.append(found[-1] * (n - e) * right // ((e + 1) * wrong))
        return found

    @property
    def _right(self) -> int:
        return (Fraction(1, 2) + self.gamma).numerator

    @property
    def _unit(self) -> int:
        return (Fraction(1, 2) + self.gamma).denominator

    @property
    def majority_error(self) -> Fraction:
        """Pr[Bin(T, p) < T / 2], the error of the majority of such votes."""
        wrong = sum(self._terms(self.rounds)[: self.rounds // 2 + 1])
        return Fraction(wrong, self._unit**self.rounds)

    def weights(self, t: int) -> list[int]:
        """w_t(0), ..., w_t(t - 1), all times a common factor; not all of them are 0."""
        terms = self._terms(self.rounds - t)
        # With r right votes, this round decides iff exactly (T - 1) / 2 - r of the later ones are
        # right.
        missing = (self.rounds // 2 - r for r in range(t))
        return [terms[e] if 0 <= e < len(terms) else 0 for e in missing]

    def height(self, t: int) -> float:
        """The largest w_t(r)."""
        return float(Fraction(max(self.weights(t)), self._unit ** (self.rounds - t)))

    @cached_property
    def heights(self) -> float:
        """The sum of `height` over the rounds from the second on; the first keeps all records."""
        return sum(map(self.height, range(2, self.rounds + 1)))


def shortest(gamma: Fraction, lost: Fraction, asked: str) -> Walk:
    """The shortest walk, of at least three rounds, whose `Walk.majority_error` is at most ``lost``."""
    most = MOST_ROUNDS // 2
    half = least(lambda k: k > most or Walk(2 * k + 1, gamma).majority_error <= lost)
    if half > most:
        raise DeclarationError(
            f"{asked} with gamma = {gamma}",
            found=f"votes that are so weak take more than {MOST_ROUNDS} rounds",
            fix="give a larger gamma, or a larger alpha",
        )
    return Walk(2 * half + 1, gamma)


_BETA = 1 / 100  # the failure probability of a round, for which the weak learner is chosen


@dataclass(frozen=True)
class BoostingEvent(Event):
    """``event`` on each of ``rounds`` disjoint parts, with records filtered by the earlier rounds.

    It costs what ``event`` costs: one replaced record lies in one part, and there it replaces at most
    one of the records that pass (docs/proofs/boosting.md, Theorem 1).
    """

    event: Event
    rounds: int

    def cost(self) -> PrivacyCost:
        return self.event.cost()

    def guarantee(self) -> Guarantee:
        return self.event.guarantee()

    def uses(self) -> list[tuple[Event, int]]:
        # The event itself is redeemed once, before records are permuted; then come the rounds' draws.
        return [(self, 1), *merge_uses([(self.event, self.rounds)])]

    def __str__(self) -> str:
        return f"boosting by majority, on {self.rounds} disjoint parts: [{self.event}]"


class BoostingLearner(PrivateLearner[Point]):
    """Release the majority of T hypotheses of ``weak``, each learned where the earlier ones may err.

    A uniform order of the records is cut into T parts of N = floor(n / T).  In round t = 1, ..., T

    1. each record of part t passes independently with probability w_t(r) / max w_t, if r of the
       t - 1 votes so far are right on it (`Walk`);
    2. ``weak`` learns from the first m = max(1, floor(``kept`` N)) records that pass; if there are
       fewer, records of one point fill up the rest, half of them with each label.

    T is the least odd number of votes such that a majority of votes, each right with probability
    1/2 + ``gamma``, errs with probability at most alpha / 2.  The learner is (epsilon, delta)-DP for
    every sample if ``weak`` is: the whole run costs one of its draws.  The released rule may lie
    outside the class.

    ``weak`` is a learner of the same class.  The default is the one that provably needs the fewest
    records for error 1/2 - gamma.  ``python -m benchmarks.boosting`` found the default ``kept``, and
    nothing is proved for it; `with_proved_bound` makes a learner with a `plan`.  Raises
    `DeclarationError` for illegal parameters, a weak learner that costs more, more than 999 rounds,
    and classes whose votes have no canonical form.

    Source: Fre95; docs/proofs/boosting.md.  Time: O(n T) labels, and T draws of ``weak``.

    >>> from littlestone.classes import Thresholds
    >>> learner = BoostingLearner(Thresholds.on(0, 999), Budget(1))
    >>> learner.walk.rounds, learner.weak.method, str(learner.cost())
    (9, 'exponential', 'epsilon 1, delta 0 (replace-one)')
    """

    method = "boosting"
    several = False
    caveat = Caveat.MAJORITIES
    takes_alpha = True

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        budget: Budget,
        *,
        alpha: object = Fraction(1, 10),
        gamma: object = Fraction(1, 4),
        kept: object = Fraction(1, 4),
        weak: PrivateLearner[Point] | None = None,
    ) -> None:
        super().__init__(hypotheses, budget)
        asked = f"boost learners of {hypotheses}"
        paid = budget.cost
        self.alpha, self.gamma = share("alpha", alpha), exact(gamma, what="gamma")
        self.kept = share("kept", kept)
        if not 0 < self.gamma < Fraction(1, 2) or not self.alpha:
            raise DeclarationError(
                f"{asked} with alpha = {alpha}, gamma = {gamma}",
                found="alpha must lie above 0, and gamma strictly between 0 and 1/2",
                fix="give an error such as 0.05, and a gamma such as 0.25: weak learners then err "
                "on a quarter of the records at most",
            )
        # Half of alpha for the walk, and half for rounds in which too few records pass
        # (docs/proofs/boosting.md, Theorem 2).
        self.walk = shortest(self.gamma, self.alpha / 2, asked)
        require_votes(hypotheses, self.method)
        if weak is None:
            own = Fraction(1, 2) - self.gamma
            found = fewest(hypotheses, budget, alpha=float(own), beta=_BETA, allowed=_is_weak)
            weak = found or IrreducibleLearner.for_error(hypotheses, budget, alpha=own)
        if weak.hypotheses != hypotheses or not weak.cost().within(paid):
            raise DeclarationError(
                f"{asked} with {paid}",
                found=f"the weak learner learns {weak.hypotheses} with {weak.cost()}",
                fix="give a learner of the same class that costs no more",
            )
        weak.require_errors(self.method)
        self.weak = weak

    @cached_property
    def event(self) -> BoostingEvent:
        return BoostingEvent(self.weak.event, self.walk.rounds)

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        rng = receipt.redeem(self.event)  # redeemed now, because the order is drawn first
        votes: list[Hypothesis[Point]] = []
        for part in self.parts(permute_examples(sample, rng)):
            # Each record passes by a coin of its own, from votes already drawn: a replaced record
            # changes at most one that passes (Theorem 1).
            coins = (rng.randrange(p.denominator) < p.numerator for p in self.chances(part, votes))
            # A fixed number of records, filled up if need be: how many pass is private.
            passed = self.fill_sample(list(compress(part, coins)), len(part))
            votes.append(self.weak.draw(passed, receipt=receipt))
        return self.vote(votes)

    def runs(self, n: int) -> Iterable[tuple[PrivateLearner[Any], int]]:
        return [(self.weak, self.weak_sample_size(n // self.walk.rounds))]

    def weak_sample_size(self, size: int) -> int:
        """The records of a part of ``size`` that the weak learner is given."""
        return max(1, int(self.kept * size))

    def work(self, n: int) -> int:
        """The work of the weak learner in every round, and one label per vote and record."""
        rounds = self.walk.rounds
        each = self.weak.work(self.weak_sample_size(n // rounds))
        return rounds * each + n * (rounds - 1) // 2

    def parts(self, records: Examples[Point]) -> list[Examples[Point]]:
        """T parts of floor(n / T) records, by position alone; the remainder belongs to none."""
        size = len(records) // self.walk.rounds
        return [records[t * size : (t + 1) * size] for t in range(self.walk.rounds)]

    def chances(self, part: Examples[Point], votes: Sequence[Hypothesis[Point]]) -> list[Fraction]:
        """The probability that each record passes, a function of the votes so far and that record."""
        weights, voters = self.walk.weights(len(votes) + 1), Counter(votes)
        passing = [Fraction(weight, max(weights)) for weight in weights]
        known: dict[tuple[Point, int], Fraction] = {}
        for x, y in part:
            if (x, y) not in known:
                right = sum(times for h, times in voters.items() if h(x) == y)
                known[x, y] = passing[right]
        return [known[record] for record in part]

    def fill_sample(self, passed: Examples[Point], size: int) -> Sample[Point]:
        """The sample that the weak learner sees of a part of ``size``: the first m that passed.

        If fewer passed, the first point of the domain fills up the rest, labelled 0 and 1 in turn.
        On these, the errors of any two hypotheses differ by at most one.
        """
        wanted = self.weak_sample_size(size)
        (x,) = self.hypotheses.domain.examples(1)
        missing = [(x, i % 2) for i in range(wanted - len(passed))]
        counts: dict[Point, list[int]] = {}
        for x, y in [*passed[:wanted], *missing]:
            counts.setdefault(x, [0, 0])[y] += 1
        return Sample.from_counts(self.hypotheses.domain, counts)

    def vote(self, votes: Sequence[Hypothesis[Point]]) -> Hypothesis[Point]:
        """The majority; SOA_H if hypotheses of several kinds have no majority."""
        return majority(votes) or self.hypotheses.soa()

    @classmethod
    def with_proved_bound(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, *, alpha: float, beta: float
    ) -> BoostingLearner[Point]:
        """A learner whose `plan` (alpha, beta) is not None, if some weak learner has one.

        >>> from littlestone.classes import Thresholds
        >>> goal = {"alpha": 0.05, "beta": 0.05}
        >>> learner = BoostingLearner.with_proved_bound(Thresholds.on(0, 999), Budget(1), **goal)
        >>> learner.plan(**goal, setting="realizable").n > 0
        True
        """
        usual = cls(hypotheses, budget, alpha=exact(alpha, what="alpha"))
        each = beta / (2 * usual.walk.rounds)
        weak_alpha = float(Fraction(1, 2) - usual.gamma)
        weak = fewest(
            hypotheses, budget, alpha=weak_alpha, beta=each, proved=True, allowed=_is_weak
        )
        if weak is None:
            return usual

        def learner_keeping(kept: Fraction) -> BoostingLearner[Point]:
            return cls(hypotheses, budget, alpha=usual.alpha, kept=kept, weak=weak)

        density = Fraction(usual.density(alpha)).limit_denominator(10**6)
        learners = [learner_keeping(density * c / 20) for c in range(1, 20)]
        sizes = [learner.bound(alpha, beta, setting="realizable") for learner in learners]
        found = [(bound.n, i) for i, bound in enumerate(sizes) if bound is not None]
        return learners[min(found)[1]] if found else usual

    def density(self, alpha: float) -> float:
        """(alpha - lost) / ((1/2 + gamma) (max w_2 + ... + max w_T)), and at most 1.

        Rounds in which a smaller share of the distribution passes may fail.  Together they cost at most
        the rest of alpha.
        """
        spared = alpha - float(self.walk.majority_error)
        return min(1.0, spared / ((0.5 + float(self.gamma)) * self.walk.heights))

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The examples that suffice in the realizable setting (docs/proofs/boosting.md, Theorem 2).

        It is T N for the least N such that kept N records suffice for ``weak`` at error 1/2 - gamma
        with probability 1 - beta / (2 T), and

            N KL(kept || density) >= ln(2 T / beta).

        None in the agnostic setting, if ``weak`` has no plan, or if `density` is at most ``kept``.
        """
        require_plan(alpha, beta, setting)
        each = beta / (2 * self.walk.rounds)
        kept, density = float(self.kept), self.density(alpha) * (1 - 1e-9)
        if setting == "agnostic" or not 0 < kept < density:
            return None
        bound = self.weak.plan(float(Fraction(1, 2) - self.gamma), each, setting=setting)
        if bound is None:
            return None
        rate = kept * math.log(kept / density)
        rate += (1 - kept) * (math.log1p(-kept) - math.log1p(-density))
        size = math.ceil(-math.log(each) / rate * (1 + 1e-6))
        size = max(size, math.ceil(bound.n / self.kept))
        source = "docs/proofs/boosting.md, Theorem 2"
        return Bound(self.walk.rounds * size, alpha, beta, setting, source)


def _is_weak(kind: type[PrivateLearner[Any]]) -> bool:
    """Whether a learner of this kind may be the default weak learner."""
    return kind.caveat is None and kind is not BoostingLearner
