"""Rules found one after another, each by the exponential mechanism on what is left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, cast

from littlestone.classes.base import HypothesisClass
from littlestone.classes.counting.blocks import holding
from littlestone.classes.rule_lists import InRounds, Rule
from littlestone.data.sample import Sample
from littlestone.learn.base import Bound, Setting, WeighedLearner, require_plan
from littlestone.learn.exponential import least_size
from littlestone.points import Point
from littlestone.privacy.accounting.calibration import calibrate
from littlestone.privacy.accounting.composed import repeat
from littlestone.privacy.cost import Budget, PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.exponential import ExponentialMechanism
from littlestone.privacy.rational import sum_masses
from littlestone.rules import Hypothesis

SINGLE = "the best single rule"
"""What the proved size of several rounds compares with."""


class RoundsLearner(WeighedLearner[Point]):
    """Release a list or set of rules, each drawn with Pr ~ r^-(errors on what is left).

    There are at most K rounds of the exponential mechanism, composed to (epsilon, delta)-DP for every
    sample; epsilon / K each if delta = 0.  A round sees the examples that no released rule covers.  A
    rule scores the errors that it would make there as the last one, so the default label is chosen
    with it.  The run ends early when a round draws a label for everything.  With ``cost`` = (a, b), a
    missed positive counts as a errors and a false alarm as b.

    Up to noise, a list does no worse than the best single rule, and `plan` says how many records that
    takes.  How much better it is depends on the data.  Source: docs/proofs/rounds.md.  Time: K times
    that of scoring `Conditions`.  Raises `DeclarationError` for other classes.

    >>> from littlestone.classes import parse_class
    >>> H = parse_class("rule_list(age: 0..80 step 20, sex in {F, M}; at most 2)")
    >>> learner = RoundsLearner(H, Budget(1))
    >>> str(learner.mechanism.epsilon), str(learner.cost())
    ('1/2', 'epsilon 1, delta 0 (replace-one)')
    """

    method = "rounds"
    several = True
    tolerates_label_noise = True
    takes_void = True

    def __init__(
        self, hypotheses: HypothesisClass[Point], budget: Budget, *, cost: object = (1, 1)
    ) -> None:
        super().__init__(hypotheses, budget, cost=cost)
        self.mistakes.require_rule(hypotheses.labels)
        if not isinstance(hypotheses, InRounds) or hypotheses.space is not None:
            raise self.unfit(
                found="it is not a class of lists or sets of rules over a mixed table",
                declare="rule_list(COLUMN, ...; at most K), or rule_sets over declared columns",
            )
        self.hypotheses: Any = hypotheses
        self.mechanism = round_of(hypotheses.rules, budget.cost, self.mistakes.largest)
        # All K draws are charged, even if the run ends early: where it ends depends on the data
        # (docs/proofs/rounds.md, Theorem 1).
        self.event = repeat(self.mechanism, hypotheses.rules, budget.delta)

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        rules: list[Rule] = []
        sample = self._weigh(sample)
        while len(rules) < self.hypotheses.rules:
            scores = self.hypotheses.round_scores(sample)
            rule = self.hypotheses.rule(self.mechanism.draw(scores, receipt=receipt))
            rules.append(rule)
            # A rule for everything leaves no examples for the next round.
            if not rule.tests:
                break
            # The released rule alone decides which examples stay, so one replaced record still is
            # one record in the next round.
            sample = left(sample, rule)
        return cast("Hypothesis[Point]", self.hypotheses.function_of_rules(rules))

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        return self._distribution(self._weigh(sample), ())

    def _weigh(self, sample: Sample[Point]) -> Sample[Point]:
        """The sample whose errors are costs; each record is in all rounds what it is in this one."""
        return sample if self.mistakes.equal else sample.weigh(self.mistakes.weights)

    def _distribution(
        self, sample: Sample[Point], rules: tuple[Rule, ...]
    ) -> dict[Hypothesis[Point], Fraction]:
        if len(rules) == self.hypotheses.rules or (rules and not rules[-1].tests):
            return {self.hypotheses.function_of_rules(rules): Fraction(1)}

        def later(rule: Rule) -> dict[Hypothesis[Point], Fraction]:
            return self._distribution(left(sample, rule) if rule.tests else sample, (*rules, rule))

        drawn = self.mechanism.distribution(self.hypotheses.round_scores(sample))
        return sum_masses(
            (h, chance * p)
            for item, chance in drawn.items()
            for h, p in later(self.hypotheses.rule(item)).items()
        )

    def work(self, n: int) -> int:
        """A thousandth of a step for each rule, label and round, besides reading the records."""
        return int(self.hypotheses.rules * (n + self.hypotheses.items // 1000))

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The examples that suffice for the error of the best single rule plus ``alpha``.

        It is the size of `ExponentialLearner` for N = M^K functions and the r of one round, where M is
        the number of items of a round (docs/proofs/rounds.md, Theorem 3).  Some list of several rules
        may be better; nothing is proved about it.  So the bound names its comparison in ``versus``.  In
        the realizable setting there is a bound only for K = 1.
        """
        require_plan(alpha, beta, setting)
        rounds = self.hypotheses.rules
        if setting == "realizable" and rounds > 1:
            return None
        # Theorem 3 treats a list as one of M^K functions, drawn at the rate of one round.
        runs = rounds * math.log(self.hypotheses.items)
        tilt = self.mistakes.largest * math.log1p(self.mechanism.base - 1)
        n = least_size(runs, tilt, alpha, beta, setting)
        source, versus = "docs/proofs/rounds.md, Theorem 3", SINGLE if rounds > 1 else ""
        return Bound(n, alpha, beta, setting, source, versus)


def left(sample: Sample[Any], rule: Rule) -> Sample[Any]:
    """The examples that the rule does not cover; each record stays or goes independently."""
    return sample.keep_where(~holding(rule.tests, sample))


@lru_cache(maxsize=256)
def round_of(rounds: int, target: PrivacyCost, sensitivity: int = 1) -> ExponentialMechanism:
    """The mechanism with the largest epsilon whose ``rounds`` draws together cost ``target``."""
    if rounds == 1 or not target.delta:
        return ExponentialMechanism(target.epsilon / rounds, sensitivity)

    def draws_at(step: Fraction) -> Event:
        return repeat(ExponentialMechanism(step, sensitivity), rounds, target.delta)

    uses: Sequence[tuple[Event, int]] = calibrate(draws_at, target).uses()
    return cast("ExponentialMechanism", uses[0][0])
