"""Threshold tests of a counter over a stream, with one-sided noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import prod

from littlestone.privacy.cost import PrivacyCost, decimal_text, require_epsilon
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.base import Mechanism
from littlestone.privacy.mechanisms.competition import Epoch, draw_skips, next_hit
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.reals import Real
from littlestone.privacy.tape import Tape


@dataclass(frozen=True, kw_only=True)
class OneSidedThreshold(Mechanism[Sequence[bool], tuple[int, ...]]):
    """At every step, hit with probability min(1, r^(count - Z - threshold)), r <= e^epsilon.

    ``count`` is the number of steps since the last hit whose record was counted, and Pr[Z >= z] =
    r^-z, z = 0, 1, ..., is drawn anew after each hit.  All hits of all T = ``horizon`` steps together
    are epsilon-DP under replacement of one record.  The proof, and what callers must guarantee, is
    in docs/proofs/online-teachers.md, Theorem 1.

    A hit comes after at most threshold + Z records, usually about ln(w / epsilon) / epsilon earlier if
    there are w steps for each record.  Time: constant per step, about 0.1 ms per record.

    >>> mechanism = OneSidedThreshold(epsilon=Fraction(1, 2), threshold=3, horizon=100)
    >>> print(mechanism.cost())
    epsilon 0.5, delta 0 (replace-one)
    >>> {hits: round(float(mass), 3) for hits, mass in mechanism.distribution([True]).items()}
    {(1,): 0.229, (): 0.771}
    """

    epsilon: Fraction
    threshold: int
    horizon: int

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        require_whole("threshold", self.threshold, least=1)
        require_whole("horizon", self.horizon, least=1)

    @cached_property
    def shrink(self) -> Fraction:
        """1 / r: with one record less, the chance of a hit falls at most by this factor."""
        return 1 / exp_below(self.epsilon)

    def cost(self) -> PrivacyCost:
        return PrivacyCost(self.epsilon)

    def begin(self, step: int, tape: Tape, threshold: int | None = None) -> Epoch:
        """Begin an epoch at ``step``, its first test, with its own public threshold, if given."""
        return self._time_epoch(draw_skips(self.shrink, tape), 0, step, tape, threshold)

    def count_record(
        self, epoch: Epoch, step: int, tape: Tape, threshold: int | None = None
    ) -> Epoch:
        """The epoch with one more record, that of ``step``, whose test is still to come."""
        return self._time_epoch(epoch.skips, epoch.count + 1, step, tape, threshold)

    def _time_epoch(
        self, skips: int, count: int, step: int, tape: Tape, threshold: int | None
    ) -> Epoch:
        gap = (self.threshold if threshold is None else threshold) - count + skips
        # The chance has no zero, so no delta is spent (docs/proofs/online-teachers.md, Theorem 1).
        quiet = 1 - Real.of(self.shrink).power(max(0, gap))
        return Epoch(skips, count, next_hit(quiet, step, self.horizon, tape))

    def draw(self, data: Sequence[bool], *, receipt: Receipt) -> tuple[int, ...]:
        """The steps 1, 2, ... that hit; ``data[t - 1]`` says whether record t is counted."""
        tape = Tape(receipt.redeem(self))
        epoch, hits = self.begin(1, tape), list[int]()
        for step, counts in enumerate(data[: self.horizon], start=1):
            if counts:
                # The record counts before the test of its own step.
                epoch = self.count_record(epoch, step, tape)
            if epoch.due == step:
                hits.append(step)
                epoch = self.begin(step + 1, tape)
        return tuple(hits)

    def distribution(self, data: Sequence[bool]) -> dict[tuple[int, ...], Fraction]:
        return self._law(tuple(data[: self.horizon]), 0)

    def _law(self, data: tuple[bool, ...], start: int) -> dict[tuple[int, ...], Fraction]:
        """The distribution of the hits after step ``start``, at which an epoch begins."""
        gaps = [self.threshold - count for count in accumulate(data[start:])]
        found: dict[tuple[int, ...], Fraction] = {}
        left = Fraction(1)
        for u in range(1, len(gaps) + 1):
            mass = self._first_hit(gaps[:u])
            left -= mass
            for later, p in self._law(data, start + u).items():
                found[start + u, *later] = mass * p
        return found | {(): left}

    def _first_hit(self, gaps: Sequence[int]) -> Fraction:
        """The probability that the last of these tests, with count = threshold - gap, hits first."""
        s, *_, last = self.shrink, *gaps
        cut = max(0, -min(gaps))  # from Z = cut on, no chance is cut at 1
        total = Fraction(0)
        for z in range(cut):
            *before, hit = (s ** max(0, gap + z) for gap in gaps)
            total += (1 - s) * s**z * prod(1 - chance for chance in before) * hit
        # The product of the other tests' 1 - s^(gap + z) is a polynomial in s^z.
        terms, none = [Fraction(1)], Fraction(0)
        for gap in gaps[:-1]:
            terms = [a - s**gap * b for a, b in zip([*terms, none], [none, *terms], strict=True)]
        for power, term in enumerate(terms, start=2):
            total += (1 - s) * s**last * term * s ** (power * cut) / (1 - s**power)
        return total

    def __str__(self) -> str:
        return (
            f"noisy counts of a stream of {self.horizon} steps, threshold {self.threshold}, anew "
            f"after every hit, epsilon {decimal_text(self.epsilon)}"
        )
