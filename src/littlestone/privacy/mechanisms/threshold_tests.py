"""The common part of noisy threshold tests: a session of tests, and exact probabilities of answers."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from operator import index

from littlestone.privacy.ledger import Receipt
from littlestone.privacy.mechanisms.base import Mechanism
from littlestone.privacy.parameters import require_whole
from littlestone.privacy.samplers.geometric import laplace_at_least
from littlestone.privacy.samplers.reals import bernoulli

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
        above = a**at_least / (1 + a) if at_least >= 1 else 1 - a ** (1 - at_least) / (1 + a)
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
