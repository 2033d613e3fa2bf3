"""Noisy threshold tests of a counter: a session of them, exact probabilities, and one-sided noise."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import prod
from operator import index

from littlestone.privacy.cost import PrivacyCost, decimal_text, require_epsilon
from littlestone.privacy.event import Mechanism
from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.competition import Epoch, draw_skips, next_hit
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.rational import exp_below
from littlestone.privacy.samplers.noise import laplace_at_least, laplace_tail
from littlestone.privacy.samplers.reals import Real, bernoulli
from littlestone.privacy.tape import Tape

Answers = tuple[bool, ...]


class Session:
    """One run of tests value + nu >= threshold, with fresh nu ~ DLap(noise) for every test.

    It ends with the last of ``hits`` hits.  Hits are the answers True, or False with ``hits_below``.
    From then on it is `is_exhausted`: it reads no value, draws nothing, and always gives the answer
    that is not a hit.
    """

    def __init__(
        self, noise: Fraction, threshold: int, hits: int, hits_below: bool, rng: random.Random
    ) -> None:
        self._noise, self._threshold, self._rng = noise, threshold, rng
        self._left, self._hits_below = hits, hits_below

    @property
    def is_exhausted(self) -> bool:
        """Whether all hits are used up."""
        return self._left == 0

    def test(self, value: int) -> bool:
        """Whether the noisy ``value`` reaches the threshold: True is Above, False is Below."""
        # After the last hit nothing is read or drawn, so further questions cost nothing.
        if self.is_exhausted:
            return self._hits_below
        at_least = self._threshold - index(value)  # numpy's integers would wrap around
        # The test is drawn by its exact probability; no noisy value exists that could be compared
        # or leak.
        above = bernoulli(laplace_at_least(self._noise, at_least), self._rng)
        self._left -= above is not self._hits_below
        return above


@dataclass(frozen=True, kw_only=True)
class ThresholdMechanism(Mechanism[Sequence[int], Answers]):
    """Tests of integer values, one after another, against a threshold, up to ``hits`` hits.

    Replacing one record moves every value by at most 1; each may depend on the earlier answers.
    ``threshold`` is public.  The caller may subtract any public number from a value beforehand, so the
    threshold may differ from test to test.  Hits are the answers Above, or Below with ``hits_below``;
    the other answers are free, however many there are.
    """

    threshold: int
    hits: int = 1
    hits_below: bool = False

    def __post_init__(self) -> None:
        require_whole("threshold", self.threshold)
        require_whole("hits", self.hits, least=1)

    def start(self, *, receipt: Receipt) -> Session:
        """Begin the tests, paid for by ``receipt``, whose generator they draw from."""
        return self.begin(receipt.redeem(self))

    @abstractmethod
    def begin(self, rng: random.Random) -> Session:
        """Begin the tests with a generator that was paid for."""

    @abstractmethod
    def noises(self) -> tuple[Fraction, Fraction]:
        """(b, a): the threshold's noise is DLap(b), drawn once; that of each test is DLap(a)."""

    @property
    def variance(self) -> Fraction:
        """The variance of all noise in one test; the mechanism with less is better."""
        return sum((2 * a / (1 - a) ** 2 for a in self.noises()), Fraction(0))

    def tail(self, x: int) -> float:
        """Pr[nu - rho >= x] for the noise nu of a test and rho of the threshold, x >= 1.

        For display and planning: a sum of geometric series, in floats.
        """
        b, a = map(float, self.noises())
        if a == b:  # at a very large epsilon; slightly more noise has a larger tail
            a *= 1 + 1e-6
        ends = a * b / (1 - a * b) * (a**x / (1 - a) + b**x / (1 - b))
        middle = (a ** (x + 1) / (1 - a) - b ** (x + 1) / (1 - b)) / (a - b)
        return (1 - a) * (1 - b) / ((1 + a) * (1 + b)) * (ends + middle)

    def draw(self, data: Sequence[int], *, receipt: Receipt) -> Answers:
        """The answers to all values of ``data``; a fixed answer after the last hit."""
        session = self.start(receipt=receipt)
        return tuple(session.test(value) for value in data)

    def distribution(self, data: Sequence[int]) -> dict[Answers, Fraction]:
        gaps = [self.threshold - value for value in data]
        found: dict[Answers, Fraction] = {}
        for answers in sequences(len(gaps), self.hits, self.hits_below):
            rest = (self.hits_below,) * (len(gaps) - len(answers))
            found[answers + rest] = probability(gaps, answers, *self.noises())
        return found


