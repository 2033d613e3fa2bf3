"""Drawing a hypothesis by its errors: the private half of the exponential learner."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.data.sample import Sample
from littlestone.points import Point
from littlestone.privacy.draws.base import Draw
from littlestone.privacy.ledger.receipt import Receipt
from littlestone.privacy.mechanisms.scores.exponential import ExponentialMechanism
from littlestone.privacy.mistakes import EQUAL, MistakeCosts
from littlestone.privacy.scores import ErrorSums, Scorable, Scores

if TYPE_CHECKING:
    from littlestone.rules import Hypothesis


class ExponentialDraw(Draw[Point]):
    """Draw h with Pr[h] ~ r^-(errors of h), or r^-(cost of the errors), by the exponential mechanism.

    A record moves an error count by at most 1, and a cost by at most the larger cost of a mistake,
    which is the sensitivity of the mechanism (docs/proofs/exponential-mechanism.md, Theorem 1).
    """

    takes_void = True
    hypotheses: Scorable

    def __init__(
        self, hypotheses: Scorable, epsilon: Fraction, mistakes: MistakeCosts = EQUAL
    ) -> None:
        self.hypotheses, self.mistakes = hypotheses, mistakes
        self.mechanism = ExponentialMechanism(epsilon, self.mistakes.largest)

    @property
    def event(self) -> ExponentialMechanism:
        return self.mechanism

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        scores = self.scores(sample)
        if isinstance(scores, ErrorSums):
            item = scores.item(self.mechanism.draw_sum(scores, receipt=receipt))
        else:
            item = scores.item(self.mechanism.draw(scores, receipt=receipt))
        # The number drawn is all that left the mechanism; writing it as a rule reads no record.
        return self.hypotheses.hypothesis_of_item(item)

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        scores, law = self.scores(sample), dict[Any, Fraction]()
        drawn: Mapping[Any, Fraction]
        if isinstance(scores, ErrorSums):
            drawn = self.mechanism.distribution_of_sums(scores)
        else:
            drawn = self.mechanism.distribution(scores)
        for place, mass in drawn.items():
            h = self.hypotheses.hypothesis_of_item(scores.item(place))
            law[h] = law.get(h, Fraction(0)) + mass
        return law

    def scores(self, sample: Sample[Point]) -> Scores:
        """What the draw scores: the number of errors of each hypothesis, or what they cost."""
        if not self.mistakes.equal:  # so there are two labels
            sample = sample.weigh(self.mistakes.weights)
        return self.hypotheses.scores(sample)
