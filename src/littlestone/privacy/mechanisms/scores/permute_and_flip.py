"""Permute-and-flip over counted errors, drawn exactly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from littlestone.privacy.cost import decimal_text
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.scores.exponential import ErrorMechanism
from littlestone.privacy.samplers import race
from littlestone.privacy.scores import ErrorRuns


@dataclass(frozen=True)
class PermuteAndFlip(ErrorMechanism):
    """Visit the items in random order; release the first whose coin of bias r^-gap shows heads.

    gap_i = errors_i - min errors, and r is a rational with r <= e^(epsilon / (2 s)).  It is epsilon-DP
    under replacement if replacing one record moves every error count by at most the ``sensitivity`` s,
    by default 1, and its expected error is never above that of the exponential mechanism (MS20).  For
    a single draw it is the better choice.  Under composition it costs more: its log-ratios are not in
    an interval of length epsilon, and no rho much below epsilon^2 / 2 holds, whereas the exponential
    mechanism has epsilon^2 / 8.

    It is drawn as the item with the least U_i r^errors_i, whole blocks at once, which has the same law.
    Proofs are in docs/proofs/permute-and-flip.md.

    >>> import numpy as np
    >>> mechanism = PermuteAndFlip(Fraction(1))
    >>> exact = mechanism.distribution(ErrorRuns(np.array([0, 1, 4])))
    >>> [round(float(p), 3) for p in exact.values()]
    [0.656, 0.29, 0.054]
    """

    def draw(self, data: ErrorRuns, *, receipt: Receipt) -> int:
        """Draw one item, numbered from 0 through all runs; ``data.errors[r]`` >= 0 is for run r."""
        rng = receipt.redeem(self)
        # The least U_i r^errors_i has the law of the coins: docs/proofs/permute-and-flip.md,
        # Theorem 1.
        return race.draw_item(data.errors, data.lengths, self.base, rng)

    def distribution(self, data: ErrorRuns) -> dict[int, Fraction]:
        """Pr[i] = q_i times the integral over [0, 1] of prod over k != i of (1 - q_k t), q = r^-gap.

        Exact, in time cubic in the number of items.
        """
        lengths = [1] * len(data.errors) if data.lengths is None else data.lengths
        best = int(data.errors.min())
        q = [self.base ** (best - int(error)) for error in data.errors]
        each = []
        for i in range(len(q)):
            others = [Fraction(1)]  # the coefficients of the product, from t^0 on
            for k, length in enumerate(lengths):
                for _ in range(length - (k == i)):
                    others = [
                        here - q[k] * before
                        for here, before in zip(
                            [*others, Fraction(0)], [Fraction(0), *others], strict=True
                        )
                    ]
            each.append(q[i] * sum((c / (m + 1) for m, c in enumerate(others)), Fraction(0)))
        return dict(
            enumerate(p for p, length in zip(each, lengths, strict=True) for _ in range(length))
        )

    def __str__(self) -> str:
        return f"permute-and-flip on {self.counts}, epsilon {decimal_text(self.epsilon)}"
