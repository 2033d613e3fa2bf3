"""The sparse vector technique: many threshold tests for the price of the few that hit."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from littlestone.privacy.cost import PrivacyCost, decimal_text, require_epsilon
from littlestone.privacy.mechanisms.thresholds.threshold_tests import Session, ThresholdMechanism
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.geometric import discrete_laplace


@dataclass(frozen=True, kw_only=True)
class SparseVector(ThresholdMechanism):
    """Answer value_t + nu_t >= threshold + rho, with rho drawn once and nu_t fresh, up to c hits.

    rho ~ DLap(1/r1) with r1 <= e^threshold_epsilon, and nu_t ~ DLap(1/r2) with r2 <=
    e^(query_epsilon / 2c) for c = ``hits``, or e^(query_epsilon / c) when ``monotone``: replacing
    a record then moves all values the same way (which a maximum of counts does not).  It is
    (threshold_epsilon + query_epsilon)-DP, whatever the values and the number of tests
    (DR14, Theorem 3.24; LSL17, Theorems 2 and 3; discrete and sharp:
    docs/proofs/sparse-vector.md).  A test costs some microseconds.

    >>> mechanism = SparseVector.within(Fraction(1), threshold=20, hits=1)
    >>> print(mechanism.cost(), float(round(mechanism.variance)))
    epsilon 1, delta 0 (replace-one) 34.0
    """

    threshold_epsilon: Fraction
    query_epsilon: Fraction
    monotone: bool = False

    @classmethod
    def within(
        cls,
        epsilon: Fraction,
        *,
        threshold: int,
        hits: int = 1,
        hits_below: bool = False,
        monotone: bool = False,
    ) -> SparseVector:
        """The sparse vector of total ``epsilon`` with least variance: 1 : m^(2/3), m = 2c or c.

        The variance is 2 / e1^2 + 2 m^2 / e2^2 up to rounding (LSL17, section 4.2).
        """
        require_epsilon(epsilon)
        require_whole("hits", hits, least=1)
        m = hits if monotone else 2 * hits
        # Any split is private and its parts add up to epsilon exactly, so a float may choose it.
        first = epsilon / (1 + Fraction(round(m ** (2 / 3), 2)).limit_denominator(100))
        return cls(
            threshold_epsilon=first,
            query_epsilon=epsilon - first,
            threshold=threshold,
            hits=hits,
            hits_below=hits_below,
            monotone=monotone,
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("threshold_epsilon", "query_epsilon"):
            require_epsilon(getattr(self, name), what=name)

    @cached_property
    def _noises(self) -> tuple[Fraction, Fraction]:
        # docs/proofs/sparse-vector.md, Theorem 1, step 2: a hit's factor shrinks by r2^2, or r2 if
        # all values move the same way.
        moves = self.hits if self.monotone else 2 * self.hits
        return 1 / exp_below(self.threshold_epsilon), 1 / exp_below(self.query_epsilon / moves)

    def noises(self) -> tuple[Fraction, Fraction]:
        return self._noises

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.threshold_epsilon + self.query_epsilon)

    def begin(self, rng: random.Random) -> Session:
        threshold_noise, noise = self.noises()
        # Drawn once for all tests: shifting it by one pays for all answers that do not hit.
        rho = discrete_laplace(threshold_noise, rng)
        return Session(noise, self.threshold + rho, self.hits, self.hits_below, rng)

    def __str__(self) -> str:
        first, second = decimal_text(self.threshold_epsilon), decimal_text(self.query_epsilon)
        return (
            f"sparse vector, threshold {self.threshold}, up to {self.hits} hits "
            f"{'below' if self.hits_below else 'above'}, {'monotone' if self.monotone else 'any'} "
            f"values, threshold epsilon {first}, query epsilon {second}"
        )
