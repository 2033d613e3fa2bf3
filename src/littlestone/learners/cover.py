"""Rules that cover the positives one after another, with a proved size for clean labels."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.classes.base import ErrorRuns, HypothesisClass
from littlestone.classes.covering import Covering, Elements, PointCovering
from littlestone.classes.rule_lists import Rule, RuleUnions
from littlestone.domains import Point
from littlestone.hypotheses import Hypothesis
from littlestone.learners import choosing
from littlestone.learners.base import Bound, Caveat, PrivateLearner, Setting, require_plan, unfit
from littlestone.learners.rounds import left, round_of
from littlestone.mistakes import EQUAL
from littlestone.privacy.accounting.composed import repeated
from littlestone.privacy.budget import Budget
from littlestone.privacy.cost import PrivacyCost, exact
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.lists.choosing import ChoosingMechanism
from littlestone.privacy.mechanisms.lists.sparse_selection import least_power
from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
from littlestone.privacy.parameters import least
from littlestone.sample import Sample

_PASSES = Fraction(1, 5)
"""The share of beta for rounds that pass although a good rule is left."""

_SHARES = (0.6, 0.5, 0.4, 0.3, 0.25, 0.2, 0.15)
"""The shares of alpha that rounds are tried for: so many positives would be left without any noise."""

_TILTS = 20  # the exponents that a proved size tries

Found = tuple[Any, Sample[Any]]
"""A drawn rule, and the examples that it does not cover."""


class CoverLearner(PrivateLearner[Point]):
    """Release a union of rules, each drawn with Pr ~ r^(min(positives, cap) - negatives).

    Positives and negatives are those that the rule covers and no earlier one does.  It is for the
    unions of at most K >= 2 rules.  There are more rounds than K.  With at most U positives
    left, the cap is U / (K + 1), and U falls by it: if more than K / (K + 1) of U are positive, some
    right rule covers so many and no negative.  A rule gains nothing by covering more, so a general rule
    with many negatives does not come before the right ones.  A round may pass.

    It is (epsilon, delta)-DP for every sample.  If some union of K rules makes no mistake, the error is
    at most ``alpha`` for the n of `plan`.  The union may have more than K rules.  Source:
    docs/proofs/cover.md.  Raises `DeclarationError` for other classes.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("rule_sets(age: 0..80 step 20, sex in {F, M}; at most 2 rules of 2)")
    >>> learner = CoverLearner(H, Budget(1))
    >>> learner.rounds, learner.plan(0.1, 0.05, setting="realizable").n
    (8, 23789)
    """

    method = "cover"
    several = False
    caveat = Caveat.CLEAN_AND_MANY

    def __init__(
        self,
        hypotheses: HypothesisClass[Point],
        budget: Budget,
        *,
        alpha: object = "0.1",
        beta: object = "0.05",
    ) -> None:
        super().__init__(hypotheses, budget)
        self.hypotheses: Any = hypotheses
        error, failure = exact(alpha, what="alpha"), exact(beta, what="beta")
        require_plan(float(error), float(failure))
        self.rules = _rules_of(hypotheses, self.method)
        self.passing = failure * _PASSES
        finder: Any = _Listed if isinstance(hypotheses, RuleUnions) else _Open
        fall = math.log1p(1 / self.rules)
        rounds = sorted({math.ceil(-math.log(s * float(error)) / fall) for s in _SHARES})
        made = [finder(hypotheses, budget.cost, count, self.passing) for count in rounds]
        sizes = [self._size(each, float(error), float(failure)) or math.inf for each in made]
        self.finder: _Finder = made[sizes.index(min(sizes))]
        self.rounds = self.finder.rounds

    @classmethod
    def aimed(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, *, alpha: object
    ) -> CoverLearner[Point]:
        return cls(hypotheses, budget, alpha=alpha)

    @classmethod
    def with_proved_bound(
        cls, hypotheses: HypothesisClass[Point], budget: Budget, *, alpha: float, beta: float
    ) -> CoverLearner[Point]:
        return cls(hypotheses, budget, alpha=alpha, beta=beta)

    @property
    def event(self) -> Event:
        return self.finder.event

    def caps(self, n: int) -> list[int]:
        """The most positives for which a rule is drawn, round by round; n is public."""
        found, most = [], n
        for _ in range(self.rounds):
            found.append(most // (self.rules + 1))
            most -= found[-1]
        return found

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        chosen: list[Any] = []
        for cap in self.caps(sample.n):
            found = self.finder.draw(sample, cap, receipt=receipt)
            if found is not None:
                rule, sample = found
                chosen.append(rule)
        return self.finder.union(chosen)

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        """The exact probability of each hypothesis.  It depends on the data: for audits only."""
        return self._distribution(sample, (), self.caps(sample.n))

    def _distribution(
        self, sample: Sample[Point], chosen: tuple[Any, ...], caps: Sequence[int]
    ) -> dict[Hypothesis[Point], Fraction]:
        if not caps:
            return {self.finder.union(chosen): Fraction(1)}
        law: dict[Hypothesis[Point], Fraction] = {}
        for found, chance in self.finder.law(sample, caps[0]):
            after, rest = chosen, sample
            if found is not None:
                after, rest = (*chosen, found[0]), found[1]
            for h, p in self._distribution(rest, after, caps[1:]).items():
                law[h] = law.get(h, Fraction(0)) + chance * p
        return law

    def work(self, n: int) -> int:
        return self.finder.work(n)

    def require_affordable(self, n: int) -> None:
        super().require_affordable(n)
        self.finder.require_affordable(n)

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The examples that suffice for clean labels (docs/proofs/cover.md, Theorem 2).

        With L rounds, M ways to go on in a round, lam = ln r, F = (K / (K + 1))^L and b the errors of
        a pass, it is the least n for which some l <= lam has

            M^L e^(l (n F + K + L b)) (1 - alpha (1 - e^-l))^n + L r^-b <= beta

        and n F >= K b.  For open columns M = n g + 1, the power is n - L, and n F >= K (b + B).
        """
        require_plan(alpha, beta, setting)
        n = self._size(self.finder, alpha, beta) if setting == "realizable" else None
        if n is None:
            return None
        return Bound(n, alpha, beta, setting, True, "docs/proofs/cover.md, Theorem 2")

    def _size(self, finder: _Finder, alpha: float, beta: float) -> int | None:
        sure, safe = beta - float(self.passing), 1 + 1e-9
        kept = (self.rules / (self.rules + 1)) ** finder.rounds
        lam = math.log1p(finder.mechanism.base - 1)
        tilts = [lam * (i + 1) / _TILTS for i in range(_TILTS)]
        falls = [-math.log1p(alpha * math.expm1(-tilt)) for tilt in tilts]
        rates = [fall - tilt * kept for tilt, fall in zip(tilts, falls, strict=True)]
        if sure <= 0 or max(rates) <= 0:
            return None
        last = finder.least_cap * self.rules / kept * safe

        def enough(n: int) -> bool:
            if n < last:
                return False
            ways = finder.rounds * finder.ways(n) - math.log(sure)
            extra = self.rules + finder.rounds * finder.spare
            return any(
                (ways + tilt * extra + finder.taken * fall) * safe <= n * rate
                for tilt, fall, rate in zip(tilts, falls, rates, strict=True)
            )

        return least(enough)


