"""Threshold tests of counters that seldom move, over streams of any length at one price."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from littlestone.privacy.cost import PrivacyCost, decimal_text, require_epsilon
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.base import Mechanism
from littlestone.privacy.mechanisms.thresholds.threshold_tests import (
    Answers,
    probability,
    sequences,
)
from littlestone.privacy.parameters import whole
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.geometric import discrete_laplace, geometric, laplace_at_least


class QuietSession:
    """One run over a stream: it counts records, and begins a new epoch at every hit.

    Given rho, the tests of an unchanged count are independent and alike.  So their number up to the
    next hit is geometric, and is drawn at once when the count or the threshold changes.  Between tests
    ``threshold`` may be set to anything that is a function of what was published.
    """

    longest = 2**32  # a longer wait is drawn in parts, because it has no memory

    def __init__(self, noise: Fraction, threshold: int, rng: random.Random) -> None:
        self.threshold = threshold
        self._noise, self._rng = noise, rng
        self._begin()

    def _begin(self) -> None:
        self._count = 0
        self._rho = discrete_laplace(self._noise, self._rng)
        self._gap: int | None = None  # the gap for which the wait was drawn
        self._wait, self._cut = 0, False  # tests to go before the hit, or before the next draw

    def test(self, counts: bool) -> bool:
        """Take one step, whose record counts or not; True if the noisy count of the epoch hits."""
        self._count += bool(counts)
        gap = self.threshold + self._rho - self._count
        if gap != self._gap:
            self._gap, self._wait = gap, self._draw_wait(gap)
        if self._wait == 0:
            self._begin()
            return True
        self._wait -= 1
        if self._wait == 0 and self._cut:
            self._wait = self._draw_wait(gap)
        return False

    def _draw_wait(self, gap: int) -> int:
        quiet = 1 - laplace_at_least(self._noise, gap)
        wait = geometric(quiet, self._rng, most=self.longest)
        self._cut = wait == self.longest
        return wait


@dataclass(frozen=True, kw_only=True)
class QuietThreshold(Mechanism[Sequence[bool], Answers]):
    """At every step: does count + nu >= threshold + rho?  At a hit the count starts anew from 0.

    ``count`` is the number of steps of the epoch whose record was counted, nu ~ DLap(1/r) is fresh
    at every step and rho ~ DLap(1/r) at every epoch, r <= e^epsilon.  All steps, hits and epochs
    together are epsilon-DP: a record is counted in one epoch, and once it has moved the count by
    1 it keeps it moved.  So either rho or the nu of the hit hides it, never both
    (docs/proofs/quiet-threshold.md).  A standard sparse vector would cost twice as much, and a
    composition over epochs or steps many times as much.

    Whether a record counts may depend only on that record and on what was published.  Besides hits,
    what is published may depend on the records of an epoch only through a mechanism of its own, once,
    after the hit.  Time: constant per step, some milliseconds per change of the count.

    >>> mechanism = QuietThreshold(epsilon=Fraction(1, 2), threshold=10)
    >>> print(mechanism.cost())
    epsilon 0.5, delta 0 (replace-one)
    >>> {p: round(float(mass), 3) for p, mass in mechanism.distribution([True]).items()}
    {(False,): 0.978, (True,): 0.022}
    """

    epsilon: Fraction
    threshold: int

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        whole("threshold", self.threshold)

    @cached_property
    def noise(self) -> Fraction:
        """The parameter a = 1/r of every noise."""
        return 1 / exp_below(self.epsilon)

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.epsilon)

    def start(self, *, receipt: Receipt) -> QuietSession:
        """Begin the stream, paid for by ``receipt``, redeemed before the first random bit."""
        rng = receipt.redeem(self)
        return QuietSession(self.noise, self.threshold, rng)

    def draw(self, data: Sequence[bool], *, receipt: Receipt) -> Answers:
        """The steps at which the noisy count hits; ``data[t]`` says whether step t is counted."""
        session = self.start(receipt=receipt)
        return tuple(session.test(counts) for counts in data)

    def distribution(self, data: Sequence[bool]) -> dict[Answers, Fraction]:
        found: dict[Answers, Fraction] = {}
        for answers in sequences(len(data), len(data) + 1, hits_below=False):
            mass, start = Fraction(1), 0
            ends = [t + 1 for t, hit in enumerate(answers) if hit]
            for end in [*ends, len(data)]:
                counts = [sum(data[start : t + 1]) for t in range(start, end)]
                gaps = [self.threshold - count for count in counts]
                mass *= probability(gaps, answers[start:end], self.noise, self.noise)
                start = end
            found[answers] = mass
        return found

    def __str__(self) -> str:
        return (
            f"noisy counts of a stream, threshold {self.threshold}, anew after every hit, "
            f"epsilon {decimal_text(self.epsilon)}"
        )
