"""The choosing learner: it releases elements one by one, from vocabularies that need no list."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, cast

import numpy as np

from littlestone.base.errors import TooLargeError
from littlestone.classes.base import HypothesisClass
from littlestone.classes.dimensions.closed_forms import has_one_mistake
from littlestone.classes.promises.covering import Covering
from littlestone.classes.promises.named import NamedFunctions
from littlestone.learn.base import (
    MOST_WORK,
    Bound,
    Setting,
    WeighedLearner,
    has_rule,
    require_plan,
    unfit,
)
from littlestone.learn.plan.missed import binomial_mean, require_values
from littlestone.points import Point
from littlestone.privacy.accounting.calibration import calibrate
from littlestone.privacy.accounting.composed import repeat
from littlestone.privacy.cost import Budget, PrivacyCost
from littlestone.privacy.event import Event
from littlestone.privacy.mechanisms.choosing import ChoosingDraw, ChoosingMechanism
from littlestone.privacy.mistakes import MistakeCosts
from littlestone.privacy.parameters import least

_DRAW = 1000  # steps

MOST_ROUNDS = 1_000

MOST_CANDIDATES = 1 << 26
"""The most candidates by `Covering.most_candidates`; each takes some 80 bytes until one is drawn."""


class ChoosingLearner(ChoosingDraw[Point], WeighedLearner[Point]):
    """Release a union of elements, each drawn with Pr ~ r^(positives - negatives it newly covers).

    With ``cost`` = (a, b), a missed positive costs a and a false alarm b, and the exponent is
    a positives - b negatives.

    For a class of unions of at most s = `Covering.max_elements` elements, in which at most g
    elements cover any point.  There are s rounds of the choosing mechanism, composed to (epsilon,
    delta)-DP for every sample.  Each round sees the examples that no released element covers.  A
    round may release nothing; if no round releases an element, the rule is the constant 0.  The
    constant 1 competes in the last round, even if it is not an element.  So the rule hardly does
    worse than either constant. Proper, except for the constant 1.  The vocabulary need not be
    listed, and no Littlestone dimension is needed.

    Or for any other class of two labels with LDim <= 1: its functions are the SOA, changed on disjoint
    sets (`NamedFunctions`).  Then there is one round, positive records are those whose label is not
    the SOA's, and the SOA takes the place of the constant 0.  All mistakes cost the same.

    Time: O(n log n) for each round and column set.  Raises `DeclarationError` for other classes and
    delta = 0.  Source: BNS13; docs/proofs/choosing.md, and peeling.md for several rounds.

    >>> from littlestone.classes import EqualityRules
    >>> H = EqualityRules.over_columns("origin", "dest", max_literals=2)
    >>> learner = ChoosingLearner(H, Budget(1, "1e-6"))
    >>> learner.plan(0.1, 0.05, setting="realizable").n
    438
    """

    method = "choosing"
    several = False
    tolerates_label_noise = True
    hypotheses: HypothesisClass[Point]
    covering: Covering[Point] | NamedFunctions[Point]

    def __init__(
        self, hypotheses: HypothesisClass[Point], budget: Budget, *, cost: object = (1, 1)
    ) -> None:
        WeighedLearner.__init__(self, hypotheses, budget, cost=cost)
        covering = _covering(hypotheses)
        if isinstance(covering, NamedFunctions) and not self.mistakes.equal:
            raise self.unfit(
                found="its rules are changes of one rule, which hold missed positives and false alarms",
                declare="points, subsets, rules or rule_sets, or leave the costs out",
            )
        if covering.max_elements > MOST_ROUNDS:
            raise TooLargeError(
                f"choose {covering.max_elements:,} elements one after another",
                found=f"each round costs, and at most {MOST_ROUNDS:,} rounds are composed",
                fix="take another method, such as partition, or declare fewer elements",
            )
        target, rounds = budget.cost, max(1, covering.max_elements)
        mechanism = round_of(rounds, covering.elements_per_point, target, self.mistakes)
        # Every round is charged, also one that releases nothing.
        ChoosingDraw.__init__(
            self,
            hypotheses,
            covering,
            mechanism,
            rounds=rounds,
            delta=target.delta,
            mistakes=self.mistakes,
        )

    def work(self, n: int) -> int:
        looked = n // 10  # numpy counts ten records in a step
        if isinstance(self.covering, NamedFunctions):
            looked = self.covering.work(n) if has_rule(self.hypotheses) else MOST_WORK + 1
        return work(self.rounds, looked)

    def require_affordable(self, n: int) -> None:
        super().require_affordable(n)
        require_candidates(self.covering, n)

    def plan(self, alpha: float, beta: float, *, setting: Setting = "agnostic") -> Bound | None:
        """The examples that suffice if a hypothesis is one element (docs/proofs/choosing.md); or None.

        With r = base, g = growth, B = bottom, the costs (a, b), M = max(a, b), lam = M ln r and
        N ~ Bin(n, min(alpha M / a, 1)), it is the least n for which

            realizable:  (n g + 1) q^(n-1) + E[1 / (1 + r^(a N - B))] <= beta,
                         q = 1 - alpha (1 - e^-lam),
            agnostic:    ((n g + 1) e^l + e^(l B / M)) q^(n-1) <= beta,  q = p e^-l + (1 - p) e^l,
                         p = (1 + alpha) / 2,  l = min(lam, artanh alpha).

        The 1 next to n g is for the constant 1; it is 0 if that is an element.
        """
        require_plan(alpha, beta, setting)
        if self.covering.max_elements != 1:
            return None
        growth, bottom = self.covering.elements_per_point, self.mechanism.bottom
        each, most, gain = (
            math.log1p(self.mechanism.base - 1),
            self.mistakes.largest,
            self.mistakes.missed,
        )
        lam, one = most * each, int(self.covering.everything is not None)
        failure_at: Callable[[int], float]
        if setting == "realizable":
            rate = math.log1p(alpha * math.expm1(-lam))
            share = alpha * most / gain

            def failure_at(n: int) -> float:
                wrong = (n * growth + one) * math.exp(rate * (n - 1))
                # If even missing every record costs at most alpha, bottom is never bad.
                if share >= 1:
                    return wrong
                return wrong + _mean_bottom(n, share, bottom / gain, gain * each, beta)
        else:
            tilt = min(lam, math.atanh(alpha))
            rate = math.log1p(2 * math.sinh(tilt / 2) ** 2 - alpha * math.sinh(tilt))

            def failure_at(n: int) -> float:
                exponents = math.log(n * growth + one) + tilt, tilt * bottom / most
                return sum(math.exp(min(e + rate * (n - 1), 700.0)) for e in exponents)

        # The relative margin covers the rounding of the sums.
        n = least(lambda n: failure_at(n) <= beta * (1 - 1e-9))
        return Bound(n, alpha, beta, setting, "docs/proofs/choosing.md, Theorem 2")


def _covering(H: HypothesisClass[Point]) -> Covering[Point] | NamedFunctions[Point]:
    """H as a class of unions of elements; raises `DeclarationError` if it is not one."""
    if isinstance(H, Covering):
        return H
    if H.labels > 2 or not has_one_mistake(H):
        raise unfit(
            H,
            ChoosingLearner.method,
            found="it is not a class of unions of elements, of which few cover any point",
            declare="points, subsets, rules or rule_sets",
        )
    return NamedFunctions(H)


def work(rounds: int, n: int) -> int:
    """Every record in each round, and the draws themselves."""
    return rounds * (n + _DRAW)


def require_candidates(covering: Covering[Any] | NamedFunctions[Any], n: int) -> None:
    """Raise `TooLargeError` if the elements that ``n`` records bring are too many to count."""
    covering.require_countable(n)
    candidates = covering.most_candidates(n)
    if candidates > MOST_CANDIDATES:
        raise TooLargeError(
            f"choose from the rules that {n:,} records obey",
            found=f"they may be {candidates:,}, more than {MOST_CANDIDATES:,}",
            fix="coarsen the grids, name fewer columns, or ask for fewer conditions in a rule",
        )


@lru_cache(maxsize=1024)  # many learners are built on this one, with the same rounds and target
def round_of(
    rounds: int, growth: int, target: PrivacyCost, mistakes: MistakeCosts
) -> ChoosingMechanism[int]:
    """The mechanism with the lowest bottom whose ``rounds`` draws together cost ``target``."""
    fields = growth, mistakes.missed, mistakes.alarm
    if rounds == 1:
        return ChoosingMechanism[int](Budget(target.epsilon, target.delta), *fields)

    def calibrate_round(shared: Fraction) -> ChoosingMechanism[int]:
        def draws_at(step: Fraction) -> Event:
            mechanism = ChoosingMechanism[int](Budget(step, shared), *fields)
            return repeat(mechanism, rounds, target.delta)

        ((found, _),) = calibrate(draws_at, target).uses()
        return cast("ChoosingMechanism[int]", found)

    # All of delta for the rounds, or half of it for composing their epsilons.
    shares = (target.delta / rounds, target.delta / (2 * rounds))
    return min(map(calibrate_round, shares), key=lambda drawn: drawn.bottom)


def _mean_bottom(n: int, alpha: float, bottom: float, lam: float, beta: float) -> float:
    """E[1 / (1 + r^(N - B))] for N ~ Bin(n, alpha) and r = e^lam, up to an error below beta 1e-17."""
    few = min(700.0, 40 - math.log(beta))
    most = min(n, math.ceil(bottom + few / lam)) + 1
    require_values(most)
    k = np.arange(most)
    return binomial_mean(n, alpha, 1 / (1 + np.exp(np.clip(lam * (k - bottom), -700, 700))))