def sequences(length: int, hits: int, hits_below: bool) -> Iterator[Answers]:
    """All sequences of answers to ``length`` tests, each cut off after its last hit."""
    if length == 0 or hits == 0:
        yield ()
        return
    for answer in (False, True):
        left = hits - (answer is not hits_below)
        for rest in sequences(length - 1, left, hits_below):
            yield (answer, *rest)


def probability(
    gaps: Sequence[int], answers: Sequence[bool], threshold_noise: Fraction, noise: Fraction
) -> Fraction:
    """Pr[(nu_t >= gaps[t] + rho) = answers[t] for all t]; rho ~ DLap(b), nu_t ~ DLap(a), independent.

    b = ``threshold_noise`` and a = ``noise``; b = 0 means no rho.  The sum over all integers rho has a
    closed form: for rho beyond the largest gap every factor is c a^rho or 1 - c a^rho, so the product
    is a polynomial in a^rho, and its sum consists of geometric series.  Gaps beyond the last answer
    are not read.

    >>> probability([0, 1], [True, False], Fraction(0), Fraction(1, 2))
    Fraction(4, 9)
    """
    b, a = threshold_noise, noise
    tests = list(zip(gaps, answers, strict=False))
    edge = 1 + max((abs(gap) for gap, _ in tests), default=0)

    def one(at_least: int, answer: bool) -> Fraction:
        above = laplace_tail(a, at_least)
        return above if answer else 1 - above

    def beyond(tests: list[tuple[int, bool]]) -> Fraction:
        """The sum over rho >= edge of b^rho times the product of all tests."""
        coefficients = [Fraction(1)]
        for gap, answer in tests:
            c = a**gap / (1 + a)
            shifted = [Fraction(0), *(c * x for x in coefficients)]
            padded = [*coefficients, Fraction(0)]
            coefficients = (
                shifted if answer else [x - y for x, y in zip(padded, shifted, strict=True)]
            )
        ratios = [b * a**i for i in range(len(coefficients))]
        return sum(
            (x * q**edge / (1 - q) for x, q in zip(coefficients, ratios, strict=True)), Fraction(0)
        )

    middle = sum(
        (
            b ** abs(rho)
            * prod((one(gap + rho, answer) for gap, answer in tests), start=Fraction(1))
            for rho in range(1 - edge, edge)
        ),
        Fraction(0),
    )
    # nu >= gap - rho is the negation of -nu >= 1 - gap + rho, and -nu is distributed as nu is.
    mirrored = [(1 - gap, not answer) for gap, answer in tests]
    return (1 - b) / (1 + b) * (middle + beyond(tests) + beyond(mirrored))


def chance_of_first_hit(a: Fraction, s: Fraction, gaps: Sequence[int]) -> Fraction:
    """The probability that the last of these tests hits first, if they share a skip Z, Pr[Z = z] ~ a^z.

    Given Z, a test hits with probability s^max(0, gap + Z), independently of the others.
    """
    last, cut = gaps[-1], max(0, -min(gaps))  # from Z = cut on, no chance is cut at 1
    total = Fraction(0)
    for z in range(cut):
        *before, hit = (s ** max(0, gap + z) for gap in gaps)
        total += (1 - a) * a**z * prod(1 - chance for chance in before) * hit
    # The product of the other tests' 1 - s^(gap + z) is a polynomial in s^z.
    terms, none = [Fraction(1)], Fraction(0)
    for gap in gaps[:-1]:
        terms = [x - s**gap * y for x, y in zip([*terms, none], [none, *terms], strict=True)]
    for power, term in enumerate(terms, start=1):
        total += (1 - a) * s**last * term * (a * s**power) ** cut / (1 - a * s**power)
    return total


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
        return chance_of_first_hit(self.shrink, self.shrink, gaps)

    def __str__(self) -> str:
        return (
            f"noisy counts of a stream of {self.horizon} steps, threshold {self.threshold}, anew "
            f"after every hit, epsilon {decimal_text(self.epsilon)}"
        )
