"""The exponential mechanism over counted errors, drawn exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from littlestone.privacy.cost import decimal_text
from littlestone.privacy.event import Guarantee
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.scores.counted import ErrorMechanism
from littlestone.privacy.samplers import selection
from littlestone.privacy.scores import ErrorRuns, ErrorSums, Scores, scores_of


@dataclass(frozen=True)
class ExponentialMechanism(ErrorMechanism):
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
        return f"exponential mechanism on {self.counts}, epsilon {decimal_text(self.epsilon)}"
