"""The exponential mechanism over counted errors, drawn exactly, and the draw of a hypothesis by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from littlestone.data.sample import Sample
from littlestone.points import Point
from littlestone.privacy.cost import PrivacyCost, decimal_text, require_epsilon
from littlestone.privacy.draws import Draw
from littlestone.privacy.event import Guarantee, Mechanism
from littlestone.privacy.ledger.receipt import Receipt
from littlestone.privacy.mistakes import EQUAL, MistakeCosts
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.rational import exp_below, sum_masses
from littlestone.privacy.samplers import selection
from littlestone.privacy.scores import ErrorRuns, ErrorSums, Scorable, Scores, scores_of

if TYPE_CHECKING:
    from littlestone.rules import Hypothesis


@dataclass(frozen=True)
class ExponentialMechanism(Mechanism[ErrorRuns, int]):
    """Draw item i with Pr[i] ~ r^-errors_i, where r is a rational with r <= e^(epsilon / (2 s)).

    It is epsilon-DP under replacement whenever replacing one record moves every error count by at
    most the ``sensitivity`` s, by default 1: each weight moves by a factor within [r^-s, r^s] and so
    does their sum, so each probability moves by at most r^(2 s) <= e^epsilon (KLN+11, Theorem 3.4;
    lecture 5, Theorem 1).  The proof and the exactness of the draw are in
    docs/proofs/exponential-mechanism.md.

    >>> mechanism = ExponentialMechanism(Fraction(1))
    >>> [round(float(p), 3) for p in mechanism.probabilities(np.array([0, 1, 4]))]
    [0.574, 0.348, 0.078]
    """

    epsilon: Fraction
    sensitivity: int = 1
    """The most by which one record moves a count: above 1 if some errors count more than others."""

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        require_whole("sensitivity", self.sensitivity, least=1)

    @cached_property
    def base(self) -> Fraction:
        """The ratio r of the weights of two items that differ by one error."""
        # A factor r^s for the weight and one for the sum of all weights: r^(2 s) <= e^epsilon.
        return exp_below(self.epsilon / (2 * self.sensitivity))

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.epsilon)

    def guarantee(self) -> Guarantee:
        # Every log-ratio lies between those of the two extreme changes of the sum of all weights.
        return Guarantee.bounded_range(self.epsilon)

    def draw(self, data: ErrorRuns, *, receipt: Receipt) -> int:
        """Draw one item; ``data.errors[r]`` >= 0 is the error count of each item of run r.

        Items are numbered from 0 through all runs.  It takes about 10 ms for a million.
        """
        # Payment before the draw: the receipt is the only way to the generator.
        rng = receipt.redeem(self)
        # Exact by docs/proofs/exponential-mechanism.md, Theorem 2: no weight is ever a float.
        return selection.draw_item(data.errors, data.lengths, self.base, rng)

    def draw_sum(self, data: ErrorSums, *, receipt: Receipt) -> tuple[Any, ...]:
        """Draw one item (g, i, j, ...), like `draw`, without listing the items."""
        rng = receipt.redeem(self)
        # The same law over sums of errors, group by group (Theorem 6).
        return selection.draw_sum(data.groups, self.base, rng)

    def distribution_of_sums(self, data: ErrorSums) -> dict[tuple[Any, ...], Fraction]:
        """The exact probability of each item of `draw_sum`.  For audits, never released."""
        weights = self._weights_of_sums(data)
        total = sum(weights.values())
        return {item: weight / total for item, weight in weights.items()}

    def _weights_of_sums(self, data: ErrorSums) -> dict[tuple[Any, ...], Fraction]:
        found: dict[tuple[Any, ...], Fraction] = {}
        for g, parts in enumerate(data.groups):
            known = [scores_of(part) for part in parts]
            behind = self.base ** (data.least - sum(part.least for part in known))
            for chosen in product(*(self._weights(part).items() for part in known)):
                found[g, *(item for item, _ in chosen)] = prod(
                    (weight for _, weight in chosen), start=behind
                )
        return found

    def _weights(self, data: Scores) -> dict[Any, Fraction]:
        if isinstance(data, ErrorSums):
            return self._weights_of_sums(data)
        lengths = [1] * len(data.errors) if data.lengths is None else data.lengths
        # By gaps: powers of errors would have as many digits as there are records.
        runs = zip((data.errors - data.least).tolist(), lengths, strict=True)
        return dict(enumerate(self.base**-e for e, length in runs for _ in range(length)))

    def distribution(self, data: ErrorRuns) -> dict[int, Fraction]:
        lengths = [1] * len(data.errors) if data.lengths is None else data.lengths
        masses = zip(self.probabilities(data.errors, lengths), map(int, lengths), strict=True)
        return dict(enumerate(mass / length for mass, length in masses for _ in range(length)))

    def probabilities(
        self,
        errors: NDArray[np.int64],
        lengths: Sequence[int] | NDArray[np.int64] | None = None,
    ) -> list[Fraction]:
        """The exact probability of each run.  It depends on the data: for audits, never released."""
        counts = [1] * len(errors) if lengths is None else lengths
        gaps = errors - errors.min()
        weights = [
            int(count) * self.base ** -int(gap) for count, gap in zip(counts, gaps, strict=True)
        ]
        total = sum(weights)
        return [weight / total for weight in weights]

    def __str__(self) -> str:
        each = f"costs of up to {self.sensitivity:,} a record"
        counts = "error counts" if self.sensitivity == 1 else each
        return f"exponential mechanism on {counts}, epsilon {decimal_text(self.epsilon)}"


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

    def draw(self, sample: Sample[Point], *, receipt: Receipt) -> Hypothesis[Point]:
        scores = self.scores(sample)
        if isinstance(scores, ErrorSums):
            item = scores.item(self.mechanism.draw_sum(scores, receipt=receipt))
        else:
            item = scores.item(self.mechanism.draw(scores, receipt=receipt))
        # The number drawn is all that left the mechanism; writing it as a rule reads no record.
        return self.hypotheses.hypothesis_of_item(item)

    def distribution(self, sample: Sample[Point]) -> dict[Hypothesis[Point], Fraction]:
        scores = self.scores(sample)
        drawn: Mapping[Any, Fraction]
        if isinstance(scores, ErrorSums):
            drawn = self.mechanism.distribution_of_sums(scores)
        else:
            drawn = self.mechanism.distribution(scores)
        rule = self.hypotheses.hypothesis_of_item
        return sum_masses((rule(scores.item(place)), mass) for place, mass in drawn.items())

    def scores(self, sample: Sample[Point]) -> Scores:
        """What the draw scores: the number of errors of each hypothesis, or what they cost."""
        if not self.mistakes.equal:  # so there are two labels
            sample = sample.weigh(self.mistakes.weights)
        return self.hypotheses.scores(sample)