def _rules_of(hypotheses: HypothesisClass[Any], method: str) -> int:
    """K, for a class of unions of K rules; `DeclarationError` for other classes."""
    if isinstance(hypotheses, RuleUnions) and hypotheses.space is None:
        rules = hypotheses.rules
    elif isinstance(hypotheses, Covering) and not isinstance(hypotheses, PointCovering):
        rules = hypotheses.parts
    else:
        rules = 0
    if rules < 2:
        raise unfit(
            hypotheses,
            method,
            found="it is no class of sets of several rules",
            declare="rule_sets(COLUMN, ...; at most K rules of R), K above 1",
        )
    return rules


class _Finder(ABC):
    """One round: a rule is drawn, or the round passes.

    A rule that covers p positives and q negatives of the examples that are left counts
    max(cap - p, 0) + q errors, and to pass counts min(``spare``, cap) errors, or fewer for privacy.
    """

    mechanism: Any
    rounds: int
    event: Event

    spare: int
    """The errors of a pass: seldom drawn while some rule has none."""

    least_cap: int
    """The least cap at which a pass counts ``spare`` errors."""

    taken: int
    """The records that choose the rules of a run, if the candidates are those of the records."""

    def _composed(self, mechanism: Any, rounds: int, passing: Fraction) -> None:
        self.mechanism, self.rounds = mechanism, rounds
        self.spare = least_power(mechanism.base, rounds / passing)

    @abstractmethod
    def ways(self, n: int) -> float:
        """Ln of the number of ways to go on in a round."""

    @abstractmethod
    def draw(self, sample: Sample[Any], cap: int, *, receipt: Receipt) -> Found | None: ...

    @abstractmethod
    def law(self, sample: Sample[Any], cap: int) -> list[tuple[Found | None, Fraction]]:
        """What `draw` may return, with exact probabilities."""

    @abstractmethod
    def union(self, chosen: Sequence[Any]) -> Hypothesis[Any]: ...

    @abstractmethod
    def work(self, n: int) -> int: ...

    def require_affordable(self, n: int) -> None:
        return


class _Listed(_Finder):
    """Rules over declared columns, which are all candidates, by the exponential mechanism."""

    mechanism: ExponentialMechanism

    def __init__(self, H: RuleUnions, cost: PrivacyCost, rounds: int, passing: Fraction) -> None:
        self.H = H
        self._composed(round_of(rounds, cost), rounds, passing)
        self.event = repeated(self.mechanism, rounds, cost.delta)
        self.least_cap, self.taken = self.spare, 0

    def ways(self, n: int) -> float:
        return math.log(self.H.items)

    def _scores(self, sample: Sample[Any], cap: int) -> ErrorRuns:
        negatives, positives = self.H.single.covered(sample)
        errors = np.maximum(cap - positives, 0) + negatives
        errors[0] = min(self.spare, cap)  # number 0 is the rule that covers nothing
        return ErrorRuns(errors)

    def _found(self, item: int, sample: Sample[Any]) -> Found | None:
        rule = self.H.rule(item)
        return (rule, left(sample, rule)) if item else None

    def draw(self, sample: Sample[Any], cap: int, *, receipt: Receipt) -> Found | None:
        item = self.mechanism.draw(self._scores(sample, cap), receipt=receipt)
        return self._found(item, sample)

    def law(self, sample: Sample[Any], cap: int) -> list[tuple[Found | None, Fraction]]:
        chances = self.mechanism.distribution(self._scores(sample, cap))
        return [(self._found(item, sample), chance) for item, chance in chances.items()]

    def union(self, chosen: Sequence[Rule]) -> Hypothesis[Any]:
        return self.H.united(chosen)

    def work(self, n: int) -> int:
        """A thousandth of a step for each rule and round, besides reading the records."""
        return self.rounds * (n + self.H.items // 1000)


class _Open(_Finder):
    """Rules over open columns, of which those that cover a positive are candidates."""

    mechanism: ChoosingMechanism[int]

    def __init__(self, H: Covering[Any], cost: PrivacyCost, rounds: int, passing: Fraction) -> None:
        self.H = H
        growth = H.elements_per_point
        self._composed(choosing.round_of(rounds, growth, cost, EQUAL), rounds, passing)
        self.event = repeated(self.mechanism, rounds, cost.delta)
        self.least_cap, self.taken = self.spare + self.mechanism.bottom, rounds

    def ways(self, n: int) -> float:
        return math.log(n * self.H.elements_per_point + 1)

    def _scored(self, sample: Sample[Any], cap: int) -> tuple[Elements, NDArray[np.int64]]:
        """The candidates, and scores that fall with errors; a pass has the score B."""
        found, bottom = self.H.elements(sample), self.mechanism.bottom
        scores = np.minimum(found.positives, cap) - found.negatives
        # A candidate that one record brings scores 1 at most, so scores may only be lowered.
        return found, scores - max(0, cap - self.spare - bottom)

    def draw(self, sample: Sample[Any], cap: int, *, receipt: Receipt) -> Found | None:
        elements, scores = self._scored(sample, cap)
        i = self.mechanism.draw_scores(scores, elements.lengths, receipt=receipt)
        return None if i is None else (elements.element(i), elements.left(sample, i))

    def law(self, sample: Sample[Any], cap: int) -> list[tuple[Found | None, Fraction]]:
        elements, scores = self._scored(sample, cap)
        chances = self.mechanism.chances(dict(enumerate(elements.of_each(scores))))
        return [
            (None if i is None else (elements.element(i), elements.left(sample, i)), chance)
            for i, chance in chances.items()
        ]

    def union(self, chosen: Sequence[Hypothesis[Any]]) -> Hypothesis[Any]:
        return self.H.union(chosen)

    def work(self, n: int) -> int:
        return choosing.work(self.rounds, n)

    def require_affordable(self, n: int) -> None:
        choosing.require_candidates(self.H, n)
